/** Pieces of an OpenAPI 3 description: references, the path of its server, and values as they stand in requests. Pure. */
import { encoded, type Losses, plain } from './observed.ts';

export const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Follows `$ref` within the document, a few steps; undefined where it leads out of it or to nothing. */
export function resolve(document: unknown, value: unknown, steps = 0): unknown {
  const reference = field(value, '$ref');
  if (typeof reference !== 'string' || steps > 20) return value;
  if (!reference.startsWith('#/')) return undefined;
  const path = reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const target = path.reduce<unknown>((node, step) => field(node, step), document);
  return resolve(document, target, steps + 1);
}

/** Where a reference leads that cannot be followed; null where there is none, or it can. */
export function lostReference(document: unknown, value: unknown): string | null {
  const reference = field(value, '$ref');
  return typeof reference === 'string' && resolve(document, value) === undefined ? reference : null;
}

/** What stands before every path: that of the first server, its variables at their defaults. */
export function basePath(document: unknown, losses: Losses): string {
  const servers = field(document, 'servers');
  const server: unknown = Array.isArray(servers) ? servers[0] : undefined;
  const written = plain(field(server, 'url'));
  const unknown: string[] = [];
  const url = written.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = field(field(server, 'variables'), name);
    const choices = field(variable, 'enum');
    const value = field(variable, 'default') ?? (Array.isArray(choices) ? choices[0] : undefined);
    if (value === undefined) unknown.push(name);
    return plain(value);
  });
  if (unknown.length > 0) {
    losses.add(
      `the path of the server ${written}: \`${unknown.join('`, `')}\` has no default; write it by hand`,
    );
    return '';
  }
  const path = URL.canParse(url) ? new URL(url).pathname : url.startsWith('/') ? url : '';
  return path.replace(/\/+$/, '');
}

/** Values of one parameter of a query: names with a text or several. */
export type Pairs = readonly (readonly [name: string, value: string | readonly string[]])[];

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** As `form` (the style unless it names one), `deepObject` and the styles with other separators put it. */
export function inQuery(parameter: unknown, name: string, value: unknown): Pairs {
  const style = field(parameter, 'style') ?? 'form';
  const explode = (field(parameter, 'explode') ?? style === 'form') === true;
  const separator = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ',';
  if (Array.isArray(value)) {
    const items = value.map(textOf);
    if (explode) return items.length === 0 ? [] : [[name, items]];
    return [[name, items.join(separator)]];
  }
  if (typeof value !== 'object' || value === null) return [[name, textOf(value)]];
  const fields = Object.entries(value);
  if (style === 'deepObject') return fields.map(([key, one]) => [`${name}[${key}]`, textOf(one)]);
  if (explode) return fields.map(([key, one]) => [key, textOf(one)]);
  return [[name, fields.flatMap(([key, one]) => [key, textOf(one)]).join(separator)]];
}

/** As the style `simple` puts it into a path or a header, and `label` and `matrix` into a path. */
export function inPath(parameter: unknown, name: string, value: unknown, place: 'path' | 'header'): string {
  const style = place === 'header' ? 'simple' : field(parameter, 'style');
  const explode = field(parameter, 'explode') === true;
  const write = (one: unknown): string => (place === 'header' ? textOf(one) : encoded(textOf(one)));
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
  const separator = explode && prefix !== '' ? prefix : ',';
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const fields = Object.entries(value).map(([key, one]) => write(key) + (explode ? '=' : ',') + write(one));
    return (style === 'matrix' && !explode ? `;${name}=` : prefix) + fields.join(separator);
  }
  const items = [value].flat().map(write);
  if (style !== 'matrix') return prefix + items.join(separator);
  return explode ? items.map((item) => `;${name}=${item}`).join('') : `;${name}=${items.join(',')}`;
}

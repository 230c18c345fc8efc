/** An OpenAPI 3 description → a request for each operation that it gives examples for. Pure. */
import { TailgateError } from '../kernel/errors.ts';
import { type Keys, plainDeep, plainText } from './fragment.ts';
import { isSecretName, type Losses, plain, sendable } from './observed.ts';
import { basePath, entriesOf, field, inPath, inQuery, lostReference, resolve } from './openapi-parts.ts';
import { openBody } from './routes.ts';

/**
 * @param document as read from JSON or YAML.
 * @throws TailgateError `usage` when it is no OpenAPI 3, or none of its operations can be sent.
 */
export function readOpenApi(document: unknown, name: string, losses: Losses): Keys {
  const version = plain(field(document, 'openapi'));
  if (!version.startsWith('3.')) {
    const found = field(document, 'swagger');
    throw noDescription(
      found === undefined ? 'it has no `openapi: 3…`' : `it is Swagger ${plain(found)}`,
      'wanted OpenAPI 3; converters from Swagger 2 are common',
    );
  }
  const paths = field(document, 'paths');
  const base = basePath(document, losses);
  const requests: Keys[] = [];
  for (const [path, item] of entriesOf(paths)) {
    const lost = lostReference(document, item);
    if (lost !== null) losses.add(`${path}: left out: it stands in ${lost}, which is not read`);
    const shared = resolve(document, item);
    for (const [key, operation] of entriesOf(shared)) {
      const method = key.toUpperCase();
      if (method === 'TRACE') losses.add(`${method} ${path}: TRACE cannot be sent`);
      if (!sendable.has(method)) continue;
      const own = new Operation(document, `${method} ${path}`, losses);
      const request = own.read(base + path, method, field(shared, 'parameters'), operation);
      if (request !== null) requests.push(request);
    }
  }
  if (requests.length === 0) {
    throw noDescription(
      entriesOf(paths).length === 0 ? 'it has no `paths`' : 'no operation of it can be sent',
      losses.list()[0]?.what ?? 'give its parameters an `example`',
    );
  }
  if (
    field(document, 'security') !== undefined ||
    entriesOf(field(field(document, 'components'), 'securitySchemes')).length > 0
  ) {
    losses.add('authorisation: write `auth` or a `session` into the scenario');
  }
  losses.add('proportions: a description does not tell them, so that every request has weight 1');
  return { name, requests };
}

/** A value, or that there is none. */
type Example = { readonly value: unknown } | null;

class Operation {
  readonly #document: unknown;
  readonly #name: string;
  readonly #losses: Losses;

  constructor(document: unknown, name: string, losses: Losses) {
    this.#document = document;
    this.#name = name;
    this.#losses = losses;
  }

  /** @returns null when something that it needs has no example. */
  read(path: string, method: string, shared: unknown, operation: unknown): Keys | null {
    const query = new Map<string, string | readonly string[]>();
    const headers = new Map<string, string>();
    let target = plainText(path);
    for (const parameter of this.#parameters(shared, field(operation, 'parameters'))) {
      const name = plain(field(parameter, 'name'));
      const place = field(parameter, 'in');
      if (place !== 'path' && field(parameter, 'required') !== true) {
        this.#losses.add(`the optional parameter \`${name}\`: left out`);
        continue;
      }
      if (place === 'cookie') {
        this.#lose(`the cookie \`${name}\` is left out`);
        continue;
      }
      if (place !== 'path' && isSecretName(name)) {
        this.#lose(
          `the ${place === 'header' ? 'header' : 'parameter'} \`${name}\`, which may be secret, is left out`,
        );
        continue;
      }
      const [, written] = entriesOf(field(parameter, 'content'))[0] ?? [];
      const example = this.#exampleOf(written ?? parameter, `the parameter \`${name}\``);
      if (example === null) return null;
      const value = written === undefined ? example.value : JSON.stringify(example.value);
      if (place === 'query') {
        for (const [key, one] of inQuery(parameter, name, value)) {
          query.set(plainText(key), typeof one === 'string' ? plainText(one) : one.map(plainText));
        }
      } else if (place === 'path') {
        target = target.replaceAll(`{${name}}`, () => plainText(inPath(parameter, name, value, 'path')));
      } else headers.set(name, plainText(inPath(parameter, name, value, 'header')));
    }
    if (/\{[^}]*\}/.test(target.replaceAll(/\$\{[^}]*\}/g, ''))) {
      this.#lose('left out: its path names a parameter that it does not describe');
      return null;
    }
    const body = this.#bodyOf(method, field(operation, 'requestBody'));
    if (body === null) return null;
    const status = entriesOf(field(operation, 'responses'))
      .map(([code]) => code)
      .filter((code) => /^[23](\d\d|XX)$/.test(code))
      .map((code) => (code.endsWith('XX') ? code.toLowerCase() : Number(code)));
    return {
      ...(method === 'GET' ? {} : { method }),
      path: target,
      ...(query.size === 0 ? {} : { query: Object.fromEntries(query) }),
      ...(headers.size === 0 ? {} : { headers: Object.fromEntries(headers) }),
      ...body,
      ...(status.length === 0 || status.every((one) => one === 200) ? {} : { expect: { status } }),
    };
  }

  /** Those of the path, replaced by those of the operation with the same name and place. */
  #parameters(shared: unknown, own: unknown): readonly unknown[] {
    const listed = [shared, own].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
    const all = listed.filter((one) => {
      const lost = lostReference(this.#document, one);
      if (lost !== null) this.#lose(`a parameter that stands in ${lost}, which is not read, is left out`);
      return lost === null;
    });
    const byName = new Map(
      all.map((one) => {
        const parameter = resolve(this.#document, one);
        return [`${plain(field(parameter, 'in'))} ${plain(field(parameter, 'name'))}`, parameter];
      }),
    );
    return [...byName.values()];
  }

  #bodyOf(method: string, described: unknown): Keys | null {
    const lost = lostReference(this.#document, described);
    if (lost !== null) {
      this.#lose(`left out: its body stands in ${lost}, which is not read`);
      return null;
    }
    const body = resolve(this.#document, described);
    if (body === undefined) return {};
    if (method === 'HEAD') {
      this.#lose('the body is left out, which a HEAD request cannot have');
      return {};
    }
    const content = entriesOf(field(body, 'content'));
    const json =
      content.find(([type]) => /[/+]json\b/.test(type)) ??
      content.find(([type]) => type.includes('form-urlencoded'));
    if (json === undefined) {
      const required = field(body, 'required') === true;
      const types = content.map(([type]) => type).join(', ') || 'not described';
      this.#lose(`${required ? 'left out: its body' : 'the body, left out,'} is ${types}; write it by hand`);
      return required ? null : {};
    }
    const example = this.#exampleOf(json[1], 'the body');
    if (example === null) return null;
    const value = plainDeep(example.value);
    if (json[0].includes('form-urlencoded')) {
      if (entriesOf(value).length > 0 || JSON.stringify(value) === '{}') return { form: value };
      this.#lose('left out: the example of its form is no group of fields; write it by hand');
      return null;
    }
    if (typeof value === 'object' && value !== null) return { body: value };
    return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
  }

  /** From `example`, `examples` or the schema; numbers, dates and such are made up, and that is told. */
  #exampleOf(described: unknown, what: string): Example {
    const named = entriesOf(field(described, 'examples'))[0]?.[1];
    const given = field(described, 'example') ?? field(resolve(this.#document, named), 'value');
    if (given !== undefined) return { value: this.#open(given, what) };
    const made = this.#made(field(described, 'schema'), 0);
    if (made === null) {
      this.#lose(`left out: ${what} has no example; give it an \`example\``);
      return null;
    }
    const value = this.#open(made.value, what);
    if (made.invented) this.#lose(`${what} has no example: ${JSON.stringify(value)} was made up`);
    return { value };
  }

  /** Without what may be secrets in it. */
  #open(value: unknown, what: string): unknown {
    const open = openBody({ kind: 'json', value }, (name) =>
      this.#lose(
        `the value of \`${name}\` in ${what}, which may be secret: give a template such as \${NAME}`,
      ),
    );
    return open.kind === 'json' ? open.value : value;
  }

  #made(schema: unknown, depth: number): { readonly value: unknown; readonly invented: boolean } | null {
    const own = resolve(this.#document, schema);
    if (own === undefined || depth > 8) return null;
    const known =
      field(own, 'example') ??
      firstOf(field(own, 'examples')) ??
      field(own, 'default') ??
      firstOf(field(own, 'enum'));
    if (known !== undefined) return { value: known, invented: false };
    const type = firstOf(field(own, 'type')) ?? field(own, 'type');
    const format = field(own, 'format');
    if (type === 'integer' || type === 'number') return { value: field(own, 'minimum') ?? 1, invented: true };
    if (type === 'boolean') return { value: true, invented: true };
    if (format === 'uuid') return { value: '00000000-0000-4000-8000-000000000000', invented: true };
    if (format === 'date') return { value: '2024-01-31', invented: true };
    if (format === 'date-time') return { value: '2024-01-31T12:00:00Z', invented: true };
    if (type === 'array') {
      const item = this.#made(field(own, 'items'), depth + 1);
      return item === null ? null : { value: [item.value], invented: item.invented };
    }
    const properties = entriesOf(field(own, 'properties'));
    return properties.length === 0 ? null : this.#object(own, properties, depth);
  }

  /** What is required, and what has an example without being required. */
  #object(schema: unknown, properties: readonly (readonly [string, unknown])[], depth: number) {
    const list = field(schema, 'required');
    const required = new Set(Array.isArray(list) ? list.map(String) : []);
    const value = new Map<string, unknown>();
    let invented = false;
    for (const [name, property] of properties) {
      const made = this.#made(property, depth + 1);
      if (made === null && required.has(name)) return null;
      if (made === null || (made.invented && !required.has(name))) continue;
      value.set(name, made.value);
      invented ||= made.invented;
    }
    return { value: Object.fromEntries(value), invented };
  }

  #lose(what: string): void {
    this.#losses.add(`${this.#name}: ${what}`);
  }
}

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

function noDescription(why: string, hint: string): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `this is no OpenAPI description that can be read: ${why}`,
    hint,
  });
}

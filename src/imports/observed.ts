/** What was read from a log, a HAR or a description: requests that happened, and what could not be taken over. */
import { isSecretName } from '../kernel/masking.ts';

export { isSecretName };

/** One request as it was seen. */
export interface Seen {
  readonly method: string;
  /** Starts with a slash; without query. */
  readonly path: string;
  /** As written, without the question mark; empty where there is none. */
  readonly query: string;
  /** null where it is not told. */
  readonly status: number | null;
  /** Milliseconds since 1970; null where it is not told. */
  readonly at: number | null;
  /** Without port, in lower case; null where it is not told. */
  readonly host: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SeenBody | null;
}

export type SeenBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly fields: readonly (readonly [string, string])[] }
  | { readonly kind: 'text'; readonly text: string };

/** Something that was not taken over, or not as it was. */
export interface Loss {
  readonly what: string;
  readonly count: number;
  /** Of the file, 1-based, where it first came; null where lines say nothing. */
  readonly line: number | null;
}

/** Counts losses by what they are; the first line of each is kept. */
export class Losses {
  readonly #known = new Map<string, { count: number; line: number | null }>();

  add(what: string, line: number | null = null, count = 1): void {
    // A file of rubbish has as many kinds of loss as it has lines.
    const kind = this.#known.has(what) || this.#known.size < mostKinds ? what : 'something else';
    const known = this.#known.get(kind);
    if (known !== undefined) known.count += count;
    else this.#known.set(kind, { count, line });
  }

  list(): readonly Loss[] {
    return [...this.#known].map(([what, { count, line }]) => ({ what, count, line }));
  }
}
const mostKinds = 200;

/** Methods that a scenario can send. */
export const sendable: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

/** The first word of a text that is the name of a secret; null where there is none. */
export const secretWordIn = (text: string): string | null =>
  text.match(/[\w-]+/g)?.find(isSecretName) ?? null;

/** A query without the parameters that may be secrets, whatever way their names are encoded. */
export function openQuery(query: string, lose: (name: string) => void): string {
  return query
    .split('&')
    .filter((pair) => {
      // Some servers read `;` as another `&`.
      const secret = pair.split(';').map(nameOf).find(isSecretName);
      if (secret !== undefined) lose(secret);
      return secret === undefined;
    })
    .join('&');
}

/** Octet by octet: a name with a broken escape in it is decoded where it can be. */
const nameOf = (pair: string): string =>
  pair
    .split('=', 1)[0]!
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, octet: string) => String.fromCharCode(Number.parseInt(octet, 16)))
    .trim();

/** What stands there as text; empty for lists and groups, whose own `toString` nobody should call. */
export const plain = (value: unknown): string =>
  value === null || value === undefined || typeof value === 'object' ? '' : String(value);

/** What a text says as JSON; undefined where it says nothing, or is nested deeper than any request. */
export function jsonOf(text: string): unknown {
  if (depthOf(text) > 500) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of a JSON text: how many lists and groups stand in each other. */
function depthOf(text: string): number {
  let [depth, deepest, inText] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (inText && sign === '\\') at++;
    else if (sign === '"') inText = !inText;
    else if (!inText && (sign === '[' || sign === '{')) deepest = Math.max(deepest, ++depth);
    else if (!inText && (sign === ']' || sign === '}')) depth--;
  }
  return deepest;
}

/** Percent-encoded; halves of letters, as JSON can hold them, are replaced as in any UTF-8. */
export const encoded = (text: string): string =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));

export interface Target {
  readonly path: string;
  readonly query: string;
  /** Of a URL, without port. */
  readonly host: string | null;
}

/** Path and query of a URL or a path as a request line can carry them; null when it is neither. */
export function splitTarget(target: string): Target | null {
  let text = target;
  let host: string | null = null;
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) return null;
    const { pathname, search, hostname } = new URL(text);
    text = pathname + search;
    host = hostname;
  }
  text = text.split('#', 1)[0]!;
  if (!/^\/[!-~]*$/.test(text)) return null;
  const mark = text.indexOf('?');
  if (mark === -1) return { path: text, query: '', host };
  return { path: text.slice(0, mark), query: text.slice(mark + 1), host };
}

/** A short fingerprint of whatever a benchmark returns: equal results have equal ones in every process. */
import { createHash, type Hash } from 'node:crypto';

/** Values visited at most: a result may be a whole graph of sockets and caches. */
const mostValues = 20_000;
/** Characters or bytes of one text or buffer; longer ones count with their length and their beginning. */
const mostContent = 1 << 20;

/**
 * 16 hex digits for a value, null when it cannot be looked at (a getter or proxy threw). Functions count as functions,
 * whatever they do; keys in any order; references to what was met before as such.
 */
export function digestOf(value: unknown): string | null {
  const digest = new Digest();
  try {
    digest.add(value);
  } catch {
    return null;
  }
  return digest.end();
}

class Digest {
  readonly #hash: Hash = createHash('sha256');
  readonly #met = new Map<object, number>();
  #left = mostValues;

  add(value: unknown): void {
    if (this.#left-- <= 0) return;
    switch (typeof value) {
      case 'string':
        this.#text('string', value);
        return;
      case 'number':
        this.#text('number', Object.is(value, -0) ? '-0' : String(value));
        return;
      case 'object':
        if (value === null) this.#text('null', '');
        else this.#object(value);
        return;
      case 'function':
        this.#text('function', '');
        return;
      case 'symbol':
        this.#text('symbol', value.description ?? '');
        return;
      default:
        this.#text(typeof value, String(value));
    }
  }

  end(): string {
    return this.#hash.digest('hex').slice(0, 16);
  }

  #object(value: object): void {
    const met = this.#met.get(value);
    if (met !== undefined) {
      this.#text('again', String(met));
      return;
    }
    this.#met.set(value, this.#met.size);
    if (ArrayBuffer.isView(value)) {
      this.#bytes(value.constructor.name, new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    } else if (value instanceof ArrayBuffer) {
      this.#bytes('ArrayBuffer', new Uint8Array(value));
    } else if (Array.isArray(value)) {
      this.#text('array', String(value.length));
      for (const item of value.slice(0, mostValues)) this.add(item);
    } else if (value instanceof Map) {
      this.#text('map', String(value.size));
      this.#all([...value].flat());
    } else if (value instanceof Set) {
      this.#text('set', String(value.size));
      this.#all([...value]);
    } else if (value instanceof Date) {
      this.#text('date', String(value.getTime()));
    } else if (value instanceof RegExp) {
      this.#text('regexp', String(value));
    } else if (value instanceof Error) {
      this.#text('error', `${value.name}: ${value.message}`);
    } else {
      const keys = Object.keys(value).sort();
      this.#text('object', `${value.constructor?.name ?? ''} ${keys.length}`);
      for (const key of keys) {
        this.#text('key', key);
        this.add((value as Record<string, unknown>)[key]);
      }
    }
  }

  #all(values: readonly unknown[]): void {
    for (const value of values) this.add(value);
  }

  /** The length stands before the content, so that no two lists of values run into the same text. */
  #text(kind: string, content: string): void {
    this.#hash.update(`${kind} ${content.length} ${content.slice(0, mostContent)}\n`);
  }

  #bytes(kind: string, content: Uint8Array): void {
    this.#hash.update(`${kind} ${content.length}\n`).update(content.subarray(0, mostContent));
  }
}

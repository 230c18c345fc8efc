/** JSON as benchmark tools really write it: bare nan and inf are read, everything else that is broken is told by line and column. */
import { TailgateError } from '../../kernel/errors.ts';

const deepest = 500;

/** How JSON begins, so that a banner such as `[info] starting` is not taken for it. */
const beginning = /^[ \t]*(?=\{\s*["}]|\[\s*(?:[[{"\]\d-]|true\b|false\b|null\b|nan\b|inf\b))/im;

export type JsonFinding =
  | { readonly kind: 'none' }
  /** One value, or one a line. `alone`: there is no other text around them. */
  | { readonly kind: 'values'; readonly values: readonly unknown[]; readonly alone: boolean }
  | { readonly kind: 'broken'; readonly error: TailgateError };

/** Whether a text is JSON from its first character on. */
export function beginsAsJson(text: string): boolean {
  return beginning.exec(text)?.index === 0 || beginning.exec(text.trimStart())?.index === 0;
}

/**
 * The JSON values in a text, below whatever banner a command printed. Bare `nan`, `-nan`, `inf`, `Infinity` become
 * the JavaScript numbers NaN and ±Infinity, which no row takes for a value; everything else that is not JSON is
 * broken, told with line and column.
 */
export function findJson(text: string, file: string): JsonFinding {
  const start = beginning.exec(text);
  if (start === null) return { kind: 'none' };
  try {
    return { kind: 'values', values: [JSON.parse(text.slice(start.index))], alone: beginsAsJson(text) };
  } catch {
    // The strict and fast way failed; the reader finds out where, or reads what C programs print.
  }
  const reader = new JsonReader(text, file, start.index);
  const values: unknown[] = [];
  try {
    do values.push(reader.value(0));
    while (reader.moreFollows());
  } catch (error) {
    if (error instanceof TailgateError) return { kind: 'broken', error };
    throw error;
  }
  return { kind: 'values', values, alone: beginsAsJson(text) && reader.atEnd() };
}

/**
 * Of two equal fields JSON.parse keeps the last and drops the other without a word. For formats whose benchmarks are
 * fields, that is a benchmark.
 * @throws TailgateError usage that names the field, with line and column.
 */
export function refuseRepeatedFields(text: string, file: string): void {
  const start = beginning.exec(text);
  if (start === null) return;
  const reader = new JsonReader(text, file, start.index, true);
  do reader.value(0);
  while (reader.moreFollows());
}

class JsonReader {
  readonly #text: string;
  readonly #file: string;
  readonly #once: boolean;
  #position: number;

  /** @param once Whether a field may be in a record once only. */
  constructor(text: string, file: string, position = 0, once = false) {
    this.#text = text;
    this.#file = file;
    this.#once = once;
    this.#position = position;
  }

  /** Another value, not other text. */
  moreFollows(): boolean {
    this.#skipBlank();
    return (
      this.#position < this.#text.length &&
      beginsAsJson(this.#text.slice(this.#position, this.#position + 200))
    );
  }

  atEnd(): boolean {
    this.#skipBlank();
    return this.#position >= this.#text.length;
  }

  value(depth: number): unknown {
    this.#skipBlank();
    if (depth > deepest) this.#fail(`more than ${deepest} levels of nesting`);
    const character = this.#text[this.#position];
    if (character === '{') return this.#record(depth);
    if (character === '[') return this.#list(depth);
    if (character === '"') return this.#string();
    return this.#word();
  }

  #record(depth: number): unknown {
    const entries: [string, unknown][] = [];
    const known = new Set<string>();
    this.#position++;
    this.#skipBlank();
    if (this.#take('}')) return {};
    for (;;) {
      this.#skipBlank();
      if (this.#text[this.#position] !== '"') {
        this.#fail(
          'a field name in double quotes is missing',
          /\d,$/.test(this.#text.slice(this.#position - 2, this.#position)) && /\d/.test(this.#here())
            ? 'this looks like a decimal comma; run the benchmark with LC_ALL=C'
            : undefined,
        );
      }
      const begun = this.#position;
      const field = this.#string();
      if (this.#once && known.has(field)) {
        this.#fail(
          `the field ${shorten(field)} is there twice, and one would hide the other`,
          'give the benchmarks different names, or write one file a suite',
          begun,
        );
      }
      known.add(field);
      this.#skipBlank();
      if (!this.#take(':')) this.#fail(`":" after the field "${field}" is missing`);
      entries.push([field, this.value(depth + 1)]);
      this.#skipBlank();
      if (this.#take('}')) return Object.fromEntries(entries);
      if (!this.#take(',')) this.#fail('"," or "}" is missing');
    }
  }

  #list(depth: number): unknown {
    const items: unknown[] = [];
    this.#position++;
    this.#skipBlank();
    if (this.#take(']')) return items;
    for (;;) {
      items.push(this.value(depth + 1));
      this.#skipBlank();
      if (this.#take(']')) return items;
      if (!this.#take(',')) this.#fail('"," or "]" is missing');
    }
  }

  #string(): string {
    const pattern = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#text);
    if (match === null) {
      const begun = this.#position;
      this.#position = this.#text.length;
      this.#fail('a text in double quotes is not closed', undefined, begun);
    }
    try {
      const value = JSON.parse(match![0]) as string;
      this.#position += match![0].length;
      return value;
    } catch {
      return this.#fail('a text in double quotes holds a bad escape or a raw control character');
    }
  }

  #word(): unknown {
    const pattern = /[^\s,:{}[\]"]+/y;
    pattern.lastIndex = this.#position;
    const word = pattern.exec(this.#text)?.[0] ?? '';
    const lower = word.toLowerCase();
    let value: unknown;
    if (word === 'null') value = null;
    else if (word === 'true') value = true;
    else if (word === 'false') value = false;
    else if (/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(word)) value = Number(word);
    else if (/^[+-]?nan(\(.*\))?$/.test(lower)) value = Number.NaN;
    else if (/^\+?inf(inity)?$/.test(lower)) value = Number.POSITIVE_INFINITY;
    else if (/^-inf(inity)?$/.test(lower)) value = Number.NEGATIVE_INFINITY;
    else this.#fail(word === '' ? 'a value is missing' : `${shorten(word)} is not a JSON value`);
    this.#position += word.length;
    return value;
  }

  #skipBlank(): void {
    const pattern = /[ \t\n\r]*/y;
    pattern.lastIndex = this.#position;
    this.#position += pattern.exec(this.#text)?.[0].length ?? 0;
  }

  #take(character: string): boolean {
    if (this.#text[this.#position] !== character) return false;
    this.#position++;
    return true;
  }

  #here(): string {
    return this.#text[this.#position] ?? '';
  }

  #fail(what: string, hint?: string, begun?: number): never {
    const cut = this.#position >= this.#text.length;
    const position = begun ?? this.#position;
    const before = this.#text.slice(0, position);
    const line = before.split('\n').length;
    const column = position - before.lastIndexOf('\n');
    throw new TailgateError({
      code: 'usage',
      message: cut
        ? `${this.#file} is cut off: it ends in the middle of a JSON value, line ${line}, column ${column} (${what})`
        : `${this.#file} is not valid JSON: line ${line}, column ${column}: ${what}`,
      hint:
        hint ??
        (cut
          ? 'did the benchmark end before it had written everything, or was its output cut?'
          : 'write the results to a file of their own, without other output of the command'),
    });
  }
}

function shorten(word: string): string {
  return JSON.stringify(word.length > 40 ? `${word.slice(0, 40)}…` : word);
}

/** Text that is no whole JSON: how far it goes, so that an error can name the field and the version. Pure. */
import { shown } from './shape.ts';

/** How far a text is JSON. */
export interface CutOff {
  /** `schema` and `version` of the outermost object, where the text comes that far. */
  readonly head: { readonly schema?: unknown; readonly version?: unknown };
  /** Where it ends or goes wrong, as a sentence part: ``it ends in `plan.rounds` ``. */
  readonly found: string;
  /** False: there is text behind the place where it goes wrong, which no cut explains. */
  readonly ends: boolean;
}

interface Container {
  /** The name of the current field, or how many items there are before the current one. */
  at: string | number | null;
  readonly closing: '}' | ']';
}

/** What may come next. */
type Wanted = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

const blank = /[ \t\r\n]*/y;
// From the space upwards, but no quote and no backslash: what may stand in a text as it is.
const plainText = /[ !#-[\]-\uffff]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const literal = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)/y;
const word = /[^\s,:[\]{}"]*/y;
const longestName = 60;

/**
 * Reads a text that JSON.parse refused, once from its beginning, and keeps nothing but the place.
 * @returns null when it is whole JSON after all.
 */
export function cutOffOf(source: string): CutOff | null {
  const reader = new Reader(source);
  for (;;) {
    const cut = reader.step();
    if (cut !== 'go on') return cut;
  }
}

class Reader {
  readonly #source: string;
  readonly #open: Container[] = [];
  readonly #head: { schema?: unknown; version?: unknown } = {};
  #wanted: Wanted = 'value';
  #place = 0;
  /** The last field that is there as a whole. */
  #last: string | null = null;

  constructor(source: string) {
    this.#source = source;
  }

  /** One name, value or sign further. */
  step(): CutOff | null | 'go on' {
    this.#skip(blank);
    const inside = this.#open.at(-1);
    if (inside === undefined && this.#wanted === 'comma or end') {
      return this.#place === this.#source.length ? null : this.#wrong('nothing more');
    }
    const sign = this.#source[this.#place];
    if (sign === undefined) return this.#end();
    switch (this.#wanted) {
      case 'name':
      case 'name or end':
        if (sign === '}' && this.#wanted === 'name or end') return this.#close();
        return this.#name(inside!);
      case 'colon':
        if (sign !== ':') return this.#wrong('a colon');
        return this.#sign('value');
      case 'comma or end':
        if (sign === inside!.closing) return this.#close();
        if (sign !== ',') return this.#wrong(`a comma or ${inside!.closing}`);
        if (typeof inside!.at === 'number') inside!.at += 1;
        return this.#sign(inside!.closing === '}' ? 'name' : 'value');
      default:
        if (sign === ']' && this.#wanted === 'value or end') return this.#close();
        return this.#value(sign);
    }
  }

  #value(sign: string): CutOff | 'go on' {
    if (sign === '{' || sign === '[') {
      this.#open.push(sign === '{' ? { at: null, closing: '}' } : { at: 0, closing: ']' });
      return this.#sign(sign === '{' ? 'name or end' : 'value or end');
    }
    const from = this.#place;
    if (sign === '"') {
      if (!this.#text()) return this.#broken(from);
    } else {
      this.#skip(literal);
      const until = this.#place;
      this.#skip(word);
      // A number at the very end may have lost digits, and so is not there as a whole.
      const cut = this.#place === this.#source.length && this.#open.length > 0;
      if (until === from || this.#place !== until || cut) {
        return this.#broken(from);
      }
    }
    this.#noteHead(from);
    return this.#done();
  }

  #name(inside: Container): CutOff | 'go on' {
    const from = this.#place;
    if (this.#source[from] !== '"') return this.#wrong('the name of a field');
    if (!this.#text()) {
      return this.#place === this.#source.length ? this.#end() : this.#wrong('the name of a field');
    }
    inside.at = JSON.parse(this.#source.slice(from, this.#place)) as string;
    this.#wanted = 'colon';
    return 'go on';
  }

  /** Past a text. @returns false where it does not end, or holds what no text may. */
  #text(): boolean {
    this.#place += 1;
    for (;;) {
      this.#skip(plainText);
      if (this.#source[this.#place] === '"') break;
      const before = this.#place;
      this.#skip(escaped);
      if (this.#place === before) {
        // A cut may go through an escape.
        if (/^\\(?:u[0-9a-fA-F]{0,3})?$/.test(this.#source.slice(before, before + 7))) {
          this.#place = this.#source.length;
        }
        return false;
      }
    }
    this.#place += 1;
    return true;
  }

  #noteHead(from: number): void {
    const [outermost] = this.#open;
    if (this.#open.length !== 1 || (outermost!.at !== 'schema' && outermost!.at !== 'version')) return;
    this.#head[outermost!.at] = JSON.parse(this.#source.slice(from, this.#place));
  }

  #sign(wanted: Wanted): 'go on' {
    this.#place += 1;
    this.#wanted = wanted;
    return 'go on';
  }

  #close(): 'go on' {
    this.#place += 1;
    this.#open.pop();
    return this.#done();
  }

  #done(): 'go on' {
    this.#last = this.#path();
    this.#wanted = 'comma or end';
    return 'go on';
  }

  #skip(form: RegExp): void {
    form.lastIndex = this.#place;
    this.#place += form.exec(this.#source)?.[0].length ?? 0;
  }

  /** A value that is not whole: cut through, or no value at all. */
  #broken(from: number): CutOff {
    if (this.#place < this.#source.length) return this.#wrong('a value of JSON', from);
    const rest = this.#source.slice(from, from + 12);
    const cutLiteral = /^-?\d[\d.eE+-]*$/.test(rest) || isBeginning(rest);
    if (!rest.startsWith('"') && !cutLiteral) return this.#wrong('a value of JSON', from);
    return this.#cut(this.#open.length === 0 ? 'its first value' : `\`${this.#path()}\``);
  }

  /** Nothing comes any more. */
  #end(): CutOff {
    if (this.#wanted === 'colon' || this.#wanted === 'value') {
      if (this.#open.length > 0 && this.#open.at(-1)!.at !== null) return this.#cut(`\`${this.#path()}\``);
    }
    if (this.#last === null) return this.#cut('its head, before any field');
    return { head: this.#head, found: `it ends after \`${this.#last}\``, ends: true };
  }

  #cut(where: string): CutOff {
    return { head: this.#head, found: `it ends in ${where}`, ends: true };
  }

  #wrong(wanted: string, from = this.#place): CutOff {
    const path = this.#path();
    const text = (at: number): string => shown(this.#source.slice(at, at + 20));
    const found = (what: string): CutOff => ({ head: this.#head, found: what, ends: false });
    if (path === '' && this.#last === null) return found(`it begins with ${text(0)}, wanted an object`);
    if (path === '') return found(`its end is followed by ${text(from)}, wanted ${wanted}`);
    const link = this.#wanted.startsWith('value') ? 'is' : 'is followed by';
    return found(`\`${path}\` ${link} ${text(from)}, wanted ${wanted}`);
  }

  /** `rounds[1].trials[3].load`: the innermost field that has begun. */
  #path(): string {
    let path = '';
    for (const { at } of this.#open) {
      if (at === null) break;
      const name = typeof at === 'string' && at.length > longestName ? `${at.slice(0, longestName)}…` : at;
      path += typeof name === 'number' ? `[${name}]` : path === '' ? name : `.${name}`;
    }
    return path;
  }
}

/** Of a literal word that was cut through. */
const isBeginning = (text: string): boolean =>
  text === '-' || ['true', 'false', 'null'].some((one) => one.startsWith(text));

/** Templates of a request → texts that are filled in shot by shot, before the send. */
import { TailgateError } from '../kernel/errors.ts';
import { parseTemplate, type TemplateWord } from '../kernel/templates.ts';
import type { Random } from '../kernel/world.ts';
import type { FeedValue } from './feeds.ts';

/** What the words of one shot become. */
export interface ShotValues {
  readonly random: Random;
  readonly counter: number;
  /** In the order of the feed's columns; empty for a shot that takes no row. */
  readonly row: readonly FeedValue[];
  readonly session: string;
}

/** What is the same for all shots of a scenario. */
export interface TemplateScope {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Columns of the feed, in the order of its rows. */
  readonly columns: readonly string[];
}

export type Encode = (value: string) => string;
export type Fill = (shot: ShotValues) => string;

/** Stands for the place of `${filler}`. */
export const filler = Symbol('filler');
export type Piece = string | Fill | typeof filler;

export interface Template {
  readonly pieces: readonly Piece[];
  /** Whether two shots may differ in it, besides in their session and their filler. */
  readonly varies: boolean;
  readonly takesRow: boolean;
  readonly fillers: number;
}

export const asItIs: Encode = (value) => value;

/**
 * @param encode of what the words become.
 * @param own the same of the text between them; as it is where the user wrote it in the form it is sent in.
 */
export function compileTemplate(
  text: string,
  scope: TemplateScope,
  encode: Encode = asItIs,
  own: Encode = asItIs,
): Template {
  const pieces = parseTemplate(text).map((piece) => (typeof piece === 'string' ? own(piece) : piece));
  return templateOf(pieces, scope, encode);
}

/**
 * A body of keys and values as JSON. A text that is nothing but a number's word is sent as a number, and one that is
 * nothing but a column as the value it has in JSON Lines; everything else stays text.
 */
export function compileJson(value: unknown, scope: TemplateScope): Template {
  if (typeof value === 'string') return compileJsonText(value, scope);
  if (Array.isArray(value)) {
    return joined(
      '[',
      value.map((one) => compileJson(one, scope)),
      ']',
    );
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, one]) =>
      joined(`${JSON.stringify(key)}:`, [compileJson(one, scope)], ''),
    );
    return joined('{', entries, '}');
  }
  return plain(JSON.stringify(value) ?? 'null');
}

function compileJsonText(text: string, scope: TemplateScope): Template {
  const pieces = parseTemplate(text);
  const [only] = pieces;
  if (pieces.length === 1 && typeof only === 'object') {
    if (only.kind === 'counter' || only.kind === 'random') return templateOf(pieces, scope, asItIs);
    if (only.kind === 'feed') {
      const column = scope.columns.indexOf(only.column);
      return { ...templateOf(pieces, scope, asItIs), pieces: [({ row }) => JSON.stringify(row[column])] };
    }
  }
  const escaped: Encode = (value) => JSON.stringify(value).slice(1, -1);
  return joined('"', [compileTemplate(text, scope, escaped, escaped)], '"');
}

export const plain = (text: string): Template => ({
  pieces: text === '' ? [] : [text],
  varies: false,
  takesRow: false,
  fillers: 0,
});

/** Templates side by side; those of a list or group with a comma between them. */
export function joined(
  open: string,
  parts: readonly Template[],
  close: string,
  between: string = ',',
): Template {
  const pieces: Piece[] = [open];
  for (const [index, part] of parts.entries()) {
    if (index > 0) pieces.push(between);
    pieces.push(...part.pieces);
  }
  pieces.push(close);
  return {
    pieces: merged(pieces),
    varies: parts.some((part) => part.varies),
    takesRow: parts.some((part) => part.takesRow),
    fillers: parts.reduce((sum, part) => sum + part.fillers, 0),
  };
}

function merged(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') result[result.length - 1] = last + piece;
    else if (piece !== '') result.push(piece);
  }
  return result;
}

function templateOf(
  pieces: readonly (string | TemplateWord)[],
  scope: TemplateScope,
  encode: Encode,
): Template {
  const words = pieces.filter((piece) => typeof piece !== 'string');
  const perShot = new Set<TemplateWord['kind']>(['uuid', 'counter', 'random', 'feed']);
  return {
    pieces: merged(pieces.map((piece) => (typeof piece === 'string' ? piece : fillOf(piece, scope, encode)))),
    varies: words.some((word) => perShot.has(word.kind)),
    takesRow: words.some((word) => word.kind === 'feed'),
    fillers: words.filter((word) => word.kind === 'filler').length,
  };
}

function fillOf(word: TemplateWord, scope: TemplateScope, encode: Encode): Piece {
  switch (word.kind) {
    case 'variable': {
      const value = scope.variables[word.name];
      if (value === undefined) throw unreadable(`\${${word.name}}`, 'the job has no variable of that name');
      return encode(value);
    }
    case 'uuid':
      return ({ random }) => drawUuid(random);
    case 'counter':
      return ({ counter }) => String(counter);
    case 'random': {
      const width = word.to - word.from + 1;
      return ({ random }) => String(word.from + random.below(width));
    }
    case 'feed': {
      const column = scope.columns.indexOf(word.column);
      return ({ row }) => encode(String(row[column] ?? ''));
    }
    case 'session':
      return ({ session }) => encode(session);
    case 'filler':
      return filler;
    case 'refused':
      throw unreadable(`\${${word.written}}`, word.problem);
  }
}

function unreadable(written: string, why: string): TailgateError {
  return new TailgateError({ code: 'usage', message: `${written} cannot be filled in: ${why}` });
}

/** A random UUID (RFC 9562, version 4). */
function drawUuid(random: Random): string {
  const hex = (digits: number): string =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  const variant = '89ab'[random.below(4)]!;
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
}

/** Percent-encodes every byte of a text but those that may stay. */
export function percentEncode(text: string, stays: RegExp): string {
  if (stays.test(text)) return text;
  let encoded = '';
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte);
    encoded +=
      byte < 128 && stays.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

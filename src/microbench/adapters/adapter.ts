/** What an adapter of one foreign format is, and the document that it is given. */
import type { Warning } from '../../kernel/errors.ts';
import type { Format } from '../../kernel/words.ts';
import type { BenchRow } from '../samples.ts';

/** A file as text, and as JSON where it is JSON. */
export interface BenchDocument {
  /** Path or name as it was given; some formats keep the benchmark's name only there. */
  readonly name: string;
  /** Line ends are \n; no byte order mark, no terminal colours. */
  readonly text: string;
  readonly lines: readonly string[];
  /** The values of a JSON file: one, or one a line. Empty when the file is not JSON. */
  readonly json: readonly unknown[];
}

export interface AdapterResult {
  readonly rows: readonly BenchRow[];
  readonly warnings: readonly Warning[];
}

export interface Adapter {
  readonly format: Format;
  readonly title: string;
  /** One JSON value, JSON values a line each, text, or text that may be wrapped in JSON. */
  readonly shape: 'json' | 'json-lines' | 'text' | 'text-or-json';
  /**
   * 0: certainly not. 1: a mark that only this tool leaves. Between: its shape, which others may share.
   * Never throws, whatever the document holds.
   */
  recognises(document: BenchDocument): number;
  /**
   * Every benchmark of the document, broken ones as rows with a problem; none when there is none.
   * @throws TailgateError usage when the file is of this format but cannot be used, with the way out.
   */
  read(document: BenchDocument): AdapterResult;
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The records of a list; nothing when it is not a list. */
export function records(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Who is told what was left out of a file. */
interface Warned {
  warn(code: string, message: string): void;
}

/** The records of a list of benchmarks; whatever else is in it is told with its number. */
export function toldRecords(sheet: Warned, value: unknown, what: string): readonly JsonRecord[] {
  const found = records(value);
  const left = Array.isArray(value) ? value.length - found.length : 0;
  if (left > 0) {
    const first = (value as unknown[]).findIndex((one) => !isRecord(one));
    sheet.warn(
      'entries-left-out',
      `${left} of ${(value as unknown[]).length} ${what} are not objects and were not read (the first is number ${first + 1})`,
    );
  }
  return found;
}

/**
 * How far an empty list or record is like the formats that keep their benchmarks in one: enough to name them where
 * there is no benchmark to be read. Several share most of these shapes.
 */
export const likeEmpty = 0.2;

export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

export function isEmptyRecord(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

/** The value at a path of fields; undefined when the path leads nowhere. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const field of path) {
    if (!isRecord(here) || !Object.hasOwn(here, field)) return undefined;
    here = here[field];
  }
  return here;
}

/** The text at a path of fields; null when there is none, or an empty one. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : null;
}

/** What the tests of the adapters share: reading a text or a fixture, and rows in a form that is written by hand. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { messageOf, TailgateError } from '../../../src/kernel/errors.ts';
import type { Format } from '../../../src/kernel/words.ts';
import { readBenchmarks } from '../../../src/microbench/adapters/read.ts';
import type { BenchRow, ReadResult } from '../../../src/microbench/samples.ts';

/** name, unit after normalising, s(maller) or b(igger) is better, value. */
export type Brief = readonly [name: string, unit: string, better: 's' | 'b', value: number | null];

export type Expected = readonly [file: string, format: Format, rows: readonly Brief[]];

/** Twelve digits: a value scaled to ns is not to fail by the last bit. */
export function digits(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(12));
}

export function brief(rows: readonly BenchRow[]): Brief[] {
  return rows.map((row) => [
    row.name,
    row.unit.normalised,
    row.direction === 'smaller-is-better' ? 's' : 'b',
    digits(row.value),
  ]);
}

export function readText(text: string, format: 'auto' | Format = 'auto', name = 'results.txt'): ReadResult {
  return readBenchmarks({ name, bytes: new TextEncoder().encode(text) }, format);
}

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

export function readFixture(name: string, format: 'auto' | Format = 'auto'): ReadResult {
  return readBenchmarks({ name, bytes: readFileSync(fixturePath(name)) }, format);
}

export function rowOf(result: ReadResult, name: string): BenchRow {
  const row = result.rows.find((one) => one.name === name);
  if (row === undefined)
    throw new Error(`no row ${name} among ${result.rows.map((one) => one.name).join(' | ')}`);
  return row;
}

/** The error that an action must end in, as one text: message and hint. */
export function refusal(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof TailgateError && error.code === 'usage')
      return `${error.message} — ${error.hint ?? ''}`;
    throw new Error(`a TailgateError was wanted, not ${messageOf(error)}`, { cause: error });
  }
  throw new Error('it was read, and should have been refused');
}

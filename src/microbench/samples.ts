/** What a benchmark says: one row a benchmark and metric, in one unit a kind, whatever tool measured it. */
import type { Warning } from '../kernel/errors.ts';
import type { Direction, Format } from '../kernel/words.ts';

/** What the numbers of a row count. Two rows can be compared only when kind and `normalised` agree. */
export interface BenchUnit {
  readonly kind: 'time' | 'rate' | 'bytes' | 'count' | 'custom';
  /** The unit of value, samples and spread: `ns`, `bytes`, `operations/s`, `bytes/s`, `cycles`, or the custom text. */
  readonly normalised: string;
  /** As the file has it: `µs/iter`, `MB/s`. */
  readonly text: string;
}

export interface BenchRow {
  /** Unique in its file. A further metric of a benchmark carries it in brackets: `parse [B/op]`. */
  readonly name: string;
  readonly unit: BenchUnit;
  readonly direction: Direction;
  /** Nothing in the file tells the direction: its unit is not known. */
  readonly directionGuessed?: boolean;
  /** The figure the tool itself shows first; the median where the file repeats a benchmark. null: see `problem`. */
  readonly value: number | null;
  /** Repetitions inside the file in the order found, at most `mostSamples`; the value alone where there are none. */
  readonly samples: readonly number[];
  /** Standard deviation, or what the tool prints after ±; null when none is known. */
  readonly spread: number | null;
  /** Why there is no value; null when there is one. */
  readonly problem: string | null;
}

export interface ReadResult {
  readonly format: Format;
  /** The format as a reader knows it: `Go benchmark text (go test -bench)`. */
  readonly title: string;
  /** At least one. */
  readonly rows: readonly BenchRow[];
  readonly warnings: readonly Warning[];
}

/** A file with more repetitions of one benchmark is thinned evenly to this many. */
export const mostSamples = 1000;

/** Whether numbers of one unit may be set against numbers of the other: `ns/op` and `µs` may, `ns` and `bytes` not. */
export function sameUnit(one: BenchUnit, other: BenchUnit): boolean {
  return one.kind === other.kind && one.normalised === other.normalised;
}

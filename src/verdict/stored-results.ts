/**
 * Two stored result files side by side: what moved, and why that is no verdict. Each file was measured at its own
 * time in one go, so drift of the machine and the luck of a process are part of every difference, and no repetition
 * inside a file shows how large they are.
 */
import { formatCount, type Ratio, ratio } from '../kernel/units.ts';
import type { Direction, Format } from '../kernel/words.ts';
import type { BenchRow, BenchUnit, ReadResult } from '../microbench/samples.ts';
import { medianOf, singleRunSpread } from './statistics.ts';

/** How a row moved. Ratios are changes: 0.05 is +5 %. */
export type StoredChange =
  | {
      readonly kind: 'ratio';
      readonly change: Ratio;
      /** Whether the value rose or fell; what that is worth nothing in two files can say. */
      readonly moved: 'higher' | 'lower';
      /** Not farther apart than the repetitions inside the two files lie from their medians. */
      readonly withinSpread: boolean;
    }
  | { readonly kind: 'same' }
  /** Both have a row, and no ratio can be formed. */
  | { readonly kind: 'none'; readonly reason: string }
  /** Not the same thing was measured. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'new' }
  | { readonly kind: 'missing' };

export interface StoredSide {
  /** In the unit of the row; null where the file has none. */
  readonly value: number | null;
  readonly unit: BenchUnit;
  readonly samples: number;
  /** 1.4826 MAD of the samples over their median; null under three samples. Spread inside one file, no more. */
  readonly within: Ratio | null;
}

export interface StoredRow {
  readonly name: string;
  readonly direction: Direction;
  readonly baseline: StoredSide | null;
  readonly candidate: StoredSide | null;
  readonly change: StoredChange;
}

export interface StoredComparison {
  /** In the order of the baseline; what only the candidate has comes last. */
  readonly rows: readonly StoredRow[];
  /** Why no row is a verdict, most important first; never empty. */
  readonly limits: readonly string[];
}

/** Rows are matched by name; a row of one file alone is `new` or `missing`. */
export function compareStored(baseline: ReadResult, candidate: ReadResult): StoredComparison {
  const others = new Map(candidate.rows.map((row) => [row.name, row]));
  const known = new Set(baseline.rows.map((row) => row.name));
  const rows = [
    ...baseline.rows.map((row) => storedRow(row, others.get(row.name) ?? null)),
    ...candidate.rows.filter((row) => !known.has(row.name)).map((row) => storedRow(null, row)),
  ];
  return { rows, limits: limitsOf(baseline, candidate) };
}

function storedRow(baseline: BenchRow | null, candidate: BenchRow | null): StoredRow {
  const row = (candidate ?? baseline)!;
  return {
    name: row.name,
    direction: row.direction,
    baseline: baseline === null ? null : sideOf(baseline),
    candidate: candidate === null ? null : sideOf(candidate),
    change: changeOf(baseline, candidate),
  };
}

function sideOf(row: BenchRow): StoredSide {
  const middle = row.samples.length < 3 ? 0 : medianOf(row.samples);
  return {
    value: row.value,
    unit: row.unit,
    samples: row.samples.length,
    within: middle > 0 ? ratio(singleRunSpread(row.samples) / middle) : null,
  };
}

function changeOf(baseline: BenchRow | null, candidate: BenchRow | null): StoredChange {
  if (baseline === null) return { kind: 'new' };
  if (candidate === null) return { kind: 'missing' };
  const [before, after] = [baseline.unit, candidate.unit];
  if (before.kind !== after.kind || before.normalised !== after.normalised) {
    return {
      kind: 'invalid',
      reason: `the unit changed from ${before.text || before.kind} to ${after.text || after.kind}`,
    };
  }
  if (baseline.direction !== candidate.direction) {
    return { kind: 'invalid', reason: 'smaller is better in one file, bigger in the other' };
  }
  for (const [side, row] of [['baseline', baseline] as const, ['candidate', candidate] as const]) {
    if (row.value === null) return { kind: 'none', reason: `the ${side} has no value: ${row.problem}` };
  }
  const within = Math.max(sideOf(baseline).within ?? 0, sideOf(candidate).within ?? 0);
  return changeBetween(baseline.value!, candidate.value!, within);
}

function changeBetween(before: number, after: number, within: number): StoredChange {
  if (before === after) return { kind: 'same' };
  if (before === 0) return { kind: 'none', reason: 'it was 0, so there is no ratio' };
  if (before < 0 || after < 0) return { kind: 'none', reason: 'a value is negative, so there is no ratio' };
  const change = ratio(after / before - 1);
  const withinSpread = Math.abs(Math.log1p(change)) <= Math.log1p(within);
  return { kind: 'ratio', change, moved: change > 0 ? 'higher' : 'lower', withinSpread };
}

/** Formats whose samples come from several processes: everywhere else repetitions share one. */
const severalProcesses: ReadonlySet<Format> = new Set(['pyperf', 'hyperfine', 'jmh', 'tailgate-evidence']);

const isRepeated = ({ rows }: ReadResult): boolean => rows.some((row) => row.samples.length > 1);

/** `parse [B/op]` is a further metric of the benchmark `parse`: often one value over all its repetitions. */
const benchmarkOf = ({ name }: BenchRow): string => name.replace(/ \[[^[\]]*\]$/, '');

/** Which file holds single runs, and of how many benchmarks; null where each one was repeated in both. */
function singleRuns(baseline: ReadResult, candidate: ReadResult): string | null {
  const ofFile = ({ rows }: ReadResult): string | null => {
    const known = rows.filter((row) => row.value !== null);
    const all = new Set(known.map(benchmarkOf));
    const repeated = new Set(known.filter((row) => row.samples.length > 1).map(benchmarkOf));
    const single = all.size - repeated.size;
    if (single === 0) return null;
    return repeated.size === 0
      ? 'a single run of every benchmark'
      : `a single run of ${formatCount(single)} of ${formatCount(all.size)} benchmarks`;
  };
  const [first, second] = [ofFile(baseline), ofFile(candidate)];
  if (first !== null && first === second) return `each file holds ${first}`;
  const told = [
    ...(first === null ? [] : [`the baseline holds ${first}`]),
    ...(second === null ? [] : [`the candidate holds ${second}`]),
  ];
  return told.length === 0 ? null : told.join(', ');
}

function limitsOf(baseline: ReadResult, candidate: ReadResult): string[] {
  const both = [baseline, candidate];
  const limits: string[] = [];
  const single = singleRuns(baseline, candidate);
  if (single !== null) {
    limits.push(`${single}: nothing in it tells how far two runs of the same code differ`);
  }
  if (both.some((file) => isRepeated(file) && !severalProcesses.has(file.format))) {
    limits.push(
      'the repetitions inside a file share one process, one memory layout and one set of compiled code: a second process of the same code can be several per cent off, and no repetition shows it',
    );
  }
  limits.push(
    'the files were measured one after the other, not in turns: what the machine did meanwhile is part of every difference',
  );
  if (baseline.format !== candidate.format) {
    limits.push(
      `one file is ${baseline.format}, the other ${candidate.format}: the tools may measure differently`,
    );
  }
  return limits;
}

/** Collects the rows of one file: scales to the row's unit, turns what is not a usable number into a problem in words. */
import type { Warning } from '../../kernel/errors.ts';
import type { Direction } from '../../kernel/words.ts';
import type { BenchRow } from '../samples.ts';
import { mostSamples } from '../samples.ts';
import type { AdapterResult } from './adapter.ts';
import type { Quantity } from './quantities.ts';
import { readNumber } from './quantities.ts';

export interface RowDraft {
  readonly name: string;
  readonly quantity: Quantity;
  /** As found in the file, in the unit as written; undefined: the median of the samples. */
  readonly value?: unknown;
  /** In the unit as written. */
  readonly samples?: readonly unknown[];
  /** In the unit as written; undefined: the standard deviation of the samples; null: none is known. */
  readonly spread?: unknown;
  /** Where the unit does not tell it. */
  readonly direction?: Direction;
  /** 0 is a result, not a failed measurement; so it is anyway for bytes, counts and custom units. */
  readonly zeroIsValue?: boolean;
  /** The tool itself says that this benchmark failed. */
  readonly problem?: string | null;
  /** Where a second benchmark of this name is told apart, e.g. the group or the package. */
  readonly origin?: string | null;
}

export class RowSheet {
  readonly #drafts: { readonly row: BenchRow; readonly origin: string | null }[] = [];
  readonly #warnings: Warning[] = [];
  readonly #guessed = new Set<string>();
  readonly #thinned: string[] = [];

  add(draft: RowDraft): void {
    const name = cleanName(draft.name, this.#drafts.length + 1);
    const { unit, factor } = draft.quantity;
    const direction = draft.direction ?? draft.quantity.direction;
    const guessed = unit.kind === 'custom' && unit.normalised !== 'percent' && !draft.direction;
    if (guessed && unit.text !== '') this.#guessed.add(unit.text);
    const zeroIsValue = draft.zeroIsValue ?? (unit.kind !== 'time' && unit.kind !== 'rate');
    const usable = (value: unknown): number | string => usableNumber(value, unit.text, zeroIsValue);
    const row = (
      value: number | null,
      problem: string | null,
      samples: readonly number[],
      spread: number | null,
    ) =>
      this.#drafts.push({
        row: {
          ...{ name, unit, direction, value, samples, spread, problem },
          ...(guessed ? { directionGuessed: true } : {}),
        },
        origin: draft.origin ?? null,
      });
    if (draft.problem) {
      row(null, draft.problem, [], null);
      return;
    }

    const read = (draft.samples ?? []).map(usable);
    const samples = read.filter((sample) => typeof sample === 'number');
    if (samples.length < read.length) {
      const first = read.find((sample) => typeof sample === 'string');
      this.warn(
        'samples-left-out',
        `${name}: ${read.length - samples.length} of ${read.length} repetitions cannot be used (${first})`,
      );
    }
    const whole = draft.value === undefined && samples.length > 0 ? median(samples) : usable(draft.value);
    if (typeof whole === 'string') {
      row(null, whole, [], null);
      return;
    }
    const kept = thin(samples);
    if (kept.length < samples.length) this.#thinned.push(name);
    const spread = draft.spread === undefined ? deviation(samples) : readNumber(draft.spread);
    const scaled = (kept.length > 0 ? kept : [whole]).map((sample) => scale(sample, factor));
    row(
      scale(whole, factor),
      null,
      scaled,
      spread.kind === 'number' && spread.value >= 0 ? scale(spread.value, factor) : null,
    );
  }

  warn(code: string, message: string, hint?: string): void {
    this.#warnings.push(hint === undefined ? { code, message } : { code, message, hint });
  }

  /** Every row; benchmarks of one name from several origins carry theirs in round brackets. */
  result(): AdapterResult {
    const origins = new Map<string, Set<string | null>>();
    for (const { row, origin } of this.#drafts) {
      const known = origins.get(splitMetric(row.name).benchmark) ?? new Set();
      origins.set(splitMetric(row.name).benchmark, known.add(origin));
    }
    const rows = this.#drafts.map(({ row, origin }) => {
      const { benchmark, metric } = splitMetric(row.name);
      const alone = origins.get(benchmark)!.size === 1;
      return origin === null || alone ? row : { ...row, name: `${benchmark} (${origin})${metric}` };
    });
    const warnings = [...this.#warnings];
    if (this.#guessed.size > 0) {
      warnings.push({
        code: 'direction-guessed',
        message: `smaller was taken to be better for ${[...this.#guessed].map((unit) => `"${unit}"`).join(', ')}`,
        hint: 'a unit of time, bytes or something a second says it by itself',
      });
    }
    if (this.#thinned.length > 0) {
      warnings.push({
        code: 'samples-thinned',
        message: `more than ${mostSamples} repetitions were thinned evenly for ${this.#thinned.length} benchmarks, ${this.#thinned[0]} first`,
      });
    }
    return { rows, warnings };
  }
}

/** `parse [B/op]` is the metric ` [B/op]` of the benchmark `parse`. */
function splitMetric(name: string): { readonly benchmark: string; readonly metric: string } {
  const metric = / \[[^[\]]*\]$/.exec(name)?.[0] ?? '';
  return { benchmark: name.slice(0, name.length - metric.length), metric };
}

function usableNumber(value: unknown, unit: string, zeroIsValue: boolean): number | string {
  const read = readNumber(value);
  if (read.kind === 'problem') return read.problem;
  if (read.value < 0) return `${read.value} ${unit} is negative`;
  if (read.value === 0 && !zeroIsValue)
    return `0 ${unit} was measured, which is below what the tool can tell`;
  return read.value;
}

/** Decimal figures stay decimal: 41.731 µs is 41731 ns, not 41730.99999999999. */
function scale(value: number, factor: number): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(15));
}

function thin(samples: readonly number[]): readonly number[] {
  if (samples.length <= mostSamples) return samples;
  const step = (samples.length - 1) / (mostSamples - 1);
  return Array.from({ length: mostSamples }, (_, index) => samples[Math.round(index * step)]!);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation (n − 1). */
function deviation(values: readonly number[]): ReturnType<typeof readNumber> {
  if (values.length < 2) return { kind: 'problem', problem: 'one value has no spread' };
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return { kind: 'number', value: Math.sqrt(squares / (values.length - 1)) };
}

function cleanName(name: string, position: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name goes into tables and terminals
  const clean = name.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
  return clean === '' ? `(unnamed ${position})` : clean;
}

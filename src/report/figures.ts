/** How single figures are written: values, changes, intervals, spread, tolerances, rows of tiny bars. */
import { assertNever } from '../kernel/errors.ts';
import type { LogRatio, Nanoseconds, Ratio } from '../kernel/units.ts';
import {
  bytes,
  formatBytes,
  formatChange,
  formatDuration,
  formatRatio,
  formatSpread,
  ns,
  ratio,
  toChange,
} from '../kernel/units.ts';
import type { MetricName, RowState } from '../kernel/words.ts';
import type { BenchUnit } from '../microbench/samples.ts';
import type { Change, Finding } from '../verdict/finding.ts';

/** What stands where there is no figure. */
export const none = 'n/a';

export function metricLabel(metric: MetricName): string {
  switch (metric) {
    case 'p50':
    case 'p90':
    case 'p95':
    case 'p99':
      return metric;
    case 'cpu':
      return 'CPU per request';
    case 'cpu-total':
      return 'total CPU per request';
    case 'tail':
      return 'slow slices';
    case 'errors':
      return 'failed requests';
    case 'counter':
      return 'counter';
    case 'microbenchmark':
      return 'microbenchmark';
    default:
      return assertNever(metric);
  }
}

/** One line a metric for readers who meet the word for the first time. */
export function metricMeaning(metric: MetricName): string {
  switch (metric) {
    case 'p50':
    case 'p90':
    case 'p95':
    case 'p99':
      return `${metric.slice(1)} % of requests were answered within this time, counted from their intended send time`;
    case 'cpu':
      return "CPU time of the service's processes per successful request, in the typical slice of a round";
    case 'cpu-total':
      return 'the same over all slices of a round together, so that cost which falls into few of them counts too; it may lie above or below the typical slice';
    case 'tail':
      return 'share of slices (short stretches of load) whose p99 was over three times the usual';
    case 'errors':
      return 'share of requests that failed, timed out or were dropped';
    case 'counter':
      return 'what a successful request adds to a counter of the service, as `metrics` names it';
    case 'microbenchmark':
      return 'cost of one operation, in processes of its own, both sides in turns; not part of the load';
    default:
      return assertNever(metric);
  }
}

export function stateWord(state: RowState): string {
  return state === 'not-eligible' ? 'not eligible' : state;
}

export function valueText(unit: Finding['unit'], value: number | null): string {
  if (value === null || !Number.isFinite(value)) return none;
  if (typeof unit === 'object') return quantityText(value, unit);
  switch (unit) {
    case 'nanoseconds':
    case 'cpu-nanoseconds-per-request':
      return value === 0 ? '0 ms' : durationText(ns(value));
    case 'share-of-slices':
    case 'share-of-requests':
      return formatRatio(ratio(value));
    case 'counted-per-request':
      return `${plainNumber(value)} a request`;
    default:
      return assertNever(unit);
  }
}

/** `1.2 ms`, `12,300 operations/s`, `1.5 KiB`, `3 cycles`: what a benchmark counts. */
export function quantityText(value: number, unit: Pick<BenchUnit, 'kind' | 'normalised'>): string {
  switch (unit.kind) {
    case 'time':
      return formatDuration(ns(value));
    case 'bytes':
      return formatBytes(bytes(value));
    case 'rate':
    case 'count':
    case 'custom':
      return `${plainNumber(value)} ${unit.normalised}`.trim();
    default:
      return assertNever(unit.kind);
  }
}

/** Three significant digits, and no exponent where a person would write none. */
function plainNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** Two digits behind the point of milliseconds, so that both sides of a row can be compared by eye. */
export function durationText(value: Nanoseconds | null): string {
  if (value === null || !Number.isFinite(value)) return none;
  return formatDuration(value);
}

/** `+18 %`, `+4.2 points`, or `n/a`. */
export function changeText(change: Change): string {
  switch (change.kind) {
    case 'ratio':
      return changeOrNone(change.effect);
    case 'points':
      return pointsText(change.difference);
    case 'none':
      return none;
    default:
      return assertNever(change);
  }
}

/** `+12 % to +24 %`; empty while there is none. */
export function intervalText(change: Change): string {
  if (change.kind !== 'ratio' || change.interval === null) return '';
  const [low, high] = change.interval;
  if (!Number.isFinite(low) || !Number.isFinite(high)) return '';
  return `${formatChange(low)} to ${formatChange(high)}`;
}

/** `±6 %`: H as a relative change; as a factor, `×÷2.1`, where it is wide. */
export function spreadText(spread: LogRatio | null): string {
  if (spread === null || !Number.isFinite(spread)) return none;
  return Number.isFinite(toChange(spread)) ? formatSpread(spread) : none;
}

export function spreadOf(change: Change): string {
  return change.kind === 'ratio' ? spreadText(change.spread) : none;
}

/** A size without a sign, `n/a` when there is none. */
export function sizeText(value: Ratio | null): string {
  return value === null || !Number.isFinite(value) ? none : formatRatio(value);
}

export function changeOrNone(value: Ratio | null): string {
  return value === null || !Number.isFinite(value) ? none : formatChange(value);
}

/** `+4.2 points`; one point is a hundredth. */
export function pointsText(difference: Ratio): string {
  if (!Number.isFinite(difference)) return none;
  return formatChange(difference)
    .replace(/%$/, 'points')
    .replace(/^([+−]?1) points$/, '$1 point');
}

/** What happened to a value, as the verb of a headline: `rose 18 %`, `fell 4 %`, `rose by 4.2 points`. */
export function movement(change: Change): string {
  switch (change.kind) {
    case 'ratio':
      return moved(change.effect, changeOrNone(change.effect).replace(/^[+−]/, ''), '');
    case 'points':
      return moved(change.difference, pointsText(change.difference).replace(/^[+−]/, ''), 'by ');
    case 'none':
      return 'has no figure';
    default:
      return assertNever(change);
  }
}

function moved(value: number, size: string, by: string): string {
  if (size === none || size.startsWith('±')) return 'did not move';
  return `${value < 0 ? 'fell' : 'rose'} ${by}${size}`;
}

/** From which size on a tolerance is called wide: twice what is usual for the metric. */
const usual: Readonly<Record<MetricName, { min: number; detect: number }>> = {
  p50: { min: 0.05, detect: 0.1 },
  p90: { min: 0.05, detect: 0.2 },
  p95: { min: 0.05, detect: 0.2 },
  p99: { min: 0.05, detect: 0.2 },
  cpu: { min: 0.02, detect: 0.05 },
  'cpu-total': { min: 0.03, detect: 0.1 },
  tail: { min: 0.05, detect: Number.POSITIVE_INFINITY },
  errors: { min: 0.001, detect: Number.POSITIVE_INFINITY },
  counter: { min: 0.05, detect: 0.1 },
  microbenchmark: { min: 0.02, detect: 0.05 },
};

export function isWide(metric: MetricName, tolerance: Finding['tolerance']): boolean {
  const limit = usual[metric];
  return tolerance.min > 2 * limit.min || (tolerance.detect ?? 0) > 2 * limit.detect;
}

/** `fails from +5 %, passes under +20 %`, with `wide:` before it when it is. */
export function toleranceText(metric: MetricName, tolerance: Finding['tolerance']): string {
  const inPoints = metric === 'tail' || metric === 'errors';
  const least = inPoints ? pointsText(tolerance.min) : changeOrNone(tolerance.min);
  const pass = tolerance.detect === null ? '' : `, passes under ${changeOrNone(tolerance.detect)}`;
  return `${isWide(metric, tolerance) ? 'wide: ' : ''}fails from ${least}${pass}`;
}

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** One bar a value, the tallest for `most`; a value that is no number is a dot. */
export function barText(values: readonly number[], most: number): string {
  return values
    .map((value) => {
      if (!Number.isFinite(value)) return '·';
      const share = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0;
      return bars[Math.round(share * (bars.length - 1))]!;
    })
    .join('');
}

/** One bar a round around the middle: taller is worse for the candidate, and the largest change fills the line. */
export function roundBars(perRound: readonly number[]): string {
  const largest = Math.max(0, ...perRound.filter(Number.isFinite).map(Math.abs));
  return barText(
    perRound.map((change) => change + largest),
    2 * largest || 1,
  ).replace(/^▁+$/, (flat) => (largest === 0 ? '▄'.repeat(flat.length) : flat));
}

/** `11 of 12 rounds higher`; empty without rounds. */
export function roundsText(perRound: readonly number[]): string {
  const known = perRound.filter(Number.isFinite);
  if (known.length === 0) return '';
  const worse = known.filter((change) => change > 0).length;
  return `${worse} of ${known.length} ${known.length === 1 ? 'round' : 'rounds'} higher`;
}

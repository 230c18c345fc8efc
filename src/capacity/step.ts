/** One step of a ramp: a fixed rate held for a while, added up, and judged by the criteria. Pure. */

import { LatencyHistogram } from '../evidence/histogram.ts';
import type { UnsoundReason } from '../evidence/trial.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { nsToMs, nsToSeconds } from '../kernel/units.ts';
import type { SliceResult } from '../load/protocol.ts';

/** Why a step was taken. */
export const phases = ['bracket', 'bisect', 'repeat', 'knee', 'failure'] as const;
export type Phase = (typeof phases)[number];

/** Which criterion of the objective a step does not meet. */
export type Miss = 'p99' | 'successful' | 'errors';

export interface Criteria {
  /** What p99 may be at most, counted from the due time. */
  readonly objectiveMs: number;
  /** Successful ÷ offered, at least. */
  readonly leastSuccessful: number;
  /** Share of requests that may fail, time out or be dropped. */
  readonly errorBudget: number;
}

/** Milliseconds; null where nothing was recorded. */
export interface StepPercentiles {
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
  readonly max: number | null;
}

export interface StepCost {
  /** CPU time of the process tree a completed request; the uncounted ones before a step are some of them. */
  readonly perRequestMs: number | null;
  /** CPU seconds a second: 1 is one core kept busy. */
  readonly cores: number;
}

export interface Step {
  readonly phase: Phase;
  /** Requests a second that were asked for. */
  readonly rate: number;
  /** Since the start of the ramp. */
  readonly startedAtSeconds: number;
  readonly scheduled: number;
  readonly ok: number;
  readonly offeredPerSecond: number;
  readonly completedPerSecond: number;
  readonly successfulPerSecond: number;
  /** What p99 is judged by: failed requests stand in it at the time-out or later. */
  readonly responseTimeMs: StepPercentiles;
  /** Of which requests: those sent in time, or all where too few of them were. */
  readonly responseTimeOf: 'on-time' | 'all';
  /** Of requests that succeeded. */
  readonly successTimeMs: StepPercentiles;
  readonly errorShare: number;
  /** Requests by what went wrong: `status 429`, `timed out`, `connection refused`, … */
  readonly errors: Readonly<Record<string, number>>;
  readonly latenessP99Ms: number | null;
  readonly onTimeShare: number;
  /** Share of the time the generator's sending thread was busy. */
  readonly generatorBusy: number;
  readonly inFlight: { readonly halfway: number; readonly atEnd: number; readonly peak: number };
  /** null: the service is not ours, or the system does not tell. */
  readonly cpu: StepCost | null;
  readonly memoryBytes: number | null;
  /** From the last due time until the service answered quickly again; null: it did not within the limit. */
  readonly drainSeconds: number | null;
  readonly saturated: boolean;
  /** Whether the generator did its part. */
  readonly sound: boolean;
  readonly reasons: readonly UnsoundReason[];
  readonly passes: boolean;
  readonly misses: readonly Miss[];
}

/** What a slice does not hold. */
export interface AboutStep {
  readonly phase: Phase;
  readonly rate: number;
  readonly startedAt: Nanoseconds;
  readonly saturated: boolean;
  readonly reasons: readonly UnsoundReason[];
  /** From before the lead-in, of so many shots, until after the drain. */
  readonly cost: { readonly cpu: Nanoseconds; readonly wall: Nanoseconds; readonly leadIn: number } | null;
  readonly memoryBytes: number | null;
  readonly drainSeconds: number | null;
}

/** Fewer requests sent in time than this share say too little about all of them. */
const leastOnTime = 0.5;
/** So many requests that came in after the end are the usual ones on their way, not a queue. */
const usualLate = 0.01;

/** Adds one slice up and judges it. */
export function makeStep(result: SliceResult, criteria: Criteria, about: AboutStep): Step {
  const { counts, histograms, inFlight } = result;
  const rates = ratesOf(result);
  const judged = judgedOf(result);
  const lateness = LatencyHistogram.decode(histograms.lateness).percentile(0.99);
  const responseTimeMs = percentilesOf(judged.histogram);
  const errorShare = 1 - counts.ok / counts.scheduled;
  const answered = answeredBy(result);
  const misses = missesOf({ p99: responseTimeMs.p99, errorShare, rates }, criteria);
  return {
    phase: about.phase,
    rate: about.rate,
    startedAtSeconds: rounded(nsToSeconds(about.startedAt)),
    scheduled: counts.scheduled,
    ok: counts.ok,
    offeredPerSecond: rounded(rates.offered),
    completedPerSecond: rounded(rates.completed),
    successfulPerSecond: rounded(rates.successful),
    responseTimeMs,
    responseTimeOf: judged.of,
    successTimeMs: percentilesOf(LatencyHistogram.decode(histograms.success)),
    errorShare: rounded(errorShare),
    errors: errorsOf(result),
    latenessP99Ms: lateness === null ? null : nsToMs(lateness),
    onTimeShare: rounded(result.onTime / counts.scheduled),
    generatorBusy: rounded(result.generator.utilisation),
    inFlight,
    cpu: about.cost === null ? null : costOf(about.cost, answered, counts.scheduled),
    memoryBytes: about.memoryBytes,
    drainSeconds: about.drainSeconds === null ? null : rounded(about.drainSeconds),
    saturated: about.saturated,
    sound: about.reasons.length === 0,
    reasons: about.reasons,
    passes: about.reasons.length === 0 && misses.length === 0,
    misses,
  };
}

/**
 * The response times that p99 is judged by: on a shared machine a shot may leave late through nobody's fault, and
 * those that left in time tell of the service.
 */
export function judgedOf({ counts, histograms }: Pick<SliceResult, 'counts' | 'histograms'>): {
  readonly histogram: LatencyHistogram;
  readonly of: Step['responseTimeOf'];
} {
  const onTime = LatencyHistogram.decode(histograms.onTime);
  return onTime.count >= leastOnTime * counts.scheduled
    ? { histogram: onTime, of: 'on-time' }
    : { histogram: LatencyHistogram.decode(histograms.response), of: 'all' };
}

/** The middle of several runs at one rate, by p50 of what succeeded. @throws RangeError on an empty list. */
export function middleRun(runs: readonly Step[]): Step {
  if (runs.length === 0) throw new RangeError('middleRun needs at least one run');
  const order = [...runs].sort(
    (a, b) => (a.successTimeMs.p50 ?? Infinity) - (b.successTimeMs.p50 ?? Infinity),
  );
  return order[(order.length - 1) >> 1]!;
}

/** Runs by rate, ascending; only those in which the generator did its part, unless there are no others. */
export function byRate(steps: readonly Step[]): readonly (readonly Step[])[] {
  const groups = new Map<number, Step[]>();
  for (const step of steps) groups.set(step.rate, [...(groups.get(step.rate) ?? []), step]);
  return [...groups.entries()].sort(([a], [b]) => a - b).map(([, runs]) => runs);
}

interface Rates {
  readonly offered: number;
  readonly completed: number;
  readonly successful: number;
}

/**
 * Per second of the scheduled stretch, whose n shots span n − 1 gaps. In a steady state as many shots are on their
 * way at the end as at the start, however slow the service; what is on its way beyond that is a queue that grew, and
 * is not counted as done. It grows from the middle to the end by half of what it grows in all. That is an estimate from
 * two moments, which a generator that is held up misses; so with a queue no rate is above what was answered from the
 * first due time until the last answer, during which the service was never without work.
 */
function ratesOf(result: SliceResult): Rates {
  const { counts, span, elapsed, inFlight } = result;
  const stretch = counts.scheduled > 1 ? (span * counts.scheduled) / (counts.scheduled - 1) : elapsed;
  const seconds = Math.max(stretch / 1e9, 1e-9);
  const answered = answeredBy(result);
  const growth = 2 * Math.max(0, inFlight.atEnd - inFlight.halfway);
  const late = Math.min(growth, Math.max(0, inFlight.atEnd - counts.timedOut - counts.unfinished));
  const queued = late > usualLate * counts.scheduled;
  const inTime = queued ? Math.max(0, 1 - late / Math.max(1, answered)) : 1;
  // The quickest answer is on its way for so long without any queue.
  const quickest = LatencyHistogram.decode(result.histograms.success).min ?? 0;
  const busy = queued ? Math.max(seconds * inTime, (elapsed - quickest) / 1e9) : seconds;
  return {
    offered: counts.scheduled / seconds,
    completed: Math.min((answered * inTime) / seconds, answered / busy),
    successful: Math.min((counts.ok * inTime) / seconds, counts.ok / busy),
  };
}

const answeredBy = ({ statuses }: SliceResult): number =>
  Object.values(statuses).reduce((sum, count) => sum + count, 0);

function missesOf(
  seen: { readonly p99: number | null; readonly errorShare: number; readonly rates: Rates },
  criteria: Criteria,
): readonly Miss[] {
  const misses: Miss[] = [];
  if (seen.p99 === null || seen.p99 > criteria.objectiveMs) misses.push('p99');
  if (seen.rates.successful < criteria.leastSuccessful * seen.rates.offered) misses.push('successful');
  if (seen.errorShare > criteria.errorBudget) misses.push('errors');
  return misses;
}

function errorsOf({ counts, errors }: SliceResult): Readonly<Record<string, number>> {
  const all: Record<string, number> = { ...errors };
  if (counts.timedOut > 0) all['timed out'] = counts.timedOut;
  if (counts.dropped > 0) all['dropped: too many in flight'] = counts.dropped;
  if (counts.unfinished > 0) all['unfinished'] = counts.unfinished;
  return all;
}

/** Shots of the lead-in cost the service as much as those that count, and are taken to be answered as often. */
function costOf(cost: NonNullable<AboutStep['cost']>, answered: number, scheduled: number): StepCost {
  const requests = answered * (1 + cost.leadIn / scheduled);
  return {
    perRequestMs: requests === 0 ? null : rounded(nsToMs(cost.cpu) / requests),
    cores: rounded(cost.cpu / Math.max(1, cost.wall)),
  };
}

function percentilesOf(histogram: LatencyHistogram): StepPercentiles {
  const at = (share: number): number | null => inMs(histogram.percentile(share));
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: inMs(histogram.max) };
}

const inMs = (value: Nanoseconds | null): number | null => (value === null ? null : rounded(nsToMs(value)));
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

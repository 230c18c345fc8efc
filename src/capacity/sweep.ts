/** Runs of a closed loop at several concurrency levels → knee, Little's law, the service's own limit, noise. Pure. */
import { LatencyHistogram } from '../evidence/histogram.ts';
import type { UnsoundReason } from '../evidence/trial.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { nsToMs, nsToSeconds, ratio } from '../kernel/units.ts';
import type { ClosedResult } from '../load/protocol.ts';
import { type SweepNoise, spreadOf, sweepLimits, worstNoise } from './sweep-noise.ts';

/** One run of one level. */
export interface SweepRun {
  readonly concurrency: number;
  readonly result: ClosedResult;
}

export interface SweepMeasured {
  /** With a single worker: what a request takes when it waits for no other. */
  readonly alone: readonly ClosedResult[];
  /** At least one a level. */
  readonly runs: readonly SweepRun[];
  /** How many requests the service is known to serve at a time; null when nobody knows. */
  readonly knownLimit: number | null;
}

/** Rates a second, times in milliseconds; of all runs of a level together. */
export interface SweepLevel {
  readonly concurrency: number;
  readonly runs: number;
  readonly requests: number;
  readonly attemptedQps: number;
  readonly successfulQps: number;
  /** Of all attempts; failed and timed-out ones at no less than the time-out. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly errorRate: number;
  readonly timedOut: number;
  readonly errors: Readonly<Record<string, number>>;
  /** N = X · R: attempts a second times how long each occupied its worker, over the workers. */
  readonly littlesLaw: { readonly inFlight: number; readonly ratio: number; readonly holds: boolean };
  /** Successful QPS over that of the level below, less 1; null for the lowest. */
  readonly growth: number | null;
  readonly pastKnee: boolean;
  /** The most that so many workers can get: min(N, the known limit) ÷ service time; null without a service time. */
  readonly theoryQps: number | null;
  readonly aboveTheory: boolean;
  /** Null with fewer than two runs. */
  readonly noise: SweepNoise | null;
}

/** How many requests the service serves at a time: X · S, the plateau's rate times the time of a request alone. */
export type ServiceLimit =
  | { readonly kind: 'inferred'; readonly value: number }
  /** No plateau was reached. */
  | { readonly kind: 'at-least'; readonly value: number }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface SweepFindings {
  readonly levels: readonly SweepLevel[];
  /** The last level that still brought 10 % more than the one below; null when every level did. */
  readonly knee: number | null;
  /** Where it lies: above the first and not above the second. */
  readonly kneeBetween: readonly [above: number, upTo: number] | null;
  /** Whole requests; null when no plateau was reached. */
  readonly inferredLimit: number | null;
  readonly limit: ServiceLimit;
  /** Mean time of a request alone. */
  readonly serviceTimeMs: number | null;
  /** Limit ÷ service time; the limit given, or the inferred one. */
  readonly theory: {
    readonly limit: number;
    readonly from: 'given' | 'inferred';
    readonly qps: number;
    /** The highest successful QPS over it. */
    readonly share: number;
  } | null;
  /** The worst level. */
  readonly noise: {
    readonly qps: number | null;
    readonly p95: number | null;
    readonly tooNoisy: boolean;
    readonly limits: { readonly qps: number; readonly p95: number };
  };
  /** The first level whose successful QPS is below 80 % of the best of the levels before it. */
  readonly collapsesAt: number | null;
  readonly unsound: readonly { readonly concurrency: number; readonly reasons: readonly UnsoundReason[] }[];
}

const rule = {
  /** Successful QPS that grows by less is past the knee. */
  growth: 0.1,
  littlesLaw: 0.05,
  /** Above theory by more than this, something is wrong with the measurement. */
  theory: 0.05,
  collapse: 0.8,
  plateau: 0.9,
} as const;

/** @param reasonsOf why a run may not be used, as for any closed loop. */
export function analyseSweep(
  measured: SweepMeasured,
  reasonsOf: (result: ClosedResult) => readonly UnsoundReason[],
): SweepFindings {
  const serviceTime = meanAlone(measured.alone);
  const wanted = [...new Set(measured.runs.map((run) => run.concurrency))].sort((one, other) => one - other);
  const levels: SweepLevel[] = [];
  for (const concurrency of wanted) {
    const results = measured.runs.filter((run) => run.concurrency === concurrency).map((run) => run.result);
    levels.push(levelOf(concurrency, results, levels, serviceTime, measured.knownLimit));
  }
  const knee = kneeOf(levels);
  const best = Math.max(...levels.map((level) => level.successfulQps));
  const limit = limitOf(levels, knee !== null, serviceTime);
  const inferredLimit = limit.kind === 'inferred' ? Math.max(1, Math.round(limit.value)) : null;
  const noise = worstNoise(levels.map((level) => level.noise));
  return {
    levels,
    knee: knee?.level ?? null,
    kneeBetween: knee?.between ?? null,
    inferredLimit,
    limit,
    serviceTimeMs: serviceTime === null ? null : nsToMs(serviceTime),
    theory: theoryOf(measured.knownLimit, inferredLimit, serviceTime, best),
    noise: { ...noise, limits: sweepLimits },
    collapsesAt: collapseOf(levels),
    unsound: wanted
      .map((concurrency) => ({ concurrency, reasons: reasonsAt(concurrency, measured.runs, reasonsOf) }))
      .filter(({ reasons }) => reasons.length > 0),
  };
}

function levelOf(
  concurrency: number,
  results: readonly ClosedResult[],
  below: readonly SweepLevel[],
  serviceTime: Nanoseconds | null,
  knownLimit: number | null,
): SweepLevel {
  const seconds = results.reduce((total, result) => total + nsToSeconds(result.window), 0);
  const sum = (pick: (result: ClosedResult) => number): number =>
    results.reduce((total, result) => total + pick(result), 0);
  const sent = sum((result) => result.counts.sent);
  const ok = sum((result) => result.counts.ok);
  const response = merged(results.map((result) => result.histograms.response));
  const held = merged(results.map((result) => result.histograms.held)).mean ?? 0;
  const attemptedQps = sent / seconds;
  const successfulQps = ok / seconds;
  const inFlight = (attemptedQps * held) / 1e9;
  const before = below.at(-1);
  const growth = before === undefined ? null : growthFrom(before.successfulQps, successfulQps);
  const theoryQps =
    serviceTime === null ? null : (Math.min(concurrency, knownLimit ?? concurrency) * 1e9) / serviceTime;
  const at = (share: number): number | null => {
    const value = response.percentile(share);
    return value === null ? null : nsToMs(value);
  };
  return {
    concurrency,
    runs: results.length,
    requests: sent,
    attemptedQps,
    successfulQps,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    errorRate: sent === 0 ? 0 : (sent - ok) / sent,
    timedOut: sum((result) => result.counts.timedOut),
    errors: addedUp(results.map((result) => result.errors)),
    littlesLaw: {
      inFlight,
      ratio: ratio(inFlight / concurrency),
      holds: Math.abs(inFlight / concurrency - 1) <= rule.littlesLaw,
    },
    growth,
    // Once past the knee, a level that happens to bring more again does not move it.
    pastKnee: (growth !== null && growth < rule.growth) || before?.pastKnee === true,
    theoryQps,
    aboveTheory: theoryQps !== null && successfulQps > theoryQps * (1 + rule.theory),
    noise: noiseOf(results),
  };
}

function noiseOf(results: readonly ClosedResult[]): SweepNoise | null {
  if (results.length < 2) return null;
  const qps = spreadOf(results.map((result) => result.counts.sent / nsToSeconds(result.window)));
  const p95 = spreadOf(
    results.map((result) => LatencyHistogram.decode(result.histograms.response).percentile(0.95) ?? 0),
  );
  return { qps, p95, tooNoisy: qps > sweepLimits.qps || p95 > sweepLimits.p95 };
}

/** The 10 % rule: the first level that brings less than 10 % more is past the knee. */
function kneeOf(
  levels: readonly SweepLevel[],
): { readonly level: number; readonly between: readonly [number, number] } | null {
  const past = levels.findIndex((level) => level.pastKnee);
  if (past === -1) return null;
  const level = levels[past - 1]!.concurrency;
  // It still grew at this level, from the one below: somewhere between the two it stopped to grow in proportion.
  return { level, between: [levels[past - 2]?.concurrency ?? 0, level] };
}

function limitOf(
  levels: readonly SweepLevel[],
  hasKnee: boolean,
  serviceTime: Nanoseconds | null,
): ServiceLimit {
  if (serviceTime === null) return { kind: 'unknown', reason: 'no request alone was answered in time' };
  const best = Math.max(...levels.map((level) => level.successfulQps));
  const plateau = levels.filter((level) => level.successfulQps >= rule.plateau * best);
  const rate = plateau.reduce((total, level) => total + level.successfulQps, 0) / plateau.length;
  if (hasKnee) return { kind: 'inferred', value: rate * nsToSeconds(serviceTime) };
  return { kind: 'at-least', value: best * nsToSeconds(serviceTime) };
}

function theoryOf(
  given: number | null,
  inferred: number | null,
  serviceTime: Nanoseconds | null,
  best: number,
): SweepFindings['theory'] {
  const limit = given ?? inferred;
  if (limit === null || serviceTime === null) return null;
  const qps = (limit * 1e9) / serviceTime;
  return { limit, from: given === null ? 'inferred' : 'given', qps, share: best / qps };
}

function collapseOf(levels: readonly SweepLevel[]): number | null {
  let best = 0;
  for (const { concurrency, successfulQps } of levels) {
    if (successfulQps < rule.collapse * best) return concurrency;
    best = Math.max(best, successfulQps);
  }
  return null;
}

function meanAlone(alone: readonly ClosedResult[]): Nanoseconds | null {
  return merged(alone.map((result) => result.histograms.success)).mean;
}

function growthFrom(before: number, now: number): number {
  if (before === 0) return now === 0 ? 0 : Number.MAX_VALUE;
  return now / before - 1;
}

function reasonsAt(
  concurrency: number,
  runs: readonly SweepRun[],
  reasonsOf: (result: ClosedResult) => readonly UnsoundReason[],
): readonly UnsoundReason[] {
  const all = runs.filter((run) => run.concurrency === concurrency).flatMap((run) => reasonsOf(run.result));
  return [...new Set(all)];
}

function merged(encoded: readonly string[]): LatencyHistogram {
  return LatencyHistogram.merged(encoded.map((text) => LatencyHistogram.decode(text)));
}

function addedUp(counts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const one of counts) {
    for (const [name, count] of Object.entries(one)) total[name] = (total[name] ?? 0) + count;
  }
  return total;
}

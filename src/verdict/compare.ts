/** Rounds of one scenario → one value a round and metric: what the tests are run on. */
import type { Trial } from '../evidence/trial.ts';
import type { MetricName, Side } from '../kernel/words.ts';
import { sides } from '../kernel/words.ts';
import type { MetricUnit } from './finding.ts';
import type { SlicePair, UsableRound } from './pairing.ts';
import type { ReadSlice, SlicePercentiles, View } from './slices.ts';
import { lowerMedian, medianOf, shiftOf, signedRankP, signFlipP } from './statistics.ts';

/** One metric of one scenario, round by round. */
export type Comparison =
  | {
      readonly kind: 'ratio';
      /** ln(candidate / baseline) of every round that has a value. */
      readonly perRound: readonly number[];
      /** Median over rounds, in the unit of the metric. */
      readonly baseline: number;
      readonly candidate: number;
      /** Rounds without a value. */
      readonly missing: number;
    }
  | {
      readonly kind: 'points';
      /** Candidate − baseline, whole counts: what the sign-flip test takes. */
      readonly counts: readonly number[];
      /** The same as a share of the round's slices or shots. */
      readonly perRound: readonly number[];
      /** Shares over all rounds. */
      readonly baseline: number;
      readonly candidate: number;
    }
  | { readonly kind: 'none'; readonly reason: string; readonly missing: number };

export type PercentileMetric = keyof SlicePercentiles;

const tailFactor = 3;
const lateLevel = 0.05;

export const isPercentile = (metric: MetricName): metric is PercentileMetric =>
  metric === 'p50' || metric === 'p90' || metric === 'p95' || metric === 'p99';

export function unitOf(metric: MetricName): MetricUnit {
  if (isPercentile(metric)) return 'nanoseconds';
  if (metric === 'tail') return 'share-of-slices';
  if (metric === 'counter') return 'counted-per-request';
  return metric === 'errors' ? 'share-of-requests' : 'cpu-nanoseconds-per-request';
}

/** Shift between the sides of ln of their slices' percentiles; shown beside it, the lower median of each side. */
export function comparePercentile(
  rounds: readonly UsableRound[],
  metric: PercentileMetric,
  view: View,
  read: ReadSlice,
): Comparison {
  return compareRatios(rounds, 'too few shots were sent on time', (round) => {
    const pairs = bothPresent(round, (trial) => read(trial.load.histograms, view)?.[metric] ?? null);
    if (pairs === null) return null;
    const [baseline, candidate] = [pairs.map((pair) => pair.baseline), pairs.map((pair) => pair.candidate)];
    return {
      baseline: lowerMedian(baseline),
      candidate: lowerMedian(candidate),
      d: shiftOf(baseline.map(Math.log), candidate.map(Math.log)),
    };
  });
}

/** Median over pairs of ln of the ratio of CPU per successful request, of which shots of the lead-in are some. */
export function compareCpu(rounds: readonly UsableRound[], leadIn: number): Comparison {
  return compareRatios(rounds, missingCost(rounds), (round) => {
    const pairs = bothPresent(round, (trial) => {
      const spent = cpuSpent(trial, round);
      return spent === null ? null : spent / requestsOf(trial, leadIn);
    });
    if (pairs === null) return null;
    return {
      baseline: medianOf(pairs.map((pair) => pair.baseline)),
      candidate: medianOf(pairs.map((pair) => pair.candidate)),
      d: medianOf(pairs.map((pair) => Math.log(pair.candidate / pair.baseline))),
    };
  });
}

/** Ratio of sums over the round: it sees cost that falls into few slices, which a median cannot. */
export function compareCpuTotal(rounds: readonly UsableRound[], leadIn: number): Comparison {
  return compareRatios(rounds, missingCost(rounds), (round) => {
    const known = round.pairs.filter((pair) => pair.baseline.cost !== null && pair.candidate.cost !== null);
    if (known.length * 2 < round.planned) return null;
    const perRequest = (side: Side): number =>
      sum(known, (pair) => cpuSpent(pair[side], round) ?? 0) /
      sum(known, (pair) => requestsOf(pair[side], leadIn));
    const baseline = perRequest('baseline');
    const candidate = perRequest('candidate');
    return { baseline, candidate, d: Math.log(candidate / baseline) };
  });
}

/** Slices whose p99 over all shots exceeds three times the median slice p99 of the job, both sides pooled. */
export function compareTail(rounds: readonly UsableRound[], read: ReadSlice): Comparison {
  const p99 = (trial: Trial): number | null => read(trial.load.histograms, 'all-shots')?.p99 ?? null;
  const perRound = rounds.map((round) => bothPresent(round, p99) ?? []);
  const all = perRound.flat().flatMap((pair) => [pair.baseline, pair.candidate]);
  if (all.length === 0) return { kind: 'none', reason: 'no slice has a p99', missing: rounds.length };
  const limit = tailFactor * medianOf(all);
  return countsOf(
    perRound.map((pairs) => ({
      of: pairs.length,
      baseline: pairs.filter((pair) => pair.baseline > limit).length,
      candidate: pairs.filter((pair) => pair.candidate > limit).length,
    })),
  );
}

/**
 * Shots without a right answer per scheduled one. A shot still unanswered when the drain ends counts too:
 * otherwise a service that hangs for longer than a drain would have no errors.
 */
export function compareErrors(rounds: readonly UsableRound[]): Comparison {
  return countsOf(
    rounds.map((round) => ({
      of: sum(round.pairs, (pair) => pair.baseline.load.counts.scheduled),
      baseline: sum(round.pairs, (pair) => failedShots(pair.baseline)),
      candidate: sum(round.pairs, (pair) => failedShots(pair.candidate)),
    })),
  );
}

/** One metric over the given rounds; `view` matters to percentiles alone, `leadIn` (shots a slice) to CPU alone. */
export function compareMetric(
  rounds: readonly UsableRound[],
  metric: MetricName,
  view: View,
  read: ReadSlice,
  leadIn: number,
): Comparison {
  if (isPercentile(metric)) return comparePercentile(rounds, metric, view, read);
  if (metric === 'cpu') return compareCpu(rounds, leadIn);
  if (metric === 'cpu-total') return compareCpuTotal(rounds, leadIn);
  return metric === 'tail' ? compareTail(rounds, read) : compareErrors(rounds);
}

/**
 * Which shots percentiles are judged over. Shots that were sent late say more about the machine than about the
 * service, unless one side makes them late: when the late shares differ, leaving them out would favour that side.
 * Two exact tests over rounds, either direction, each at 5 %, since one alone is easily hidden from: a sum (sign-flip)
 * drowns a little lateness in every round in one stall of the machine, ranks overlook much lateness in few rounds.
 */
export function judgedView(rounds: readonly UsableRound[]): View {
  const differences = rounds.map((round) =>
    sum(round.pairs, (pair) => lateShots(pair.candidate) - lateShots(pair.baseline)),
  );
  const mirrored = differences.map((difference) => -difference);
  const differ = [differences, mirrored].some((d) => Math.min(signFlipP(d), signedRankP(d)) <= lateLevel);
  return differ ? 'all-shots' : 'on-time';
}

/** Share of the scheduled shots that were handed over within 0.5 ms of their due time. */
export function onTimeShares(rounds: readonly UsableRound[]): Readonly<Record<Side, number>> | null {
  return sharesOf(rounds, (trial) => trial.load.onTime);
}

/** Share of the scheduled shots that were answered rightly. */
export function successShares(rounds: readonly UsableRound[]): Readonly<Record<Side, number>> | null {
  return sharesOf(rounds, (trial) => trial.load.counts.ok);
}

/** Slices in which a side could not keep up, a round, and of how many. */
export function saturatedSlices(
  rounds: readonly UsableRound[],
): readonly { readonly baseline: number; readonly candidate: number; readonly of: number }[] {
  return rounds.map((round) => ({
    baseline: round.pairs.filter((pair) => pair.baseline.saturated).length,
    candidate: round.pairs.filter((pair) => pair.candidate.saturated).length,
    of: round.pairs.length,
  }));
}

/** Right answers a second of the slower side: median over its slices. */
export function sustainedRate(rounds: readonly UsableRound[]): number {
  const rates = sides.map((side) =>
    rounds.flatMap((round) =>
      round.pairs.map((pair) => (pair[side].load.counts.ok * 1e9) / Math.max(1, pair[side].load.elapsed)),
    ),
  );
  return Math.min(...rates.map((values) => (values.length === 0 ? 0 : medianOf(values))));
}

interface RoundValue {
  readonly baseline: number;
  readonly candidate: number;
  readonly d: number;
}

function compareRatios(
  rounds: readonly UsableRound[],
  reason: string,
  roundValue: (round: UsableRound) => RoundValue | null,
): Comparison {
  const values = rounds.map(roundValue).filter((value) => value !== null && isUsable(value)) as RoundValue[];
  const missing = rounds.length - values.length;
  if (values.length === 0) return { kind: 'none', reason, missing };
  return {
    kind: 'ratio',
    perRound: values.map((value) => value.d),
    baseline: medianOf(values.map((value) => value.baseline)),
    candidate: medianOf(values.map((value) => value.candidate)),
    missing,
  };
}

const isUsable = (value: RoundValue): boolean => isPositive(value.baseline) && Number.isFinite(value.d);

function countsOf(
  rounds: readonly { readonly of: number; readonly baseline: number; readonly candidate: number }[],
): Comparison {
  const of = sum(rounds, (round) => round.of);
  const share = (count: number): number => (of === 0 ? 0 : count / of);
  return {
    kind: 'points',
    counts: rounds.map((round) => round.candidate - round.baseline),
    perRound: rounds.map((round) => (round.of === 0 ? 0 : (round.candidate - round.baseline) / round.of)),
    baseline: share(sum(rounds, (round) => round.baseline)),
    candidate: share(sum(rounds, (round) => round.candidate)),
  };
}

/** A value of both sides, pair by pair; null when fewer than half of the planned pairs have both. */
function bothPresent(
  round: UsableRound,
  figure: (trial: Trial) => number | null,
): { readonly baseline: number; readonly candidate: number }[] | null {
  const present: { baseline: number; candidate: number }[] = [];
  for (const pair of round.pairs) {
    const baseline = figure(pair.baseline);
    const candidate = figure(pair.candidate);
    if (isPositive(baseline) && isPositive(candidate)) present.push({ baseline, candidate });
  }
  return present.length > 0 && present.length * 2 >= round.planned ? present : null;
}

/** CPU time of a slice less what the side uses while nothing is asked of it; null where it was not read. */
function cpuSpent(trial: Trial, round: UsableRound): number | null {
  if (trial.cost === null) return null;
  return trial.cost.cpu - round.sides[trial.side].idleRate * trial.cost.idle;
}

/**
 * Successful requests that the cost of a slice is of. Shots of the lead-in cost as much as those that count, and are
 * taken to have succeeded as often.
 */
export function requestsOf({ load: { counts } }: Trial, leadIn: number): number {
  return counts.ok * (1 + leadIn / counts.scheduled);
}

/** Why a round has no cost: a side that was never read says why, by the reason of most of its slices. */
function missingCost(rounds: readonly UsableRound[]): string {
  const trials = (side: Side): readonly Trial[] =>
    rounds.flatMap((round) => round.pairs.map((pair) => pair[side]));
  const unread = sides.filter((side) => trials(side).every((trial) => trial.cost === null));
  const times = new Map<string, number>();
  for (const { costUnknown: reason } of unread.flatMap(trials)) {
    if (reason !== undefined) times.set(reason, (times.get(reason) ?? 0) + 1);
  }
  const [most] = [...times].sort(([, a], [, b]) => b - a);
  if (unread.length === 0) return 'too few slices have both CPU time and right answers';
  const whose = unread.length === sides.length ? 'service' : unread[0];
  return `the CPU time of the ${whose} could not be read${most === undefined ? '' : `: ${most[0]}`}`;
}

const failedShots = (trial: Trial): number => {
  const { failed, timedOut, dropped, unfinished } = trial.load.counts;
  return failed + timedOut + dropped + unfinished;
};

const lateShots = (trial: Trial): number => trial.load.released - trial.load.onTime;

function sharesOf(
  rounds: readonly UsableRound[],
  countOf: (trial: Trial) => number,
): Readonly<Record<Side, number>> | null {
  const pairs: readonly SlicePair[] = rounds.flatMap((round) => round.pairs);
  const share = (side: Side): number =>
    sum(pairs, (pair) => countOf(pair[side])) / sum(pairs, (pair) => pair[side].load.counts.scheduled);
  const both = { baseline: share('baseline'), candidate: share('candidate') };
  return Number.isFinite(both.baseline) && Number.isFinite(both.candidate) ? both : null;
}

const isPositive = (value: number | null): value is number =>
  value !== null && value > 0 && Number.isFinite(value);

const sum = <Item>(items: readonly Item[], amount: (item: Item) => number): number =>
  items.reduce((total, item) => total + amount(item), 0);

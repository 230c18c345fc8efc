/**
 * Candidates for the value of a round of a percentile, tried on stored evidence: which of them keeps the level and has
 * the smallest spread is for measured jobs to say. Pure.
 */
import type { Evidence, Trial } from '../../src/evidence/trial.ts';
import type { UsableRound } from '../../src/verdict/pairing.ts';
import { scopeOf } from '../../src/verdict/scope.ts';
import type { View } from '../../src/verdict/slices.ts';
import {
  hodgesLehmann,
  lowerMedian,
  medianOf,
  shiftOf,
  signedRankP,
  smallestDetectable,
  spreadOf,
} from '../../src/verdict/statistics.ts';
import { type Quartiles, quartiles } from './summary.ts';

export const tried = ['p50', 'p95', 'p99'] as const;
export type Tried = (typeof tried)[number];
export const views: readonly View[] = ['on-time', 'all-shots'];
export const ruleNames = [
  'lower median of slices',
  'lower quartile of slices',
  'median over pairs',
  'Hodges–Lehmann over pairs',
  'Hodges–Lehmann of both sides',
  'merged over the round',
] as const;
export type RuleName = (typeof ruleNames)[number];
/** The rule of the product: `comparePercentile`. */
export const currentRule: RuleName = 'Hodges–Lehmann of both sides';

/** Percentiles of slices, in any unit; null when there is no shot in this view. */
export interface SliceReader {
  slice(trial: Trial, view: View, percentile: Tried): number | null;
  /** The percentile of all the shots of the given slices together. */
  merged(trials: readonly Trial[], view: View, percentile: Tried): number | null;
}

interface SliceValues {
  readonly baseline: readonly number[];
  readonly candidate: readonly number[];
}

/** ln(candidate / baseline) of a round from its slices; the k-th of both sides are a pair. */
export const slicesToRound: Readonly<
  Record<Exclude<RuleName, 'merged over the round'>, (slices: SliceValues) => number>
> = {
  'lower median of slices': ({ baseline, candidate }) =>
    Math.log(lowerMedian(candidate) / lowerMedian(baseline)),
  'lower quartile of slices': ({ baseline, candidate }) =>
    Math.log(lowerQuartile(candidate) / lowerQuartile(baseline)),
  'median over pairs': (slices) => medianOf(pairRatios(slices)),
  'Hodges–Lehmann over pairs': (slices) => hodgesLehmann(pairRatios(slices)),
  // The shift of two samples: slices of one round hardly go together by pairs where stalls decide.
  'Hodges–Lehmann of both sides': ({ baseline, candidate }) =>
    shiftOf(baseline.map(Math.log), candidate.map(Math.log)),
};

/** v[(n − 1) >> 2] of the sorted values: like the lower median, never an average with a stalled slice. */
export function lowerQuartile(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('lowerQuartile needs at least one value');
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 2]!;
}

const pairRatios = ({ baseline, candidate }: SliceValues): number[] =>
  baseline.map((value, pair) => Math.log(candidate[pair]! / value));

/** One value a round; null where fewer than half of the planned pairs have one, as in the product. */
export function roundValue(
  round: UsableRound,
  rule: RuleName,
  view: View,
  percentile: Tried,
  reader: SliceReader,
): number | null {
  const present = round.pairs.flatMap((pair) => {
    const baseline = reader.slice(pair.baseline, view, percentile);
    const candidate = reader.slice(pair.candidate, view, percentile);
    return baseline !== null && candidate !== null && baseline > 0 && candidate > 0
      ? [{ pair, baseline, candidate }]
      : [];
  });
  if (present.length === 0 || present.length * 2 < round.planned) return null;
  if (rule !== 'merged over the round') {
    return slicesToRound[rule]({
      baseline: present.map((one) => one.baseline),
      candidate: present.map((one) => one.candidate),
    });
  }
  const baseline = reader.merged(
    present.map((one) => one.pair.baseline),
    view,
    percentile,
  );
  const candidate = reader.merged(
    present.map((one) => one.pair.candidate),
    view,
    percentile,
  );
  return baseline === null || candidate === null ? null : Math.log(candidate / baseline);
}

/** Every choice of one job: the round values over its first `depth` usable measuring rounds. */
export interface JobChoices {
  readonly job: number;
  readonly rounds: number;
  readonly values: readonly {
    readonly rule: RuleName;
    readonly view: View;
    readonly percentile: Tried;
    /** In the order of the rounds; a round without a value is left out. */
    readonly d: readonly number[];
  }[];
}

/** Scenarios of a job are apart: one entry each. */
export function choicesOf(job: number, evidence: Evidence, reader: SliceReader): JobChoices[] {
  const scope = scopeOf(
    evidence.plan,
    evidence.rounds.filter((round) => round.phase === 'measuring'),
  );
  return scope.scenarios.map(({ usable }) => ({
    job,
    rounds: usable.length,
    values: ruleNames.flatMap((rule) =>
      views.flatMap((view) =>
        tried.map((percentile) => ({
          rule,
          view,
          percentile,
          d: usable
            .map((round) => roundValue(round, rule, view, percentile, reader))
            .filter((value) => value !== null),
        })),
      ),
    ),
  }));
}

export interface ChoiceRow {
  readonly rule: RuleName;
  readonly view: View;
  readonly percentile: Tried;
  readonly jobs: number;
  /** Jobs whose exact one-sided p is at most the level, in the direction of a slower and of a faster candidate. */
  readonly worse: number;
  readonly better: number;
  readonly effect: Quartiles;
  readonly spread: Quartiles;
  readonly smallestDetectable: Quartiles;
}

/** The rows of a table: every choice over the first `depth` rounds of the jobs that have as many. */
export function choiceRows(jobs: readonly JobChoices[], depth: number, level = 0.05): ChoiceRow[] {
  return tried.flatMap((percentile) =>
    views.flatMap((view) =>
      ruleNames.flatMap((rule) => {
        const all = jobs.flatMap((job) => {
          const found = job.values.find(
            (one) => one.rule === rule && one.view === view && one.percentile === percentile,
          );
          return found !== undefined && found.d.length >= depth ? [found.d.slice(0, depth)] : [];
        });
        const row = choiceRow(all, level);
        return row === null ? [] : [{ rule, view, percentile, ...row }];
      }),
    ),
  );
}

function choiceRow(
  all: readonly (readonly number[])[],
  level: number,
): Omit<ChoiceRow, 'rule' | 'view' | 'percentile'> | null {
  const effect = quartiles(all.map((d) => Math.expm1(hodgesLehmann(d))));
  const spread = quartiles(all.map((d) => spreadOf(d)));
  const detectable = quartiles(all.map((d) => smallestDetectable(d)));
  if (effect === null || spread === null || detectable === null) return null;
  return {
    jobs: all.length,
    worse: all.filter((d) => signedRankP(d) <= level).length,
    better: all.filter((d) => signedRankP(d.map((value) => -value)) <= level).length,
    effect,
    spread,
    smallestDetectable: detectable,
  };
}

/** What the exact test really rejects at a level: its p-values are whole multiples of 2^−rounds. */
export function attainableLevel(rounds: number, level = 0.05): number {
  const ranks = Array.from({ length: rounds }, (_, index) => index + 1);
  const total = (rounds * (rounds + 1)) / 2;
  let best = 0;
  for (let negative = 0; negative <= total; negative++) {
    const p = signedRankP(withNegativeSum(ranks, negative));
    if (p > level) break;
    best = p;
  }
  return best;
}

/** The ranks with signs so that the negative ones add up to `sum`: the largest that fit, first. */
function withNegativeSum(ranks: readonly number[], sum: number): number[] {
  let left = sum;
  return [...ranks].reverse().map((rank) => {
    if (rank > left) return rank;
    left -= rank;
    return -rank;
  });
}

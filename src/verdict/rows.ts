/** One metric of one scenario at a look: estimate, test and bound, before anything is decided about it. */
import type { ScenarioPlan } from '../config/plan.ts';
import type { JudgeSettings } from '../config/settings.ts';
import type { CounterRecord } from '../evidence/trial.ts';
import { assertNever } from '../kernel/errors.ts';
import { type Ratio, ratio } from '../kernel/units.ts';
import type { MetricName, RowState } from '../kernel/words.ts';
import { loadMetrics, percentileShare } from '../kernel/words.ts';
import type { Comparison } from './compare.ts';
import { compareMetric, isPercentile, judgedView, saturatedSlices } from './compare.ts';
import { compareCounter } from './counters.ts';
import type { Hypothesis } from './estimate.ts';
import { changeOf, isBounded, isImproved, isWithinSpread, testOf } from './estimate.ts';
import type { Change } from './finding.ts';
import type { UsableRound } from './pairing.ts';
import {
  ineligibleSentence,
  metricWords,
  otherViewSentence,
  saturationSentence,
  withinSpreadSentence,
} from './reasons.ts';
import type { Condition } from './same-work.ts';
import { saturatedShare } from './same-work.ts';
import type { ReadSlice, View } from './slices.ts';
import { otherView } from './slices.ts';
import { hodgesLehmann, signedRankP, signFlipP, smallestP } from './statistics.ts';
import { failuresSentence } from './wrong-answers.ts';

/** A scenario as a look sees it. */
export interface ScenarioLook {
  readonly plan: ScenarioPlan;
  readonly rounds: readonly UsableRound[];
  readonly dropped: number;
  readonly condition: Condition;
}

export interface Row {
  readonly scenario: string;
  /** Name of the counter, where it is one. */
  readonly counter: string | null;
  readonly metric: MetricName;
  readonly judged: boolean;
  readonly view: View | null;
  readonly tolerance: { readonly min: Ratio; readonly detect: Ratio | null };
  readonly comparison: Comparison;
  readonly change: Change;
  readonly other: { readonly view: View; readonly change: Change } | null;
  readonly rounds: { readonly used: number; readonly dropped: number };
  /** Empty when there is nothing to test. */
  readonly hypotheses: readonly Hypothesis[];
  readonly improved: boolean;
  /** The upper bound excludes `detect`. */
  readonly bounded: boolean;
  /** Why it may not pass whatever its bound says. */
  readonly blocked: string | null;
  /** A state that needs no test. */
  readonly settled: { readonly state: RowState; readonly reason: string } | null;
  /** A remark when the state is plain. */
  readonly note: string | null;
}

/** An early look passes only when no metric is worse at this level, unadjusted. */
const worseLevel = 0.05;
/** A metric with values in fewer of the rounds than this is not judged. */
const leastValues = 0.75;

/** How a look is taken. */
export interface LookTerms {
  readonly settings: JudgeSettings;
  readonly counters: readonly CounterRecord[];
  /** Shots of every slice that are sent and not counted. */
  readonly leadIn: number;
  readonly passLevel: number;
  /** Why percentiles cannot pass. */
  readonly tooNoisy: string | null;
  readonly read: ReadSlice;
}

/** All metrics and counters of a scenario over the rounds of a look. */
export function rowsOf(look: ScenarioLook, terms: LookTerms): Row[] {
  const jobView = judgedView(look.rounds);
  const { settings, read, leadIn } = terms;
  const metrics = loadMetrics.map((metric): Row => {
    const view = isPercentile(metric) ? jobView : null;
    return rowOf(look, terms, {
      metric,
      counter: null,
      judged: look.plan.judged.includes(metric),
      view,
      tolerance: toleranceOf(metric, settings),
      comparison: compareMetric(look.rounds, metric, view ?? 'all-shots', read, leadIn),
      second: view === null ? null : compareMetric(look.rounds, metric, otherView(view), read, leadIn),
    });
  });
  const counters = terms.counters.map(
    ({ name, judge }): Row =>
      rowOf(look, terms, {
        metric: 'counter',
        counter: name,
        judged: judge !== null,
        view: null,
        tolerance: judge ?? shownOnly,
        comparison: compareCounter(look.rounds, { name, leadIn: terms.leadIn }),
        second: null,
      }),
  );
  return [...metrics, ...counters];
}

/** By which a counter that nobody judges is called changed. */
const shownOnly = { min: ratio(0.05), detect: ratio(0.1) };

/** What a row is about, and its figures. */
type RowSubject = Pick<Row, 'metric' | 'counter' | 'judged' | 'view' | 'tolerance' | 'comparison'> & {
  readonly second: Comparison | null;
};

function rowOf(look: ScenarioLook, { passLevel, tooNoisy }: LookTerms, subject: RowSubject): Row {
  const { second, ...about } = subject;
  const { metric, view, tolerance, comparison } = about;
  const settled = settledState(look, metric, view, comparison, tooNoisy);
  const saturation = metric === look.plan.tailPercentile ? saturationOf(look) : [];
  const tested = settled === null ? testOf(comparison, tolerance.min, look.condition) : null;
  const change = changeOf(comparison, passLevel);
  const doubt = look.condition.kind === 'comparable' ? look.condition.doubt : null;
  const within = tested !== null && isWithinSpread(tested, worseLevel) ? withinSpreadSentence(change) : null;
  return {
    scenario: look.plan.name,
    ...about,
    change,
    other:
      second === null || view === null
        ? null
        : { view: otherView(view), change: changeOf(second, passLevel) },
    rounds: {
      used: comparison.kind === 'none' ? 0 : comparison.perRound.length,
      dropped: look.dropped + (comparison.kind === 'points' ? 0 : comparison.missing),
    },
    hypotheses: [...(tested === null ? [] : [tested]), ...saturation],
    improved: settled === null && isImproved(comparison, tolerance.min),
    bounded: isBounded(comparison, tolerance, passLevel),
    blocked:
      settled === null
        ? (doubt ?? within ?? blockOf(view, comparison, second, tolerance.min, tooNoisy))
        : null,
    settled,
    note: noteOf(look, metric, tested),
  };
}

/** What differs in the bodies; of failures, what the candidate has more of. */
function noteOf({ condition, rounds, plan }: ScenarioLook, metric: MetricName, tested: Hypothesis | null) {
  if (condition.kind !== 'comparable') return null;
  if (metric !== 'errors') return condition.bodies;
  const more = tested?.large && tested.p <= worseLevel;
  return more ? failuresSentence(rounds, plan.name) : null;
}

/** Worse at the unadjusted 5 % and by at least the smallest change that matters: blocks an early pass. */
export const isWorse = (row: Row): boolean =>
  row.hypotheses.some((hypothesis) => hypothesis.p <= worseLevel && hypothesis.large);

export function toleranceOf(metric: MetricName, settings: JudgeSettings): Row['tolerance'] {
  switch (metric) {
    case 'p50':
      return settings.p50;
    case 'p90':
    case 'p95':
    case 'p99':
      return settings.p99;
    case 'cpu':
      return settings.cpu;
    case 'cpu-total':
      return settings.cpuTotal;
    case 'tail':
      return { min: settings.tail.min, detect: null };
    case 'errors':
      return { min: settings.errors.min, detect: null };
    case 'counter':
    case 'microbenchmark':
      return settings.microbenchmarks;
    default:
      return assertNever(metric);
  }
}

/** On-time percentiles pass only when those over all shots are not significantly worse. */
function blockOf(
  view: View | null,
  judged: Comparison,
  second: Comparison | null,
  min: number,
  tooNoisy: string | null,
): string | null {
  if (view === null) return null;
  if (tooNoisy !== null) return tooNoisy;
  if (view === 'all-shots' || second?.kind !== 'ratio' || judged.kind !== 'ratio') return null;
  const effect = hodgesLehmann(second.perRound);
  const worse = signedRankP(second.perRound) <= worseLevel && effect >= Math.log1p(min);
  if (!worse) return null;
  const [all, onTime] = [effect, hodgesLehmann(judged.perRound)].map((d) => ratio(Math.expm1(d))) as [
    Ratio,
    Ratio,
  ];
  return otherViewSentence(all, onTime);
}

/** States that follow from what was measured, not from how it compares. */
function settledState(
  look: ScenarioLook,
  metric: MetricName,
  view: View | null,
  comparison: Comparison,
  tooNoisy: string | null,
): Row['settled'] {
  const { condition, plan } = look;
  if (condition.kind === 'new') return { state: 'new', reason: condition.reason };
  if (condition.kind === 'stop') return { state: 'invalid', reason: condition.reason };
  if (condition.kind === 'candidate-fails' && metric !== 'errors') {
    return { state: 'invalid', reason: condition.reason };
  }
  if (isPercentile(metric) && percentileShare[metric] > percentileShare[plan.tailPercentile]) {
    return { state: 'not-eligible', reason: ineligibleSentence(metric, plan) };
  }
  // Late shares that differ are the doing of a side: then all shots are tested, and only a pass is refused.
  if (tooNoisy !== null && view === 'on-time') return { state: 'undecided', reason: tooNoisy };
  if (comparison.kind === 'none') {
    return {
      state: 'undecided',
      reason: `${metricWords(metric)} could not be compared: ${comparison.reason}`,
    };
  }
  if (comparison.perRound.length < leastValues * look.rounds.length) {
    return {
      state: 'undecided',
      reason: `${metricWords(metric)} has a value in only ${comparison.perRound.length} of ${look.rounds.length} rounds`,
    };
  }
  return null;
}

/** Only the candidate cannot hold the rate: exact sign-flip on saturated slices, and most of its slices are. */
function saturationOf(look: ScenarioLook): Hypothesis[] {
  if (look.condition.kind === 'new' || look.condition.kind === 'stop') return [];
  const rounds = saturatedSlices(look.rounds);
  const [baseline, candidate, of] = [
    rounds.reduce((sum, round) => sum + round.baseline, 0),
    rounds.reduce((sum, round) => sum + round.candidate, 0),
    rounds.reduce((sum, round) => sum + round.of, 0),
  ];
  if (candidate < saturatedShare * of || baseline >= (saturatedShare / 2) * of || of === 0) return [];
  const differences = rounds.map((round) => round.candidate - round.baseline);
  return [
    {
      p: signFlipP(differences),
      smallestP: smallestP(differences),
      large: true,
      beyondSpread: true,
      blatant: true,
      reason: saturationSentence(look.plan, candidate, baseline, of),
    },
  ];
}

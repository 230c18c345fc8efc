/** What one job of a commit against itself says about jobs to come: spread, rounds for a wanted change, error rates. Pure. */
import type { JobPlan } from '../config/plan.ts';
import { type LogRatio, type Ratio, ratio } from '../kernel/units.ts';
import type { MetricName } from '../kernel/words.ts';
import type { Finding, Verdict } from './finding.ts';
import { confirmationLevel, extensionLevel, fewestRounds, leastRounds, looksAt } from './looks.ts';
import { studentQuantile } from './student.ts';

/** A judged metric of a scenario and how far it strays while nothing changes. */
export interface Stray {
  readonly scenario: string;
  readonly metric: MetricName;
  readonly rounds: number;
  /** H: half of the 95 % interval, in logs. */
  readonly spread: LogRatio;
  /** One run against one run would be off by this. */
  readonly singleRun: LogRatio;
  readonly detectable: Ratio;
  readonly tolerance: Finding['tolerance'];
}

/** The metrics that have a spread, in the order of the verdict's plan. */
export function straysOf(verdict: Verdict): readonly Stray[] {
  return verdict.findings.flatMap((finding) => {
    const { change, scenario, metric, tolerance } = finding;
    if (!finding.judged || change.kind !== 'ratio') return [];
    const { spread, singleRunSpread, smallestDetectable } = change;
    if (spread === null || smallestDetectable === null) return [];
    const figures = { spread, singleRun: singleRunSpread, detectable: smallestDetectable };
    return [{ scenario, metric, rounds: finding.rounds.used, tolerance, ...figures }];
  });
}

/**
 * The smallest change that a job of `rounds` rounds would see four times in five: exp(σ (t₀.₉₇₅ + t₀.₈₀) / √R) − 1 with
 * σ = H √R₀ / t₀.₉₇₅ from the measured job. At R = R₀ it is the report's own figure, exp(H f) − 1.
 */
export function detectableAt(stray: Pick<Stray, 'spread' | 'rounds'>, rounds: number): Ratio {
  const sigma = (stray.spread * Math.sqrt(stray.rounds)) / studentQuantile(0.975, stray.rounds - 1);
  const both = studentQuantile(0.975, rounds - 1) + studentQuantile(0.8, rounds - 1);
  return ratio(Math.expm1((sigma * both) / Math.sqrt(rounds)));
}

/** Beyond this "more rounds" is no advice. */
const mostRounds = 60;

/** The fewest rounds with which `wanted` is detectable; null when not even the most that are sensible do. */
export function roundsFor(
  stray: Pick<Stray, 'spread' | 'rounds'>,
  wanted: Ratio,
  least: number,
): number | null {
  for (let rounds = Math.max(fewestRounds, least); rounds <= mostRounds; rounds++) {
    if (detectableAt(stray, rounds) <= wanted) return rounds;
  }
  return null;
}

/**
 * The fewest rounds that a plan like this one may have.
 * @param counters of the service that are judged beside the plan's metrics, in each scenario.
 */
export function leastRoundsOf(plan: JobPlan, counters: number): number {
  return leastRounds(judgedIn(plan, counters));
}

const judgedIn = ({ scenarios }: JobPlan, counters: number): number =>
  scenarios.reduce((sum, scenario) => sum + scenario.judged.length + counters, 0);

/** Jobs without a change that were decided, and how many of them were red. */
export interface Seen {
  readonly jobs: number;
  readonly red: number;
  /** End of the one-sided 95 % interval of their share (Clopper and Pearson). */
  readonly atMost: Ratio;
}

export interface FalseAlarms {
  /** Judged metrics, all in one family. */
  readonly judged: number;
  /** An unchanged job has any row flagged, at most. */
  readonly flagged: Ratio;
  /** How that is split over the looks. */
  readonly looks: readonly { readonly rounds: number; readonly level: Ratio }[];
  /** The ways to red; null without confirmation, where a flagged row is red. */
  readonly red: {
    /** Level of the pooled test that a flagged row must pass too. */
    readonly confirmed: Ratio;
    /** Level of the pooled test of a job that a last look left open. */
    readonly settled: Ratio;
    readonly simulated: Seen;
    readonly onMachine: Seen;
  } | null;
}

/** As docs/method.md (Error rates by simulation) and docs/aa.md have them; a test compares. */
const simulated: Seen = { jobs: 2100, red: 11, atMost: ratio(0.009) };
const onMachine: Seen = { jobs: 70, red: 0, atMost: ratio(0.042) };

/**
 * The levels of the plan's looks, which hold by design, whatever the machine does; and what was seen of them.
 * @param counters of the service that are judged beside the plan's metrics, in each scenario.
 */
export function falseAlarmsOf(plan: JobPlan, counters: number): FalseAlarms {
  const looks = looksAt(plan.looks).flatMap(({ rounds, failLevel }) =>
    failLevel === null ? [] : [{ rounds, level: ratio(failLevel) }],
  );
  return {
    judged: judgedIn(plan, counters),
    flagged: ratio(Math.round(looks.reduce((sum, { level }) => sum + level, 0) * 1e6) / 1e6),
    looks,
    red: plan.confirm
      ? { confirmed: ratio(confirmationLevel), settled: ratio(extensionLevel), simulated, onMachine }
      : null,
  };
}

/** A tolerance wider than this lets through what any user would feel. */
export const widestUseful: Ratio = ratio(0.5);

/** Tolerances as one would write them. */
const niceSteps = [1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000].map(
  (percent) => percent / 100,
);

/** The next tolerance at or above `value` that one would write; null beyond 1,000 %. */
export const niceAbove = (value: number): Ratio | null => {
  const step = niceSteps.find((one) => one >= value - 1e-9);
  return step === undefined ? null : ratio(step);
};

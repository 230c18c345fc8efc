/** Conductor of the plan of advised settings: the gate they would give, and the time budget without which there is none. */
import { leastRequests } from './config/eligibility.ts';
import type { JobPlan } from './config/plan.ts';
import { planJob } from './config/planner.ts';
import type { GateConfig } from './config/settings.ts';
import { fewestSlices } from './config/slices.ts';
import { costOfJob, type Layout, typicalAssumptions } from './config/timing.ts';
import {
  budgetText,
  type Nanoseconds,
  ns,
  type PerSecond,
  parseDuration,
  type Ratio,
} from './kernel/units.ts';
import { leastRounds, lookRounds } from './verdict/looks.ts';

export interface Wish {
  /** Rates that replace the configured ones, by scenario. */
  readonly rates: ReadonlyMap<string, PerSecond>;
  readonly rounds: GateConfig['rounds'];
  /** What it would be without regard to the plan. */
  readonly timeBudget: Nanoseconds;
  /** Share of the time budget that the gate keeps for microbenchmarks. */
  readonly benchmarks: Ratio;
}

export interface AdvisedPlan {
  /** The wish, or the least that holds the wished rounds, in steps as one would write it. */
  readonly timeBudget: Nanoseconds;
  /** Whether the wish does not hold them. */
  readonly raised: boolean;
  /** What the gate plans by these settings. */
  readonly plan: JobPlan;
}

/**
 * The gate by advised settings. At the rates that were measured the time budget must hold the measured slices, because
 * the spread was that of rounds of so many; at others it must hold the rounds with the lowest percentile there is.
 * @param measured the plan of the calibration.
 * @throws TailgateError `usage` when no time budget would do, which rounds of at least `leastRounds` rule out.
 */
export function planAdvised(config: GateConfig, measured: JobPlan, wish: Wish): AdvisedPlan {
  const kept = wish.rates.size === 0;
  const assumptions = { ...typicalAssumptions, benchmarks: wish.benchmarks };
  const advised: GateConfig = {
    ...config,
    rounds: wish.rounds,
    slices: kept ? slicesOf(measured) : config.slices,
    scenarios: config.scenarios.map((one) => ({ ...one, rate: wish.rates.get(one.name) ?? one.rate })),
  };
  const needed = costOfJob(
    advised,
    assumptions,
    wish.rounds.aim,
    kept ? layoutOf(measured) : leastLayout(config),
  );
  const raised = needed > wish.timeBudget;
  // What the user wrote stays as it is written; what is reckoned comes in steps as one would write it.
  const asWritten = !raised && wish.timeBudget === config.timeBudget;
  const least = ns(Math.max(wish.timeBudget, needed));
  const timeBudget = asWritten ? wish.timeBudget : parseDuration(budgetText(least))!;
  const rules = { lookRounds, leastRounds };
  const plan = planJob({ ...advised, timeBudget }, measured.seed, assumptions, rules);
  return { timeBudget, raised, plan };
}

/** Exactly, with the largest unit of a setting that leaves a whole number, and minutes only above two of them. */
export function settingText(duration: Nanoseconds): string {
  const units = [
    { unit: 'm', size: 60e9, above: 120e9 },
    { unit: 's', size: 1e9, above: 0 },
  ];
  const fit = units.find(({ size, above }) => duration > above && duration % size === 0);
  return fit === undefined ? `${duration / 1e6}ms` : `${duration / fit.size}${fit.unit}`;
}

/** A side and round; every scenario has the same. */
export const slicesOf = (plan: JobPlan): number => plan.scenarios[0]!.slices;

const layoutOf = (plan: JobPlan): Layout => ({
  slices: slicesOf(plan),
  requests: plan.scenarios.map((scenario) => scenario.sliceRequests),
});

const leastLayout = (config: GateConfig): Layout => ({
  slices: fewestSlices,
  requests: config.scenarios.map(() => leastRequests('p90', fewestSlices)),
});

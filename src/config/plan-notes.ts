/** What a reader should know about a plan before it runs, and which setting would change it. */
import type { Warning } from '../kernel/errors.ts';
import { budgetText, formatCount, formatDuration, type Nanoseconds } from '../kernel/units.ts';
import { leastRequests, leastRequestsARound, type TailPercentile, tailPercentiles } from './eligibility.ts';
import type { JobPlan, PlanAssumptions, ScenarioPlan } from './plan.ts';
import type { GateConfig } from './settings.ts';
import { fewestSlices, wantedSlices } from './slices.ts';
import { costOfJob, longestBudget } from './timing.ts';

export function notesOf(
  config: GateConfig,
  plan: Omit<JobPlan, 'notes'>,
  assumptions: PlanAssumptions,
): readonly Warning[] {
  const { slices } = plan.scenarios[0]!;
  const notes: Warning[] = [];
  if (plan.rounds < config.rounds.aim) {
    notes.push({
      code: 'fewer-rounds',
      message: `${plan.rounds} rounds before a confirmation instead of ${config.rounds.aim}: more do not fit into the time budget of ${formatDuration(config.timeBudget)}`,
      hint: `fewer rounds see only larger changes; ${orHigherRate(budgetFor(config, assumptions, slices, 'p90'), (budget) => `${budget} or more gives all of them`)}`,
    });
  }
  if (slices < wantedSlices(config)) notes.push(fewerSlices(config, plan, assumptions));
  for (const percentile of ['p95', 'p90'] as const) {
    const lower = plan.scenarios.filter((scenario) => scenario.tailPercentile === percentile);
    if (lower.length > 0) notes.push(lowerPercentile(config, plan, assumptions, lower));
  }
  return notes;
}

/**
 * More slices might fit at a lower percentile, so the note names the percentiles they do not fit with. Below p99 the
 * note about the percentile names the way out: more time makes p99 eligible before it brings back slices.
 */
function fewerSlices(
  config: GateConfig,
  plan: Omit<JobPlan, 'notes'>,
  assumptions: PlanAssumptions,
): Warning {
  const judged = tailPercentiles.filter((one) =>
    plan.scenarios.some((other) => other.tailPercentile === one),
  );
  const wanted = wantedSlices(config);
  const message =
    `${plan.scenarios[0]!.slices} slices a side and round instead of ${wanted}: ` +
    `${wanted} do not fit into the time budget of ${formatDuration(config.timeBudget)} with ${judged.join(' and ')}`;
  if (judged.some((one) => one !== 'p99')) return { code: 'fewer-slices', message };
  const budget = budgetFor(config, assumptions, wanted, 'p99');
  const hint = orHigherRate(budget, (time) => `${time} would make room for ${wanted}`);
  return { code: 'fewer-slices', message, hint };
}

/** @param lower scenarios that judge the same percentile below p99. */
function lowerPercentile(
  config: GateConfig,
  plan: Omit<JobPlan, 'notes'>,
  assumptions: PlanAssumptions,
  lower: readonly ScenarioPlan[],
): Warning {
  const { tailPercentile, slices } = lower[0]!;
  const fewest = Math.min(...lower.map((scenario) => scenario.sliceRequests));
  const whose =
    plan.scenarios.length === 1 ? '' : ` of ${lower.map((scenario) => `"${scenario.name}"`).join(', ')}`;
  const needs = leastRequests('p99', slices);
  return {
    code: 'percentile-in-place-of-p99',
    message:
      `${tailPercentile}${whose} is judged in place of p99: p99 needs ${formatCount(needs)} requests a slice and ` +
      `${formatCount(leastRequestsARound('p99'))} a side and round, this plan has ${formatCount(fewest)} and ${formatCount(fewest * slices)}`,
    hint: wayToP99(config, assumptions),
  };
}

/** With the named settings the planner has room for every round aimed at, and p99 everywhere. */
function wayToP99(config: GateConfig, assumptions: PlanAssumptions): string {
  const needs = leastRequests('p99', fewestSlices);
  const budget = budgetFor(config, assumptions, fewestSlices, 'p99');
  const eligible = (settings: string): string => `${settings} would make p99 eligible`;
  if (config.sliceRequests >= needs) return orHigherRate(budget, eligible);
  const requests = `\`slice-requests: ${needs}\``;
  const hasTime = costWith(config, assumptions, fewestSlices, 'p99') <= config.timeBudget;
  if (hasTime) return eligible(requests);
  return orHigherRate(budget, (time) => eligible(`${requests} with ${time}`));
}

/** Advice with a budget, or what helps where no budget would be long enough. */
function orHigherRate(budget: string | null, advice: (budget: string) => string): string {
  return budget === null
    ? `that takes more than the ${formatDuration(longestBudget)} a job may have: a higher \`rate\` or fewer scenarios would help`
    : advice(budget);
}

/**
 * The time budget with which every round that is aimed at has a percentile eligible in every scenario; null where it
 * is longer than a job may take.
 */
function budgetFor(
  config: GateConfig,
  assumptions: PlanAssumptions,
  slices: number,
  percentile: TailPercentile,
): string | null {
  const cost = costWith(config, assumptions, slices, percentile);
  return cost > longestBudget ? null : `\`time-budget: ${budgetText(cost)}\``;
}

function costWith(
  config: GateConfig,
  assumptions: PlanAssumptions,
  slices: number,
  percentile: TailPercentile,
): Nanoseconds {
  const requests = config.scenarios.map(() => leastRequests(percentile, slices));
  return costOfJob(config, assumptions, config.rounds.aim, { slices, requests });
}

/** What a reader should know about a plan before it runs, and which setting would change it. */
import type { Warning } from '../kernel/errors.ts';
import { budgetText, formatCount, formatDuration, type Nanoseconds } from '../kernel/units.ts';
import { leastRequests, leastRequestsARound, type TailPercentile, tailPercentiles } from './eligibility.ts';
import type { JobPlan, PlanAssumptions, ScenarioPlan } from './plan.ts';
import type { GateConfig } from './settings.ts';
import { fewestSlices, wantedSlices } from './slices.ts';
import { costOfJob } from './timing.ts';

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
      hint: `fewer rounds see only larger changes; ${budgetFor(config, assumptions, slices, 'p90')} or more gives all of them`,
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
  return { code: 'fewer-slices', message, hint: `${budget} would make room for ${wanted}` };
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
    hint: `${wayToP99(config, assumptions)} would make p99 eligible`,
  };
}

/** With the named settings the planner has room for every round aimed at, and p99 everywhere. */
function wayToP99(config: GateConfig, assumptions: PlanAssumptions): string {
  const needs = leastRequests('p99', fewestSlices);
  const budget = budgetFor(config, assumptions, fewestSlices, 'p99');
  if (config.sliceRequests >= needs) return budget;
  const hasTime = costWith(config, assumptions, fewestSlices, 'p99') <= config.timeBudget;
  return `\`slice-requests: ${needs}\`${hasTime ? '' : ` with ${budget}`}`;
}

/** The time budget with which every round that is aimed at has a percentile eligible in every scenario. */
function budgetFor(
  config: GateConfig,
  assumptions: PlanAssumptions,
  slices: number,
  percentile: TailPercentile,
): string {
  return `\`time-budget: ${budgetText(costWith(config, assumptions, slices, percentile))}\``;
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

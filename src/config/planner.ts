/** Config and seed → the plan of a job: rounds first, then slices by the percentile they allow, then requests. */
import { TailgateError } from '../kernel/errors.ts';
import { budgetText, formatDuration } from '../kernel/units.ts';
import { eligiblePercentile, leastRequests, tailPercentiles } from './eligibility.ts';
import type { JobPlan, PlanAssumptions, ScenarioPlan } from './plan.ts';
import { notesOf } from './plan-notes.ts';
import type { GateConfig } from './settings.ts';
import { fewestSlices, mostSlices, wantedSlices } from './slices.ts';
import {
  confirmationRounds,
  costOfJob,
  costOfRound,
  type Layout,
  leadInOf,
  longestBudget,
} from './timing.ts';

/** What the verdict's plan of looks says about a number of rounds. */
export interface LookRules {
  /** The rounds at which a job of at most `rounds` rounds looks, ascending, `rounds` the last. */
  readonly lookRounds: (rounds: number) => readonly number[];
  /** The fewest rounds with which a job that judges so many metrics could ever fail. */
  readonly leastRounds: (judged: number) => number;
}

/** p50, the tail percentile, cpu, cpu-total, tail, errors. */
const judgedPerScenario = 6;

/**
 * Plans a job as docs/method.md says under Design of a job. The rounds come first: as many as aimed at; fewer only
 * when even p90 would not be eligible; more only when every slice is whole and time is left. Then the slices: as many
 * whole ones as there is room for; where there is none, the number with which the highest percentiles are eligible, at
 * equal percentiles the larger. Then the requests of a slice, which take what is left.
 * @param looks handed over from the verdict's table of looks.
 * @throws TailgateError `usage`: no number of rounds could ever fail, or the time budget is too short, naming the
 *   one it needs.
 */
export function planJob(
  config: GateConfig,
  seed: number,
  assumptions: PlanAssumptions,
  looks: LookRules,
): JobPlan {
  const needed = roundsThatCanFail(config, looks);
  const { rounds, layout } = chooseRounds(config, assumptions, Math.max(config.rounds.least, needed));
  const scenarios = config.scenarios.map((scenario, index): ScenarioPlan => {
    const sliceRequests = layout.requests[index]!;
    const tailPercentile = eligiblePercentile(layout.slices, sliceRequests)!;
    return {
      name: scenario.name,
      rate: scenario.rate,
      slices: layout.slices,
      sliceRequests,
      tailPercentile,
      judged: ['p50', tailPercentile, 'cpu', 'cpu-total', 'tail', 'errors'],
    };
  });
  const cost = costOfRound(config, assumptions, layout);
  const plan = {
    seed,
    rounds,
    looks: looks.lookRounds(rounds),
    confirm: config.confirm,
    confirmationRounds: confirmationRounds(config),
    scenarios,
    leadIn: leadInOf(config),
    warmUp: { requests: config.warmUp.requests, rate: config.warmUp.rate, most: cost.warmUp },
    benchmarks: assumptions.benchmarks,
    roundTime: cost.total,
    totalTime: costOfJob(config, assumptions, rounds, layout),
  };
  return { ...plan, notes: notesOf(config, plan, assumptions) };
}

/** Counted shots of both sides in all rounds, without confirmation. */
export function scheduledShots(plan: JobPlan): number {
  return plan.scenarios.reduce(
    (sum, scenario) => sum + 2 * plan.rounds * scenario.slices * scenario.sliceRequests,
    0,
  );
}

function roundsThatCanFail(config: GateConfig, looks: LookRules): number {
  const counters = config.metrics.filter(({ judge }) => judge !== null).length;
  const judged = (judgedPerScenario + counters) * config.scenarios.length;
  const needed = looks.leastRounds(judged);
  const { aim, most } = config.rounds;
  if (aim >= needed) return needed;
  const asked = most < needed ? `aim: ${needed}, most: ${needed}` : `aim: ${needed}`;
  throw new TailgateError({
    code: 'usage',
    message: `\`rounds: { aim: ${aim} }\` could never fail: with ${judged} judged metrics an exact test needs at least ${needed} rounds`,
    hint: `give \`rounds: { ${asked} }\`${config.scenarios.length > 1 ? ', or fewer scenarios' : ''}`,
  });
}

function chooseRounds(
  config: GateConfig,
  assumptions: PlanAssumptions,
  least: number,
): { readonly rounds: number; readonly layout: Layout } {
  const { aim } = config.rounds;
  const fits = (rounds: number, layout: Layout): boolean =>
    costOfJob(config, assumptions, rounds, layout) <= config.timeBudget;
  const whole = wholeLayouts(config).find((layout) => fits(aim, layout));
  if (whole !== undefined)
    return { rounds: moreRounds(config, (rounds) => fits(rounds, whole)), layout: whole };
  for (let rounds = aim; rounds >= least; rounds--) {
    const layouts = sliceChoices(config)
      .map((slices) => largestLayout(config, assumptions, rounds, slices))
      .filter((layout) => layout !== null);
    const best = highestPercentile(layouts);
    if (best === null) continue;
    /** Whole slices leave time for nothing else: what is left goes into rounds. */
    const isWhole = best.requests.every((requests) => requests === config.sliceRequests);
    return {
      rounds: rounds === aim && isWhole ? moreRounds(config, (more) => fits(more, best)) : rounds,
      layout: best,
    };
  }
  throw tooShort(config, assumptions, least);
}

function moreRounds({ rounds: { aim, most } }: GateConfig, affords: (rounds: number) => boolean): number {
  let rounds = aim;
  while (rounds < most && affords(rounds + 1)) rounds++;
  return rounds;
}

/**
 * Whole slices, the most of them first: those that are configured, or what the budget has room for from the usual
 * number up to the most that is worth its time. A slice costs less than a start and a warm-up, so slices are added
 * before rounds beyond those aimed at.
 */
function wholeLayouts(config: GateConfig): readonly Layout[] {
  const from = config.slices === 'auto' ? mostSlices : config.slices;
  return downTo(from, wantedSlices(config)).map((slices) => ({
    slices,
    requests: config.scenarios.map(() => config.sliceRequests),
  }));
}

/**
 * Fewer, whole slices rather than a lower percentile: p99 is what users feel. At equal percentiles the layout with
 * more slices wins, which comes first.
 */
function highestPercentile(layouts: readonly Layout[]): Layout | null {
  const heights = layouts.map(({ slices, requests }) =>
    requests.reduce((sum, count) => {
      const percentile = eligiblePercentile(slices, count);
      return sum + (percentile === null ? 0 : tailPercentiles.length - tailPercentiles.indexOf(percentile));
    }, 0),
  );
  return layouts[heights.indexOf(Math.max(...heights))] ?? null;
}

/** The wanted slices; where they do not fit, fewer, which balance both orders just as well. */
const sliceChoices = (config: GateConfig): readonly number[] => downTo(wantedSlices(config), fewestSlices);

/** Multiples of 4 from one down to another. */
const downTo = (from: number, to: number): readonly number[] =>
  Array.from({ length: (from - to) / 4 + 1 }, (_, index) => from - 4 * index);

/**
 * The most requests a slice that the budget allows at these rounds and slices; null when not even p90 would be
 * eligible. Scenarios are raised to the next percentile one by one, the fastest first because it costs least.
 */
function largestLayout(
  config: GateConfig,
  assumptions: PlanAssumptions,
  rounds: number,
  slices: number,
): Layout | null {
  const fits = (requests: readonly number[]): boolean =>
    costOfJob(config, assumptions, rounds, { slices, requests }) <= config.timeBudget;
  let requests: readonly number[] = config.scenarios.map(() => leastRequests('p90', slices));
  if (!fits(requests)) return null;
  const fastestFirst = config.scenarios
    .map((_, index) => index)
    .sort((one, other) => config.scenarios[other]!.rate - config.scenarios[one]!.rate);
  for (const percentile of [...tailPercentiles].reverse()) {
    const least = leastRequests(percentile, slices);
    if (least > config.sliceRequests) break;
    for (const index of fastestFirst) {
      const raised = requests.with(index, Math.max(least, requests[index]!));
      if (fits(raised)) requests = raised;
    }
  }
  return { slices, requests: fill(requests, config.sliceRequests, fits) };
}

/** Spends what is left: every scenario goes the same share of its way to whole slices. */
function fill(
  requests: readonly number[],
  most: number,
  fits: (requests: readonly number[]) => boolean,
): readonly number[] {
  const steps = 1000;
  const filled = (step: number) =>
    requests.map((least) => least + Math.floor(((most - least) * step) / steps));
  let [low, high] = [0, steps];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(filled(middle))) low = middle;
    else high = middle - 1;
  }
  return filled(low);
}

function tooShort(config: GateConfig, assumptions: PlanAssumptions, rounds: number): TailgateError {
  const layout = {
    slices: fewestSlices,
    requests: config.scenarios.map(() => leastRequests('p90', fewestSlices)),
  };
  const round = costOfRound(config, assumptions, layout).total;
  const all = rounds + confirmationRounds(config);
  const confirming = config.confirm ? ` (${confirmationRounds(config)} of them to confirm)` : '';
  const cost = costOfJob(config, assumptions, rounds, layout);
  const others = [
    'a higher `rate`',
    ...(config.scenarios.length > 1 ? ['fewer scenarios'] : []),
    ...(config.confirm ? ['`confirm: false`'] : []),
    ...(assumptions.benchmarks > 0 ? ['`microbenchmarks: []`, since a third is kept for them,'] : []),
  ];
  const short = `\`time-budget\` of ${formatDuration(config.timeBudget)} is too short: it takes ${all} rounds${confirming} of ${formatDuration(round)} or more`;
  if (cost > longestBudget) {
    return new TailgateError({
      code: 'usage',
      message: `${short}, and a job takes at most ${formatDuration(longestBudget)}`,
      hint: `${others.join(', or ')} would shorten a round or their number`,
    });
  }
  const budget = budgetText(cost);
  return new TailgateError({
    code: 'usage',
    message: `${short}, wanted at least \`time-budget: ${budget}\``,
    hint: `give \`time-budget: ${budget}\` or more; ${others.join(', or ')} would shorten a round or their number`,
  });
}

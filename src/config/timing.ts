/** What a plan costs in time: slices at their rate, hand-overs, lead-ins, warm-up and starting. Pure. */
import { msToNs, type Nanoseconds, ns, ratio, secondsToNs } from '../kernel/units.ts';
import type { PlanAssumptions } from './plan.ts';
import type { GateConfig } from './settings.ts';

/** What every side and round of a job looks like; `requests` in the order of the scenarios. */
export interface Layout {
  readonly slices: number;
  readonly requests: readonly number[];
}

/** As seen on a 2-core machine with small Node services. */
export const typicalAssumptions: PlanAssumptions = {
  roundOverhead: secondsToNs(1.5),
  idleShare: ratio(0.01),
  warmUpShare: ratio(0.6),
  benchmarks: ratio(0),
};

/** Between two slices: the drain of one, a collection of garbage, notice of the next. */
const handOver = msToNs(50);
/** Fresh rounds of a flagged scenario (docs/method.md, Design of a job). */
const confirming = 6;

/** The most that `time-budget` takes. */
export const longestBudget = secondsToNs(6 * 3600);

export const confirmationRounds = (config: GateConfig): number => (config.confirm ? confirming : 0);

/**
 * Uncounted shots before a slice. The first shots after a hand-over are late; a few dozen take care of that, and
 * at low rates fewer do, since each of them has more time.
 */
export function leadInOf(config: GateConfig): number {
  const slowest = Math.min(...config.scenarios.map((scenario) => scenario.rate));
  return Math.min(30, Math.max(10, Math.ceil(slowest / 10)));
}

export interface RoundCost {
  /** With warm-up as long as it usually takes. A job that turns out slower takes fewer rounds (`keepToTime`). */
  readonly total: Nanoseconds;
  /** The most that warm-up of both sides may take. */
  readonly warmUp: Nanoseconds;
}

/** What one round is expected to take. */
export function costOfRound(config: GateConfig, assumptions: PlanAssumptions, layout: Layout): RoundCost {
  const leadIn = leadInOf(config);
  let measuring = 0;
  config.scenarios.forEach((scenario, index) => {
    const shots = layout.requests[index]! + leadIn;
    const slice = secondsToNs(shots / scenario.rate) * (1 + assumptions.idleShare) + handOver;
    measuring += 2 * layout.slices * slice;
  });
  const others = assumptions.roundOverhead + measuring;
  const share = config.warmUp.most;
  const warmUp = ns(Math.min((others * share) / (1 - share), fixedWarmUp(config)));
  const usual = config.warmUp.requests === 'auto' ? warmUp * assumptions.warmUpShare : warmUp;
  return { total: ns(others + usual), warmUp };
}

/** Both sides' warm-up when its requests are counted out beforehand; without end when it goes on until it settles. */
function fixedWarmUp(config: GateConfig): number {
  const { requests, rate } = config.warmUp;
  if (requests === 'auto') return Number.POSITIVE_INFINITY;
  const fastest = Math.max(...config.scenarios.map((scenario) => scenario.rate));
  return secondsToNs((2 * requests) / (rate === 'auto' ? fastest : rate));
}

/** A whole job: every round, every round of confirmation, and the share of microbenchmarks. */
export function costOfJob(
  config: GateConfig,
  assumptions: PlanAssumptions,
  rounds: number,
  layout: Layout,
): Nanoseconds {
  const load = (rounds + confirmationRounds(config)) * costOfRound(config, assumptions, layout).total;
  return ns(load / (1 - assumptions.benchmarks));
}

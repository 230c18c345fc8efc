/** Where latency leaves its plateau, and the highest rate of successful answers. Pure. */

import { middleOf } from './search.ts';
import { byRate, middleRun, type Step } from './step.ts';

export interface Knee {
  /** Requests a second: the highest offered rate up to which latency stays on its plateau; null: none does. */
  readonly rate: number | null;
  /** The lowest measured rate beyond it; null: none was measured, and the knee may lie higher. */
  readonly beyond: number | null;
  /** p50 of successful requests on the plateau. */
  readonly plateauMs: number | null;
}

/**
 * How far p50 may rise above the plateau: to twice. In a queue with random arrivals and service times (M/M/1) that is
 * the rate at which throughput ÷ response time is highest (Kleinrock 1979, "Power and deterministic rules of
 * thumb"); with even ones (D/D/1) it is the ceiling.
 */
const leaves = 2;
/** And so much more, which the scheduling of a machine may cost: a plateau below it says nothing. */
const slackMs = 1;
/** Below this share of what is offered a rate is not kept up with, however quick the answers are. */
const leastSuccessful = 0.98;
/** The knee is looked for this finely, and its two sides are run this often. */
const resolution = 1.1;
const repeats = 3;

/** Of the steps with a sound generator; several runs at a rate speak through the middle one. */
export function findKnee(steps: readonly Step[]): Knee {
  const curve = byRate(steps.filter((step) => step.sound)).map((runs) => ({
    run: middleRun(runs),
    delivers: 2 * runs.filter(delivers).length > runs.length,
  }));
  const plateauMs = plateauOf(curve.filter((one) => one.delivers).map((one) => one.run));
  const isOff = curve.map(({ run: { successTimeMs }, delivers: kept }) => {
    if (!kept || plateauMs === null || successTimeMs.p50 === null) return true;
    return successTimeMs.p50 > leaves * plateauMs + slackMs;
  });
  // One rate off the plateau between others on it was disturbed by something else.
  const first = isOff.findIndex((off, index) => off && isOff[index + 1] !== false);
  const on = curve.filter((_, index) => !isOff[index] && (first === -1 || index < first));
  return {
    rate: on.at(-1)?.run.rate ?? null,
    beyond: first === -1 ? null : curve[first]!.run.rate,
    plateauMs,
  };
}

/** The rate that narrows the knee down or makes sure of either side of it, in turns; null when nothing is left to do. */
export function nextForKnee(steps: readonly Step[]): number | null {
  const { rate, beyond } = findKnee(steps);
  if (rate === null || beyond === null) return null;
  const runsAt = (one: number): readonly Step[] => steps.filter((step) => step.rate === one);
  const between = middleOf(rate, beyond);
  if (beyond / rate > resolution && between > rate && between < beyond && runsAt(between).length === 0)
    return between;
  const [low, high] = [runsAt(rate).length, runsAt(beyond).length];
  const fewer = high <= low ? { at: beyond, runs: high } : { at: rate, runs: low };
  return fewer.runs < repeats ? fewer.at : null;
}

/** The highest successful rate of a step with a sound generator; null without one. */
export function ceilingOf(steps: readonly Step[]): number | null {
  const rates = steps.filter((step) => step.sound).map((step) => step.successfulPerSecond);
  return rates.length === 0 ? null : Math.max(...rates);
}

const delivers = (step: Step): boolean => step.successfulPerSecond >= leastSuccessful * step.offeredPerSecond;

/**
 * The lowest p50 of the rates that are kept up with: a fresh process answers its first step slowly, and where
 * waiting grows smoothly any average would already hold some of it.
 */
function plateauOf(kept: readonly Step[]): number | null {
  const values = kept.flatMap((step) => step.successTimeMs.p50 ?? []);
  return values.length === 0 ? null : Math.min(...values);
}

/** Which percentile may be judged: scheduled shots decide, before anything is measured (docs/method.md, Design of a job). */
import { percentileShare } from '../kernel/words.ts';

export type TailPercentile = 'p99' | 'p95' | 'p90';

/** From the one that says most about the tail down to the one that needs least. */
export const tailPercentiles: readonly TailPercentile[] = ['p99', 'p95', 'p90'];

/** Shots that must lie beyond a percentile for it to be judged. */
const beyond = { slice: 5, round: 20 };

/** The fewest scheduled requests a slice with which a percentile may be judged at this many slices a side and round. */
export function leastRequests(percentile: TailPercentile, slices: number): number {
  return Math.max(beyond.slice * oneIn(percentile), Math.ceil(leastRequestsARound(percentile) / slices));
}

/** The fewest scheduled requests a side and round with which a percentile may be judged. */
export const leastRequestsARound = (percentile: TailPercentile): number => beyond.round * oneIn(percentile);

/** One in how many shots lies beyond it; rounded because 1 − 0.99 is not quite 0.01. */
const oneIn = (percentile: TailPercentile): number => Math.round(1 / (1 - percentileShare[percentile]));

/** The highest percentile that may be judged; null when not even p90 may. */
export function eligiblePercentile(slices: number, sliceRequests: number): TailPercentile | null {
  return tailPercentiles.find((one) => sliceRequests >= leastRequests(one, slices)) ?? null;
}

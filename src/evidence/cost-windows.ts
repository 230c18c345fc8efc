/** Attributes a service's CPU time to slices: from the start of a slice to the start of the same side's next one. */
import type { Nanoseconds } from '../kernel/units.ts';
import { ns } from '../kernel/units.ts';

/** CPU time of a side read at a moment of the monotonic clock; null when it could not be read. */
export interface CostReading {
  readonly at: Nanoseconds;
  readonly cpu: Nanoseconds | null;
}

export interface WindowCost {
  readonly cpu: Nanoseconds;
  readonly idle: Nanoseconds;
}

/**
 * Cost of each slice of one side of a round.
 * @param starts readings at the start of every slice, in order.
 * @param busy how long each slice kept the side under load.
 * @param end reading at the end of the round.
 * @returns one entry a slice: CPU time of its window and the part of the window without load; null where a
 * reading is missing. Deferred work (collection, flushing) falls into the window of the slice that caused it.
 */
export function attributeCost(
  starts: readonly CostReading[],
  busy: readonly Nanoseconds[],
  end: CostReading,
): readonly (WindowCost | null)[] {
  return starts.map((start, index) => {
    const next = starts[index + 1] ?? end;
    if (start.cpu === null || next.cpu === null) return null;
    const length = next.at - start.at;
    return {
      cpu: ns(Math.max(0, next.cpu - start.cpu)),
      idle: ns(Math.max(0, length - (busy[index] ?? 0))),
    };
  });
}

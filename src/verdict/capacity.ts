/** The capacity of two builds, measured in turns → one verdict against the spread of its own rounds. Pure. */
import type { RowState } from '../kernel/words.ts';
import { hodgesLehmann, interval, signedRankP, spreadOf } from './statistics.ts';

/** Requests a second at the objective, of one round. */
export interface CapacityRound {
  readonly baseline: number;
  readonly candidate: number;
}

export interface CapacityVerdict {
  readonly metric: 'capacity';
  readonly direction: 'bigger-is-better';
  readonly state: Extract<RowState, 'regressed' | 'improved' | 'unchanged' | 'undecided'>;
  readonly rounds: readonly CapacityRound[];
  /** candidate ÷ baseline − 1: −0.1 is a tenth less; null without rounds. */
  readonly change: number | null;
  /** Two-sided 95 %, as relative changes; null while there are too few rounds for one. */
  readonly interval: readonly [low: number, high: number] | null;
  /** Half the width of the interval, as a relative change: what a change must exceed. */
  readonly spread: number | null;
  /** One-sided p of a fall and of a rise. */
  readonly p: { readonly fall: number; readonly rise: number } | null;
  readonly tolerance: { readonly min: number; readonly detect: number };
}

/** Brackets are 5 % wide: less cannot be told. detect: what `unchanged` rules out. */
export const capacityTolerance = { min: 0.05, detect: 0.1 } as const;
const level = 0.025;

/**
 * Decides. A change counts when the signed rank test finds it at 2.5 % one-sided and it is at least `min`; unchanged
 * means that a fall of `detect` is ruled out by the interval.
 */
export function judgeCapacity(
  rounds: readonly CapacityRound[],
  tolerance: CapacityVerdict['tolerance'] = capacityTolerance,
): CapacityVerdict {
  const shared = { metric: 'capacity', direction: 'bigger-is-better', rounds, tolerance } as const;
  const logs = rounds.map(({ baseline, candidate }) => Math.log(candidate / baseline));
  if (logs.length === 0)
    return { ...shared, state: 'undecided', change: null, interval: null, spread: null, p: null };
  const effect = hodgesLehmann(logs);
  const [low, high] = interval(logs, level);
  const p = { fall: signedRankP(logs.map((value) => -value)), rise: signedRankP(logs) };
  const known = Number.isFinite(low) && Number.isFinite(high);
  const state =
    p.fall <= level && Math.expm1(effect) <= -tolerance.min
      ? 'regressed'
      : p.rise <= level && Math.expm1(effect) >= tolerance.min
        ? 'improved'
        : known && Math.expm1(low) > -tolerance.detect
          ? 'unchanged'
          : 'undecided';
  return {
    ...shared,
    state,
    change: Math.expm1(effect),
    interval: known ? [Math.expm1(low), Math.expm1(high)] : null,
    spread: known ? Math.expm1(spreadOf(logs)) : null,
    p,
  };
}

/** A plan while it is carried out: when the time budget ends before its rounds do, it has fewer of them. Pure. */
import { formatCount, formatDuration, type Nanoseconds, ns } from '../kernel/units.ts';
import type { JobPlan } from './plan.ts';

/** Time so far, of the rounds alone. */
export interface TimeSoFar {
  /** Rounds that were measured, and those of them that every scenario can use. */
  readonly measured: number;
  readonly usable: number;
  readonly spent: Nanoseconds;
  /** For all rounds, confirmation included. */
  readonly budget: Nanoseconds;
}

/**
 * The same plan while another round fits into the budget, with a confirmation after it; otherwise one whose last look is
 * at the rounds there are. Which rounds are the last then hangs on the clock, and not on what was found, so the error
 * levels hold: a last look spends what the early ones that were taken have left.
 * @param least the fewest rounds that could ever fail: those are measured in any case.
 */
export function keepToTime(plan: JobPlan, least: number, time: TimeSoFar): JobPlan {
  const { measured, usable, spent, budget } = time;
  if (measured === 0 || usable < least || usable >= plan.rounds) return plan;
  const round = spent / measured;
  const reserved = plan.confirm ? plan.confirmationRounds : 0;
  if (spent + (1 + reserved) * round <= budget) return plan;
  return {
    ...plan,
    rounds: usable,
    looks: [...plan.looks.filter((look) => look < usable), usable],
    notes: [
      ...plan.notes,
      {
        code: 'out-of-time',
        message:
          `${formatCount(usable)} rounds before a confirmation instead of ${formatCount(plan.rounds)}: a round took ` +
          `${formatDuration(ns(round))} instead of about ${formatDuration(plan.roundTime)}, and the time budget holds no more`,
        hint: 'a longer `time-budget` gives all of them',
      },
    ],
  };
}

/** Whether the budget holds all the fresh rounds of a plan after the rounds so far. */
export function holdsFreshRounds(
  plan: JobPlan,
  { measured, spent, budget }: Pick<TimeSoFar, 'measured' | 'spent' | 'budget'>,
): boolean {
  return measured > 0 && spent * (1 + plan.confirmationRounds / measured) <= budget;
}

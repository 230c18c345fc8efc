/** What is said when rounds end because their time is used up. Pure. */
import type { Warning } from '../kernel/errors.ts';
import { formatDuration, type Nanoseconds, ns } from '../kernel/units.ts';
import type { BenchEvidence } from './evidence.ts';

/** @param budget of all rounds together; how long all of them would take follows from those that were run. */
export function outOfTime({ plan, rounds }: BenchEvidence, budget: Nanoseconds): Warning {
  const wanted = plan.rounds + (plan.confirm ? plan.confirmationRounds : 0);
  const whole = ns((rounds.reduce((sum, round) => sum + round.duration, 0) / rounds.length) * wanted);
  const all = `${plan.rounds} rounds${plan.confirm ? ` and ${plan.confirmationRounds} to confirm` : ''}`;
  return {
    code: 'bench-out-of-time',
    message: `the time budget of ${formatDuration(budget)} was used up after ${rounds.length} ${rounds.length === 1 ? 'round' : 'rounds'}: all ${all} would take about ${formatDuration(whole)}`,
    hint: 'raise the time budget, or measure fewer benchmarks',
  };
}

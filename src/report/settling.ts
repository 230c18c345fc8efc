/** What would settle a row that was left open, as settings to paste. */
import type { Evidence } from '../evidence/trial.ts';
import { budgetText, formatCount, type Nanoseconds, ns } from '../kernel/units.ts';
import type { Finding } from '../verdict/finding.ts';
import { measuringTime } from './diagnostics.ts';
import { counted } from './headline-rows.ts';
import type { Phrase } from './phrase.ts';
import { name, say } from './phrase.ts';
import { isBenchmark } from './rows.ts';

/** The most that `time-budget` takes: 6 h. */
const longestBudget = 6 * 3600e9;
/** The most that `rounds` takes. */
const mostRounds = 60;

/** @param evidence null where nothing says how long a round takes. */
export function whatWouldSettle(finding: Finding, evidence: Evidence | null): Phrase {
  const more = finding.roundsToSettle;
  if (more === null) {
    return say`A quieter or larger runner, a longer ${name('time-budget')} or a wider tolerance would help.`;
  }
  const all = finding.rounds.used + more;
  const about = `About ${counted(more, 'more round')}`;
  if (isBenchmark(finding)) return say`${about} would settle it, or a quieter runner.`;
  if (all > mostRounds) {
    return say`${about} would settle it, and a job has at most ${formatCount(mostRounds)}: a quieter or larger runner, a higher ${name('rate')} (more requests in the same time) or a wider tolerance would help.`;
  }
  const rounds = name(`rounds: { aim: ${all}, most: ${all} }`);
  const time = evidence === null ? null : timeOf(all, evidence);
  if (time !== null && time > longestBudget) {
    return say`${about} would settle it, and would take longer than a job may: a quieter or larger runner, a higher ${name('rate')} (more requests in the same time) or a wider tolerance would help.`;
  }
  const budget =
    time === null ? say`a longer ${name('time-budget')}` : say`${name(`time-budget: ${budgetText(time)}`)}`;
  return say`${about} would settle it (${rounds} with ${budget}), or a quieter runner.`;
}

/** With a round as long as those of this job, or as they were planned where that was longer. */
function timeOf(rounds: number, evidence: Evidence): Nanoseconds | null {
  const { plan } = evidence;
  const spent = measuringTime(evidence);
  if (spent === null || evidence.rounds.length === 0) return null;
  const round = Math.max(plan.roundTime, spent / evidence.rounds.length);
  const fresh = plan.confirm ? plan.confirmationRounds : 0;
  return ns(((rounds + fresh) * round) / (1 - plan.benchmarks));
}

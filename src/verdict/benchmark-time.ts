/** Rounds of microbenchmarks against the clock: when the last look is taken early, and what a reader is told of it. Pure. */
import type { Warning } from '../kernel/errors.ts';
import { formatDuration, type Nanoseconds, ns, type Ratio } from '../kernel/units.ts';
import type { BenchEvidence, BenchOutOfTime, BenchPlan } from '../microbench/evidence.ts';
import { canFlag, fewestRounds, leastRounds, looksAt } from './looks.ts';

/** The time of all rounds together, confirmation included. */
export interface BenchTime {
  readonly budget: Nanoseconds;
  /** What that is of the time budget that was configured: 1 where microbenchmarks are measured alone. */
  readonly share: Ratio;
}

/** The fewest rounds that could fail, and what confirms them, may take so much of the budget: beyond, none are worth it. */
const mostOverrun = 2;
/** A budget that is advised holds a little more than rounds have taken so far. */
const margin = 1.1;

/** Benchmarks that one round or another may turn red. */
export const judgedCount = (subjects: BenchEvidence['subjects']): number =>
  subjects.filter((one) => one.presence === 'both' && one.problem === null && one.directionGuessed !== true)
    .length;

/**
 * The same plan while another round fits into the budget, with a confirmation after it; otherwise one whose last look is
 * at the rounds there are. What a round takes is the same whichever side is called which, so for unchanged code the
 * clock knows nothing of the signs that are tested, and the error levels hold. The fewest rounds that could ever fail
 * are measured also when that overruns the budget; when they would take far more, the plan says that they are not.
 * @param evidence asked for another round before confirmation.
 */
export function benchPlanInTime(evidence: BenchEvidence, { budget, share }: BenchTime): BenchPlan {
  const { plan, rounds, subjects } = evidence;
  const measured = rounds.length;
  if (measured === 0 || measured >= plan.rounds || plan.outOfTime !== undefined) return plan;
  const spent = roundsTime(evidence);
  const round = nextRound(evidence);
  const reserved = plan.confirm ? plan.confirmationRounds : 0;
  const looks = [...plan.looks.filter((look) => look < measured), measured];
  const judged = judgedCount(subjects);
  const left = (ended: BenchOutOfTime['ended']): BenchOutOfTime => ({
    ended,
    rounds: plan.rounds,
    budget,
    share,
  });
  if (measured < fewestRounds || !canFlag(looksAt(looks).at(-1)!, judged)) {
    const open = Math.max(1, leastRounds(judged) - measured);
    const hopeless = spent + (open + reserved) * round > mostOverrun * budget;
    return hopeless ? { ...plan, outOfTime: left('too-short') } : plan;
  }
  if (spent + (1 + reserved) * round <= budget) return plan;
  return { ...plan, rounds: measured, looks, outOfTime: left('last-look') };
}

/** Says of rounds that are over when they took more than their budget and nothing says so yet. */
export function withOverrun(evidence: BenchEvidence, { budget, share }: BenchTime): BenchEvidence {
  const { plan } = evidence;
  if (plan.outOfTime !== undefined || roundsTime(evidence) <= budget) return evidence;
  return {
    ...evidence,
    plan: { ...plan, outOfTime: { ended: 'overrun', rounds: plan.rounds, budget, share } },
  };
}

/**
 * How many rounds before a confirmation the budget is expected to hold, by those there are; never fewer than could
 * fail, and none at all when those are not worth it.
 */
export function expectedRounds(evidence: BenchEvidence, time: BenchTime): number {
  const { plan, subjects } = evidence;
  if (benchPlanInTime(evidence, time).outOfTime?.ended === 'too-short') return 0;
  const reserved = plan.confirm ? plan.confirmationRounds : 0;
  const held = Math.floor(time.budget / nextRound(evidence)) - reserved;
  return Math.min(plan.rounds, Math.max(leastRounds(judgedCount(subjects)), held));
}

/** @returns null when the time was enough. */
export function outOfTimeWarning(evidence: BenchEvidence): Warning | null {
  const { plan, rounds } = evidence;
  const over = plan.outOfTime;
  if (over === undefined || rounds.length === 0) return null;
  const spent = roundsTime(evidence);
  const overrun =
    spent > over.budget
      ? `the rounds of the microbenchmarks took ${formatDuration(spent)} instead of ${formatDuration(over.budget)}: the fewest that can fail, and those that confirm, are measured whatever they take`
      : '';
  return {
    code: 'bench-out-of-time',
    message: [endedText(evidence, over), overrun].filter((one) => one !== '').join('; '),
    hint: budgetForAll(evidence, over),
  };
}

/** Why nothing could be decided, where the budget was too short for that; null otherwise. */
export function tooShortReason(evidence: BenchEvidence): string | null {
  const over = evidence.plan.outOfTime;
  if (over?.ended !== 'too-short' || evidence.rounds.length === 0) return null;
  return `${endedText(evidence, over)}; ${budgetForAll(evidence, over)}`;
}

function endedText(evidence: BenchEvidence, { ended, rounds, budget }: BenchOutOfTime): string {
  const { plan, subjects } = evidence;
  const done = evidence.rounds.filter((round) => round.phase === 'measuring').length;
  const took = formatDuration(ns(roundsTime(evidence) / evidence.rounds.length));
  switch (ended) {
    case 'last-look':
      return `${plan.rounds} rounds of microbenchmarks before a confirmation instead of ${rounds}: a round took ${took}, and their ${formatDuration(budget)} of the time budget hold no more`;
    case 'too-short': {
      const least = leastRounds(judgedCount(subjects));
      return `measuring ended after ${done} of ${rounds} rounds: a round took ${took}, and ${formatDuration(budget)} of the time budget are too short even for the fewest rounds that could fail, ${withConfirmation(least, plan)}`;
    }
    default:
      return '';
  }
}

const withConfirmation = (rounds: number, plan: BenchPlan): string =>
  plan.confirm ? `${rounds} and ${plan.confirmationRounds} to confirm` : `${rounds}`;

function budgetForAll(evidence: BenchEvidence, { rounds, share }: BenchOutOfTime): string {
  const { plan } = evidence;
  const all = rounds + (plan.confirm ? plan.confirmationRounds : 0);
  const needed = ((roundsTime(evidence) / evidence.rounds.length) * all * margin) / share;
  const budget = roundFigure(needed);
  const named = share === 1 ? `\`--time-budget ${budget}\`` : `\`time-budget: ${budget}\``;
  return `${named} gives all ${withConfirmation(rounds, plan)}`;
}

/** A duration as it is configured, rounded up: `7s`, `100s`, `12m`. */
function roundFigure(time: number): string {
  const seconds = time / 1e9;
  if (seconds > 600) return `${Math.ceil(seconds / 60)}m`;
  const step = seconds > 20 ? 5 : 1;
  return `${Math.ceil(seconds / step) * step}s`;
}

export const roundsTime = ({ rounds }: Pick<BenchEvidence, 'rounds'>): Nanoseconds =>
  ns(rounds.reduce((sum, round) => sum + round.duration, 0));

/** Benchmarks leave as they are decided, so a round may take less than those before it. */
const nextRound = (evidence: BenchEvidence): number =>
  Math.min(roundsTime(evidence) / evidence.rounds.length, evidence.rounds.at(-1)!.duration);

/**
 * Which slices may be compared: pairs of one round, both sound. An unsound slice goes with its partner, never
 * because of its response times; a side that causes more unsound slices than the other loses that protection.
 */
import type { JobPlan, ScenarioPlan } from '../config/plan.ts';
import type { Round, RoundSide, Trial, UnsoundReason } from '../evidence/trial.ts';
import type { Side } from '../kernel/words.ts';
import { signFlipP } from './statistics.ts';

export interface SlicePair {
  readonly baseline: Trial;
  readonly candidate: Trial;
}

/** A round of one scenario as it is judged. */
export interface UsableRound {
  readonly index: number;
  readonly sides: Readonly<Record<Side, RoundSide>>;
  readonly pairs: readonly SlicePair[];
  /** Pairs the plan asked for. */
  readonly planned: number;
}

export interface ScenarioRounds {
  readonly usable: readonly UsableRound[];
  /** Rounds with fewer than half of their pairs. */
  readonly dropped: number;
  /** Pairs with an unsound slice, replaced ones included. */
  readonly rejectedPairs: number;
  /** Why, with the number of slices, the most frequent first. */
  readonly causes: readonly (readonly [UnsoundReason, number])[];
}

const causeWords: Readonly<Record<UnsoundReason, string>> = {
  'released-too-few': 'requests left too late',
  'dropped-unsaturated': 'requests were dropped although the service kept up',
  'generator-busy': 'the generator was busy',
  'descriptors-exhausted': 'file descriptors ran out',
  'ports-exhausted': 'local ports ran out',
  'not-conserved': 'requests were lost count of',
  'generator-failed': 'the generator failed',
};

/** What becomes of unsound slices: out with their partner, or everything stays as it was planned. */
export type Exclusion = 'by-pairs' | 'nothing';

/** Of the planned pairs, and of the planned rounds, that may be lost before nothing can be said any more. */
export const mostRejected = 0.25;
const oneSidedLevel = 0.05;

/**
 * The side that causes more unsound slices: exact sign-flip over rounds, either direction, at 5 %; null when
 * neither does. Removing the slices that one side spoils would hide what it does to the machine.
 */
export function spoilingSide(rounds: readonly Round[]): Side | null {
  const differences = rounds.map((round) => {
    const unsound = (side: Side): number =>
      round.trials.filter((trial) => trial.side === side && trial.unsound.length > 0).length;
    return unsound('candidate') - unsound('baseline');
  });
  if (signFlipP(differences) <= oneSidedLevel) return 'candidate';
  return signFlipP(differences.map((difference) => -difference)) <= oneSidedLevel ? 'baseline' : null;
}

/** The rounds of one scenario, in the order they were measured. */
export function scenarioRounds(
  rounds: readonly Round[],
  scenario: ScenarioPlan,
  exclusion: Exclusion,
): ScenarioRounds {
  const usable: UsableRound[] = [];
  let dropped = 0;
  let rejectedPairs = 0;
  for (const round of rounds) {
    const attempts = attemptsOf(round, scenario.name);
    rejectedPairs += attempts.flat().filter((pair) => !isSound(pair)).length;
    const pairs = attempts.map((tries) => chosen(tries, exclusion)).filter((pair) => pair !== undefined);
    if (pairs.length > 0 && pairs.length * 2 >= scenario.slices) {
      usable.push({ index: round.index, sides: round.sides, pairs, planned: scenario.slices });
    } else {
      dropped += 1;
    }
  }
  return { usable, dropped, rejectedPairs, causes: causesOf(rounds, scenario.name) };
}

/** What spoilt slices of a scenario, the most frequent first. */
export function causesOf(rounds: readonly Round[], scenario: string): ScenarioRounds['causes'] {
  const counts = new Map<UnsoundReason, number>();
  for (const { trials } of rounds) {
    for (const trial of trials) {
      if (trial.scenario !== scenario) continue;
      for (const reason of trial.unsound) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** Why too much of a scenario was lost to judge it; null while that is not so. */
export function lossProblem(
  scenario: ScenarioPlan,
  measured: ScenarioRounds,
  plan: JobPlan,
  confirming: boolean,
): string | null {
  const rounds = plan.rounds + (confirming ? plan.confirmationRounds : 0);
  const pairs = rounds * scenario.slices;
  if (measured.rejectedPairs > mostRejected * pairs) {
    return `${measured.rejectedPairs} pairs of slices of \`${scenario.name}\` were unsound, more than a quarter of the ${pairs} planned: ${why(measured)}`;
  }
  if (measured.dropped > mostRejected * rounds) {
    return `${measured.dropped} rounds of \`${scenario.name}\` kept fewer than half of their pairs, more than a quarter of the ${rounds} planned`;
  }
  return null;
}

const why = ({ causes }: ScenarioRounds): string =>
  causes.map(([reason, slices]) => `${causeWords[reason]} (${slices} slices)`).join(', ');

/** Every pair of a round, each with its attempts in order: the first one and its replacements. */
function attemptsOf(round: Round, scenario: string): SlicePair[][] {
  const tries = new Map<number, Record<Side, Trial[]>>();
  for (const trial of round.trials) {
    if (trial.scenario !== scenario) continue;
    const both = tries.get(trial.pair) ?? { baseline: [], candidate: [] };
    both[trial.side].push(trial);
    tries.set(trial.pair, both);
  }
  return [...tries.keys()]
    .sort((a, b) => a - b)
    .map((pair) => {
      const { baseline, candidate } = tries.get(pair)!;
      return baseline.slice(0, candidate.length).map((trial, attempt) => ({
        baseline: trial,
        candidate: candidate[attempt]!,
      }));
    });
}

function chosen(attempts: readonly SlicePair[], exclusion: Exclusion): SlicePair | undefined {
  // Where nothing is removed the plan as it was drawn counts: a replacement exists only because its first
  // attempt was rejected. Slices that left no figures cannot be kept by any rule.
  return attempts.find(exclusion === 'by-pairs' ? isSound : hasFigures);
}

const isSound = (pair: SlicePair): boolean =>
  pair.baseline.unsound.length === 0 && pair.candidate.unsound.length === 0;

const hasFigures = (pair: SlicePair): boolean =>
  [pair.baseline, pair.candidate].every(
    (trial) => !trial.unsound.includes('generator-failed') && !trial.unsound.includes('not-conserved'),
  );

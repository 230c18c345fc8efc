/**
 * When a job may look at its rounds, and what it may conclude there: the error levels of failing and passing
 * are split over the looks beforehand, so that looking often does not raise the share of false alarms.
 */

export interface Look {
  /** Usable rounds this look is taken at. */
  readonly rounds: number;
  /** Family-wise level at which a row may be flagged; null where a look can only pass. */
  readonly failLevel: number | null;
  /** One-sided level of the upper bound that a pass compares with `detect`. */
  readonly passLevel: number;
  readonly last: boolean;
}

export const fewestRounds = 6;
/** Whole percents over a job and all of its judged metrics, so that what is left after the early looks is exact. */
const familyPercent = 5;
const earlyFailPercent = 1;
export const familyLevel = familyPercent / 100;
/** Of a pooled p after confirmation. */
export const confirmationLevel = 0.01;
/** Of a pooled p when nothing had been flagged: the fresh rounds are one more chance to fail, on top of the looks. */
export const extensionLevel = 0.005;
/** Failing early needs rounds enough for such a level. */
const earlyFailFrom = 9;
const lastPassLevel = 0.025;

/** The looks of a plan of at most `rounds` rounds: at 6, 9 and 12 where later rounds leave them worth it. */
export function lookRounds(rounds: number): number[] {
  if (rounds >= 15) return [6, 9, 12, rounds];
  if (rounds >= 12) return [6, 9, rounds];
  if (rounds >= 9) return [6, rounds];
  return [rounds];
}

/**
 * Levels for looks at these rounds, ascending. An early look from 9 rounds on spends 1 % on failing; the last
 * one gets what is left of 5 %. Bonferroni over the looks, so any dependence between them is allowed. Bounds of
 * a pass: 2^−6 at six rounds, 1 % at other early looks, 2.5 % at the last (the end of the 95 % interval).
 */
export function looksAt(rounds: readonly number[]): Look[] {
  const early = rounds.slice(0, -1).filter((count) => count >= earlyFailFrom).length;
  return rounds.map((count, index) => {
    const last = index === rounds.length - 1;
    return {
      rounds: count,
      failLevel: last
        ? (familyPercent - early * earlyFailPercent) / 100
        : count >= earlyFailFrom
          ? earlyFailPercent / 100
          : null,
      passLevel: last ? lastPassLevel : Math.max(0.01, 2 ** -count),
      last,
    };
  });
}

export const planLooks = (rounds: number): Look[] => looksAt(lookRounds(rounds));

/** A look can flag one of `judged` metrics only when its smallest p, 2^−R, is at most level / m (Holm's first step). */
export function canFlag(look: Look, judged: number): boolean {
  return look.failLevel !== null && 2 ** -look.rounds <= look.failLevel / Math.max(1, judged) + 1e-12;
}

/** The fewest rounds with which a job that judges `judged` metrics could ever fail; at least six. */
export function leastRounds(judged: number): number {
  let rounds = fewestRounds;
  while (!canFlag(planLooks(rounds).at(-1)!, judged)) rounds += 1;
  return rounds;
}

/**
 * Whether a plan could fail at its last look.
 * @param judged metrics over all scenarios, tail and errors included.
 * @returns null when it can; otherwise the rounds it needs.
 */
export function roundsProblem(rounds: number, judged: number): { readonly needed: number } | null {
  if (rounds >= fewestRounds && canFlag(planLooks(rounds).at(-1)!, judged)) return null;
  return { needed: leastRounds(judged) };
}

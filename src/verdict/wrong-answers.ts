/** What one side answers wrongly more often than the other, and the way out where that is a route only one of them has. Pure. */
import { otherSide, type Side } from '../kernel/words.ts';
import type { UsableRound } from './pairing.ts';

/** What a service answers that has no such route, or no such method of it. */
const noRoute: readonly string[] = ['status 404', 'status 405'];

/** ` (the baseline: mostly status 404)`; empty where no class is half of what it failed more often. */
export function furtherFailures(rounds: readonly UsableRound[], side: Side): string {
  const most = mostlyWrong(rounds, side);
  return most === null ? '' : ` (the ${side}: mostly ${most})`;
}

/** Why a mix cannot be compared that has a new route in it, and where it belongs; empty where that is not the matter. */
export function newRouteHint(rounds: readonly UsableRound[]): string {
  const most = mostlyWrong(rounds, 'baseline');
  if (most === null || !noRoute.includes(most)) return '';
  return '; a route that the baseline does not have belongs into a scenario of its own, where it is `new`, so that what is measured here stays comparable';
}

/** What the candidate's further failures are; null when no class of them stands out. */
export function failuresSentence(rounds: readonly UsableRound[], scenario: string): string | null {
  const most = mostlyWrong(rounds, 'candidate');
  if (most === null) return null;
  return noRoute.includes(most)
    ? `mostly ${most}, where the baseline answers rightly: a route that is gone counts as failing; where it is meant to go, take its request out of \`${scenario}\``
    : `mostly ${most}`;
}

/** The class that makes at least half of what the side failed more often than the other. */
function mostlyWrong(rounds: readonly UsableRound[], side: Side): string | null {
  const pairs = rounds.flatMap((round) => round.pairs);
  const more = new Map<string, number>();
  let all = 0;
  for (const pair of pairs) {
    const [own, other] = [pair[side].load, pair[otherSide(side)].load];
    all += other.counts.ok - own.counts.ok;
    for (const [name, count] of Object.entries(own.errors)) more.set(name, (more.get(name) ?? 0) + count);
    for (const [name, count] of Object.entries(other.errors)) more.set(name, (more.get(name) ?? 0) - count);
  }
  const [most] = [...more].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
  return most !== undefined && most[1] * 2 >= all ? most[0] : null;
}

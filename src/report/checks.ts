/** What the checks of answers came to, and the share they saw: a sample must not read as all. */
import type { Evidence } from '../evidence/trial.ts';
import { formatCount, formatRatio, ratio } from '../kernel/units.ts';
import { type Side, sides } from '../kernel/words.ts';
import type { Fact } from './diagnostics.ts';
import { joined, name, say, sentence } from './phrase.ts';

const mostSamples = 3;

/** Empty where nothing is checked. */
export function checkFacts(evidence: Evidence): readonly Fact[] {
  return sides.flatMap((side) => {
    const checks = checksOf(evidence, side);
    if (checks.length === 0) return [];
    const sum = (key: 'answers' | 'looked' | 'failed'): number =>
      checks.reduce((total, one) => total + one[key], 0);
    const seen =
      sum('answers') === 0
        ? say`the size of every answer was checked`
        : say`${formatCount(sum('looked'))} of ${formatCount(sum('answers'))} answers were looked into (${formatRatio(ratio(sum('looked') / sum('answers')))})`;
    const samples = new Map(
      checks.flatMap((one) => one.samples).map(({ check, got }) => [`${check}\n${got}`, { check, got }]),
    );
    const shown = [...samples.values()]
      .slice(0, mostSamples)
      .map(({ check, got }) => say`${name(check)} got ${sentence(got, '')}`);
    const failed = sum('failed') === 0 ? say`none failed` : say`${formatCount(sum('failed'))} failed`;
    return [{ label: `checks, ${side}`, value: joined([seen, failed, ...shown], '; ') }];
  });
}

const checksOf = (evidence: Evidence, side: Side) =>
  evidence.rounds
    .flatMap((round) => round.trials)
    .filter((trial) => trial.side === side)
    .flatMap((trial) => trial.load.checks ?? []);

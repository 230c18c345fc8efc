/** Checks that most answers of both sides fail: then it is the check that is wrong, and nobody should read on past it. Pure. */
import type { Warning } from '../kernel/errors.ts';
import { formatRatio, ratio } from '../kernel/units.ts';
import { type Side, sides } from '../kernel/words.ts';
import type { Round } from './trial.ts';

/** Of the answers that were looked into, on each side. */
const failingShare = 0.5;

/** One warning a scenario. */
export function checkWarnings(round: Round): readonly Warning[] {
  const scenarios = [...new Set(round.trials.map((trial) => trial.scenario))];
  return scenarios.flatMap((scenario) => {
    const shares = sides.map((side) => failedShare(round, scenario, side));
    const least = Math.min(...shares);
    if (!(least >= failingShare)) return [];
    const sample = round.trials
      .filter((trial) => trial.scenario === scenario)
      .flatMap((trial) => trial.load.checks?.samples ?? [])[0];
    const shown = sample === undefined ? '' : `, such as \`${sample.check}\`: got ${sample.got}`;
    return [
      {
        code: 'checks-fail',
        message: `\`${scenario}\`: ${formatRatio(ratio(least))} or more of the answers that were looked into failed a check on both sides${shown}`,
        hint: 'Both sides answer what `expect` does not want: change it, or what is sent.',
      },
    ];
  });
}

/** NaN where nothing was looked into. */
function failedShare(round: Round, scenario: string, side: Side): number {
  const loads = round.trials
    .filter((trial) => trial.scenario === scenario && trial.side === side)
    .map((trial) => trial.load);
  const sum = (read: (load: (typeof loads)[number]) => number): number =>
    loads.reduce((total, load) => total + read(load), 0);
  const failed = sum((load) => load.checks?.failed ?? 0);
  const looked = sum((load) => load.checks?.looked ?? 0);
  // Where sizes alone are checked every answer is looked at.
  const all =
    looked > 0
      ? looked
      : sum((load) => (load.checks === undefined ? 0 : load.counts.ok + load.checks.failed));
  return Math.min(1, failed / all);
}

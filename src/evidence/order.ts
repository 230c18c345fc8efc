/** Rounds as a job measures them: each once, in order, and not more of them than the plan asks for. Pure. */
import type { BenchEvidence } from '../microbench/evidence.ts';
import { wrongForm } from './shape.ts';
import type { Evidence } from './trial.ts';

type Phase = 'measuring' | 'confirming';
interface Placed {
  readonly index: number;
  readonly phase: Phase;
}

/**
 * A copy of a round would count as evidence once more, and its spread would be nothing.
 * @throws TailgateError `usage` for rounds that are repeated or out of order, and for more than the plan can have.
 */
export function checkRounds({ rounds, plan }: Evidence): void {
  checkOrder(rounds, 'rounds');
  for (const [place, { startedAt, trials }] of rounds.entries()) {
    const before = rounds[place - 1];
    if (before !== undefined && startedAt <= before.startedAt) {
      wrongForm(
        `rounds[${place}].startedAt`,
        startedAt,
        `later than ${before.startedAt} of the round before`,
      );
    }
    const seen = new Set<string>();
    for (const [at, { scenario, side, pair, replacement }] of trials.entries()) {
      const slice = { scenario, side, pair, replacement };
      const key = JSON.stringify(slice);
      if (seen.has(key)) wrongForm(`rounds[${place}].trials[${at}]`, slice, 'each slice once');
      seen.add(key);
    }
  }
  // Up to a quarter of the rounds may be lost and are measured again; the one that is too many ends the job.
  const again = Math.floor((plan.rounds + plan.confirmationRounds) / 4) + 1;
  const most = { measuring: plan.rounds + again, confirming: plan.confirmationRounds + again };
  for (const { name } of plan.scenarios) {
    const own = rounds.filter(({ trials }) => trials.some((trial) => trial.scenario === name));
    for (const phase of ['measuring', 'confirming'] as const) {
      const found = own.filter((round) => round.phase === phase).length;
      if (found > most[phase]) tooMany('rounds', found, phase, name, most[phase]);
    }
  }
}

/**
 * The same for microbenchmarks, of which no round is measured again.
 * @param path of the list of rounds.
 * @throws TailgateError as `checkRounds`.
 */
export function checkBenchRounds({ rounds, plan }: BenchEvidence, path: string): void {
  checkOrder(rounds, path);
  const most = { measuring: plan.rounds, confirming: plan.confirmationRounds };
  const measured = { measuring: new Map<string, number>(), confirming: new Map<string, number>() };
  for (const [place, { phase, results }] of rounds.entries()) {
    const seen = new Set<string>();
    for (const [at, { name, baseline, candidate }] of results.entries()) {
      if (seen.has(name)) wrongForm(`${path}[${place}].results[${at}].name`, name, 'each benchmark once');
      seen.add(name);
      if (baseline.kind !== 'measured' || candidate.kind !== 'measured') continue;
      const found = (measured[phase].get(name) ?? 0) + 1;
      if (found > most[phase]) tooMany(path, found, phase, name, most[phase]);
      measured[phase].set(name, found);
    }
  }
}

function checkOrder(rounds: readonly Placed[], path: string): void {
  for (const [place, { index, phase }] of rounds.entries()) {
    if (index !== place) {
      wrongForm(
        `${path}[${place}].index`,
        index,
        `${place}: each round once, in the order they were measured`,
      );
    }
    if (phase === 'measuring' && rounds[place - 1]?.phase === 'confirming') {
      wrongForm(`${path}[${place}].phase`, phase, '"confirming", as the round before');
    }
  }
}

function tooMany(path: string, found: number, phase: Phase, name: string, most: number): never {
  wrongForm(path, `${found} ${phase} rounds of ${name}`, `at most the ${most} that the plan can have`);
}

/** The flags of a ramp itself, whatever it is sent at, and what they ask for. */

import { TailgateError } from '../kernel/errors.ts';
import {
  formatCount,
  formatDuration,
  type Nanoseconds,
  nsToMs,
  nsToSeconds,
  secondsToNs,
} from '../kernel/units.ts';
import { freshSeed } from '../kernel/world.ts';
import { searchShare } from '../ramp-climb.ts';
import type { RampWishes } from '../ramp-of-config.ts';
import { secondsOf, shotsAt, warmShots } from '../ramp-steps.ts';
import { rateText } from '../report/ramp-view.ts';
import { durationFlag, type FlagValues, numberFlag } from './command.ts';

const longest = secondsToNs(4 * 3600);

export const rampFlags = {
  objective: { type: 'string', value: '50ms', help: 'what p99 may be at most' },
  from: { type: 'string', value: '50', help: 'requests a second of the first step; 50 unless given' },
  most: {
    type: 'string',
    value: '20000',
    help: 'requests a second that are never exceeded; 20000 unless given',
  },
  'to-failure': {
    type: 'boolean',
    help: 'go on to twice the knee or until half of it fails, and watch the recovery',
  },
  'time-budget': { type: 'string', value: '10m', help: 'ends the ramp with what it has; 10m unless given' },
  step: {
    type: 'string',
    value: '3s',
    help: 'how long a rate is held at least; 3s unless given, and 1,000 requests',
  },
  'recovery-limit': {
    type: 'string',
    value: '30s',
    help: 'how long a recovery is waited for; 30s unless given',
  },
  'error-budget': {
    type: 'string',
    value: '1',
    help: 'percent of the requests that may fail; 1 unless given',
  },
  seed: { type: 'string', value: 'N', help: 'repeats the same schedules; drawn and printed unless given' },
} as const;

/**
 * What the flags say about the ramp itself, with every default filled in.
 * @throws TailgateError `usage` naming the flag, its value and the wanted form.
 */
export function rampSettings(flags: FlagValues): RampWishes {
  const objective = durationFlag(flags, 'objective', secondsToNs(60));
  if (objective === undefined)
    throw refused('--objective is missing; it wants what p99 may be at most, e.g. --objective 50ms');
  const from = numberFlag(flags, 'from', { least: 0.5, most: 100_000 }) ?? 50;
  const most = numberFlag(flags, 'most', { least: 1, most: 100_000 });
  if (from > (most ?? 20_000))
    throw refused(`--from ${from} is above --most ${most ?? 20_000}; there is nothing between them`);
  const wishes: RampWishes = {
    criteria: {
      objectiveMs: nsToMs(objective),
      leastSuccessful: 0.98,
      errorBudget: (numberFlag(flags, 'error-budget', { least: 0, most: 50 }) ?? 1) / 100,
    },
    from,
    most: most ?? 20_000,
    mostWanted: most !== undefined,
    toFailure: flags['to-failure'] === true,
    timeBudget: durationFlag(flags, 'time-budget', longest) ?? secondsToNs(600),
    hold: durationFlag(flags, 'step', secondsToNs(300)) ?? secondsToNs(3),
    patience: durationFlag(flags, 'recovery-limit', secondsToNs(600)) ?? secondsToNs(30),
    seed: numberFlag(flags, 'seed', { least: 0, most: 2 ** 53, whole: true }) ?? freshSeed(),
  };
  refuseShortBudget(wishes);
  return wishes;
}

/** Seconds that the generator is checked for, about. */
const checkSeconds = 4;

/** Seconds until the first step has been measured. */
const firstStepAfter = (from: number, hold: Nanoseconds): number =>
  checkSeconds + warmShots(from) / from + secondsOf(from, hold);

/** A ramp that could not take its first step is not begun. */
function refuseShortBudget({ from, most, hold, timeBudget, toFailure }: RampWishes): void {
  const share = toFailure ? searchShare : 1;
  const seconds = firstStepAfter(from, hold);
  const left = nsToSeconds(timeBudget) * share;
  if (seconds <= left) return;
  let enough = 2 * from;
  while (enough <= most && firstStepAfter(enough, hold) > left) enough *= 2;
  const ofBudget = toFailure ? `, of which the search has ${Math.round(100 * share)} %,` : '';
  throw new TailgateError({
    code: 'usage',
    message:
      `--time-budget ${formatDuration(timeBudget)}${ofBudget} does not hold the first step: --from ${from} asks for ` +
      `${formatCount(shotsAt(from, hold))} requests at ${rateText(from)}, and with what comes before them that takes ${Math.ceil(seconds)} s`,
    hint: `give --time-budget ${Math.ceil(seconds / share)}s or more${enough > most ? '' : `, or --from ${enough}`}`,
  });
}

const refused = (message: string): TailgateError =>
  new TailgateError({ code: 'usage', message, hint: 'tailgate ramp --help lists what it takes' });

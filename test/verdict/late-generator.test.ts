/** A candidate whose bad shots are late ones, because it takes the CPU that the generator needs, is not let off. */
import { describe, expect, it } from 'vitest';
import { shareAtLeast, shareAtMost } from './binomial.ts';
import { type Change, runners } from './machine-model.ts';
import { planOf, readAllShots, tallyOf } from './simulated-jobs.ts';

const plan = planOf();
const runner = runners.typical;
const minutes = 60_000;
const pausing = (perSecond: number, shortest: number, longest: number): Change => ({
  pauses: { perSecond, shortest, longest, holdsGenerator: true },
});

describe('a candidate that makes the generator late', () => {
  it(
    'is found, and not passed, when it stops for 10 to 20 ms three times in two seconds',
    () => {
      const jobs = 200;
      const tally = tallyOf('late, strong', jobs, { runner, change: pausing(1.5, 10, 20), plan });
      expect(shareAtMost(tally.pass, jobs)).toBeLessThanOrEqual(0.025);
      expect(shareAtLeast(tally.regression, jobs)).toBeGreaterThanOrEqual(0.8);
    },
    4 * minutes,
  );

  it(
    'is passed no more often than the bound of a pass promises when p99 over all shots rises by a third',
    () => {
      const jobs = 200;
      const setting = { runner, change: pausing(2, 5, 10), plan };
      const filtered = tallyOf('late, mild', jobs, setting);
      const all = tallyOf('late, mild', jobs, { ...setting, read: readAllShots });
      expect(shareAtMost(filtered.pass, jobs)).toBeLessThanOrEqual(0.06);
      // Most of it would be hidden by a filter without guards; with them the gate finds what all shots show.
      expect(filtered.regression).toBeGreaterThan(0.75 * all.regression);
    },
    4 * minutes,
  );
});

/** How often a change of known size is found, on the typical runner. */
import { describe, expect, it } from 'vitest';
import { shareAtLeast, shareAtMost } from './binomial.ts';
import { cpuFive, p99Twenty, runners } from './machine-model.ts';
import { planOf, type Tally, tallyOf } from './simulated-jobs.ts';

const runner = runners.typical;
const minutes = 60_000;
const redRows = (tally: Tally, metric: string): number =>
  tally.verdicts.filter((verdict) =>
    verdict.findings.some((finding) => finding.state === 'regressed' && finding.metric === metric),
  ).length;

describe('a change of known size', () => {
  it(
    'is found in at least 95 % of jobs when CPU rises by 5 % and p99 by 10 %',
    () => {
      const jobs = 200;
      const tally = tallyOf('CPU +5 %, p99 +10 %', jobs, { runner, change: cpuFive, plan: planOf() });
      expect(shareAtLeast(tally.regression, jobs)).toBeGreaterThanOrEqual(0.95);
      expect(shareAtLeast(redRows(tally, 'cpu'), jobs)).toBeGreaterThanOrEqual(0.95);
      // Found early: a red build need not wait for the last look.
      expect(tally.rounds).toBeLessThan(12);
    },
    4 * minutes,
  );

  // What was measured stays within reach (docs/method.md, Error rates by simulation), and eight slices find four
  // changes of five beyond the doubt that so many jobs leave.
  it.each([
    {
      name: 'eight slices a side',
      plan: planOf('slices: 8\ntime-budget: 7m'),
      slices: 8,
      jobs: 300,
      within: 0.85,
      least: 0.8,
    },
    { name: 'four slices a side', plan: planOf(), slices: 4, jobs: 200, within: 0.6, least: 0.53 },
  ])(
    'is found when p99 alone rises by 20 %, with $name, and a miss is hardly ever a pass',
    ({ name, plan, slices, jobs, within, least }) => {
      expect(plan.rounds).toBe(15);
      expect(plan.scenarios).toMatchObject([{ slices, sliceRequests: 500, tailPercentile: 'p99' }]);
      const tally = tallyOf(`p99 +20 %, ${name}`, jobs, { runner, change: p99Twenty, plan });
      const found = redRows(tally, 'p99');
      expect(shareAtMost(found, jobs)).toBeGreaterThanOrEqual(within);
      expect(shareAtLeast(found, jobs)).toBeGreaterThanOrEqual(least);
      // A bound of a pass leaves about 6 % of changes of exactly `detect`.
      expect(shareAtMost(tally.pass, jobs)).toBeLessThanOrEqual(0.08);
      expect(tally.inconclusive).toBeGreaterThan(4 * tally.pass);
      // The cost did not move, and is not blamed.
      expect(shareAtLeast(redRows(tally, 'cpu'), jobs)).toBeLessThanOrEqual(0.01);
    },
    4 * minutes,
  );
});

/** False alarms of the whole gate: unchanged builds on all kinds of runners, every row of a default scenario. */
import { describe, expect, it } from 'vitest';
import { planRound } from '../../src/config/rounds.ts';
import { shareAtLeast, shareAtMost } from './binomial.ts';
import { type RunnerName, runners } from './machine-model.ts';
import { planOf, type Tally, tallyOf } from './simulated-jobs.ts';

const jobs = 300;
const plan = planOf();
const minutes = 60_000;

describe('unchanged builds', () => {
  const tallies = new Map<RunnerName, Tally>();
  const names = Object.keys(runners) as RunnerName[];

  it.each(names)(
    'are hardly ever called a regression on a runner that is: %s',
    (name) => {
      const tally = tallyOf(`unchanged, ${name}`, jobs, { runner: runners[name], plan });
      tallies.set(name, tally);
      expect(tally.other).toBe(0);
      // As many as a true share of 1 % brings about by chance, and no more.
      expect(shareAtLeast(tally.regression, jobs)).toBeLessThanOrEqual(0.01);
      expect(shareAtLeast(tally.flagged, jobs)).toBeLessThanOrEqual(0.05);
    },
    4 * minutes,
  );

  it('are called a regression in less than 1 % of all jobs, beyond the doubt that so many leave', () => {
    const all = [...tallies.values()];
    const total = all.reduce((sum, tally) => sum + tally.jobs, 0);
    expect(total).toBeGreaterThanOrEqual(2_000);
    const red = all.reduce((sum, tally) => sum + tally.regression, 0);
    const flagged = all.reduce((sum, tally) => sum + tally.flagged, 0);
    console.log(`unchanged: ${red} of ${total} red, at most ${(100 * shareAtMost(red, total)).toFixed(2)} %`);
    expect(shareAtMost(red, total)).toBeLessThanOrEqual(0.01);
    // Without confirmation the looks alone promise 5 %.
    expect(shareAtMost(flagged, total)).toBeLessThanOrEqual(0.05);
  });

  it('pass mostly, so that few alarms are not bought by never deciding', () => {
    const passed = (name: RunnerName): number => shareAtLeast(tallies.get(name)!.pass, jobs);
    expect(passed('quiet')).toBeGreaterThan(0.85);
    for (const name of ['typical', 'bimodal', 'drifting', 'slot bias', 'heavy stalls'] as const) {
      expect(passed(name), name).toBeGreaterThan(0.6);
    }
    expect(tallies.get('quiet')!.rounds).toBeLessThan(11);
  });
});

describe('without what keeps the level', () => {
  it('a dearer first slice is blamed on the side that always has it, and on nobody when coins deal it', () => {
    const few = 30;
    const setting = { runner: runners['slot bias'], plan };
    // The first round that starts with the candidate, over and over.
    const first = (index: number): 'baseline' | 'candidate' => planRound(plan, index).slices[0]!.side;
    const always = Array.from({ length: 40 }, (_, index) => index).find(
      (index) => first(index) === 'candidate',
    )!;
    const fixed = tallyOf('one order of sides in every round', few, {
      ...setting,
      order: (_, __, scenarios) => planRound(plan, always, scenarios),
    });
    expect(shareAtLeast(fixed.regression, few)).toBeGreaterThan(0.8);
    const dealt = tallyOf('coins for the order of sides', few, setting);
    expect(dealt.regression).toBeLessThanOrEqual(1);
  });
});

it(
  'holds one level over the rows of two scenarios, which are one family',
  () => {
    const of = 200;
    const two = planOf('slices: 4\ntime-budget: 8m\nscenarios: [{ name: home }, { name: search }]');
    expect(two.scenarios.map(({ slices, judged }) => [slices, judged.length])).toEqual([
      [4, 6],
      [4, 6],
    ]);
    expect(two.rounds).toBe(15);
    const tally = tallyOf('unchanged, two scenarios', of, { runner: runners.typical, plan: two });
    expect(tally.other).toBe(0);
    expect(shareAtLeast(tally.regression, of)).toBeLessThanOrEqual(0.01);
    expect(shareAtLeast(tally.flagged, of)).toBeLessThanOrEqual(0.05);
    expect(shareAtLeast(tally.pass, of)).toBeGreaterThan(0.5);
  },
  4 * minutes,
);

import { describe, expect, test } from 'vitest';
import type { Trial } from '../../src/evidence/trial.ts';
import { comparePercentile } from '../../src/verdict/compare.ts';
import { scopeOf } from '../../src/verdict/scope.ts';
import { evidenceOf, readPlain } from '../verdict/evidence-builder.ts';
import {
  attainableLevel,
  choiceRows,
  choicesOf,
  currentRule,
  type JobChoices,
  lowerQuartile,
  type SliceReader,
  slicesToRound,
} from './round-values.ts';

/** The builder's histograms hold their percentiles as text; merged is the mean, so that it can be told apart. */
const reader: SliceReader = {
  slice: (trial, view, percentile) => readPlain(trial.load.histograms, view)?.[percentile] ?? null,
  merged: (trials, view, percentile) =>
    trials.reduce((sum, trial) => sum + readPlain(trial.load.histograms, view)![percentile], 0) /
    trials.length,
};

describe('round values', () => {
  // Both sides' slices, a stall in one of each: ratios of the pairs are 1.1, 4, 1/2, 1.2.
  const slices = { baseline: [10, 20, 80, 10], candidate: [11, 80, 40, 12] };

  test.each([
    ['lower median of slices', 12 / 10],
    ['lower quartile of slices', 11 / 10],
    ['median over pairs', Math.sqrt(1.1 * 1.2)],
  ] as const)('%s', (rule, ratio) => {
    expect(slicesToRound[rule](slices)).toBeCloseTo(Math.log(ratio), 12);
  });

  test('Hodges–Lehmann over pairs is the middle of the ten Walsh averages', () => {
    const logs = [Math.log(0.5), Math.log(1.1), Math.log(1.2), Math.log(4)];
    const averages = logs.flatMap((a, i) => logs.slice(i).map((b) => (a + b) / 2)).sort((a, b) => a - b);
    expect(slicesToRound['Hodges–Lehmann over pairs'](slices)).toBeCloseTo(
      (averages[4]! + averages[5]!) / 2,
      12,
    );
  });

  test('Hodges–Lehmann of both sides is the middle of all sixteen ratios', () => {
    const ratios = slices.baseline.flatMap((before) => slices.candidate.map((after) => after / before));
    const [low, high] = ratios.sort((a, b) => a - b).slice(7, 9);
    expect(slicesToRound['Hodges–Lehmann of both sides'](slices)).toBeCloseTo(
      (Math.log(low!) + Math.log(high!)) / 2,
      12,
    );
  });

  test('a lower quartile is one of the values: the smallest of four, the second of eight', () => {
    expect(lowerQuartile([4, 3, 2, 1])).toBe(1);
    expect(lowerQuartile([8, 7, 6, 5, 4, 3, 2, 1])).toBe(2);
    expect(() => lowerQuartile([])).toThrow('at least one');
  });
});

describe('a stored job', () => {
  /** Candidates are slower by 1 % more every pair, and rounds differ. */
  const evidence = evidenceOf({
    measuring: 6,
    confirming: 6,
    rounds: 6,
    slice: ({ side, round, pair }) => {
      const p99 = 4e6 * (1 + round / 50) * (1 + pair) * (side === 'candidate' ? 1.1 + pair / 100 : 1);
      return { p50: 1e6, p99, allP50: 2e6, allP99: p99 * (side === 'candidate' ? 2 : 1) };
    },
  });
  const [choices] = choicesOf(3, evidence, reader);
  const values = (rule: string, view: string, percentile: string): readonly number[] =>
    choices!.values.find((one) => one.rule === rule && one.view === view && one.percentile === percentile)!.d;

  test('has a value a measuring round; those of a confirmation stay out', () => {
    expect([choices!.job, choices!.rounds, choices!.values.length]).toEqual([3, 6, 36]);
    expect(new Set(choices!.values.map((one) => one.d.length))).toEqual(new Set([6]));
  });

  test('reads the rule of the product as the product does, in both views', () => {
    const { usable } = scopeOf(evidence.plan, evidence.rounds.slice(0, 6)).scenarios[0]!;
    for (const view of ['on-time', 'all-shots'] as const) {
      const product = comparePercentile(usable, 'p99', view, readPlain);
      expect(product.kind === 'ratio' && product.perRound).toEqual(values(currentRule, view, 'p99'));
    }
    // The middle two of all sixteen differences.
    const middle = Math.log(1.11 * 1.12) / 2;
    expect(values(currentRule, 'on-time', 'p99')[0]).toBeCloseTo(middle, 12);
    expect(values(currentRule, 'all-shots', 'p99')[0]).toBeCloseTo(middle + Math.LN2, 12);
  });

  test('merges the slices of a side before it compares the sides', () => {
    const merged = (1.1 * 1 + 1.11 * 2 + 1.12 * 3 + 1.13 * 4) / 10;
    expect(values('merged over the round', 'on-time', 'p99')[0]).toBeCloseTo(Math.log(merged), 12);
  });

  test('a round with fewer than half of its pairs readable has no value', () => {
    const unreadable = new Set<Trial>(
      evidence.rounds[2]!.trials.filter((trial) => trial.pair > 0 && trial.side === 'candidate'),
    );
    const [thin] = choicesOf(1, evidence, {
      ...reader,
      slice: (trial, view, percentile) =>
        unreadable.has(trial) ? null : reader.slice(trial, view, percentile),
    });
    expect(thin!.rounds).toBe(6);
    expect(new Set(thin!.values.map((one) => one.d.length))).toEqual(new Set([5]));
  });
});

describe('the table of choices', () => {
  const job = (number: number, d: readonly number[]): JobChoices => ({
    job: number,
    rounds: d.length,
    values: [{ rule: currentRule, view: 'on-time', percentile: 'p95', d }],
  });
  const slower = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06];
  const jobs = [
    job(1, slower),
    job(
      2,
      slower.map((value) => -value),
    ),
    job(3, [0.01, -0.02, 0.03, -0.04, 0.05, -0.06]),
    job(4, [...slower.slice(0, 5)]),
    // Beyond the sixth round it turns: only the first six count.
    job(5, [...slower, -1, -1, -1, -1]),
  ];

  test('counts both directions at the level, over the first rounds of the jobs that have as many', () => {
    const rows = choiceRows(jobs, 6);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ percentile: 'p95', view: 'on-time', jobs: 4, worse: 2, better: 1 });
    expect(rows[0]!.effect.median).toBeCloseTo(Math.expm1((0.035 - 0.005) / 2), 3);
  });

  test('has no row for a depth that no job reached', () => {
    expect(choiceRows(jobs, 11)).toEqual([]);
  });
});

// Exact null distribution of the signed rank sum: 3 of 64 subsets of 1…6 add up to at most 2 (none, 1, 2), and the
// usual table's largest one-sided level up to 5 % for n = 10 is 0.0420 at W = 10.
test.each([
  [6, 3 / 64],
  [10, 43 / 1024],
])('with %i rounds the exact test rejects %f', (rounds, level) => {
  expect(attainableLevel(rounds)).toBeCloseTo(level, 12);
});

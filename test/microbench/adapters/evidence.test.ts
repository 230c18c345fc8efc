import { expect, test } from 'vitest';
import { LatencyHistogram } from '../../../src/evidence/histogram.ts';
import { ns } from '../../../src/kernel/units.ts';
import { bench, benchmarks } from '../../verdict/stored-job.ts';
import { brief, readText, refusal, rowOf } from './reading.ts';

function histogram(...values: readonly number[]): string {
  const counts = new LatencyHistogram();
  for (const value of values) counts.record(ns(value));
  return counts.encode();
}

function trial(
  side: string,
  values: readonly number[],
  cpu: number,
  pair = 0,
  unsound: readonly string[] = [],
): object {
  return {
    scenario: 'checkout',
    side,
    pair,
    replacement: false,
    cost: { cpu, idle: 1000 },
    unsound,
    load: { counts: { ok: values.length }, histograms: { onTime: histogram(...values) } },
  };
}

const evidence = {
  schema: 'tailgate-evidence',
  version: 1,
  rounds: [
    {
      sides: { baseline: { idleRate: 0.1 }, candidate: { idleRate: 0 } },
      trials: [
        trial('baseline', [100, 200], 500, 0),
        trial('candidate', [400, 400, 400], 900, 0),
        trial('baseline', [300], 500, 1),
        trial('candidate', [500], 300, 1),
        // A partner that is sound goes with the other.
        trial('baseline', [60000], 9e9, 2, ['generator-busy']),
        trial('candidate', [60000], 9e9, 2),
      ],
    },
    {
      sides: { baseline: { idleRate: 0 }, candidate: { idleRate: 0 } },
      trials: [trial('baseline', [400], 400), trial('candidate', [600], 600)],
    },
  ],
};

test("Tailgate's own evidence is read as one sample a round, the lower median of its slices", () => {
  const result = readText(JSON.stringify(evidence));
  expect(result.format).toBe('tailgate-evidence');
  expect(brief(result.rows)).toEqual([
    ['checkout p50 (baseline)', 'ns', 's', 250],
    ['checkout p99 (baseline)', 'ns', 's', 300],
    // Rounds of the median of (500 − 100) / 2 and (500 − 100) / 1, and of 400 / 1.
    ['checkout cpu (baseline)', 'ns', 's', 350],
    ['checkout p50 (candidate)', 'ns', 's', 500],
    ['checkout p99 (candidate)', 'ns', 's', 500],
    ['checkout cpu (candidate)', 'ns', 's', 450],
  ]);
  expect(rowOf(result, 'checkout p50 (baseline)').samples).toEqual([100, 400]);
});

test('microbenchmarks are rows too, of a job and of a file of their own', () => {
  const own = benchmarks(0);
  const [subject] = own.subjects;
  const more = {
    ...own,
    subjects: [
      subject,
      { ...subject, name: 'fresh', presence: 'candidate', alone: 7 },
      { ...subject, name: 'broken', problem: 'it throws' },
    ],
  };
  const names = [`${bench} (baseline)`, `${bench} (candidate)`];
  const alone = readText(JSON.stringify(more));
  expect(alone.rows.map((row) => row.name)).toEqual([
    ...names,
    'fresh (candidate)',
    'broken (baseline)',
    'broken (candidate)',
  ]);
  expect(rowOf(alone, names[0]!)).toMatchObject({ value: 100, problem: null, unit: { normalised: 'ns' } });
  expect(rowOf(alone, names[0]!).samples).toHaveLength(12);
  expect(rowOf(alone, 'fresh (candidate)').value).toBe(7);
  expect(rowOf(alone, 'broken (baseline)')).toMatchObject({ value: null, problem: 'it throws' });
  const inside = readText(JSON.stringify({ ...evidence, benchmarks: own }));
  expect(inside.rows.map((row) => row.name).slice(-3)).toEqual(['checkout cpu (candidate)', ...names]);
});

test('cost that was not measured is missing, and a broken histogram too', () => {
  const [first] = evidence.rounds;
  const trials = [{ ...trial('baseline', [100], 1), cost: null }, trial('candidate', [100], 1)];
  const text = JSON.stringify({ ...evidence, rounds: [{ ...first, trials }] });
  expect(rowOf(readText(text), 'checkout cpu (baseline)').problem).toBe('CPU time was not measured');
  const broken = text.replaceAll(histogram(100), 'HISTnothing');
  expect(rowOf(readText(broken), 'checkout p50 (candidate)').value).toBeNull();
});

test('evidence of another version is refused', () => {
  expect(refusal(() => readText(JSON.stringify({ ...evidence, version: 2 })))).toMatch(
    /version 2; this Tailgate reads version 1/,
  );
});

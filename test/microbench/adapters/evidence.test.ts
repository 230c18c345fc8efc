import { expect, test } from 'vitest';
import { LatencyHistogram } from '../../../src/evidence/histogram.ts';
import { ns } from '../../../src/kernel/units.ts';
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
  unsound: readonly string[] = [],
): object {
  return {
    scenario: 'checkout',
    side,
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
        trial('baseline', [100, 200], 500),
        trial('baseline', [300], 500),
        trial('baseline', [60000], 9e9, ['generator-busy']),
        trial('candidate', [400, 400, 400], 900),
      ],
    },
    {
      sides: { baseline: { idleRate: 0 }, candidate: { idleRate: 0 } },
      trials: [trial('baseline', [400], 400), trial('candidate', [600], 600)],
    },
  ],
};

test("Tailgate's own evidence is read as one sample a round, slices of a round taken together", () => {
  const result = readText(JSON.stringify(evidence));
  expect(result.format).toBe('tailgate-evidence');
  expect(brief(result.rows)).toEqual([
    ['checkout p50 (baseline)', 'ns', 's', 300],
    ['checkout p99 (baseline)', 'ns', 's', 350],
    // (500 + 500 − 0.1 × 2,000) / 3 and 400 / 1.
    ['checkout cpu (baseline)', 'ns', 's', 333.333333333],
    ['checkout p50 (candidate)', 'ns', 's', 500],
    ['checkout p99 (candidate)', 'ns', 's', 500],
    ['checkout cpu (candidate)', 'ns', 's', 450],
  ]);
  expect(rowOf(result, 'checkout p50 (baseline)').samples).toEqual([200, 400]);
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

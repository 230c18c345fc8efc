import { expect, it } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { parse, serialise } from '../../src/evidence/store.ts';
import type { Evidence } from '../../src/evidence/trial.ts';
import { ns } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { judge } from '../../src/verdict/judge.ts';
import { readSlice } from '../../src/verdict/slices.ts';
import { chance, evidenceOf, scenarioPlan } from './evidence-builder.ts';

const random = seededRandom('slices');

/** 500 response times with a log-normal body around `median`, encoded. */
function slice(median: number): string {
  const histogram = new LatencyHistogram();
  for (let shot = 0; shot < 500; shot++) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    histogram.record(ns(median * Math.exp(0.3 * normal)));
  }
  return histogram.encode();
}

const empty = new LatencyHistogram().encode();
const noOther = { success: empty, service: empty, lateness: empty };

it('reads nearest-rank percentiles of both views within a tenth of a per cent', () => {
  const response = new LatencyHistogram();
  const onTime = new LatencyHistogram();
  for (let value = 1; value <= 500; value++) {
    response.record(ns(value * 1e4));
    if (value <= 100) onTime.record(ns(value * 1e4));
  }
  const histograms = { ...noOther, response: response.encode(), onTime: onTime.encode() };
  const all = readSlice(histograms, 'all-shots')!;
  expect(all.p50 / 250e4).toBeCloseTo(1, 2);
  expect(all.p99 / 495e4).toBeCloseTo(1, 2);
  expect(readSlice(histograms, 'on-time')!.p95 / 95e4).toBeCloseTo(1, 2);
});

it('has no percentile for a view without shots', () => {
  expect(readSlice({ ...noOther, response: slice(1e6), onTime: empty }, 'on-time')).toBeNull();
});

it('says so when a histogram cannot be read', () => {
  expect(() => readSlice({ ...noOther, response: 'HISTogram', onTime: empty }, 'all-shots')).toThrow(
    /histogram/i,
  );
});

it('judges 18 rounds of 16 slices in a second and a half, from the text of the file on', () => {
  const slices = Array.from({ length: 64 }, () => slice(1e6));
  const slower = Array.from({ length: 64 }, () => slice(1.2e6));
  const evidence = evidenceOf({
    measuring: 12,
    confirming: 6,
    scenarios: [scenarioPlan('home', { slices: 8 })],
  });
  const real: Evidence = {
    ...evidence,
    rounds: evidence.rounds.map((round) => ({
      ...round,
      trials: round.trials.map((trial) => {
        const pool = trial.side === 'candidate' ? slower : slices;
        const histograms = {
          ...noOther,
          response: random.shuffle(pool)[0]!,
          onTime: random.shuffle(pool)[0]!,
        };
        // CPU is settled at the last look only, so that every look is taken.
        const cost = { cpu: ns(15e7 * Math.exp(chance(round.index) * 5 * random.next())), idle: ns(0) };
        return { ...trial, cost, load: { ...trial.load, histograms } };
      }),
    })),
  };
  const text = serialise(real);
  const before = performance.now();
  const progress = judge(parse(text));
  const took = performance.now() - before;
  if (progress.kind !== 'decided') throw new Error(JSON.stringify(progress));
  expect(progress.verdict.outcome).toBe('regression');
  const p50 = progress.verdict.findings.find((finding) => finding.metric === 'p50')!;
  expect(p50.state).toBe('regressed');
  if (p50.change.kind !== 'ratio') throw new Error('no ratio');
  expect(p50.change.effect).toBeCloseTo(0.2, 1);
  expect(took).toBeLessThan(1_500);
});

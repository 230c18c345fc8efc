import { expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { summariseLoad } from '../../src/evidence/load-summary.ts';
import { describeLoad } from '../../src/evidence/load-text.ts';
import type { Environment } from '../../src/evidence/trial.ts';
import { bytes } from '../../src/kernel/units.ts';
import { encoded, sliceResult } from './slice-results.ts';

const environment: Environment = {
  tailgate: '0.1.0',
  node: 'v20',
  platform: 'linux',
  kernel: '6',
  cpuModel: 'some',
  cpus: 2,
  memory: bytes(8e9),
  runner: null,
};
const about = { seed: 7, reasons: [], environment, partial: false } as const;
const response = Array.from({ length: 1000 }, (_, index) => (index + 1) / 100);

test('the object behind --json has its keys and counts what was measured', () => {
  const summary = summariseLoad(sliceResult({ response, onTime: 900 }), about);
  for (const key of [
    'scheduled',
    'ok',
    'failed',
    'timedOut',
    'dropped',
    'unfinished',
    'offeredPerSecond',
    'releasedPerSecond',
    'completedPerSecond',
    'successfulPerSecond',
    'responseTimeMs',
    'onTimeResponseTimeMs',
    'serviceTimeMs',
    'latenessMs',
    'onTimeShare',
    'generator',
    'measuredFrom',
    'sound',
    'reasons',
    'histogram',
    'seed',
    'environment',
    'errors',
    'statuses',
  ]) {
    expect(summary).toHaveProperty(key);
  }
  expect(Object.keys(summary.responseTimeMs)).toEqual(['p50', 'p90', 'p95', 'p99', 'p999', 'max', 'count']);
  expect(summary.responseTimeMs.p50).toBeCloseTo(5, 1);
  expect(summary.responseTimeMs.p99).toBeCloseTo(9.9, 1);
  expect(summary.responseTimeMs.count).toBe(1000);
  expect(summary.onTimeShare).toBe(0.9);
  expect(summary.measuredFrom).toBe('intended');
  expect([summary.sound, summary.saturated]).toEqual([true, false]);
  expect(summary.generator.cpuPercent).toBe(16);
  expect(LatencyHistogram.decode(summary.histogram).count).toBe(1000);
});

test('the four rates are per second of the schedule, whose thousand shots lie within 999 ms', () => {
  const summary = summariseLoad(
    sliceResult({ counts: { ok: 900, failed: 100 }, statuses: { 200: 900, 500: 100 }, released: 990 }),
    about,
  );
  expect(summary.offeredPerSecond).toBe(1000);
  expect(summary.releasedPerSecond).toBe(990);
  expect(summary.completedPerSecond).toBe(1000);
  expect(summary.successfulPerSecond).toBe(900);
});

test('what a service that falls behind answers during the drain is not completed at that rate', () => {
  const summary = summariseLoad(sliceResult({ inFlight: { halfway: 250, atEnd: 500 } }), about);
  expect(summary.completedPerSecond).toBe(500);
  expect(summary.successfulPerSecond).toBe(500);
});

test('nothing measured is null and can be written as JSON, never NaN', () => {
  const nothing = sliceResult({
    counts: { ok: 0, failed: 1000 },
    errors: { 'connection refused': 1000 },
    statuses: {},
    response: Array.from({ length: 1000 }, () => 5000),
  });
  const summary = summariseLoad(
    {
      ...nothing,
      onTime: 0,
      histograms: { ...nothing.histograms, service: encoded([]), onTime: encoded([]) },
    },
    about,
  );
  expect(summary.serviceTimeMs).toEqual({
    p50: null,
    p90: null,
    p95: null,
    p99: null,
    p999: null,
    max: null,
    count: 0,
  });
  expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
  expect(describeLoad(summary).join('\n')).toContain('service time: nothing to show');
});

test('the terminal shows rates, percentiles with counts and intervals, lateness and soundness', () => {
  const text = describeLoad(summariseLoad(sliceResult({ response }), about)).join('\n');
  expect(text).toContain('offered     1,000/s  (1,000 requests, seed 7)');
  expect(text).toContain('successful  1,000/s');
  expect(text).toMatch(/p50 +5 ms {3}95 % interval 4\.69 ms to 5\.32 ms/);
  expect(text).toMatch(/p99\.9 .*too few for an interval/);
  expect(text).toMatch(/lateness \(1,000\): p50 10 µs/);
  expect(text.endsWith('sound')).toBe(true);
});

test('a run that may not be used says why and what to do', () => {
  const text = describeLoad(
    summariseLoad(sliceResult({ counts: { ok: 990, failed: 10 }, errors: { 'connection reset': 10 } }), {
      ...about,
      reasons: ['generator-busy', 'ports-exhausted'],
    }),
  ).join('\n');
  expect(text).toContain('10  failed  (connection reset: 10)');
  expect(text).toContain('unsound: the sending thread was busy more than 80 % of the time; lower the rate');
  expect(text).toContain('unsound: no local ports were left');
});

test('a service that cannot keep up is the first thing said, and its percentiles are called what they are', () => {
  const late = Array.from({ length: 1000 }, () => 5000);
  const text = describeLoad(
    summariseLoad(
      sliceResult({
        counts: { ok: 180, failed: 0, timedOut: 820 },
        statuses: { 200: 180 },
        inFlight: { halfway: 400, atEnd: 820 },
        response: late,
        success: late.slice(0, 180).map(() => 4900),
      }),
      about,
    ),
  );
  expect(text[0]).toBe('Saturated: 180/s of 1,000/s offered succeeded; the percentiles are time-outs.');
  expect(text.at(-1)).toBe('sound: the generator sent what was asked for');
});

test('one that kept up is told with its percentiles, and a machine that sent late is named', () => {
  const first = (onTime: number): string =>
    describeLoad(summariseLoad(sliceResult({ response, onTime }), about))[0]!;
  expect(first(1000)).toBe('Kept up: 1,000/s of 1,000/s offered succeeded, p50 5 ms, p99 9.9 ms.');
  expect(first(540)).toContain('only 54 % were sent on time');
  const last = describeLoad(summariseLoad(sliceResult({ response, onTime: 540 }), about)).at(-1);
  expect(last).toMatch(/^sound, but noisy: 54 % were sent on time/);
});

test('failures and a run that may not be used lead too', () => {
  const failed = summariseLoad(sliceResult({ counts: { ok: 990, failed: 10 } }), about);
  expect(describeLoad(failed)[0]).toContain(
    '10 of 1,000 requests failed: 990/s of 1,000/s offered succeeded',
  );
  const busy = summariseLoad(sliceResult({}), { ...about, reasons: ['generator-busy'] });
  expect(describeLoad({ ...busy, partial: true })[0]).toMatch(
    /^Partial: Not usable: the sending thread was busy/,
  );
});

import { describe, expect, test } from 'vitest';
import { describeClosed, summariseClosed } from '../../src/evidence/closed-summary.ts';
import type { Environment } from '../../src/evidence/trial.ts';
import { bytes, ns } from '../../src/kernel/units.ts';
import type { ClosedPace, ClosedResult } from '../../src/load/protocol.ts';
import { rested, virtualResult } from '../load/virtual-closed.ts';

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
const answers: ClosedPace = { kind: 'on-answer', think: ns(0) };
const about = { workers: 10, pace: answers, environment };
const result = virtualResult(10, 3000, { servers: 10, serviceMs: 10, frozen: [1000, 2000] });
const text = (one: ClosedResult, pace: ClosedPace = answers) =>
  describeClosed(summariseClosed(one, { ...about, pace })).join('\n');

describe('a closed loop through a freeze of a second', () => {
  test('says how many requests its workers would have sent had every answer taken the median', () => {
    const summary = summariseClosed(result, about);
    // 3,000 requests at 1,000/s take 3 s, with the freeze 4 s, in which 4,000 would have been sent.
    expect(summary.sent).toBe(3000);
    expect(summary.planned).toBeGreaterThan(3960);
    expect(summary.planned).toBeLessThan(4040);
    expect(text(result)).toMatch(
      /planned {5}[\d,]+ requests, had every answer taken the median, 10 ms; [19][\d,]+ were never sent/,
    );
  });

  test('is labelled, in JSON and in words, as what does not meet open-loop numbers', () => {
    expect(summariseClosed(result, about)).toMatchObject({
      model: 'closed',
      concurrency: 10,
      measuredFrom: 'send',
      comparableWithOpenLoop: false,
      histogramUnit: 'ns',
      partial: false,
      sound: true,
    });
    expect(text(result)).toMatch(/^model {7}closed loop: 10 workers/);
    expect(text(result)).toContain('from the moment each was sent');
    expect(text(result)).toContain('do not meet open-loop numbers');
  });

  test('with intended times plans what its schedule holds, and says what of it was never sent', () => {
    const pace: ClosedPace = { kind: 'intended', gap: ns(20e6) };
    const behind = { ...result, counts: { ...result.counts, unsent: 250 } };
    expect(summariseClosed(behind, { ...about, pace })).toMatchObject({
      model: 'closed-intended',
      planned: 3250,
      measuredFrom: 'intended',
    });
    expect(text(behind, pace)).toContain('3,250 requests: 250 were never sent, and count at their age');
    expect(text(behind, pace)).toContain('from its intended time');
  });

  test('counts its think time in what was planned', () => {
    const pace: ClosedPace = { kind: 'on-answer', think: ns(10e6) };
    const half = summariseClosed(result, { ...about, pace }).planned / summariseClosed(result, about).planned;
    expect(half).toBeCloseTo(0.5, 2);
  });
});

test('a run that was stopped, or whose sender was busy, says so', () => {
  expect(text({ ...result, cutShort: true })).toContain('partial: it was stopped before all was sent');
  const busy = text({ ...result, generator: { ...rested, utilisation: 0.93 } });
  expect(busy).toContain(
    'unsound: the sending thread was busy more than 80 % of the time, so it may be what was measured',
  );
  const ports = { ...result, errors: { 'ports exhausted': 3 } };
  expect(summariseClosed(ports, about).reasons).toEqual(['ports-exhausted']);
  const descriptors = text({ ...result, errors: { 'descriptors exhausted': 3 } });
  expect(descriptors).toContain('raise `ulimit -n` or use fewer workers');
});

test('losses are counted by kind', () => {
  const counts = { sent: 3000, ok: 2900, failed: 60, timedOut: 30, unfinished: 10, unsent: 0 };
  const lines = text({ ...result, counts, errors: { 'status 503': 60 } });
  expect(lines).toContain('60  failed  (status 503: 60)');
  expect(lines).toContain('30  timed out');
  expect(lines).toContain('10  unfinished');
});

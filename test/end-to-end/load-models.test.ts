import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeClosed, summariseClosed } from '../../src/evidence/closed-summary.ts';
import { msToNs, ns, secondsToNs } from '../../src/kernel/units.ts';
import type { ClosedPace, Generator } from '../../src/load/protocol.ts';
import { startGenerator } from '../../src/load/remote.ts';
import { readEnvironment } from '../../src/service/machine.ts';
import { type BundledGenerator, bundleGenerator } from '../load/bundled-generator.ts';
import { get, percentileMs, sliceOrder } from '../load/slices.ts';
import { capacityService, type LoadService, sleep } from './load-service.ts';

let bundle: BundledGenerator;
beforeAll(async () => {
  bundle = await bundleGenerator();
});
afterAll(() => bundle[Symbol.asyncDispose]());

const workers = 10;

/** Six seconds, in the middle of which the service stands still for one. */
async function withFreeze<Result>(
  service: LoadService,
  running: Promise<Result>,
): Promise<{ result: Result; stoodStill: number }> {
  await sleep(2500);
  const stoodStill = await service.freeze(1000);
  return { result: await running, stoodStill };
}

function closedLoop(generator: Generator, service: LoadService, pace: ClosedPace) {
  return generator.closedLoop({
    target: { origin: service.origin, host: null },
    requests: [get],
    sequence: new Uint16Array(1),
    workers,
    pace,
    extent: { kind: 'duration', duration: secondsToNs(6) },
    leadIn: 32,
    timeout: msToNs(10_000),
  });
}

test('one freeze of 1 s has three answers: a closed loop hardly sees it, intended times do, an open loop sees its backlog too', async () => {
  await using service = await capacityService('cpu-and-wait');
  await using generator = await startGenerator({ entry: bundle.entry });
  const target = { origin: service.origin, host: null };
  await generator.open({ target, request: get, sockets: 64, timeout: msToNs(5000) });

  const answers: ClosedPace = { kind: 'on-answer', think: ns(0) };
  const closed = (await withFreeze(service, closedLoop(generator, service, answers))).result;
  const environment = readEnvironment();
  const summary = summariseClosed(closed, { workers, pace: answers, environment });
  // Ten of thousands of requests met the freeze.
  expect(summary.responseTimeMs.p99).toBeLessThan(300);
  expect(summary.responseTimeMs.max).toBeGreaterThan(900);
  // About a sixth of what was planned was never sent.
  expect(summary.sent).toBeLessThan(0.95 * summary.planned);
  expect(summary.sent).toBeGreaterThan(0.5 * summary.planned);
  const text = describeClosed(summary).join('\n');
  expect(text).toMatch(/were never sent, and no percentile knows of them/);
  expect(text).toContain('these latencies do not meet open-loop numbers');

  const pace: ClosedPace = { kind: 'intended', gap: secondsToNs(workers / 500) };
  const { result: intended, stoodStill } = await withFreeze(service, closedLoop(generator, service, pace));
  expect(intended.counts).toMatchObject({ ok: 3000, unsent: 0 });
  const intendedP99 = percentileMs(intended.histograms.response, 0.99);
  expect(intendedP99).toBeGreaterThan(0.85 * stoodStill);

  const order = sliceOrder({
    origin: service.origin,
    rate: 500,
    shots: 3000,
    leadIn: 32,
    timeout: msToNs(10_000),
    maxSockets: 256,
  });
  const { result: open } = await withFreeze(service, generator.slice(order));
  expect(open.counts.ok).toBe(3000);
  // Ten workers hold ten requests back at a time; the open loop's 500 all wait for each other.
  const openP99 = percentileMs(open.histograms.response, 0.99);
  expect(openP99).toBeGreaterThan(1.15 * stoodStill);
  expect(openP99).toBeGreaterThan(intendedP99);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { isSaturated, unsoundReasons } from '../../src/evidence/soundness.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { startGenerator } from '../../src/load/remote.ts';
import { type BundledGenerator, bundleGenerator } from '../load/bundled-generator.ts';
import { get, percentileMs, sliceOrder } from '../load/slices.ts';
import { bareService, loadService, sleep } from './load-service.ts';

let bundle: BundledGenerator;
beforeAll(async () => {
  bundle = await bundleGenerator();
});
afterAll(() => bundle[Symbol.asyncDispose]());

test('a service that answers 200/s is saturated by 400/s, and that is no fault of the generator', async () => {
  await using service = await loadService(5);
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({
    origin: service.origin,
    rate: 400,
    shots: 1200,
    timeout: msToNs(10_000),
    maxSockets: 256,
  });
  const result = await generator.slice(order);
  expect(isSaturated(result)).toBe(true);
  expect(unsoundReasons(result, true)).toEqual([]);
  expect(result.inFlight.atEnd).toBeGreaterThan(1.5 * result.inFlight.halfway);
});

test('a service that answers 100/s is saturated by 500/s also when most of it times out', async () => {
  await using service = await loadService(10);
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({
    origin: service.origin,
    rate: 500,
    shots: 1500,
    timeout: msToNs(1000),
    maxSockets: 256,
  });
  const result = await generator.slice(order);
  expect(result.counts.timedOut).toBeGreaterThan(300);
  expect(isSaturated(result)).toBe(true);
  expect(unsoundReasons(result, true)).toEqual([]);
});

test('a generator that is asked for more than it can send is unsound, not a slow service', async () => {
  await using service = await bareService();
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({
    origin: service.origin,
    rate: 200_000,
    shots: 100_000,
    timeout: msToNs(1000),
    maxSockets: 256,
  });
  await generator.open({ target: order.target, request: get, sockets: 256, timeout: msToNs(5000) });
  const result = await generator.slice(order);
  const { counts } = result;
  expect(counts.ok + counts.failed + counts.timedOut + counts.dropped + counts.unfinished).toBe(100_000);
  expect(unsoundReasons(result, isSaturated(result))).toContain('generator-busy');
});

test('a generator that was kept from running until the schedule was over has released too few', async () => {
  await using service = await bareService();
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({ origin: service.origin, rate: 500, shots: 1000, timeout: msToNs(10_000) });
  await generator.open({ target: order.target, request: get, sockets: 64, timeout: msToNs(5000) });
  const running = generator.slice(order);
  await sleep(1000);
  process.kill(generator.pid, 'SIGSTOP');
  await sleep(2000);
  process.kill(generator.pid, 'SIGCONT');
  const result = await running;
  expect(result.counts.ok).toBe(1000);
  const saturated = isSaturated(result);
  expect(saturated).toBe(false);
  expect(unsoundReasons(result, saturated)).toContain('released-too-few');
  // Counted from when they were due all the same, and as late: not one of them is an on-time shot.
  expect(percentileMs(result.histograms.response, 0.99)).toBeGreaterThan(1500);
  expect(result.onTime).toBeLessThan(600);
});

test('ten seconds at 2,000/s stay within the memory that is promised', async () => {
  await using service = await loadService();
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({
    origin: service.origin,
    rate: 2000,
    shots: 20_000,
    timeout: msToNs(5000),
    maxSockets: 256,
  });
  await generator.open({ target: order.target, request: get, sockets: 32, timeout: msToNs(5000) });
  const result = await generator.slice(order);
  expect(result.counts.ok).toBe(20_000);
  expect(result.generator.peakMemory).toBeLessThan(200e6);
  expect(percentileMs(result.histograms.lateness, 0.5)).toBeLessThan(5);
});

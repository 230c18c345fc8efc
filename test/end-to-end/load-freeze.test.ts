import { afterAll, beforeAll, expect, test } from 'vitest';
import { isSaturated, unsoundReasons } from '../../src/evidence/soundness.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { startGenerator } from '../../src/load/remote.ts';
import { type BundledGenerator, bundleGenerator } from '../load/bundled-generator.ts';
import { get, percentileMs, sliceOrder } from '../load/slices.ts';
import { loadService, sleep } from './load-service.ts';

let bundle: BundledGenerator;
beforeAll(async () => {
  bundle = await bundleGenerator();
});
afterAll(() => bundle[Symbol.asyncDispose]());

test('a service that stands still for 1 s is seen as every user would have felt it, and the run stays sound', async () => {
  await using service = await loadService();
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({
    origin: service.origin,
    rate: 500,
    shots: 3000,
    leadIn: 32,
    timeout: msToNs(10_000),
    maxSockets: 256,
  });
  // Open beforehand, so that the drain after the freeze is not spent on accepting connections.
  await generator.open({ target: order.target, request: get, sockets: 256, timeout: msToNs(5000) });
  const running = generator.slice(order);
  await sleep(2500);
  const stoodStill = await service.freeze(1000);
  const result = await running;

  // Shots due while it stood still wait max(0, resume − due): at an even 500/s the 30 longest of 3,000 lie in its
  // first 60 ms.
  const expected = stoodStill - 60;
  const measured = percentileMs(result.histograms.response, 0.99);
  expect(measured).toBeGreaterThan(0.95 * expected);
  expect(measured).toBeLessThan(1.05 * expected);
  expect(percentileMs(result.histograms.response, 0.5)).toBeLessThan(50);

  expect(result.counts.ok).toBe(3000);
  const saturated = isSaturated(result);
  expect(saturated).toBe(false);
  expect(unsoundReasons(result, saturated)).toEqual([]);
  // Its shots were sent on time all the same, and are not filtered away with the late ones.
  expect(result.onTime / 3000).toBeGreaterThan(0.85);
  expect(percentileMs(result.histograms.onTime, 0.99)).toBeGreaterThan(0.9 * expected);
});

test('a stall in the last second of a run is not forgotten', async () => {
  await using service = await loadService();
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({ origin: service.origin, rate: 500, shots: 1500, timeout: msToNs(10_000) });
  await generator.open({ target: order.target, request: get, sockets: 16, timeout: msToNs(5000) });
  const running = generator.slice(order);
  await sleep(2250);
  const stoodStill = await service.freeze(1200);
  const result = await running;
  expect(result.counts.ok).toBe(1500);
  expect(percentileMs(result.histograms.response, 1)).toBeGreaterThan(0.95 * stoodStill);
  // Half of the stall's shots waited at least half a second.
  expect(percentileMs(result.histograms.response, 0.9)).toBeGreaterThan(400);
  expect(isSaturated(result)).toBe(false);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { msToNs, ns, secondsToNs } from '../../src/kernel/units.ts';
import type { ClosedOrder } from '../../src/load/protocol.ts';
import { startGenerator } from '../../src/load/remote.ts';
import { type BundledGenerator, bundleGenerator } from './bundled-generator.ts';
import { answer, get, percentileMs, rawServer, sliceOrder } from './slices.ts';

let bundle: BundledGenerator;
beforeAll(async () => {
  bundle = await bundleGenerator();
});
afterAll(() => bundle[Symbol.asyncDispose]());

const closedOrder = (origin: string, more: Partial<ClosedOrder> = {}): ClosedOrder => ({
  target: { origin, host: null },
  requests: [get],
  sequence: new Uint16Array(1),
  workers: 4,
  pace: { kind: 'on-answer', think: ns(0) },
  extent: { kind: 'count', requests: 100, longest: secondsToNs(10) },
  leadIn: 4,
  timeout: msToNs(1000),
  ...more,
});
const countOf = (encoded: string): number => LatencyHistogram.decode(encoded).count;

describe('a closed loop on the wire', () => {
  test('counts exactly what was asked for, with never more on their way than there are workers', async () => {
    let open = 0;
    let most = 0;
    let seen = 0;
    await using server = await rawServer((socket) => {
      seen++;
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        socket.write(answer('ok'));
      }, 5);
    });
    await using generator = await startGenerator({ entry: bundle.entry });
    const result = await generator.closedLoop(closedOrder(server.origin));
    expect(result.counts).toEqual({ sent: 100, ok: 100, failed: 0, timedOut: 0, unfinished: 0, unsent: 0 });
    for (const encoded of Object.values(result.histograms)) expect(countOf(encoded)).toBe(100);
    expect([most, result.cutShort, result.statuses]).toEqual([4, false, { 200: 100 }]);
    // The lead-in, and what kept the others company until the last of them ended.
    expect(seen).toBeGreaterThanOrEqual(104);
    expect(seen).toBeLessThanOrEqual(108);
    expect(result.generator.poolQueued).toBe(0);
    // N = X · R.
    const held = LatencyHistogram.decode(result.histograms.held).mean!;
    expect((100 * held) / result.window).toBeGreaterThan(3.4);
    expect((100 * held) / result.window).toBeLessThan(4.6);
  });

  test('a wrong status and a closed socket are failures of a class, and count at the time-out', async () => {
    let seen = 0;
    await using server = await rawServer((socket) => {
      seen++;
      if (seen % 3 === 0) socket.write('HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n');
      else if (seen % 3 === 1) socket.destroy();
      else socket.write(answer('ok'));
    });
    await using generator = await startGenerator({ entry: bundle.entry });
    const { counts, errors, statuses, histograms } = await generator.closedLoop(closedOrder(server.origin));
    expect(counts.ok + counts.failed).toBe(100);
    expect(counts.failed).toBeGreaterThan(50);
    expect(errors['status 503']).toBe(statuses['503']);
    expect(Object.keys(errors).some((name) => /reset/.test(name))).toBe(true);
    expect(Object.values(errors).reduce((sum, count) => sum + count, 0)).toBe(counts.failed);
    expect(percentileMs(histograms.response, 0.99)).toBeGreaterThanOrEqual(1000);
    expect(percentileMs(histograms.held, 0.5)).toBeLessThan(500);
  });

  test('a request without an answer ends at the time-out, and its worker goes on with another socket', async () => {
    let seen = 0;
    await using server = await rawServer((socket) => {
      if (++seen % 2 === 0) socket.write(answer('ok'));
    });
    await using generator = await startGenerator({ entry: bundle.entry });
    const extent = { kind: 'count', requests: 20, longest: secondsToNs(10) } as const;
    const order = closedOrder(server.origin, { workers: 2, extent, timeout: msToNs(100) });
    const { counts, histograms } = await generator.closedLoop(order);
    expect(counts.sent).toBe(20);
    expect(counts.timedOut).toBeGreaterThan(5);
    expect(counts.ok + counts.timedOut).toBe(20);
    const longest = percentileMs(histograms.held, 1);
    expect(longest).toBeGreaterThanOrEqual(100);
    expect(longest).toBeLessThan(300);
  });

  test('a loop that takes too long is cut short and keeps what it has', async () => {
    await using server = await rawServer((socket) => setTimeout(() => socket.write(answer('ok')), 50));
    await using generator = await startGenerator({ entry: bundle.entry });
    const extent = { kind: 'count', requests: 10_000, longest: msToNs(600) } as const;
    const result = await generator.closedLoop(closedOrder(server.origin, { extent }));
    expect(result.cutShort).toBe(true);
    expect(result.counts.ok).toBeGreaterThan(8);
    expect(result.counts.ok).toBeLessThan(60);
  });

  test('intended times that could not be kept count from when they were intended, and what was never sent at its age', async () => {
    // One worker, 100 a second wanted, 40 a second possible.
    await using server = await rawServer((socket) => setTimeout(() => socket.write(answer('ok')), 25));
    await using generator = await startGenerator({ entry: bundle.entry });
    const { counts, histograms, window } = await generator.closedLoop(
      closedOrder(server.origin, {
        workers: 1,
        pace: { kind: 'intended', gap: msToNs(10) },
        extent: { kind: 'duration', duration: secondsToNs(1) },
        leadIn: 0,
        timeout: msToNs(300),
      }),
    );
    expect(window).toBe(1e9);
    expect(counts.sent + counts.unsent).toBe(100);
    expect(counts.unsent).toBeGreaterThan(25);
    expect(counts.timedOut).toBe(0);
    expect(countOf(histograms.response)).toBe(100);
    expect(countOf(histograms.held)).toBe(counts.sent);
    // By the end, 1.3 s, the 52nd of them is on its way: due at 0.52 s.
    expect(percentileMs(histograms.response, 0.99)).toBeGreaterThan(600);
  });

  test('think time is kept between an answer and the next request', async () => {
    await using server = await rawServer((socket) => socket.write(answer('ok')));
    await using generator = await startGenerator({ entry: bundle.entry });
    const pace = { kind: 'on-answer', think: msToNs(50) } as const;
    const extent = { kind: 'duration', duration: secondsToNs(1) } as const;
    const { counts } = await generator.closedLoop(closedOrder(server.origin, { pace, extent, leadIn: 0 }));
    expect(counts.ok).toBeLessThanOrEqual(4 * 20);
    expect(counts.ok).toBeGreaterThan(4 * 10);
  });
});

describe('being stopped', () => {
  const slow = () => rawServer((socket) => setTimeout(() => socket.write(answer('ok')), 5));
  const abortAfter = (controller: AbortController, delay: number) =>
    setTimeout(() => controller.abort(), delay);

  test('keeps what a closed loop has measured, and takes no more orders', async () => {
    await using server = await slow();
    const controller = new AbortController();
    await using generator = await startGenerator({
      entry: bundle.entry,
      signal: controller.signal,
      keepPartial: true,
    });
    const extent = { kind: 'duration', duration: secondsToNs(60) } as const;
    abortAfter(controller, 700);
    const result = await generator.closedLoop(closedOrder(server.origin, { extent }));
    expect(result.cutShort).toBe(true);
    expect(result.window).toBeLessThan(5e9);
    expect(result.counts.ok).toBeGreaterThan(20);
    await expect(generator.closedLoop(closedOrder(server.origin))).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  test('keeps what a slice has sent, every shot accounted for', async () => {
    await using server = await slow();
    const controller = new AbortController();
    await using generator = await startGenerator({
      entry: bundle.entry,
      signal: controller.signal,
      keepPartial: true,
    });
    abortAfter(controller, 700);
    const order = sliceOrder({ origin: server.origin, rate: 100, shots: 6000 });
    const { counts, span } = await generator.slice(order);
    expect(counts.scheduled).toBeGreaterThan(10);
    expect(counts.scheduled).toBeLessThan(500);
    expect(counts.ok).toBe(counts.scheduled);
    expect(span).toBeLessThan(5e9);
  });

  test('does not wait for a shot that is due much later', async () => {
    await using server = await slow();
    const controller = new AbortController();
    await using generator = await startGenerator({
      entry: bundle.entry,
      signal: controller.signal,
      keepPartial: true,
    });
    abortAfter(controller, 500);
    const before = performance.now();
    const order = sliceOrder({ origin: server.origin, rate: 0.1, shots: 10, leadIn: 0 });
    expect((await generator.slice(order)).counts).toMatchObject({ scheduled: 1, ok: 1 });
    expect(performance.now() - before).toBeLessThan(5000);
  });

  test('before anything was counted is cancelled', async () => {
    await using server = await rawServer(() => {});
    const controller = new AbortController();
    await using generator = await startGenerator({
      entry: bundle.entry,
      signal: controller.signal,
      keepPartial: true,
    });
    abortAfter(controller, 200);
    const order = closedOrder(server.origin, { timeout: secondsToNs(60) });
    await expect(generator.closedLoop(order)).rejects.toThrow('before a counted request was sent');
  });
});

import { describe, expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { msToNs, ns } from '../../src/kernel/units.ts';
import { deal, gather, sendersFor } from '../../src/load/dealing.ts';
import type { SliceOrder, SliceResult } from '../../src/load/protocol.ts';
import { get, sliceOrder } from './slices.ts';

const merge = (encoded: readonly string[]) =>
  LatencyHistogram.merged(encoded.map((one) => LatencyHistogram.decode(one)));

describe('a slice that is dealt', () => {
  const requests = ['/a', '/b', '/c'].map((path) => ({ ...get, path }));
  const whole: SliceOrder = {
    ...sliceOrder({
      origin: 'http://127.0.0.1:1',
      shots: 11,
      leadIn: 3,
      requests,
      maxSockets: 65,
      maxInFlight: 9,
    }),
  };
  const hands = deal(whole, 2);

  test('goes out shot by shot: each sender keeps an even grid, shifted against the other', () => {
    const { due } = whole.schedule;
    expect(due).toHaveLength(14);
    for (const [hand, { order }] of hands.entries()) {
      expect([...order.schedule.due]).toEqual([...due].filter((_, shot) => shot % 2 === hand));
    }
    const together = hands.flatMap(({ order }) => [...order.schedule.due]).sort((one, other) => one - other);
    expect(together).toEqual([...due]);
  });

  test('keeps who asks what, and which shots count', () => {
    const asked = (order: SliceOrder) =>
      [...order.schedule.sequence].map((index) => order.requests[index]!.path);
    const all = asked(whole);
    for (const [hand, { order }] of hands.entries()) {
      expect(asked(order)).toEqual(all.filter((_, shot) => shot % 2 === hand));
    }
    expect(hands.map(({ order }) => order.schedule.leadIn)).toEqual([2, 1]);
    expect(hands.map(({ order }) => order.schedule.due.length - order.schedule.leadIn)).toEqual([5, 6]);
  });

  test('does not exceed the caps of the whole by more than a rounding', () => {
    expect(hands.map(({ order }) => [order.maxSockets, order.maxInFlight])).toEqual([
      [33, 5],
      [33, 5],
    ]);
  });

  test('has no more hands than counted shots', () => {
    const few = deal(sliceOrder({ origin: 'http://127.0.0.1:1', shots: 2, leadIn: 5 }), 4);
    expect(few).toHaveLength(2);
    expect(few.every(({ order }) => order.schedule.due.length > order.schedule.leadIn)).toBe(true);
  });

  test('does not send requests to a sender that has no use for them', () => {
    const each = whole.schedule.due.length;
    const own = Array.from({ length: each }, (_, index) => ({ ...get, path: `/${index}` }));
    const sequence = Uint16Array.from({ length: each }, (_, index) => index);
    const [one] = deal({ ...whole, requests: own, schedule: { ...whole.schedule, sequence } }, 2);
    expect(one!.order.requests).toHaveLength(7);
  });
});

describe('results that are gathered', () => {
  const histogram = (...values: readonly number[]) => {
    const one = new LatencyHistogram();
    for (const value of values) one.record(ns(value));
    return one.encode();
  };
  const part = (shape: {
    readonly ok: number;
    readonly fit: number;
    readonly busy: number;
    readonly times: readonly number[];
  }): SliceResult => {
    const { ok, fit, busy, times } = shape;
    const same = histogram(...times);
    return {
      counts: { scheduled: ok + 1, ok, failed: 1, timedOut: 0, dropped: 0, unfinished: 0 },
      released: ok,
      onTime: ok - 1,
      span: msToNs(10),
      elapsed: msToNs(12),
      fit: { distance: fit, plannedGapCv: 0, sentGapCv: fit },
      inFlight: { halfway: 1, atEnd: 2, peak: 3 },
      errors: { 'status 503': 1 },
      statuses: { 200: ok, 503: 1 },
      bodies: { minBytes: ok, maxBytes: 2 * ok, totalBytes: 3 * ok, checksums: { 0: `sum-${ok}`, 2: 'two' } },
      histograms: { response: same, onTime: same, success: same, service: same, lateness: same },
      generator: {
        wall: msToNs(20),
        cpu: msToNs(busy * 20),
        utilisation: busy,
        eventLoopDelay: { p50: ns(1), p99: ns(2), max: ns(busy * 100) },
        metronomeLateness: { p50: ns(1), p99: ns(2), max: ns(3) },
        garbageCollection: { count: 1, total: ns(10), longest: ns(10 * busy) },
        peakMemory: 50,
        poolQueued: 1,
        socketsOpened: 4,
      },
    };
  };
  const order = sliceOrder({ origin: 'http://127.0.0.1:1', rate: 1000, shots: 10, leadIn: 3 });
  const hands = deal(order, 2);
  const parts = [
    part({ ok: 4, fit: 0.1, busy: 0.9, times: [1e6, 2e6] }),
    part({ ok: 5, fit: 0.3, busy: 0.4, times: [3e6] }),
  ];
  const all = gather(hands, parts, merge);

  test('add up: counts, errors, sizes, and percentiles of all shots together', () => {
    expect(all.counts).toEqual({ scheduled: 11, ok: 9, failed: 2, timedOut: 0, dropped: 0, unfinished: 0 });
    expect(all.errors).toEqual({ 'status 503': 2 });
    expect(all.statuses).toEqual({ 200: 9, 503: 2 });
    expect(all.bodies).toMatchObject({ minBytes: 4, maxBytes: 10, totalBytes: 27 });
    const response = LatencyHistogram.decode(all.histograms.response);
    expect(response.count).toBe(3);
    expect(response.percentile(0.6)! / 1e6).toBeCloseTo(2, 2);
    expect(all.inFlight).toEqual({ halfway: 2, atEnd: 4, peak: 6 });
  });

  test('put checksums back to the places of their shots in the whole', () => {
    // Lead-in 3: hand 0 counts shots 4, 6, …, hand 1 shots 3, 5, …; place 0 of the whole is shot 3.
    expect(hands.map(({ first, step }) => [first, step])).toEqual([
      [1, 2],
      [0, 2],
    ]);
    expect(all.bodies.checksums).toEqual({ 1: 'sum-4', 5: 'two', 0: 'sum-5', 4: 'two' });
  });

  test('take the worst of what says whether a sender kept up, and all of the CPU', () => {
    expect(all.fit.distance).toBe(0.3);
    expect(all.generator).toMatchObject({
      utilisation: 0.9,
      cpu: msToNs(26),
      wall: msToNs(20),
      peakMemory: 100,
      socketsOpened: 8,
      eventLoopDelay: { max: 90 },
      garbageCollection: { count: 2, total: 20, longest: 9 },
    });
  });

  test('last from the first counted shot of any to the last of any', () => {
    // The first counted shot is hand 1's; hand 0's first is a millisecond later and so is its end.
    expect(all.span).toBe(msToNs(11));
    expect(all.elapsed).toBe(msToNs(13));
  });
});

test('senders are as many as the rate wants and the machine has CPUs for', () => {
  expect(sendersFor('auto', 10_000, 8)).toBe(1);
  expect(sendersFor('auto', 10_001, 8)).toBe(2);
  expect(sendersFor('auto', 45_000, 8)).toBe(5);
  expect(sendersFor('auto', 45_000, 4)).toBe(3);
  expect(sendersFor('auto', 45_000, 2)).toBe(1);
  expect(sendersFor('auto', 45_000, 1)).toBe(1);
  expect(sendersFor('auto', 45_000, 1.5)).toBe(1);
  expect(sendersFor(3, 100, 2)).toBe(3);
});

import { describe, expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { msToNs, ns } from '../../src/kernel/units.ts';
import { ShotRows } from '../../src/load/rows.ts';
import { tallyRows } from '../../src/load/tally.ts';
import { percentileMs, sliceOrder } from './slices.ts';

const start = msToNs(1000);

/** Ten counted shots at 100/s, the clock at `start`, a time-out of 100 ms; nobody has touched them yet. */
function untouched(leadIn = 0) {
  const order = sliceOrder({
    origin: 'http://127.0.0.1:1',
    rate: 100,
    shots: 10,
    leadIn,
    timeout: msToNs(100),
  });
  const rows = new ShotRows(order, start);
  const tally = () => tallyRows(rows, order, () => new LatencyHistogram());
  const due = (shot: number) => rows.due[shot]!;
  const hand = (shot: number, lateMs = 0) => rows.hand(shot, ns(due(shot) + lateMs * 1e6));
  const answer = (shot: number, afterMs: number, status = 200) => {
    rows.onWritten(shot, ns(due(shot) + 0.1e6));
    rows.onAnswered(shot, ns(due(shot) + afterMs * 1e6), status, 10, null);
  };
  return { rows, tally, due, hand, answer };
}

describe('percentiles over all shots', () => {
  test('count a failed shot at the time-out, however fast it failed', () => {
    const { rows, tally, due, hand, answer } = untouched();
    for (let shot = 0; shot < 10; shot++) {
      hand(shot);
      if (shot < 5) answer(shot, 2);
      else if (shot < 8) answer(shot, 0.2, 500);
      else rows.onFailed(shot, ns(due(shot) + 1e5), 'connection refused');
    }
    const { counts, errors, statuses, histograms } = tally();
    expect(counts).toEqual({ scheduled: 10, ok: 5, failed: 5, timedOut: 0, dropped: 0, unfinished: 0 });
    expect(errors).toEqual({ 'status 500': 3, 'connection refused': 2 });
    expect(statuses).toEqual({ 200: 5, 500: 3 });
    expect(percentileMs(histograms.response, 0.5)).toBeCloseTo(2, 2);
    expect(percentileMs(histograms.response, 0.6)).toBeCloseTo(100, 0);
    expect(percentileMs(histograms.onTime, 0.6)).toBeCloseTo(100, 0);
    expect(percentileMs(histograms.success, 1)).toBeCloseTo(2, 2);
    expect(LatencyHistogram.decode(histograms.service).count).toBe(8);
    expect(percentileMs(histograms.service, 1)).toBeCloseTo(1.9, 2);
  });

  test('count unfinished shots at their age, timed-out and dropped ones at the time-out', () => {
    const { rows, tally, due, hand } = untouched();
    for (let shot = 0; shot < 9; shot++) hand(shot);
    rows.drop(9, ns(due(9)));
    // The first five are past their deadline, the other four are given up at ages of 50, 40, 30 and 20 ms.
    const end = ns(due(5) + 50e6);
    rows.sweep(ns(due(4) + 100e6));
    rows.giveUpRest(end);
    const { counts, histograms, released } = tally();
    expect(counts).toEqual({ scheduled: 10, ok: 0, failed: 0, timedOut: 5, dropped: 1, unfinished: 4 });
    expect(released).toBe(9);
    expect(percentileMs(histograms.response, 0.1)).toBeCloseTo(20, 1);
    expect(percentileMs(histograms.response, 0.4)).toBeCloseTo(50, 1);
    expect(percentileMs(histograms.response, 0.5)).toBeCloseTo(100, 0);
    expect(LatencyHistogram.decode(histograms.lateness).count).toBe(9);
    expect(rows.inFlight).toBe(0);
  });
});

describe('lateness', () => {
  test('of half a millisecond is on time, more is not, and the response time starts at the due time all the same', () => {
    const { tally, hand, answer } = untouched();
    for (let shot = 0; shot < 10; shot++) {
      hand(shot, shot < 6 ? 0.5 : 3);
      answer(shot, 5);
    }
    const { onTime, histograms } = tally();
    expect(onTime).toBe(6);
    expect(LatencyHistogram.decode(histograms.onTime).count).toBe(6);
    expect(percentileMs(histograms.lateness, 1)).toBeCloseTo(3, 2);
    expect(percentileMs(histograms.response, 0.1)).toBeCloseTo(5, 1);
  });

  test('beyond the end of the schedule means that a shot was not released', () => {
    const { rows, tally, due, hand, answer } = untouched();
    for (let shot = 0; shot < 7; shot++) {
      hand(shot);
      answer(shot, 1);
    }
    rows.hand(7, ns(due(9) + 19e6));
    rows.onAnswered(7, ns(due(9) + 20e6), 200, 0, null);
    rows.hand(8, ns(due(9) + 21e6));
    rows.onAnswered(8, ns(due(9) + 22e6), 200, 0, null);
    rows.expire(9, ns(due(9) + 101e6));
    const { released, counts } = tally();
    expect(released).toBe(8);
    expect(counts.timedOut).toBe(1);
  });
});

test('a shot that was sent early is an error, never a lateness of zero', () => {
  const { tally, hand, answer } = untouched();
  for (let shot = 0; shot < 10; shot++) {
    hand(shot, shot === 4 ? -0.01 : 0);
    answer(shot, 1);
  }
  expect(tally).toThrow('cannot be recorded');
});

test('an answer that overtakes the sweep but not the deadline is none', () => {
  const { rows, tally, hand, answer } = untouched();
  for (let shot = 0; shot < 10; shot++) {
    hand(shot);
    answer(shot, shot === 3 ? 100.1 : 99.9);
  }
  expect(rows.settled).toBe(10);
  expect(tally().counts).toMatchObject({ ok: 9, timedOut: 1 });
});

test('news of a shot that has ended changes nothing', () => {
  const { rows, tally, due, hand, answer } = untouched();
  for (let shot = 0; shot < 10; shot++) hand(shot);
  rows.sweep(ns(due(9) + 200e6));
  answer(0, 1);
  rows.onFailed(1, ns(due(1) + 1e6), 'connection reset');
  expect(tally().counts.timedOut).toBe(10);
  expect([rows.inFlight, rows.settled]).toEqual([0, 10]);
});

test('lead-in shots are in no count', () => {
  const { tally, hand, answer } = untouched(5);
  for (let shot = 0; shot < 15; shot++) {
    hand(shot, shot < 5 ? 8 : 0);
    answer(shot, 9, shot < 5 ? 500 : 200);
  }
  const { counts, released, onTime, errors } = tally();
  expect([counts.scheduled, counts.ok, released, onTime]).toEqual([10, 10, 10, 10]);
  expect(errors).toEqual({});
});

test('a shot that was lost count of is an error, never a number', () => {
  const { tally, hand, answer } = untouched();
  for (let shot = 0; shot < 9; shot++) {
    hand(shot);
    answer(shot, 1);
  }
  hand(9);
  expect(tally).toThrow('request 9 of 10 has no end');
});

import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import {
  intervalRanks,
  LatencyHistogram,
  longestLatency,
  nearestRank,
} from '../../src/evidence/histogram.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { ns } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';

function of(values: Iterable<number>): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.record(ns(value));
  return histogram;
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('what is let in', () => {
  for (const value of [Number.NaN, -1, -1e-9, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    test(`${value} is refused with an error that names it, and leaves no trace`, () => {
      const histogram = of([1000]);
      expect(() => histogram.record(ns(value))).toThrow(TailgateError);
      expect(() => histogram.record(ns(value))).toThrow(String(value));
      expect(histogram.count).toBe(1);
      expect(histogram.percentile(0.99)).toBe(1000);
    });
  }

  test('a duration of zero counts as one nanosecond', () => {
    const histogram = of([0]);
    expect([histogram.count, histogram.min, histogram.max, histogram.percentile(0.5)]).toEqual([1, 1, 1, 1]);
  });

  test('beyond a minute values are clamped and the clamps are counted', () => {
    const histogram = of([5, 61e9, 1e18]);
    expect(histogram.clamped).toBe(2);
    expect(histogram.count).toBe(3);
    expect(histogram.max).toBe(longestLatency);
    expect(histogram.percentile(1)).toBe(longestLatency);
  });

  test('a minute sharp is not a clamp', () => {
    expect(of([60e9]).clamped).toBe(0);
  });

  test('more than 65,536 equal values do not wrap', () => {
    const histogram = of(Array.from({ length: 70_000 }, () => 500));
    expect(histogram.count).toBe(70_000);
    expect(histogram.percentile(0.999)).toBe(500);
  });
});

describe('percentiles', () => {
  test('are the nearest rank of what was recorded, exact below 2,048 ns', () => {
    const histogram = of(range(1, 1000));
    expect(histogram.percentile(0.5)).toBe(500);
    expect(histogram.percentile(0.9)).toBe(900);
    expect(histogram.percentile(0.99)).toBe(990);
    expect(histogram.percentile(0.999)).toBe(999);
    expect(histogram.percentile(1)).toBe(1000);
  });

  test('of few values are the largest, never an average', () => {
    const histogram = of([10, 20, 30]);
    expect(histogram.percentile(0.5)).toBe(20);
    expect(histogram.percentile(0.99)).toBe(30);
  });

  test('stay within a thousandth of sorted values over nine decades', () => {
    const random = seededRandom('decades');
    const values = Array.from({ length: 20_000 }, () => Math.ceil(10 ** (random.next() * 9 + 1)));
    const sorted = [...values].sort((a, b) => a - b);
    const histogram = of(values);
    for (const share of [0.001, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999]) {
      const exact = sorted[Math.ceil(share * sorted.length) - 1]!;
      expect(Math.abs(histogram.percentile(share)! / exact - 1)).toBeLessThan(0.001);
    }
    expect(Math.abs(histogram.max! / sorted.at(-1)! - 1)).toBeLessThan(0.001);
    expect(Math.abs(histogram.min! / sorted[0]! - 1)).toBeLessThan(0.001);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.abs(histogram.mean! / mean - 1)).toBeLessThan(0.001);
  });

  test('never exceed the maximum although buckets are read at their upper end', () => {
    const histogram = of([10_001]);
    expect(histogram.percentile(0.99)).toBe(histogram.max);
  });

  test('of nothing are null, not zero', () => {
    const histogram = new LatencyHistogram();
    expect([histogram.percentile(0.99), histogram.max, histogram.min, histogram.mean]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(histogram.percentileInterval(0.5)).toBeNull();
  });

  test('ranks of whole products are not pushed up by binary fractions', () => {
    expect(nearestRank(0.999, 1000)).toBe(999);
    expect(nearestRank(0.99, 100)).toBe(99);
    expect(nearestRank(0.07, 100)).toBe(7);
    expect(nearestRank(0.29, 100)).toBe(29);
    expect(nearestRank(0.995, 300_000)).toBe(298_500);
    expect(nearestRank(0.5, 5)).toBe(3);
  });

  test('a share outside (0, 1] is refused', () => {
    expect(() => of([1]).percentile(99)).toThrow('99');
  });
});

describe('merging', () => {
  test('four instances: the merged p99 is the truth, the average of four p99 is not', () => {
    // Three quick instances and a slow one that took a small part of the traffic.
    const quick = () => of(range(1, 3300).map((index) => 1e6 + index * 1e4));
    const slow = of(range(1, 100).map((index) => 1e9 + index * 1e6));
    const parts = [quick(), quick(), quick(), slow];
    const merged = LatencyHistogram.merged(parts);
    const everything = [
      ...[1, 2, 3].flatMap(() => range(1, 3300).map((index) => 1e6 + index * 1e4)),
      ...range(1, 100).map((index) => 1e9 + index * 1e6),
    ].sort((a, b) => a - b);
    const truth = everything[Math.ceil(0.99 * everything.length) - 1]!;
    const averaged = parts.reduce((sum, part) => sum + part.percentile(0.99)!, 0) / 4;
    expect(merged.count).toBe(10_000);
    expect(Math.abs(merged.percentile(0.99)! / truth - 1)).toBeLessThan(0.001);
    expect(averaged / truth).toBeGreaterThan(5);
  });

  test('keeps the maximum, adds the clamps and leaves the parts alone', () => {
    const one = of([1000, 59e9]);
    const other = of([2000, 70e9]);
    const merged = LatencyHistogram.merged([one, other]);
    expect(merged.count).toBe(4);
    expect(merged.max).toBe(longestLatency);
    expect(merged.clamped).toBe(1);
    expect(one.count).toBe(2);
  });

  test('counts what does not exceed a bound', () => {
    expect(of(range(1, 1000)).countUpTo(ns(250))).toBe(250);
    expect(of([1, 2]).countUpTo(ns(0))).toBe(0);
    expect(of([1, 2]).countUpTo(ns(1e15))).toBe(2);
  });
});

describe('written and read again', () => {
  test('every percentile, the count and the extremes survive', () => {
    const random = seededRandom(7);
    const histogram = of(Array.from({ length: 5000 }, () => Math.ceil(-Math.log(1 - random.next()) * 3e6)));
    const again = LatencyHistogram.decode(histogram.encode());
    expect(again.count).toBe(5000);
    for (const share of [0.5, 0.9, 0.99, 0.999, 1])
      expect(again.percentile(share)).toBe(histogram.percentile(share));
    expect([again.max, again.min, again.mean]).toEqual([histogram.max, histogram.min, histogram.mean]);
    expect(again.encode()).toBe(histogram.encode());
  });

  test('zeros of a foreign one are its smallest values', () => {
    const foreign = build({
      bitBucketSize: 32,
      useWebAssembly: false,
      autoResize: false,
      lowestDiscernibleValue: 1,
      highestTrackableValue: 60e9,
      numberOfSignificantValueDigits: 3,
    });
    for (const value of [0, 0, 0, 5, 1000]) foreign.recordValue(value);
    const read = LatencyHistogram.decode(encodeIntoCompressedBase64(foreign));
    const merged = LatencyHistogram.merged([of([7]), read]);
    expect([0.2, 0.6, 0.8, 1].map((share) => read.percentile(share))).toEqual([0, 0, 5, 1000]);
    expect([0.5, 0.6, 0.8, 1].map((share) => merged.percentile(share))).toEqual([0, 5, 7, 1000]);
  });

  test('an empty one stays empty', () => {
    expect(LatencyHistogram.decode(new LatencyHistogram().encode()).count).toBe(0);
  });

  for (const text of ['', 'nonsense', 'HISTFAAAAAA=', of([1]).encode().slice(0, 20)]) {
    test(`"${text}" is refused with a way out`, () => {
      expect(() => LatencyHistogram.decode(text)).toThrow(TailgateError);
    });
  }
});

describe('intervals of percentiles', () => {
  const smallest: readonly (readonly [number, number])[] = [
    [0.5, 6],
    [0.9, 36],
    [0.99, 368],
    [0.999, 3688],
  ];
  for (const [share, count] of smallest) {
    test(`a finite one of the ${share} share needs ${count} values`, () => {
      expect(intervalRanks(share, count - 1)).toBeNull();
      expect(intervalRanks(share, count)).not.toBeNull();
      expect(of(range(1, count - 1)).percentileInterval(share)).toBeNull();
      expect(of(range(1, count)).percentileInterval(share)![1]).toBeGreaterThan(0);
    });
  }

  test('of a median are the ranks of the tables', () => {
    expect(intervalRanks(0.5, 6)).toEqual({ low: 1, high: 6 });
    expect(intervalRanks(0.5, 10)).toEqual({ low: 2, high: 9 });
    expect(intervalRanks(0.5, 20)).toEqual({ low: 6, high: 15 });
    expect(intervalRanks(0.5, 100)).toEqual({ low: 40, high: 61 });
  });

  test('of large samples follow the normal approximation', () => {
    const ranks = intervalRanks(0.99, 300_000)!;
    const deviation = Math.sqrt(300_000 * 0.99 * 0.01);
    expect(Math.abs(ranks.low - (297_000 - 1.96 * deviation))).toBeLessThan(3);
    expect(Math.abs(ranks.high - (297_000 + 1.96 * deviation))).toBeLessThan(3);
  });

  test('hold the true percentile at least 95 times in 100', () => {
    const random = seededRandom('coverage');
    let held = 0;
    for (let run = 0; run < 2000; run++) {
      const [low, high] = of(Array.from({ length: 400 }, () => random.next() * 1e6)).percentileInterval(
        0.95,
      )!;
      if (low <= 0.95e6 && 0.95e6 <= high) held++;
    }
    expect(held / 2000).toBeGreaterThan(0.945);
  });
});

/** Due times against the closed forms they promise: goodness of fit of the plan itself. */
import { describe, expect, test } from 'vitest';
import type { Arrivals } from '../../src/config/settings.ts';
import { msToNs, ns, perSecond, ratio, secondsToNs } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { dueTimes } from '../../src/load/arrivals.ts';

const rate = perSecond(1000);
const draw = (arrivals: Arrivals, counted: number, leadIn = 0): Float64Array =>
  dueTimes(arrivals, rate, counted, leadIn, seededRandom(7));
const ramp = (from: number, to: number): Arrivals => ({ kind: 'ramp', from: ratio(from), to: ratio(to) });
const burst: Arrivals = { kind: 'burst', every: secondsToNs(1), length: msToNs(100), factor: 5 };

/** Largest distance between the share of shots due by a moment and `cumulative` there. */
function distance(due: Float64Array, cumulative: (at: number) => number): number {
  let largest = 0;
  for (const [shot, at] of due.entries()) {
    const expected = cumulative(at);
    largest = Math.max(
      largest,
      Math.abs(shot / due.length - expected),
      Math.abs((shot + 1) / due.length - expected),
    );
  }
  return largest;
}

describe('a ramp', () => {
  test.each([
    [0.5, 1.5],
    [2, 0.25],
    [1, 1],
  ])('from %d to %d of the mean follows its integral and keeps the mean rate', (from, to) => {
    const due = draw(ramp(from, to), 10_000);
    const scale = 2 / (from + to);
    const cumulative = (at: number): number => {
      const u = at / 10e9;
      return scale * (from * u + ((to - from) * u * u) / 2);
    };
    // Only rounding to whole shots is left: one in ten thousand.
    expect(distance(due, cumulative)).toBeLessThanOrEqual(1.001e-4);
    expect(due.at(-1)! / 1e9).toBeCloseTo(10, 1);
  });

  test('that does not rise is the even grid', () => {
    const [flat, even] = [draw(ramp(1, 1), 1000), draw('constant', 1000)];
    for (const [shot, at] of flat.entries()) expect(at).toBeCloseTo(even[shot]!, 0);
  });

  test('has its lead-in before it, at the pace of its beginning', () => {
    const due = draw(ramp(0.5, 1.5), 1000, 10);
    expect(due[0]).toBe(0);
    expect(due[10]! - due[9]!).toBeCloseTo(2e6, 0);
    expect(due[11]! - due[10]!).toBeCloseTo(2e6, -4);
  });
});

describe('bursts', () => {
  const due = draw(burst, 10_000);
  // 100 ms at 5 shares and 900 ms at 1 share: 1,000 a second are 500 / 1.4 … of each.
  const usual = 1 / 1.4;

  test('are as much faster as they should be, and keep the mean rate over every period', () => {
    const inFirst = (from: number, to: number): number => due.filter((at) => at >= from && at < to).length;
    expect(inFirst(0, 100e6)).toBeCloseTo(100 * 5 * usual, -1);
    expect(inFirst(100e6, 1e9)).toBeCloseTo(900 * usual, -1);
    for (let second = 0; second < 10; second++) {
      expect(Math.abs(inFirst(second * 1e9, (second + 1) * 1e9) - 1000)).toBeLessThanOrEqual(1);
    }
  });

  test('follow their integral', () => {
    const cumulative = (at: number): number => {
      const [period, rest] = [Math.floor(at / 1e9), at % 1e9];
      const part = rest <= 100e6 ? rest * 5 * usual : 100e6 * 5 * usual + (rest - 100e6) * usual;
      return (period * 1e9 + part) / 10e9;
    };
    expect(distance(due, cumulative)).toBeLessThanOrEqual(1.001e-4);
  });
});

test('Poisson gaps are exponential: Kolmogorov–Smirnov at 1 %', () => {
  const due = draw('poisson', 20_001);
  const gaps = Float64Array.from({ length: 20_000 }, (_, shot) => due[shot + 1]! - due[shot]!).sort();
  const statistic = distance(gaps, (gap) => -Math.expm1(-gap / 1e6));
  // Kolmogorov's 1 % point, 1.6276 / √n.
  expect(statistic).toBeLessThanOrEqual(1.6276 / Math.sqrt(20_000));
});

test('every form ascends, begins at zero and has as many shots as asked for', () => {
  for (const arrivals of ['constant', 'poisson', ramp(0.2, 3), burst] as const) {
    const due = draw(arrivals, 5000, 32);
    expect(due).toHaveLength(5032);
    expect(due[0]).toBe(0);
    for (let shot = 1; shot < due.length; shot++)
      expect(ns(due[shot]! - due[shot - 1]!)).toBeGreaterThanOrEqual(0);
  }
});

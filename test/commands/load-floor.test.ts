import { describe, expect, test } from 'vitest';
import { floorLines, floorMs, floorWarnings } from '../../src/commands/load-floor.ts';
import { readArrivals } from '../../src/config/schema-arrivals.ts';
import { floorShots } from '../../src/floor.ts';
import { msToNs, ns, nsToSeconds, perSecond, secondsToNs } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { planSchedule } from '../../src/load/schedule.ts';

const burst = (everySeconds: number) =>
  ({ kind: 'burst', every: secondsToNs(everySeconds), length: msToNs(10), factor: 5 }) as const;

describe('how much is sent at nothing', () => {
  test('a fifth of a second, 20 shots at least and 500 at most', () => {
    expect([50, 100, 1000, 9000].map((rate) => floorShots(rate, 'constant'))).toEqual([20, 20, 200, 500]);
    expect(floorShots(1000, readArrivals('ramp')!)).toBe(200);
  });

  test('of bursts a whole period, with its quiet rest, up to a second', () => {
    const arrivals = readArrivals('burst')!;
    for (const rate of [50, 300, 5000]) {
      const extent = { kind: 'count', shots: floorShots(rate, arrivals) } as const;
      const shape = { rate: perSecond(rate), extent, arrivals, leadIn: 0, weights: [1] };
      const { due } = planSchedule(shape, seededRandom(1));
      expect(nsToSeconds(ns(due.at(-1)! - due[0]!))).toBeGreaterThan(0.95);
    }
    expect(floorShots(1000, burst(0.5))).toBe(500);
    expect(floorShots(1000, burst(0.1))).toBe(200);
    expect(floorShots(1000, burst(10))).toBe(200);
  });
});

describe('what is said of it', () => {
  const floor = floorMs({ p50: msToNs(0.20004), p99: msToNs(0.9) });

  test('in milliseconds, in one line', () => {
    expect(floor).toEqual({ p50: 0.2, p99: 0.9 });
    expect(floorLines(floor)).toEqual([
      'floor: p50 200 µs, p99 900 µs against a responder that does nothing',
    ]);
  });

  test('nothing where there is none', () => {
    expect(floorMs(null)).toBeNull();
    expect(floorLines(null)).toEqual([]);
    expect(floorWarnings(null, 1)).toEqual([]);
    expect(floorWarnings(floor, null)).toEqual([]);
  });

  test('a warning above a fifth of p50, another where it is not even below it', () => {
    expect(floorWarnings(floor, 1)).toEqual([]);
    const [high] = floorWarnings(floor, 0.8);
    expect(high).toMatchObject({ code: 'high-floor' });
    expect(high!.message).toMatch(/^25 % of the p50 is the generator and the loopback \(200 µs against/);
    const [above] = floorWarnings(floor, 0.2);
    expect(above).toMatchObject({ code: 'floor-not-below' });
    expect(above!.message).not.toContain('%');
  });
});

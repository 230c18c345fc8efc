import { describe, expect, test } from 'vitest';
import { perSecond } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { deservesSpin, Metronome, monotonicNow, pacing, planWakes } from '../../src/load/metronome.ts';
import { planSchedule } from '../../src/load/schedule.ts';

const due = (rate: number, arrivals: 'constant' | 'poisson', shots = 4000) =>
  planSchedule(
    { rate: perSecond(rate), extent: { kind: 'count', shots }, arrivals, leadIn: 0, weights: [1] },
    seededRandom('metronome'),
  ).due;

describe('wake-ups', () => {
  test('at 1,000/s announce every shot a little early, to be spun for', () => {
    const shots = due(1000, 'constant');
    expect(Array.from(planWakes(shots))).toEqual(Array.from(shots, (at) => at - pacing.early));
    expect(deservesSpin(shots, 1)).toBe(true);
  });

  for (const rate of [5000, 10_000, 40_000]) {
    test(`at ${rate}/s are at most one every quarter of a millisecond, and no shot is spun for`, () => {
      const shots = due(rate, 'constant');
      const wakes = planWakes(shots);
      const seconds = shots.at(-1)! / 1e9;
      expect(wakes.length).toBeLessThanOrEqual(seconds * 4000 + 3);
      expect(deservesSpin(shots, 1)).toBe(false);
    });
  }

  for (const arrivals of ['constant', 'poisson'] as const) {
    for (const rate of [50, 1000, 3000, 20_000]) {
      test(`of ${arrivals} arrivals at ${rate}/s cover every shot within a quarter of a millisecond`, () => {
        const shots = due(rate, arrivals);
        const wakes = planWakes(shots);
        let wake = 0;
        let spunFor = -1;
        for (let shot = 0; shot < shots.length; shot++) {
          // The wake-up that releases the shot: the first at or after it, or the one that spins for it.
          while (
            wakes[wake]! < shots[shot]! &&
            !(
              deservesSpin(shots, shot) &&
              wake !== spunFor &&
              shots[shot]! - wakes[wake]! <= pacing.early + 1
            )
          )
            wake++;
          expect(wake).toBeLessThan(wakes.length);
          if (wakes[wake]! < shots[shot]!) spunFor = wake;
          expect(wakes[wake]! - shots[shot]!).toBeLessThanOrEqual(pacing.leastGap);
        }
        for (let index = 1; index < wakes.length; index++) {
          // Within a nanosecond: sums of fractions.
          expect(wakes[index]! - wakes[index - 1]!).toBeGreaterThanOrEqual(pacing.leastGap - 1);
        }
      });
    }
  }
});

describe('the thread', () => {
  test('never wakes the sender before the time, says how late it was, and can be used again', async () => {
    await using metronome = await Metronome.start();
    for (let turn = 0; turn < 2; turn++) {
      const start = monotonicNow() + 5e6;
      const wakes = Float64Array.from({ length: 40 }, (_, index) => start + index * 1e6);
      const woken: number[] = [];
      const lateness = await metronome.wakeAt(wakes, () => woken.push(monotonicNow()));
      expect(woken.length).toBeGreaterThan(0);
      expect(woken.length).toBeLessThanOrEqual(40);
      expect(woken[0]!).toBeGreaterThanOrEqual(start);
      expect(lateness.p50).toBeGreaterThan(0);
      expect(lateness.max).toBeGreaterThanOrEqual(lateness.p99);
      // The last wake-up is never lost.
      expect(woken.at(-1)!).toBeGreaterThanOrEqual(wakes.at(-1)!);
    }
  });

  test('merges wake-ups that passed while the sender was busy', async () => {
    await using metronome = await Metronome.start();
    const start = monotonicNow() + 2e6;
    let calls = 0;
    await metronome.wakeAt(
      Float64Array.from({ length: 100 }, (_, index) => start + index * 250_000),
      () => {
        calls++;
        const busyUntil = monotonicNow() + 5e6;
        while (monotonicNow() < busyUntil);
      },
    );
    expect(calls).toBeLessThan(20);
  });
});

import { describe, expect, test } from 'vitest';
import { TailgateError } from '../../src/kernel/errors.ts';
import { perSecond, secondsToNs } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import type { ScheduleShape } from '../../src/load/schedule.ts';
import { planSchedule } from '../../src/load/schedule.ts';

const shape = (change: Partial<ScheduleShape> = {}): ScheduleShape => ({
  rate: perSecond(1000),
  extent: { kind: 'count', shots: 5000 },
  arrivals: 'poisson',
  leadIn: 32,
  weights: [1],
  ...change,
});
const gaps = (due: Float64Array) => Array.from(due.subarray(1), (at, index) => at - due[index]!);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the same seed', () => {
  for (const arrivals of ['constant', 'poisson'] as const) {
    test(`gives the same due times and the same sequence of requests (${arrivals})`, () => {
      const mixed = shape({ arrivals, weights: [5, 3, 1] });
      expect(planSchedule(mixed, seededRandom(42))).toEqual(planSchedule(mixed, seededRandom(42)));
    });
  }

  test('gives due times that do not move when the mix changes', () => {
    const one = planSchedule(shape(), seededRandom(42));
    const mixed = planSchedule(shape({ weights: [1, 1] }), seededRandom(42));
    expect(mixed.due).toEqual(one.due);
  });

  test('is what decides: another seed gives other due times and another sequence', () => {
    const one = planSchedule(shape({ weights: [1, 1] }), seededRandom(42));
    const other = planSchedule(shape({ weights: [1, 1] }), seededRandom(43));
    expect(other.due).not.toEqual(one.due);
    expect(other.sequence).not.toEqual(one.sequence);
  });
});

describe('due times', () => {
  test('of constant arrivals lie on an even grid from zero, lead-in included', () => {
    const { due, leadIn } = planSchedule(
      shape({ arrivals: 'constant', rate: perSecond(4) }),
      seededRandom(1),
    );
    expect(leadIn).toBe(32);
    expect(due.length).toBe(5032);
    expect(Array.from(due.subarray(0, 4))).toEqual([0, 250e6, 500e6, 750e6]);
  });

  test('of Poisson arrivals ascend with exponential gaps: mean 1/rate, coefficient of variation 1', () => {
    const drawn = gaps(
      planSchedule(shape({ extent: { kind: 'count', shots: 50_000 } }), seededRandom(3)).due,
    );
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    const average = mean(drawn);
    const deviation = Math.sqrt(mean(drawn.map((gap) => (gap - average) ** 2)));
    expect(average / 1e6).toBeCloseTo(1, 1);
    expect(deviation / average).toBeCloseTo(1, 1);
    // P(gap > 2/rate) = e^-2.
    expect(drawn.filter((gap) => gap > 2e6).length / drawn.length).toBeCloseTo(Math.exp(-2), 2);
  });

  test('by duration hold rate times duration counted shots', () => {
    const extent = { kind: 'duration', duration: secondsToNs(6) } as const;
    expect(planSchedule(shape({ extent, rate: perSecond(500) }), seededRandom(1)).due.length).toBe(3032);
  });
});

test('requests are drawn as often as their weights say', () => {
  const { sequence } = planSchedule(
    shape({ weights: [6, 3, 1], extent: { kind: 'count', shots: 50_000 } }),
    seededRandom(9),
  );
  const share = (request: number) => sequence.filter((drawn) => drawn === request).length / sequence.length;
  expect(share(0)).toBeCloseTo(0.6, 1);
  expect(share(1)).toBeCloseTo(0.3, 1);
  expect(share(2)).toBeCloseTo(0.1, 1);
});

describe('what makes no schedule is refused with the value and the way out', () => {
  const refused: readonly (readonly [string, Partial<ScheduleShape>, string])[] = [
    ['no rate', { rate: perSecond(0) }, '0 requests per second'],
    ['a rate that is no number', { rate: perSecond(Number.NaN) }, 'NaN'],
    ['no shots', { extent: { kind: 'duration', duration: secondsToNs(0) } }, 'at least 1'],
    [
      'more shots than fit',
      { rate: perSecond(1e6), extent: { kind: 'duration', duration: secondsToNs(60) } },
      '60000032',
    ],
    ['a negative weight', { weights: [1, -2] }, '-2'],
    ['no requests', { weights: [] }, '0 requests'],
  ];
  for (const [what, change, named] of refused) {
    test(what, () => {
      expect(() => planSchedule(shape(change), seededRandom(1))).toThrow(TailgateError);
      expect(() => planSchedule(shape(change), seededRandom(1))).toThrow(named);
    });
  }
});

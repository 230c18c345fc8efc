import { describe, expect, it } from 'vitest';
import { perSecond } from '../../src/kernel/units.ts';
import { advisedRates, capacityOf, nextRate, type RampStep } from '../../src/load/ramp.ts';

const step = (rate: number, more: Partial<RampStep> = {}): RampStep => ({
  ...{ rate: perSecond(rate), held: true, offered: true, ended: false },
  ...{ busy: 0.3, crowded: 0, generator: 0.2 },
  ...more,
});
const limits = { first: perSecond(100), most: perSecond(20_000), steps: 14 };

/** Climbs against a service that holds what `holds` says. */
function climb(holds: (rate: number) => Partial<RampStep>, own = limits): RampStep[] {
  const steps: RampStep[] = [];
  for (let rate = nextRate(steps, own); rate !== null; rate = nextRate(steps, own)) {
    steps.push(step(rate, holds(rate)));
    expect(steps.length).toBeLessThanOrEqual(own.steps);
  }
  return steps;
}
const capacityAt = (limit: number) => (rate: number) => ({ held: rate <= limit });

describe('the climb', () => {
  it.each([120, 700, 5000, 3])('closes in on a capacity of %d', (limit) => {
    const { held, failed } = capacityOf(climb(capacityAt(limit)), 2);
    expect(held!).toBeLessThanOrEqual(limit);
    expect(failed!).toBeGreaterThan(limit);
    expect(failed! / held!).toBeLessThanOrEqual(1.2);
  });

  it('stops at the highest rate, and when the generator cannot offer more', () => {
    const whole = climb(() => ({}), { ...limits, most: perSecond(400) });
    expect(whole.map(({ rate }) => rate)).toEqual([100, 150, 225, 338, 400]);
    const weak = climb((rate) => ({ offered: rate < 200 }));
    expect(weak.map(({ rate }) => rate)).toEqual([100, 150, 225]);
    expect(capacityOf(weak, 2)).toEqual({ held: 150, failed: null, bound: 'not-reached', busy: 0.3 });
  });

  it('stops when the service has ended by itself', () => {
    const steps = climb((rate) => (rate > 200 ? { held: false, ended: true, busy: null } : {}));
    expect(steps.map(({ rate }) => rate)).toEqual([100, 150, 225]);
    expect(capacityOf(steps, 2)).toMatchObject({ held: 150, failed: 225, bound: 'ended' });
  });

  it('is over after its steps, and knows no capacity of a service that holds nothing', () => {
    expect(climb(capacityAt(5000), { ...limits, steps: 3 })).toHaveLength(3);
    const nothing = capacityOf(climb(capacityAt(0)), 2);
    expect(nothing).toMatchObject({ held: null, failed: 1 });
    expect(advisedRates(nothing)).toBeNull();
  });
});

describe('what bounds a service', () => {
  const at = (limit: Partial<RampStep>, cores = 4) =>
    capacityOf([step(100), step(150, { held: false, ...limit })], cores).bound;

  it.each([
    ['one thread that is full', { busy: 0.97 }, 4, 'cpu'],
    ['all CPUs full together with the generator', { busy: 0.6, generator: 0.3 }, 1, 'cpu'],
    ['a wait for something else', { busy: 0.2 }, 4, 'not-cpu'],
    ['others that have the CPUs', { busy: 0.2, crowded: 0.8 }, 4, 'crowded'],
    ['nobody knows what', { busy: null }, 4, 'unknown'],
  ] as const)('is %s', (_, limit, cores, bound) => {
    expect(at(limit, cores)).toBe(bound);
  });
});

it('the advised rates are 40 to 50 % of what was held, in two digits', () => {
  const capacity = capacityOf([step(1234), step(1300, { held: false })], 2);
  expect(advisedRates(capacity)).toEqual({ least: 490, aim: 560, most: 620 });
});

/** Queues whose waiting times are known by formula, in virtual time: what is added up must agree within 5 %. */
import { describe, expect, it } from 'vitest';
import { findKnee, nextForKnee } from '../../src/capacity/knee.ts';
import { bracketOf, nextInSearch } from '../../src/capacity/search.ts';
import type { Phase, Step } from '../../src/capacity/step.ts';
import { type VirtualService, virtualStep } from './virtual-queue.ts';

/** 1 ms of the thread and 10 ms beside it: D/D/1 with a ceiling of 1,000/s. */
const even: VirtualService = { serviceTime: () => 1e6, beside: 10e6 };
/** Exponential service times of mean 1 ms: M/M/1 with Poisson arrivals. */
const random: VirtualService = { serviceTime: (chance) => -Math.log1p(-chance.next()) * 1e6 };

const within = (value: number | null, theory: number, share = 0.05): void => {
  expect(value).not.toBeNull();
  expect(Math.abs(value! / theory - 1), `${value} against ${theory}`).toBeLessThanOrEqual(share);
};

describe('D/D/1', () => {
  const at = (rate: number, seconds = 6): Step =>
    virtualStep(
      even,
      { rate, shots: rate * seconds, arrivals: 'constant', seed: 1, leadIn: 0, timeout: 60e9 },
      50,
    );

  it.each([100, 500, 900, 990])('keeps one response time below its ceiling: %d/s', (rate) => {
    const step = at(rate);
    within(step.successTimeMs.p50, 11);
    within(step.responseTimeMs.p99, 11);
    within(step.successfulPerSecond, rate);
    expect(step.passes).toBe(true);
  });

  it('costs a request what its thread does, though requests before the step are in what was read', () => {
    const run = { rate: 500, shots: 1500, arrivals: 'constant', seed: 1, leadIn: 250 } as const;
    const { cpu } = virtualStep(even, run, 50);
    expect(cpu!.perRequestMs).toBe(1);
    expect(cpu!.cores).toBeCloseTo(0.5, 2);
  });

  it.each([1100, 1280, 2000])('beyond it the queue grows by what is too much: %d/s', (rate) => {
    const step = at(rate);
    // After t seconds (rate − 1000) t requests wait, 1 ms each: shot i of n waits (1/1000 − 1/rate) i.
    const longest = (1 - 1000 / rate) * 6 * rate;
    within(step.successTimeMs.p50, 11 + longest / 2);
    within(step.responseTimeMs.p99, 11 + 0.99 * longest);
    within(step.inFlight.atEnd, (rate - 1000) * 6 + 11);
    within(step.successfulPerSecond, 1000);
    within(step.offeredPerSecond, rate);
    expect(step.saturated).toBe(true);
    expect(step.misses).toContain('successful');
  });
});

describe('M/M/1', () => {
  it.each([300, 500, 700])('has the response times of the formula at %d/s', (rate) => {
    const run = { rate, shots: 300_000, arrivals: 'poisson', seed: 7, leadIn: 2000 } as const;
    const step = virtualStep(random, run, 50);
    // Response times are exponential of rate μ − λ.
    within(step.successTimeMs.p50, (1000 * Math.LN2) / (1000 - rate));
    within(step.successTimeMs.p90, (1000 * Math.LN10) / (1000 - rate));
    within(step.responseTimeMs.p99, (1000 * Math.log(100)) / (1000 - rate));
    within(step.successfulPerSecond, rate, 0.02);
  });

  it.each([1280, 1500])('beyond it the queue grows by arrivals less services: %d/s', (rate) => {
    const seconds = Math.round(60_000 / (rate - 1000));
    const shots = rate * seconds;
    const run = { rate, shots, arrivals: 'poisson', seed: 11, leadIn: 0, timeout: 60e9 } as const;
    const step = virtualStep(random, run, 50);
    within(step.inFlight.halfway, ((rate - 1000) * seconds) / 2);
    within(step.inFlight.atEnd, (rate - 1000) * seconds);
    // Who comes in the middle finds half of that before him, 1 ms each on average.
    within(step.successTimeMs.p50, ((rate - 1000) * seconds) / 2);
    within(step.successfulPerSecond, 1000);
    expect(step.saturated).toBe(true);
  });
});

/** The search, then the knee narrowed, with virtual steps in place of measured ones; held as long as a ramp holds them. */
function searched(
  service: VirtualService,
  objectiveMs: number,
  arrivals: 'constant' | 'poisson',
  shots = 0,
): Step[] {
  const steps: Step[] = [];
  const limits = { from: 50, most: 10_000, mostIs: 'rate', repeats: 3, resolution: 1.05 } as const;
  const hold = (rate: number, phase: Phase): void => {
    const counted = Math.round(Math.max(1000, rate * 3, shots));
    const run = { rate, shots: counted, arrivals, seed: steps.length, leadIn: Math.ceil(rate / 2) };
    steps.push(virtualStep(service, run, objectiveMs, phase));
    expect(steps.length).toBeLessThan(60);
  };
  for (let next = nextInSearch(steps, limits); next.kind === 'measure'; next = nextInSearch(steps, limits))
    hold(next.rate, next.phase);
  for (let rate = nextForKnee(steps); rate !== null; rate = nextForKnee(steps)) hold(rate, 'knee');
  return steps;
}

describe('the whole search', () => {
  it('finds the ceiling of D/D/1 within its resolution, both ends run three times, and its knee just below', () => {
    const steps = searched(even, 50, 'constant');
    const { lastPass, firstFail } = bracketOf(steps);
    expect(lastPass!).toBeLessThanOrEqual(1020);
    expect(firstFail!).toBeGreaterThan(1000);
    expect(firstFail! / lastPass!).toBeLessThanOrEqual(1.05);
    for (const rate of [lastPass, firstFail])
      expect(steps.filter((one) => one.rate === rate)).toHaveLength(3);
    const knee = findKnee(steps);
    within(knee.plateauMs, 11);
    // What the thread can do, by the CPU that requests cost where it does nothing but work.
    const costs = steps.flatMap(({ cpu }) => (cpu!.cores >= 0.9 ? (cpu!.perRequestMs ?? []) : []));
    const ceiling = 1000 / costs.sort((a, b) => a - b)[(costs.length - 1) >> 1]!;
    within(ceiling, 1000, 0.01);
    expect(knee.rate! / ceiling).toBeGreaterThanOrEqual(0.8);
    expect(knee.rate! / ceiling).toBeLessThanOrEqual(1);
    const rate = 1.28 * knee.rate!;
    const run = { rate, shots: Math.round(3 * rate), arrivals: 'constant', seed: 1 } as const;
    const over = virtualStep(even, run, 50);
    expect(over.successTimeMs.p50! / knee.plateauMs!).toBeGreaterThanOrEqual(20);
  });

  it('finds the rate at which the p99 of M/M/1 meets the objective', () => {
    // ln 100 / (μ − λ) = 20 ms at λ = 1000 − 230.3.
    const { lastPass, firstFail } = bracketOf(searched(random, 20, 'poisson', 40_000));
    expect(lastPass!).toBeGreaterThan(0.92 * 769.7);
    expect(firstFail!).toBeLessThan(1.1 * 769.7);
  });

  it('puts the knee of M/M/1 where twice the plateau is: half the ceiling', () => {
    const slow: VirtualService = { serviceTime: (chance) => -Math.log1p(-chance.next()) * 100e6 };
    const steps = [0.5, 1, 2, 3, 4, 4.6, 5.6, 6, 8].map((rate) =>
      virtualStep(slow, { rate, shots: 100_000, arrivals: 'poisson', seed: 3, timeout: 60e9 }, 2000),
    );
    const knee = findKnee(steps);
    expect([knee.rate, knee.beyond]).toEqual([4.6, 5.6]);
  });
});

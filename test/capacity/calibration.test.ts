import { describe, expect, it } from 'vitest';
import { reachable, reachOf } from '../../src/ramp-calibration.ts';
import { criteria } from './virtual-queue.ts';

/** What is found and which rates were tried, with a generator that sends so much a second at most. */
async function reached(limit: number, most: number): Promise<{ reach: number; tried: number[] }> {
  const tried: number[] = [];
  const reach = await reachOf(async (rate) => {
    tried.push(rate);
    return rate <= limit;
  }, most);
  return { reach, tried };
}

describe('the reach of the generator', () => {
  it.each([
    [100_000, 400, 400],
    [100_000, 20_000, 20_000],
    [100_000, 3, 200],
    [4500, 20_000, 4000],
    [6000, 20_000, 5657],
    [250, 400, 200],
    [130, 20_000, 125],
    [10, 20_000, 0],
  ])('of one that sends %d/s, with %d/s wanted, is %d/s', async (limit, most, expected) => {
    const { reach, tried } = await reached(limit, most);
    expect(reach).toBe(expected);
    // Nothing is claimed that was not sent.
    if (expected > 0) expect(tried).toContain(reach);
    expect(reach).toBeLessThanOrEqual(limit);
    expect(tried.length).toBeLessThan(10);
  });
});

describe('the range of a ramp', () => {
  const settings = { criteria: criteria(50), from: 400, most: 20_000, mostWanted: false };
  const within = (reachPerSecond: number, over: Partial<typeof settings> = {}) => {
    const told: string[] = [];
    const range = reachable({ ...settings, ...over }, { p50Ms: 0.3, p99Ms: 2, reachPerSecond }, (event) =>
      told.push(event.kind === 'warning' ? event.warning.message : event.kind),
    );
    return { range, told };
  };

  it('ends with what the generator reaches, and says so when more was wanted', () => {
    expect(within(8000)).toEqual({
      range: { from: 400, most: 8000, mostIs: 'generator' },
      told: ['calibrated'],
    });
    expect(within(20_000).range.mostIs).toBe('rate');
    expect(within(8000, { mostWanted: true }).told[0]).toMatch(/^rates from 8000\/s to 20000\/s cannot be/);
  });

  it('is refused when it begins beyond the reach, or the objective is below the floor', () => {
    expect(() => within(200)).toThrow(
      '--from 400 cannot be reached: on this machine the generator reaches about 200/s',
    );
    expect(() => within(0, { from: 5 })).toThrow('does not reach even 25/s');
    expect(() => within(8000, { criteria: criteria(0.2) })).toThrow('an objective of 0.2 ms cannot be told');
  });
});

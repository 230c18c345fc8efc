import { describe, expect, it } from 'vitest';
import { reachOf } from '../../src/ramp-calibration.ts';

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

import { describe, expect, it } from 'vitest';
import { capacityOf, nextInShort, type ShortLimits } from '../../src/capacity/short-search.ts';
import type { Step } from '../../src/capacity/step.ts';
import { step } from './virtual-queue.ts';

const limits: ShortLimits = { start: 900, least: 10, most: 5000, factor: 1.2, resolution: 1.05 };
const fails = { passes: false, misses: ['p99', 'successful'] } as const;

function run(capacity: number, over: Partial<ShortLimits> = {}): Step[] {
  const steps: Step[] = [];
  const all = { ...limits, ...over };
  for (let rate = nextInShort(steps, all); rate !== null; rate = nextInShort(steps, all)) {
    steps.push(step(rate, rate > capacity ? fails : {}));
    expect(steps.length).toBeLessThan(20);
  }
  return steps;
}

describe('nextInShort', () => {
  it.each([300, 899, 905, 2000])('brackets a capacity of %d from 900 within 5 %', (capacity) => {
    const found = capacityOf(run(capacity))!;
    expect(Math.abs(found / capacity - 1)).toBeLessThan(0.05);
  });

  it('takes few steps when the capacity is near', () => {
    expect(run(930).length).toBeLessThanOrEqual(5);
  });

  it('has no figure when the bracket lies outside of its limits', () => {
    expect(capacityOf(run(9000))).toBeNull();
    expect(run(9000).at(-1)!.rate).toBe(5000);
    expect(capacityOf(run(1, { least: 200 }))).toBeNull();
    expect(run(1, { least: 200 }).at(-1)!.rate).toBe(200);
  });

  it('runs a doubtful step again', () => {
    const once = [step(900, { passes: false, misses: ['p99'] })];
    expect(nextInShort(once, limits)).toBe(900);
  });
});

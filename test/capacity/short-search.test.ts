import { describe, expect, it } from 'vitest';
import { capacityOf, nextInShort, noBracketOf, type ShortLimits } from '../../src/capacity/short-search.ts';
import type { Step } from '../../src/capacity/step.ts';
import { step } from './virtual-queue.ts';

const limits: ShortLimits = { start: 900, least: 10, most: 5000, factor: 1.2, resolution: 1.05 };
const fails = { passes: false, misses: ['p99', 'successful'] } as const;

const unsound = { sound: false, passes: false, reasons: ['generator-busy'] } as const;

/** @param reach beyond it the generator fails. */
function run(capacity: number, over: Partial<ShortLimits> = {}, reach = Number.POSITIVE_INFINITY): Step[] {
  const steps: Step[] = [];
  const all = { ...limits, ...over };
  for (let rate = nextInShort(steps, all); rate !== null; rate = nextInShort(steps, all)) {
    steps.push(step(rate, rate > reach ? unsound : rate > capacity ? fails : {}));
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

  it('asks once more where the generator failed, and then no more', () => {
    const rates = run(9000, { factor: 1.3 }, 1000).map(({ rate }) => rate);
    expect(rates).toEqual([900, 1170, 1170]);
    // Downwards too, and in the middle.
    expect(run(700, {}, 0).map(({ rate }) => rate)).toEqual([900, 900]);
    const below = [step(900, fails), step(750, unsound), step(750, unsound)];
    expect(nextInShort(below, limits)).toBeNull();
    const inside = [step(900), step(1080, fails), step(985.9, unsound), step(985.9, unsound)];
    expect(nextInShort(inside, limits)).toBeNull();
  });
});

describe('noBracketOf', () => {
  it.each([
    ['the generator fails above', run(9000, {}, 1000), { kind: 'at-least', rate: 900, limit: 'generator' }],
    ['everything passes', run(9000), { kind: 'at-least', rate: 5000, limit: 'bound' }],
    [
      'the service never gets quiet above',
      [step(900), step(1080, { passes: false, misses: ['p99'] })],
      { kind: 'at-least', rate: 900, limit: 'service' },
    ],
    ['everything fails', run(1, { least: 200 }), { kind: 'missed', rate: 200 }],
    ['the generator fails from the start', run(9000, {}, 0), { kind: 'unsound', rate: 900 }],
    [
      'the first step decides nothing',
      [step(900, { passes: false, misses: ['p99'] })],
      { kind: 'overrun', rate: 900 },
    ],
  ])('when %s', (_, steps, found) => {
    expect(capacityOf(steps)).toBeNull();
    expect(noBracketOf(steps, limits)).toEqual(found);
  });
});

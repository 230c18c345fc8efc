import { describe, expect, it } from 'vitest';
import type { JobPlan } from '../../src/config/plan.ts';
import { holdsFreshRounds, keepToTime } from '../../src/config/plan-time.ts';
import { planJob } from '../../src/config/planner.ts';
import { readConfig } from '../../src/config/read.ts';
import { typicalAssumptions } from '../../src/config/timing.ts';
import { ns, secondsToNs } from '../../src/kernel/units.ts';
import { leastRounds, lookRounds, looksAt } from '../../src/verdict/looks.ts';

const planOf = (lines: string): JobPlan =>
  planJob(
    readConfig(`start: node server.js\n${lines}`, { source: 'test', overrides: {}, environment: {} }).config,
    1,
    typicalAssumptions,
    { lookRounds, leastRounds },
  );
const plan = planOf('rate: 1000\nrounds: { aim: 15 }');
const budget = secondsToNs(240);
const least = leastRounds(6);
/** After so many rounds of so many seconds, all of them usable unless told. */
const keptAfter = (measured: number, seconds: number, usable = measured): JobPlan =>
  keepToTime(plan, least, { measured, usable, spent: ns(measured * secondsToNs(seconds)), budget });

describe('a plan that is carried out', () => {
  it('is left alone while another round and a confirmation of six fit', () => {
    expect(keptAfter(0, 0)).toBe(plan);
    expect(keptAfter(8, 16)).toBe(plan);
    // 9 rounds, another one and six to confirm are the whole budget.
    expect(keptAfter(9, 15)).toBe(plan);
    expect(keptAfter(15, 60)).toBe(plan);
  });

  it('looks for the last time at the rounds there are when no other one fits, and says so', () => {
    const kept = keptAfter(10, 15);
    expect([kept.rounds, kept.looks]).toEqual([10, [6, 9, 10]]);
    expect(kept.notes.at(-1)).toMatchObject({
      code: 'out-of-time',
      message: expect.stringMatching(
        /^10 rounds before a confirmation instead of 15: a round took 15 s instead of about [\d.]+ s,/,
      ),
    });
    expect({ ...kept, rounds: plan.rounds, looks: plan.looks, notes: plan.notes }).toEqual(plan);
  });

  it('spends at the last look what the early ones that were taken have left', () => {
    expect(looksAt(keptAfter(10, 15).looks).map(({ failLevel }) => failLevel)).toEqual([null, 0.01, 0.04]);
    expect(looksAt(keptAfter(8, 20).looks).map(({ failLevel }) => failLevel)).toEqual([null, 0.05]);
    // At nine the early look was not enough, and it becomes the last one: the level of both in all is 5 %.
    expect(looksAt(keptAfter(9, 16).looks).map(({ failLevel }) => failLevel)).toEqual([null, 0.05]);
  });

  it('has rounds enough to fail, whatever they take', () => {
    expect(keptAfter(6, 100)).toBe(plan);
    expect(keptAfter(least, 100).rounds).toBe(least);
    // Rounds that cannot be used took their time all the same.
    expect(keptAfter(12, 20, 6)).toBe(plan);
    expect(keptAfter(12, 20, 8).rounds).toBe(8);
  });

  it('keeps no time for a confirmation that is turned off', () => {
    const own = planOf('rate: 1000\nrounds: { aim: 15 }\nconfirm: false');
    const time = { measured: 10, usable: 10, spent: secondsToNs(150), budget };
    expect(keepToTime(own, least, time)).toBe(own);
    expect(keepToTime(own, least, { ...time, spent: secondsToNs(230) }).rounds).toBe(10);
  });
});

describe('fresh rounds for what a last look left open', () => {
  const holds = (measured: number, seconds: number): boolean =>
    holdsFreshRounds(plan, { measured, spent: ns(measured * secondsToNs(seconds)), budget });

  it('are measured when the budget holds all six of them', () => {
    expect(plan.confirmationRounds).toBe(6);
    expect(holds(12, 13.3)).toBe(true);
    expect(holds(12, 13.4)).toBe(false);
    expect(holds(7, 100)).toBe(false);
    expect(holds(0, 0)).toBe(false);
  });
});

/** What a plan says about itself: true, and with a way out that keeps its word. */
import { describe, expect, test } from 'vitest';
import { leastRequests } from '../../src/config/eligibility.ts';
import type { JobPlan } from '../../src/config/plan.ts';
import { planJob } from '../../src/config/planner.ts';
import { readConfig } from '../../src/config/read.ts';
import { costOfJob, typicalAssumptions } from '../../src/config/timing.ts';
import { leastRounds, lookRounds } from '../../src/verdict/looks.ts';

const looks = { lookRounds, leastRounds };
const configOf = (lines: string) =>
  readConfig(`start: node server.js\n${lines}`, { source: 'test', overrides: {}, environment: {} }).config;
const planOf = (lines: string): JobPlan => planJob(configOf(lines), 1, typicalAssumptions, looks);
const only = (plan: JobPlan) => plan.scenarios[0]!;

describe('a note', () => {
  const note = (plan: JobPlan) => plan.notes.find((one) => one.code === 'percentile-in-place-of-p99')!;

  test('says which percentile is judged in place of p99, and what would change that', () => {
    const { message, hint } = note(planOf('rate: 300'));
    expect(message).toContain(
      'p95 is judged in place of p99: p99 needs 500 requests a slice and 2,000 a side and round',
    );
    expect(hint).toBe('`time-budget: 6m` would make p99 eligible');
  });

  test.each(['rate: 400', 'rate: 300', 'rate: 100', 'rate: 50', 'rate: 200\nslices: 12'])(
    'at %s keeps its word: with the budget it names p99 is judged',
    (lines) => {
      const budget = /`time-budget: (\w+)`/.exec(note(planOf(lines)).hint!)![1]!;
      const plan = planOf(`${lines}\ntime-budget: ${budget}`);
      expect(only(plan).tailPercentile).toBe('p99');
      expect(plan.rounds).toBeGreaterThanOrEqual(12);
    },
  );

  test('names the setting that keeps p99 out when it is not the time', () => {
    const { hint } = note(planOf('rate: 600\nslice-requests: 200\ntime-budget: 1h'));
    expect(hint).toBe('`slice-requests: 500` would make p99 eligible');
    expect(only(planOf('rate: 600\nslice-requests: 500\ntime-budget: 1h')).tailPercentile).toBe('p99');
    // When it is both, both are named.
    expect(note(planOf('rate: 600\nslice-requests: 200\ntime-budget: 3m')).hint).toBe(
      '`slice-requests: 500` with `time-budget: 4m` would make p99 eligible',
    );
  });

  test('names no budget that a job may not have', () => {
    const { hint } = note(planOf('rate: 5\nrounds: { aim: 20, least: 7, most: 30 }\ntime-budget: 40m'));
    expect(hint).toBe(
      'that takes more than the 360 min a job may have: a higher `rate` or fewer scenarios would help',
    );
    for (const lines of [
      'rate: 1\nslices: 4',
      'scenarios: [{ name: a, rate: 1 }, { name: b, rate: 50000 }]',
    ]) {
      const { notes } = planOf(`${lines}\ntime-budget: 6h\nconfirm: false`);
      const budgets = notes.flatMap((one) => [...(one.hint ?? '').matchAll(/`time-budget: (\d+)m`/g)]);
      for (const [, minutes] of budgets) expect(Number(minutes)).toBeLessThanOrEqual(360);
    }
  });

  test('does not speak of p99 when p99 is judged', () => {
    expect(planOf('rate: 600\ntime-budget: 4m').notes.map((one) => one.code)).toEqual(['fewer-slices']);
    expect(planOf('rate: 600\ntime-budget: 1h').notes).toEqual([]);
  });

  const slicesNote = (plan: JobPlan) => plan.notes.find((one) => one.code === 'fewer-slices');

  test('about fewer slices says with which percentile more do not fit, and which budget has room for them', () => {
    const { message, hint } = slicesNote(planOf('rate: 600\ntime-budget: 4m'))!;
    expect(message).toBe(
      '4 slices a side and round instead of 8: 8 do not fit into the time budget of 4 min with p99',
    );
    expect(hint).toBe('`time-budget: 6m` would make room for 8');
    expect(only(planOf('rate: 600\ntime-budget: 6m')).slices).toBe(8);
    // More time would make p99 eligible first, which the other note says.
    const lower = slicesNote(planOf('rate: 600\ntime-budget: 2m'))!;
    expect(lower.message).toContain('8 do not fit into the time budget of 2 min with p95');
    expect(lower.hint).toBeUndefined();
  });

  test.each([
    'rate: 600',
    'rate: 200',
    'rate: 1000\nslices: 12',
    'scenarios: [{ name: a, rate: 200 }, { name: b, rate: 2000 }]',
  ])('about fewer slices is true at any budget with %s', (lines) => {
    const wanted = lines.includes('slices: 12') ? 12 : 8;
    let seen = 0;
    for (let seconds = 120; seconds <= 1200; seconds += 20) {
      const config = configOf(`${lines}\ntime-budget: ${seconds}s`);
      const plan = planJob(config, 1, typicalAssumptions, looks);
      const told = slicesNote(plan);
      expect(told !== undefined, `${seconds} s`).toBe(only(plan).slices < wanted);
      if (told === undefined) continue;
      seen++;
      const requests = plan.scenarios.map((one) => leastRequests(one.tailPercentile, wanted));
      const cost = costOfJob(config, typicalAssumptions, plan.rounds, { slices: wanted, requests });
      expect(cost, `${seconds} s`).toBeGreaterThan(config.timeBudget);
      const budget = /`time-budget: (\w+)`/.exec(told.hint ?? '')?.[1];
      if (budget !== undefined)
        expect(slicesNote(planOf(`${lines}\ntime-budget: ${budget}`)), `${seconds} s`).toBeUndefined();
    }
    expect(seen).toBeGreaterThan(3);
  });

  test('names the scenarios when there are several', () => {
    const plan = planOf('rate: 400\nscenarios: [{ name: a }, { name: b, rate: 20000 }]');
    expect(plan.scenarios.map((one) => one.tailPercentile)).toEqual(['p95', 'p99']);
    expect(note(plan).message).toContain('p95 of "a" is judged');
  });
});

/** The plan of a job: rounds first, then slices, requests and the percentile; refused when it could never answer. */
import { describe, expect, test } from 'vitest';
import { eligiblePercentile, leastRequests, tailPercentiles } from '../../src/config/eligibility.ts';
import type { JobPlan } from '../../src/config/plan.ts';
import { type LookRules, planJob, scheduledShots } from '../../src/config/planner.ts';
import { readConfig } from '../../src/config/read.ts';
import { costOfJob, typicalAssumptions } from '../../src/config/timing.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { budgetText, ns, secondsToNs } from '../../src/kernel/units.ts';
import { leastRounds, lookRounds } from '../../src/verdict/looks.ts';

const looks: LookRules = { lookRounds, leastRounds };

const configOf = (lines: string) =>
  readConfig(`start: node server.js\n${lines}`, { source: 'test', overrides: {}, environment: {} }).config;
/** With a warm-up that goes on to its cap. */
const longestRound = ({ roundTime, warmUp }: JobPlan): number =>
  roundTime + (1 - typicalAssumptions.warmUpShare) * warmUp.most;

const planOf = (lines: string, seed = 1): JobPlan =>
  planJob(configOf(lines), seed, typicalAssumptions, looks);

function refusalOf(lines: string): TailgateError {
  try {
    planOf(lines);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TailgateError);
    expect((thrown as TailgateError).code).toBe('usage');
    return thrown as TailgateError;
  }
  throw new Error('was planned');
}

const only = (plan: JobPlan) => plan.scenarios[0]!;

describe('a percentile is eligible by the shots that are scheduled', () => {
  test.each([
    [8, 500, 'p99'],
    [8, 499, 'p95'],
    [4, 500, 'p99'],
    [4, 499, 'p95'],
    [8, 100, 'p95'],
    [8, 99, 'p90'],
    [8, 50, 'p90'],
    [8, 49, null],
    [4, 100, 'p95'],
    [4, 50, 'p90'],
  ] as const)('%i slices of %i: %s', (slices, requests, percentile) => {
    expect(eligiblePercentile(slices, requests)).toBe(percentile);
  });

  test('as 5 beyond it in a slice and 20 in a side and round', () => {
    expect([leastRequests('p99', 4), leastRequests('p95', 4), leastRequests('p90', 4)]).toEqual([
      500, 100, 50,
    ]);
    // Fewer slices than any plan has: the round decides.
    expect([leastRequests('p99', 2), leastRequests('p95', 2), leastRequests('p90', 2)]).toEqual([
      1000, 200, 100,
    ]);
  });
});

describe('the plan', () => {
  test('keeps to the time budget, confirmation included, from 2 to 5 minutes at 600/s', () => {
    for (const minutes of [2, 3, 4, 5]) {
      const plan = planOf(`rate: 600\ntime-budget: ${minutes}m`);
      expect(plan.rounds).toBeGreaterThanOrEqual(12);
      expect(plan.looks).toEqual(lookRounds(plan.rounds));
      expect(plan.totalTime).toBe((plan.rounds + 6) * plan.roundTime);
      expect(plan.totalTime).toBeLessThanOrEqual(minutes * 60e9);
      // Slices that are not whole take all there is; whole ones leave less than a round, unless no more are wanted.
      const isWhole = only(plan).sliceRequests === 500;
      if (!isWhole) expect(plan.totalTime).toBeGreaterThan(minutes * 60e9 * 0.98);
      else if (plan.rounds < 15) expect(plan.totalTime + plan.roundTime).toBeGreaterThan(minutes * 60e9);
      expect(plan.warmUp.most).toBeLessThanOrEqual(longestRound(plan) * 0.25 * (1 + 1e-9));
      expect(only(plan).tailPercentile).toBe(eligiblePercentile(only(plan).slices, only(plan).sliceRequests));
    }
  });

  test('takes fewer, whole slices rather than a lower percentile, and rounds with what is left', () => {
    const plan = planOf('rate: 600\ntime-budget: 4m');
    expect([plan.rounds, only(plan).slices, only(plan).sliceRequests, only(plan).tailPercentile]).toEqual([
      15,
      4,
      500,
      'p99',
    ]);
    // Where p99 is out of reach anyway, the slices stay.
    const lower = planOf('rate: 600\ntime-budget: 3m');
    expect([only(lower).slices, only(lower).tailPercentile]).toEqual([8, 'p95']);
  });

  test('has more rounds than aimed at only when its slices are whole, and never more than `most`', () => {
    const layoutOf = (lines: string) => {
      const plan = planOf(`rate: 600\n${lines}`);
      return [plan.rounds, only(plan).slices, only(plan).sliceRequests];
    };
    expect(layoutOf('time-budget: 5m')).toEqual([15, 4, 500]);
    expect(layoutOf('time-budget: 5m\nrounds: { aim: 12, most: 13 }')).toEqual([13, 4, 500]);
    // With room in its slices, time goes there first.
    const [rounds, slices, requests] = layoutOf('time-budget: 5m\nslice-requests: 900');
    expect([rounds, slices]).toEqual([12, 4]);
    expect(requests).toBeGreaterThan(500);
    // Even where requests are added in such large steps that a round would fit into what they leave.
    const large = planOf(
      'rate: 20\ntime-budget: 30m\nslices: 4\nslice-requests: 10000\nrounds: { aim: 20, least: 8, most: 60 }',
    );
    expect(large.rounds).toBe(20);
    expect(large.totalTime + large.roundTime).toBeLessThan(1800e9);
  });

  test('never judges a lower percentile when it is given more time', () => {
    for (const lines of [
      'rate: 600',
      'rate: 200',
      'rate: 600\nslices: 16',
      'rate: 600\nslice-requests: 200',
    ]) {
      const heights = Array.from({ length: 40 }, (_, index) => {
        const plan = planOf(`${lines}\ntime-budget: ${90 + 15 * index}s`);
        return tailPercentiles.indexOf(only(plan).tailPercentile);
      });
      expect(heights).toEqual([...heights].sort((one, other) => other - one));
    }
  });

  test('judges more of the tail when it is given more time', () => {
    const percentiles = ['70s', '3m', '7m'].map(
      (budget) => only(planOf(`rate: 600\ntime-budget: ${budget}`)).tailPercentile,
    );
    expect(percentiles).toEqual(['p90', 'p95', 'p99']);
  });

  test('judges p50, the percentile, both costs, stalls and errors of every scenario', () => {
    const plan = planOf('rate: 600\nscenarios: [{ name: a }, { name: b }]\ntime-budget: 4m');
    expect(plan.scenarios.map((one) => one.judged)).toEqual([
      ['p50', 'p95', 'cpu', 'cpu-total', 'tail', 'errors'],
      ['p50', 'p95', 'cpu', 'cpu-total', 'tail', 'errors'],
    ]);
  });

  test('takes whole slices and as many rounds as fit when there is room, and no more than `most`', () => {
    const roomy = planOf('rate: 600\nslices: 8\ntime-budget: 1h');
    expect([roomy.rounds, only(roomy).slices, only(roomy).sliceRequests]).toEqual([15, 8, 500]);
    expect(roomy.looks).toEqual([6, 9, 12, 15]);
    const between = planOf('rate: 600\ntime-budget: 385s');
    expect([between.rounds, only(between).sliceRequests]).toEqual([13, 500]);
  });

  test('fills the time budget with slices by itself, up to 32, before it takes more rounds than aimed at', () => {
    const layoutOf = (lines: string) => {
      const plan = planOf(lines);
      expect(plan.totalTime).toBeLessThanOrEqual(configOf(lines).timeBudget);
      return [plan.rounds, only(plan).slices, only(plan).sliceRequests];
    };
    expect(layoutOf('rate: 1000')).toEqual([12, 8, 500]);
    expect(layoutOf('rate: 2000')).toEqual([15, 12, 500]);
    expect(layoutOf('rate: 3000')).toEqual([12, 20, 500]);
    expect(layoutOf('rate: 600\ntime-budget: 1h')).toEqual([15, 32, 500]);
    expect(layoutOf('rate: 3000\nslices: 8')).toEqual([15, 8, 500]);
    // One scenario without room for whole slices: none has more than the usual number.
    const uneven = planOf(
      'scenarios: [{ name: slow, rate: 100 }, { name: fast, rate: 5000 }]\ntime-budget: 6m',
    );
    expect(Math.max(...uneven.scenarios.map((one) => one.slices))).toBeLessThanOrEqual(8);
  });

  test('takes the largest multiple of 4 that keeps the percentile when the wanted slices do not fit', () => {
    const plan = planOf('rate: 2000\nslices: 64');
    expect([plan.rounds, only(plan).slices, only(plan).tailPercentile]).toEqual([15, 12, 'p99']);
    expect(plan.notes.map((note) => note.code)).toEqual(['fewer-slices']);
  });

  test('gives up slices before rounds, and rounds only when not even p90 is left', () => {
    const fewerSlices = planOf('rate: 600\ntime-budget: 70s');
    expect([fewerSlices.rounds, only(fewerSlices).slices, only(fewerSlices).tailPercentile]).toEqual([
      12,
      4,
      'p90',
    ]);
    const fewerRounds = planOf('rate: 600\ntime-budget: 60s');
    expect(fewerRounds.rounds).toBeLessThan(12);
    expect(only(fewerRounds).slices).toBe(4);
    expect(fewerRounds.notes.map((note) => note.code)).toContain('fewer-rounds');
  });

  test('without confirmation has the time of six more rounds', () => {
    const plan = planOf('rate: 1000\nconfirm: false');
    expect(plan.confirmationRounds).toBe(0);
    expect(plan.totalTime).toBe(plan.rounds * plan.roundTime);
    expect(only(plan).tailPercentile).toBe('p99');
  });

  test('raises the fastest scenario first, because it costs least', () => {
    const plan = planOf(
      'scenarios: [{ name: slow, rate: 100 }, { name: fast, rate: 1000 }]\ntime-budget: 4m',
    );
    expect(plan.scenarios.map((one) => one.tailPercentile)).toEqual(['p90', 'p95']);
  });

  test('counts a warm-up of a fixed size as what it takes', () => {
    const fixed = planOf('rate: 600\ntime-budget: 1h\nwarm-up: { requests: 300, rate: 600 }');
    const settling = planOf('rate: 600\ntime-budget: 1h');
    expect(fixed.warmUp.most).toBe(secondsToNs(1));
    expect(settling.warmUp.most).toBeCloseTo(longestRound(settling) / 4, -1);
    expect(settling.roundTime).toBeLessThan(longestRound(settling));
  });

  test('gives slow scenarios a shorter lead-in', () => {
    expect(planOf('rate: 600').leadIn).toBe(30);
    expect(planOf('rate: 50\ntime-budget: 1h').leadIn).toBe(10);
  });

  test('is the same for the same config and seed, and carries both', () => {
    expect(planOf('rate: 600', 77)).toEqual(planOf('rate: 600', 77));
    expect(planOf('rate: 600', 77).seed).toBe(77);
    const plan = planOf('rate: 600');
    expect(scheduledShots(plan)).toBe(2 * plan.rounds * only(plan).slices * only(plan).sliceRequests);
  });

  test('of the demonstration judges p99 in under three minutes', () => {
    const plan = planOf(
      'rate: 1000\nslices: 4\nrounds: { aim: 12, least: 6, most: 12 }\ntime-budget: 150s\njudge: { p99: { min: 10%, detect: 50% } }',
    );
    expect([plan.rounds, only(plan).tailPercentile]).toEqual([12, 'p99']);
    expect(plan.totalTime).toBeLessThan(180e9);
  });
});

describe('a plan is refused', () => {
  test('when the budget is too short, naming one that is enough', () => {
    for (const lines of [
      'rate: 600\ntime-budget: 30s',
      'rate: 5',
      'rate: 600\ntime-budget: 20s\nconfirm: false',
    ]) {
      const { message, hint } = refusalOf(lines);
      const budget = /wanted at least `time-budget: (\w+)`/.exec(message)![1]!;
      expect(hint).toContain(budget);
      const rest = lines.replace(/time-budget: \w+/, '');
      expect(planOf(`${rest}\ntime-budget: ${budget}`).rounds).toBeGreaterThanOrEqual(7);
    }
    expect(refusalOf('rate: 5').message).toContain('`time-budget` of 4 min is too short: it takes 13 rounds');
  });

  test('when no budget that a job may have is enough, without naming one', () => {
    const names = Array.from({ length: 8 }, (_, index) => `{ name: s${index}, rate: 1 }`).join(', ');
    const { message, hint } = refusalOf(`scenarios: [${names}]\ntime-budget: 1s`);
    expect(message).toMatch(/too short: it takes 16 rounds .* or more, and a job takes at most 360 min$/);
    expect(hint).toBe(
      'a higher `rate`, or fewer scenarios, or `confirm: false` would shorten a round or their number',
    );
  });

  test('when no outcome of its rounds could be significant (2^−R > level / m), naming the rounds it needs', () => {
    const { message, hint } = refusalOf('rounds: { aim: 6 }');
    expect(message).toContain('with 6 judged metrics an exact test needs at least 7 rounds');
    expect(hint).toContain('rounds: { aim: 7 }');
    expect(planOf('rate: 600\nrounds: { aim: 7, most: 7 }').rounds).toBe(7);
    const counters = (judge: string) =>
      `rate: 600\nrounds: { aim: 7, most: 7 }\nmetrics: [{ name: a, metric: b, judge: ${judge} }]`;
    expect(planOf(counters('null')).rounds).toBe(7);
    expect(refusalOf(counters('{}')).message).toContain(
      'with 7 judged metrics an exact test needs at least 8 rounds',
    );
    const names = Array.from({ length: 20 }, (_, index) => `{ name: s${index} }`).join(', ');
    const many = refusalOf(`rate: 5000\ntime-budget: 6h\nscenarios: [${names}]\nrounds: { aim: 8, most: 8 }`);
    expect(many.message).toContain('with 120 judged metrics');
    expect(many.hint).toContain(`rounds: { aim: ${leastRounds(120)}, most: ${leastRounds(120)} }`);
  });

  test('never by going below the rounds that could fail', () => {
    for (let seconds = 30; seconds <= 240; seconds += 7) {
      try {
        expect(planOf(`rate: 600\ntime-budget: ${seconds}s`).rounds).toBeGreaterThanOrEqual(leastRounds(6));
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(TailgateError);
      }
    }
  });

  test('when slices and requests together are too few for any percentile', () => {
    expect(planOf('rate: 600\nslices: 4\nslice-requests: 50').scenarios[0]?.tailPercentile).toBe('p90');
    expect(() => configOf('slice-requests: 49')).toThrow('wanted a whole number from 50');
  });
});

test('a budget is written as one would type it, and never shorter', () => {
  const text = (seconds: number) => budgetText(secondsToNs(seconds));
  expect([text(41), text(90), text(120), text(121), text(387)]).toEqual(['50s', '90s', '120s', '3m', '7m']);
});

test('the cost of a job is linear in its rounds', () => {
  const config = configOf('rate: 600\nconfirm: false');
  const layout = { slices: 8, requests: [500] };
  const assumed = { ...typicalAssumptions, roundOverhead: ns(0) };
  expect(costOfJob(config, assumed, 10, layout)).toBe(10 * costOfJob(config, assumed, 1, layout));
});

import { describe, expect, test } from 'vitest';
import { clopperPearsonUpper, type JobLine, type JobRow, quartiles, summarise } from './summary.ts';

const row = (changes: Partial<JobRow>): JobRow => ({
  scenario: 'default',
  metric: 'p99',
  judged: true,
  state: 'unchanged',
  flagged: false,
  view: 'on-time',
  rounds: 12,
  effect: 0.01,
  spread: 0.1,
  smallestDetectable: 0.15,
  p: 0.4,
  ...changes,
});

const line = (job: number, changes: Partial<JobLine>): JobLine => ({
  job,
  startedAt: `2025-03-0${job}T08:00:00.000Z`,
  seconds: 100,
  exitCode: 0,
  outcome: 'pass',
  reason: null,
  rounds: { decided: 12, confirming: 0, run: 12 },
  slices: { measured: 192, rejected: 0 },
  seed: job,
  onTime: 0.97,
  steal: 0,
  pressure: 0.1,
  load: 0.2,
  rows: [row({})],
  evidence: `job-00${job}.json.gz`,
  ...changes,
});

describe('the exact bound of a rate', () => {
  // No hits: the p with (1 − p)^n = level, in closed form.
  test.each([1, 10, 60, 2000])('without hits in %i trials is 1 − level^(1/n)', (trials) => {
    expect(clopperPearsonUpper(0, trials)).toBeCloseTo(1 - 0.05 ** (1 / trials), 12);
  });

  // Upper ends of the two-sided 95 % intervals of Clopper and Pearson for n = 10, as tables have them.
  test.each([
    [0, 0.3085],
    [1, 0.445],
    [2, 0.5561],
    [5, 0.8129],
    [9, 0.9975],
    [10, 1],
  ])('for %i of 10 at 2.5 % is %f', (hits, bound) => {
    expect(clopperPearsonUpper(hits, 10, 0.025)).toBeCloseTo(bound, 4);
  });

  test('for all but one is closed, too: p^n = 1 − level', () => {
    expect(clopperPearsonUpper(59, 60)).toBeCloseTo(0.95 ** (1 / 60), 12);
  });

  test.each([
    [-1, 10],
    [11, 10],
    [0, 0],
    [0.5, 10],
  ])('refuses %f of %f', (hits, trials) => {
    expect(() => clopperPearsonUpper(hits, trials)).toThrow(`got ${hits} of ${trials}`);
  });
});

describe('quartiles', () => {
  test('lie between order statistics', () => {
    expect(quartiles([4, 1, 3, 2])).toEqual({ count: 4, low: 1.75, median: 2.5, high: 3.25, worst: 4 });
  });

  test('of one value are that value, of none nothing', () => {
    expect(quartiles([7])).toEqual({ count: 1, low: 7, median: 7, high: 7, worst: 7 });
    expect(quartiles([])).toBeNull();
  });
});

describe('a series', () => {
  const lines = [
    line(2, { outcome: 'regression', exitCode: 1, rows: [row({ state: 'regressed', flagged: true })] }),
    line(1, {
      seconds: 80,
      rows: [row({ spread: 0.2, view: 'all-shots' }), row({ metric: 'cpu', spread: 0.02 })],
    }),
    line(3, { outcome: 'inconclusive', rows: [row({ state: 'undecided', flagged: true, spread: null })] }),
    line(4, { outcome: 'invalid', exitCode: 3, rows: [] }),
  ];
  const summary = summarise(lines);

  test('counts what is red apart from what is a regression', () => {
    expect(summary).toMatchObject({
      jobs: 4,
      red: 2,
      regressions: 1,
      flagged: 2,
      allShots: { jobs: 1, of: 3 },
      outcomes: { regression: 1, pass: 1, inconclusive: 1, invalid: 1 },
    });
  });

  test('spans the jobs in time, whatever their order', () => {
    expect([summary.first, summary.last]).toEqual(['2025-03-01T08:00:00.000Z', '2025-03-04T08:00:00.000Z']);
    expect(summary.seconds).toMatchObject({ low: 95, median: 100 });
  });

  test('has rows only for what was measured, and no spread where there was none', () => {
    expect(summary.metrics.map((metric) => metric.metric)).toEqual(['p99', 'cpu']);
    expect(summary.metrics[0]).toMatchObject({ judged: 3, flagged: 2, regressed: 1, undecided: 1 });
    expect(summary.metrics[0]!.spread).toMatchObject({ count: 2, worst: 0.2 });
    expect(summary.metrics[0]!.spread!.median).toBeCloseTo(0.15, 12);
  });
});

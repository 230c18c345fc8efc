import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { logRatio, ratio } from '../../src/kernel/units.ts';
import {
  detectableAt,
  falseAlarmsOf,
  leastRoundsOf,
  niceAbove,
  roundsFor,
  straysOf,
} from '../../src/verdict/calibration.ts';
import { detectionFactor, smallestDetectable, spreadOf } from '../../src/verdict/statistics.ts';
import { changed, evidence, finding, points, verdict } from '../report/verdicts.ts';

/** Example 8.2 of the known answers: H 0.063 over 12 rounds. */
const d = [0.182, 0.095, 0.241, 0.133, 0.058, 0.31, 0.164, -0.042, 0.207, 0.121, 0.276, 0.149];
const stray = { spread: logRatio(spreadOf(d)), rounds: d.length };

describe('what would be detectable', () => {
  it('is the figure of the report at the rounds that were measured', () => {
    expect(detectableAt(stray, 12)).toBeCloseTo(smallestDetectable(d), 12);
    expect(detectableAt(stray, 12)).toBeCloseTo(0.092054, 5);
  });

  it('shrinks with the root of the rounds, and a little faster where t does', () => {
    const [at12, at48] = [12, 48].map((rounds) => Math.log1p(detectableAt(stray, rounds)));
    expect(at12! / at48!).toBeGreaterThan(2);
    expect(at12! / at48!).toBeLessThan(2.25);
  });

  it('needs the fewest rounds that reach it, and not fewer than the plan may have', () => {
    const rounds = roundsFor(stray, ratio(0.07), 6)!;
    expect(detectableAt(stray, rounds)).toBeLessThanOrEqual(0.07);
    expect(detectableAt(stray, rounds - 1)).toBeGreaterThan(0.07);
    expect(roundsFor(stray, ratio(0.5), 8)).toBe(8);
    expect(roundsFor(stray, ratio(0.5), 1)).toBe(6);
  });

  it('is out of reach where 60 rounds are not enough', () => {
    expect(roundsFor(stray, ratio(0.01), 6)).toBeNull();
  });
});

it('strays are the judged ratios that have a spread', () => {
  const rows = [
    finding({ metric: 'cpu', change: changed(0.01, 0.02), rounds: { used: 12, dropped: 0 } }),
    finding({ metric: 'tail', change: points(0) }),
    finding({ metric: 'p95', judged: false }),
    finding({ metric: 'p50', change: changed(0, 0.02, { spread: null }) }),
  ];
  const [only, ...others] = straysOf(verdict('pass', rows));
  expect(others).toEqual([]);
  expect(only).toMatchObject({ scenario: 'checkout', metric: 'cpu', rounds: 12, spread: Math.log1p(0.02) });
  expect(only!.detectable).toBeCloseTo(Math.expm1(Math.log1p(0.02) * detectionFactor(12)), 2);
});

describe('false alarms by design', () => {
  const { plan } = evidence(['a', 'b']);

  it('are the levels of the looks, 5 % together, 1 % of what is confirmed and 0.5 % of what was left open', () => {
    const judged = plan.scenarios.reduce((sum, one) => sum + one.judged.length, 0);
    expect(falseAlarmsOf({ ...plan, looks: [6, 9, 12] }, 0)).toMatchObject({
      judged,
      flagged: 0.05,
      looks: [
        { rounds: 9, level: 0.01 },
        { rounds: 12, level: 0.04 },
      ],
      red: { confirmed: 0.01, settled: 0.005 },
    });
    expect(falseAlarmsOf({ ...plan, confirm: false }, 0).red).toBeNull();
    expect(falseAlarmsOf(plan, 2).judged).toBe(judged + 4);
  });

  it('were seen as the pages say', () => {
    const page = (name: string) =>
      readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8').replace(/\s+/g, ' ');
    const { simulated, onMachine } = falseAlarmsOf(plan, 0).red!;
    const [, jobs, red, atMost] = /\*\*all ([\d,]+)\*\* \| \*\*(\d+) \([\d.]+ %, at most ([\d.]+) %\)/.exec(
      page('method.md'),
    )!;
    expect(simulated).toEqual({
      ...{ jobs: Number(jobs!.replace(',', '')), red: Number(red) },
      atMost: expect.closeTo(Number(atMost) / 100),
    });
    const [, machineJobs, bound] =
      /False alarms\*\*: none in (\d+) jobs, which bounds them at ([\d.]+) %/.exec(page('aa.md'))!;
    expect(onMachine).toEqual({
      ...{ jobs: Number(machineJobs), red: 0 },
      atMost: expect.closeTo(Number(bound) / 100),
    });
    // The bounds by themselves: Clopper and Pearson of none, and the share of 11 below its own.
    expect(onMachine.atMost).toBeCloseTo(1 - 0.05 ** (1 / onMachine.jobs), 3);
    expect(simulated.atMost).toBeGreaterThan(simulated.red / simulated.jobs);
  });

  it('need rounds enough for all judged rows', () => {
    // 2^−R ≤ 5 % / 12 from eight rounds on.
    const twelve = plan.scenarios.map((one) => ({
      ...one,
      judged: ['p50', 'p99', 'cpu', 'cpu-total', 'tail', 'errors'] as const,
    }));
    expect(leastRoundsOf({ ...plan, scenarios: twelve }, 0)).toBe(8);
    // Counters of the service join the family: 2^−R ≤ 5 % / 20 from nine rounds on.
    expect(leastRoundsOf({ ...plan, scenarios: twelve }, 4)).toBe(9);
  });
});

it.each([
  [0.011, 0.015],
  [0.05, 0.05],
  [0.0500001, 0.07],
  [0.21, 0.25],
  [11, null],
])('the tolerance to write for %d is %j', (value, nice) => {
  expect(niceAbove(value)).toBe(nice);
});

/** What stands beside the figures so that a reader believes them: limits, meanings, and a way out of doubt. */
import { describe, expect, test } from 'vitest';
import type { JobPlan } from '../../src/config/plan.ts';
import { planJob } from '../../src/config/planner.ts';
import { readConfig } from '../../src/config/read.ts';
import { typicalAssumptions } from '../../src/config/timing.ts';
import { ratio } from '../../src/kernel/units.ts';
import { renderComment } from '../../src/report/markdown.ts';
import { renderTerminal, terminalDefaults } from '../../src/report/terminal.ts';
import { makeView } from '../../src/report/view.ts';
import type { Verdict } from '../../src/verdict/finding.ts';
import { leastRounds, lookRounds } from '../../src/verdict/looks.ts';
import * as made from './verdicts.ts';

const comment = (of: Verdict): string => renderComment(makeView(of, null, made.context()));
const terminal = (of: Verdict): string =>
  renderTerminal(makeView(of, null, made.context())).replace(/\s+/g, ' ');

describe('the legend', () => {
  test('says from what size on a row counts and what a pass rules out, a metric each', () => {
    for (const text of [comment(made.regression), terminal(made.regression)]) {
      expect(text).toContain(
        'p99 5 and 20 %, CPU per request 2 and 5 %, p50 5 and 10 %, total CPU per request 3 and 10 %.',
      );
    }
  });

  test('names each of several tolerances of one metric once, and none of what is not judged', () => {
    const wide = { min: ratio(0.1), detect: ratio(0.3) };
    const bench = { metric: 'microbenchmark', scenario: 'parse' } as const;
    const text = comment(
      made.verdict('pass', [
        made.finding(),
        made.finding({ scenario: 'search' }),
        made.finding({ scenario: 'list', tolerance: wide }),
        made.finding({ metric: 'p95', judged: false, tolerance: wide }),
        made.finding(bench),
      ]),
    );
    expect(text).toContain('p99 5 and 20 % or 10 and 30 %, microbenchmarks 2 and 5 %.');
  });
});

test('a terminal that says everything says what each metric is', () => {
  expect(terminal(made.regression)).toContain(
    'total CPU per request: the same over all slices of a round together',
  );
  const short = renderTerminal(makeView(made.regression, null, made.context()), {
    ...terminalDefaults,
    detail: 'short',
  });
  expect(short).not.toContain('the same over all slices');
});

test('who doubts a red report is told what to do, and nobody else is', () => {
  const words = 'In doubt? Run the job again: chance rarely comes twice, a change does.';
  for (const text of [comment(made.regression), terminal(made.regression)]) expect(text).toContain(words);
  for (const outcome of [made.pass, made.inconclusive]) {
    expect(comment(outcome)).not.toContain('In doubt?');
    expect(terminal(outcome)).not.toContain('In doubt?');
  }
});

/** What a report of rounds whose warm-up never settled says about it. */
function warmUpFact(plan: JobPlan): string {
  const evidence = made.evidence();
  const rounds = evidence.rounds.map((round) => {
    const side = (which: 'baseline' | 'candidate') => ({
      ...round.sides[which],
      warmUp: { ...round.sides[which].warmUp, settled: false },
    });
    return { ...round, sides: { baseline: side('baseline'), candidate: side('candidate') } };
  });
  const { roundTime, totalTime, warmUp } = plan;
  const measured = { ...evidence, plan: { ...evidence.plan, roundTime, totalTime, warmUp }, rounds };
  const text = renderTerminal(makeView(made.pass, measured, made.context()));
  return /ended by its cap.*?would let it settle/.exec(text.replace(/\s+/g, ' '))![0];
}

describe('a warm-up that its cap ended', () => {
  const planOf = (lines: string) => {
    const { config } = readConfig(`start: x\n${lines}`, { source: 'test', overrides: {}, environment: {} });
    return planJob(config, 1, typicalAssumptions, { lookRounds, leastRounds });
  };

  test.each([
    ['rate: 300\ntime-budget: 75s', '50%'],
    ['rate: 300', '50%'],
    ['rate: 3000', '50%'],
    ['rate: 1000\nwarm-up: { most: 50% }\ntime-budget: 5m', '75%'],
  ])('names a cap and a budget that give as much as there was, with %j', (lines, cap) => {
    const plan = planOf(lines);
    const [, most, budget] = /`warm-up: \{ most: (\d+%) \}` with `time-budget: (\w+)`/.exec(
      warmUpFact(plan),
    )!;
    expect(most).toBe(cap);
    const rate = /rate: \d+/.exec(lines)![0];
    const pasted = planOf(`${rate}\ntime-budget: ${budget}\nwarm-up: { most: ${most} }`);
    const shots = (of: JobPlan) => of.rounds * of.scenarios[0]!.slices * of.scenarios[0]!.sliceRequests;
    expect(pasted.rounds).toBeGreaterThanOrEqual(Math.min(12, plan.rounds));
    expect(shots(pasted)).toBeGreaterThanOrEqual(shots(plan) * 0.99);
    expect(pasted.warmUp.most).toBeGreaterThan(1.5 * plan.warmUp.most);
  });

  test('at the largest cap has only the time to give', () => {
    const plan = planOf('rate: 1000\nwarm-up: { most: 75% }\ntime-budget: 10m');
    expect(warmUpFact(plan)).toMatch(/rounds; a longer `time-budget` would let it settle$/);
  });
});

/** What stands beside the figures so that a reader believes them: limits, meanings, and a way out of doubt. */
import { describe, expect, test } from 'vitest';
import { ns, ratio } from '../../src/kernel/units.ts';
import { renderComment } from '../../src/report/markdown.ts';
import { renderTerminal, terminalDefaults } from '../../src/report/terminal.ts';
import { makeView } from '../../src/report/view.ts';
import type { Verdict } from '../../src/verdict/finding.ts';
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

test.each([
  // Caps of 25, 50 and 75 % of a round of which warm-up took 60 % of what it may.
  [0.25 / 0.9, 'warm-up: { most: 50% }'],
  [0.5 / 0.8, 'warm-up: { most: 75% }'],
  [0.75 / 0.7, null],
])('a warm-up that its cap ended names the next larger one (%d of a round)', (share, setting) => {
  const evidence = made.evidence();
  const plan = {
    ...evidence.plan,
    roundTime: ns(10e9),
    warmUp: { ...evidence.plan.warmUp, most: ns(share * 10e9) },
  };
  const unsettled = (side: 'baseline' | 'candidate') => (round: (typeof evidence.rounds)[number]) => ({
    ...round.sides[side],
    warmUp: { ...round.sides[side].warmUp, settled: false },
  });
  const rounds = evidence.rounds.map((round) => ({
    ...round,
    sides: { baseline: unsettled('baseline')(round), candidate: unsettled('candidate')(round) },
  }));
  const text = renderTerminal(makeView(made.pass, { ...evidence, plan, rounds }, made.context()));
  const said = /ended by its cap.*?would let it settle/.exec(text.replace(/\s+/g, ' '))![0];
  if (setting === null) expect(said).toMatch(/rounds; a longer `time-budget` would let it settle/);
  else expect(said).toContain(`; \`${setting}\` or a longer \`time-budget\` would let it settle`);
});

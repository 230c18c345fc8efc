/** What would settle an open row: settings that a reader can paste. */
import { expect, test } from 'vitest';
import { ns, ratio } from '../../src/kernel/units.ts';
import { whatWouldSettle } from '../../src/report/settling.ts';
import { plainPhrase } from '../../src/report/terminal.ts';
import * as made from './verdicts.ts';

const open = (used: number, more: number | null) =>
  made.finding({ state: 'undecided', rounds: { used, dropped: 0 }, roundsToSettle: more });
const words = (...given: Parameters<typeof whatWouldSettle>) => plainPhrase(whatWouldSettle(...given));

const confirming = { confirm: true, confirmationRounds: 6, benchmarks: ratio(0) };

test('the rounds there would be, and the time they take with a confirmation and microbenchmarks', () => {
  const evidence = made.evidence();
  const plan = { ...evidence.plan, ...confirming, roundTime: ns(10e9) };
  const rounds = evidence.rounds.map((round) => ({ ...round, duration: ns(8e9) }));
  const of = { ...evidence, plan, rounds };
  // (7 + 20 + 6) rounds of 10 s.
  expect(words(open(7, 20), of)).toBe(
    'About 20 more rounds would settle it (`rounds: { aim: 27, most: 27 }` with `time-budget: 6m`), or a quieter runner.',
  );
  expect(words(open(7, 1), of)).toContain('About 1 more round would');
  const slower = { ...of, rounds: rounds.map((round) => ({ ...round, duration: ns(20e9) })) };
  expect(words(open(7, 20), slower)).toContain('`time-budget: 11m`');
  expect(words(open(7, 20), { ...of, plan: { ...plan, benchmarks: ratio(0.5) } })).toContain(
    '`time-budget: 11m`',
  );
  expect(words(open(7, 20), { ...of, plan: { ...plan, confirm: false } })).toContain('`time-budget: 5m`');
});

test('a time that no job may take is no advice', () => {
  const evidence = made.evidence();
  const plan = { ...evidence.plan, ...confirming, roundTime: ns(700e9) };
  expect(words(open(7, 20), { ...evidence, plan })).toMatch(
    /^About 20 more rounds .* longer than a job may: /,
  );
});

test('more rounds than a job can have are no advice', () => {
  expect(words(open(12, 49), null)).toMatch(
    /^About 49 more rounds would settle it, and a job has at most 60: /,
  );
  expect(words(open(12, 48), null)).toContain('`rounds: { aim: 60, most: 60 }` with a longer `time-budget`');
});

test('without a number of rounds it says what helps in general', () => {
  expect(words(open(12, null), null)).toBe(
    'A quieter or larger runner, a longer `time-budget` or a wider tolerance would help.',
  );
});

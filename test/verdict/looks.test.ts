import { expect, it } from 'vitest';
import { canFlag, leastRounds, looksAt, planLooks, roundsProblem } from '../../src/verdict/looks.ts';

const shown = (rounds: number): (readonly [number, number | null, number])[] =>
  planLooks(rounds).map((look) => [look.rounds, look.failLevel, look.passLevel] as const);

it.each([
  [6, [[6, 0.05, 0.025]]],
  [8, [[8, 0.05, 0.025]]],
  [
    9,
    [
      [6, null, 1 / 64],
      [9, 0.05, 0.025],
    ],
  ],
  [
    11,
    [
      [6, null, 1 / 64],
      [11, 0.05, 0.025],
    ],
  ],
  [
    12,
    [
      [6, null, 1 / 64],
      [9, 0.01, 0.01],
      [12, 0.04, 0.025],
    ],
  ],
  [
    14,
    [
      [6, null, 1 / 64],
      [9, 0.01, 0.01],
      [14, 0.04, 0.025],
    ],
  ],
  [
    15,
    [
      [6, null, 1 / 64],
      [9, 0.01, 0.01],
      [12, 0.01, 0.01],
      [15, 0.03, 0.025],
    ],
  ],
  [
    18,
    [
      [6, null, 1 / 64],
      [9, 0.01, 0.01],
      [12, 0.01, 0.01],
      [18, 0.03, 0.025],
    ],
  ],
])('plans the looks of %i rounds', (rounds, wanted) => {
  expect(shown(rounds)).toEqual(wanted);
});

it('marks only the last look as last', () => {
  expect(planLooks(15).map((look) => look.last)).toEqual([false, false, false, true]);
});

it('never spends more than 5 % on failing, whatever looks a plan has', () => {
  for (const rounds of [[6], [9, 10], [6, 9, 12, 15], [9, 10, 11, 12, 13]]) {
    const spent = looksAt(rounds).reduce((sum, look) => sum + (look.failLevel ?? 0), 0);
    expect(spent).toBeCloseTo(0.05, 12);
  }
});

it('refuses rounds with which no job could ever fail, and names the rounds needed', () => {
  expect(roundsProblem(6, 3)).toBeNull();
  expect(roundsProblem(6, 4)).toEqual({ needed: 7 });
  expect(roundsProblem(7, 6)).toBeNull();
  expect(roundsProblem(8, 13)).toEqual({ needed: 9 });
  expect(roundsProblem(12, 40)).toBeNull();
  expect(roundsProblem(5, 1)).toEqual({ needed: 6 });
});

it('names rounds that are enough, and one fewer is not', () => {
  for (let judged = 1; judged <= 300; judged++) {
    const least = leastRounds(judged);
    expect(roundsProblem(least, judged)).toBeNull();
    if (least > 6) expect(roundsProblem(least - 1, judged)).not.toBeNull();
  }
});

it('cannot flag at a look that may only pass', () => {
  expect(canFlag(planLooks(12)[0]!, 1)).toBe(false);
});

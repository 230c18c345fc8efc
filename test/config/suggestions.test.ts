/** Slips of the hand are recognised, other words are not. */
import { expect, test } from 'vitest';
import { nearest } from '../../src/config/suggestions.ts';

const known = ['time-budget', 'timeout', 'rate', 'rounds', 'p99'];

test.each([
  ['time-budgt', 'time-budget'],
  ['timeBudget', 'time-budget'],
  ['TIME_BUDGET', 'time-budget'],
  ['rat', 'rate'],
  ['leven', null],
  ['x', null],
])('%s is near to %s', (word, meant) => {
  expect(nearest(word, known)).toBe(meant);
});

test('nothing is near when nothing is known', () => {
  expect(nearest('rate', [])).toBeNull();
});

/** What a time budget leaves for benchmarks that never end, and globs that match nothing. */
import { describe, expect, test } from 'vitest';
import { nsToMs, secondsToNs } from '../../src/kernel/units.ts';
import { unmatchedGlobs } from '../../src/microbench/naming.ts';
import { patienceWithin } from '../../src/microbench/patience.ts';

const seconds = (budget: number | null) => {
  const { order, firstRun, run, finding } = patienceWithin(budget === null ? null : secondsToNs(budget));
  return [order, firstRun, run, finding].map((one) => (one === null ? null : nsToMs(one) / 1000));
};

test('the patience is a part of the time budget, long enough to start a process and never longer than without one', () => {
  expect(seconds(null)).toEqual([60, 1800, 1800, null]);
  expect(seconds(1)).toEqual([3, 10, 10, 1]);
  expect(seconds(100)).toEqual([25, 100, 50, 100]);
  expect(seconds(36_000)).toEqual([60, 1800, 1800, 36_000]);
});

describe('globs', () => {
  const found = { baseline: ['old/a.bench.js'], candidate: ['bench/b.bench.js'] };
  const told = (...globs: readonly string[]) =>
    unmatchedGlobs(globs, found, (file, glob) => file.startsWith(glob.replace('**', ''))).map(
      ({ message }) => message,
    );

  test('that match a file of either side are not worth a word, nor those that take back', () => {
    expect(told('old/**', 'bench/**', '!lib/**')).toEqual([]);
  });

  test('that match nothing are told one by one, beside others that match', () => {
    expect(told('bench/**', 'gone/**', 'lib/**')).toEqual([
      'no benchmark file of either side matches gone/**',
      'no benchmark file of either side matches lib/**',
    ]);
  });
});

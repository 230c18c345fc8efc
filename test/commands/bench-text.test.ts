/** Microbenchmarks alone, as a terminal and a job summary show them. */
import { describe, expect, test } from 'vitest';
import { benchMarkdown, benchText } from '../../src/commands/bench-text.ts';
import { judgedBench } from '../../src/commands/bench-verdict.ts';
import { ns } from '../../src/kernel/units.ts';
import { benchmarks, returning } from '../verdict/stored-job.ts';

const shown = (digests: readonly [string, string], rounds = 12) => {
  const stored = returning(benchmarks(0), digests);
  const evidence = { ...stored, rounds: stored.rounds.slice(0, rounds) };
  return { ...judgedBench(evidence, null), elapsed: ns(1e9) };
};

describe('the table of microbenchmarks', () => {
  test('says in the state that the sides return different results, and nothing where they do not', () => {
    const other = shown(['a', 'b']);
    expect(benchText(other, 0)).toMatch(/small +100 ns .* unchanged, other result\n/);
    expect(benchMarkdown(other)).toContain('| unchanged, other result |');
    const same = shown(['a', 'a']);
    expect(same.verdict.findings[0]!.sameResult).toBe(true);
    expect(benchText(same, 0) + benchMarkdown(same)).not.toContain('other result');
  });

  test('counts one round as one', () => {
    expect(benchText(shown(['a', 'a'], 1), 0)).toContain('\n1 round in fresh processes');
    expect(benchText(shown(['a', 'a'], 6), 0)).toContain('\n6 rounds in fresh processes');
  });
});

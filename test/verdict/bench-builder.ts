/** Evidence of microbenchmarks made by hand, before any round. */
import { ratio } from '../../src/kernel/units.ts';
import type { BenchEvidence, BenchSubject } from '../../src/microbench/evidence.ts';
import { lookRounds } from '../../src/verdict/looks.ts';

/** A function that both sides have. */
export const benchSubject = (name: string, more: Partial<BenchSubject> = {}): BenchSubject => ({
  name,
  source: 'function',
  unit: { kind: 'time', normalised: 'ns', text: 'ns' },
  direction: 'smaller-is-better',
  presence: 'both',
  alone: null,
  iterations: 1,
  problem: null,
  remark: null,
  ...more,
});

export function emptyBench(
  subjects: readonly BenchSubject[],
  rounds: number,
  more: Partial<BenchEvidence['plan']> = {},
): BenchEvidence {
  const revision = { sha: 'a'.repeat(40), ref: 'main', how: 'named' };
  return {
    schema: 'tailgate-bench-evidence',
    version: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    seed: 1,
    node: null,
    revisions: { baseline: revision, candidate: revision },
    plan: {
      rounds,
      looks: lookRounds(rounds),
      confirm: true,
      confirmationRounds: 6,
      tolerance: { min: ratio(0.02), detect: ratio(0.05) },
      onDifferentResult: 'warn',
      ...more,
    },
    subjects,
    rounds: [],
  };
}

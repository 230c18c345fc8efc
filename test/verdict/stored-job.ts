/** Evidence as a job stores it, with histograms that can be read: for whoever judges files. */
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import type { Evidence } from '../../src/evidence/trial.ts';
import { ns, ratio } from '../../src/kernel/units.ts';
import type { BenchEvidence, SideResult } from '../../src/microbench/evidence.ts';
import { lookRounds } from '../../src/verdict/looks.ts';
import type { SlicePercentiles } from '../../src/verdict/slices.ts';
import { benchSubject } from './bench-builder.ts';
import type { Recipe, Where } from './evidence-builder.ts';
import { chance, evidenceOf } from './evidence-builder.ts';

/** CPU of the candidate is about 10 % up in every round, and confirmed; nothing else moved. */
export const costlier: Recipe = {
  measuring: 9,
  confirming: 6,
  slice: (where: Where) =>
    where.side === 'candidate' ? { cpu: 300e3 * Math.exp(0.1 + chance(where.round) / 5) } : {},
};

/** A benchmark by its full name. */
export const bench = 'bench/parse.bench.js > small';

/** A benchmark whose candidate takes exp(d) times as long, give or take the chance of a round. */
export function benchmarks(d: number): BenchEvidence {
  const measured = (value: number): SideResult => ({
    kind: 'measured',
    value,
    samples: [value],
    cpu: ns(value),
    digest: null,
  });
  const revision = { sha: 'a'.repeat(40), ref: 'main', how: 'named' };
  return {
    schema: 'tailgate-bench-evidence',
    version: 1,
    createdAt: '2025-01-01T00:00:00.000Z',
    seed: 1,
    node: null,
    revisions: { baseline: revision, candidate: revision },
    plan: {
      rounds: 12,
      looks: lookRounds(12),
      confirm: false,
      confirmationRounds: 6,
      tolerance: { min: ratio(0.02), detect: ratio(0.05) },
      onDifferentResult: 'stop',
    },
    subjects: [benchSubject(bench)],
    rounds: Array.from({ length: 12 }, (_, index) => ({
      index,
      phase: 'measuring' as const,
      duration: ns(1),
      results: [
        {
          name: bench,
          baseline: measured(100),
          candidate: measured(100 * Math.exp(d + chance(index) / 5)),
        },
      ],
    })),
  };
}

/** The same, of a function that returned what these digests stand for; a difference is marked, not stopped at. */
export function returning(
  evidence: BenchEvidence,
  [baseline, candidate]: readonly [string, string],
): BenchEvidence {
  const of = (side: SideResult, digest: string): SideResult =>
    side.kind === 'measured' ? { ...side, digest } : side;
  return {
    ...evidence,
    plan: { ...evidence.plan, onDifferentResult: 'warn' },
    rounds: evidence.rounds.map((round) => ({
      ...round,
      results: round.results.map((one) => ({
        name: one.name,
        baseline: of(one.baseline, baseline),
        candidate: of(one.candidate, candidate),
      })),
    })),
  };
}

export function storedJob(recipe: Recipe): Evidence {
  const evidence = evidenceOf(recipe);
  return {
    ...evidence,
    rounds: evidence.rounds.map((round) => ({
      ...round,
      trials: round.trials.map((trial) => {
        const { response, onTime } = trial.load.histograms;
        const histograms = {
          response: encoded(response),
          onTime: encoded(onTime),
          success: encoded(response),
          service: encoded(response),
          lateness: encoded(onTime),
        };
        return { ...trial, load: { ...trial.load, histograms } };
      }),
    })),
  };
}

const known = new Map<string, string>();

/** Of 500 shots that have these percentiles; encoding is slow, and there are few different ones. */
function encoded(plain: string): string {
  const found = known.get(plain);
  if (found !== undefined) return found;
  const { p50, p90, p95, p99 } = JSON.parse(plain) as Required<SlicePercentiles>;
  const histogram = new LatencyHistogram();
  for (let shot = 1; shot <= 500; shot++) {
    const share = shot / 500;
    histogram.record(ns((share <= 0.5 ? p50 : share <= 0.9 ? p90 : share <= 0.95 ? p95 : p99)!));
  }
  const text = histogram.encode();
  known.set(plain, text);
  return text;
}

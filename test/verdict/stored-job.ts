/** Evidence as a job stores it, with histograms that can be read: for whoever judges files. */
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import type { Evidence } from '../../src/evidence/trial.ts';
import { ns } from '../../src/kernel/units.ts';
import type { SlicePercentiles } from '../../src/verdict/slices.ts';
import type { Recipe, Where } from './evidence-builder.ts';
import { chance, evidenceOf } from './evidence-builder.ts';

/** CPU of the candidate is about 10 % up in every round, and confirmed; nothing else moved. */
export const costlier: Recipe = {
  measuring: 9,
  confirming: 6,
  slice: (where: Where) =>
    where.side === 'candidate' ? { cpu: 300e3 * Math.exp(0.1 + chance(where.round) / 5) } : {},
};

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

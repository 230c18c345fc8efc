/** Microbenchmarks, rounds and clock → another round, or the verdict with the plan that was carried out. Pure. */
import type { BenchEvidence } from '../microbench/evidence.ts';
import type { BenchProgress } from './benchmark-finding.ts';
import { type BenchTime, benchPlanInTime, withOverrun } from './benchmark-time.ts';
import { judgeBenchmarks } from './benchmarks.ts';

/** The evidence has the plan that counts from now on: judged again as it is, it gives the same answer. */
export interface BenchStep {
  readonly evidence: BenchEvidence;
  readonly progress: BenchProgress;
}

/** @param time null: as long as it takes. */
export function benchStep(evidence: BenchEvidence, time: BenchTime | null): BenchStep {
  const progress = judgeBenchmarks(evidence);
  if (time === null) return { evidence, progress };
  if (progress.kind === 'continue') {
    if (progress.phase === 'confirming') return { evidence, progress };
    const plan = benchPlanInTime(evidence, time);
    if (plan.outOfTime === undefined) return { evidence, progress };
    const kept = { ...evidence, plan };
    // Rounds that cannot be used leave a benchmark open even after a last look.
    const final = plan === evidence.plan || plan.outOfTime.ended === 'too-short';
    const after = judgeBenchmarks(kept, { final });
    if (after.kind === 'continue' && after.phase === 'measuring') return benchStep(kept, time);
    return { evidence: kept, progress: after };
  }
  const told = withOverrun(evidence, time);
  return { evidence: told, progress: told === evidence ? progress : judgeBenchmarks(told) };
}

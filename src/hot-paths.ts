/** Conductor of the microbenchmarks inside a gate: whether there may be any, and what of the time budget is theirs. */
import { matchesAny, trackedFiles } from './builds/changes.ts';
import type { Git } from './builds/git.ts';
import type { GateConfig } from './config/settings.ts';
import { addBenchmarks } from './evidence/collect.ts';
import type { Evidence } from './evidence/trial.ts';
import { ns, ratio } from './kernel/units.ts';
import { type Side, sides } from './kernel/words.ts';
import { isRunnable } from './microbench/files.ts';
import {
  type BenchmarksJob,
  type FoundBenchmarks,
  findBenchmarks,
  measureBenchmarks,
} from './microbenchmarks.ts';

/** Kept for microbenchmarks in the plan of a job that has any. */
const share = ratio(1 / 3);

/** The share of the time budget that microbenchmarks will want, from the names of the files in both commits. */
export async function benchmarkShare(
  git: Git,
  revisions: Readonly<Record<Side, { readonly sha: string }>>,
  config: GateConfig,
): Promise<typeof share> {
  const { files, suites } = config.microbenchmarks;
  if (suites.length > 0) return share;
  if (files.length === 0) return ratio(0);
  for (const side of sides) {
    const tracked = await trackedFiles(git, revisions[side].sha, config.workingDirectory);
    if (tracked.some((file) => isRunnable(file) && matchesAny([file], files))) return share;
  }
  return ratio(0);
}

/** What a gate knows when both sides are built. */
export type HotPathsJob = Omit<
  BenchmarksJob,
  'settings' | 'directories' | 'revisions' | 'env' | 'seed' | 'timeBudget'
>;

/**
 * Finds and calibrates what both sides have, before the load test: a mistake in naming them is told soonest.
 * @throws TailgateError `usage` when something was named and nothing is there.
 */
export async function findHotPaths(
  job: HotPathsJob,
  config: GateConfig,
  evidence: Evidence,
  directories: Readonly<Record<Side, string>>,
): Promise<FoundBenchmarks | null> {
  const { microbenchmarks } = config;
  if (microbenchmarks.files.length === 0 && microbenchmarks.suites.length === 0) return null;
  return findBenchmarks({
    ...job,
    directories,
    env: config.env,
    timeBudget: config.timeBudget,
    seed: evidence.plan.seed,
    revisions: evidence.revisions,
    settings: {
      ...microbenchmarks,
      rounds: null,
      confirm: config.confirm,
      tolerance: config.judge.microbenchmarks,
      onDifferentResult: config.onDifferentBody,
    },
  });
}

/** Their rounds, after the load test: what it left of the time budget is theirs, and never less than their share. */
export async function measureHotPaths(
  hotPaths: FoundBenchmarks,
  config: GateConfig,
  evidence: Evidence,
): Promise<Evidence> {
  const load = evidence.rounds.reduce((sum, round) => sum + round.duration, 0);
  const budget = ns(Math.max(config.timeBudget - load, config.timeBudget * share));
  const result = await measureBenchmarks(hotPaths, { budget, share });
  return addBenchmarks(evidence, result.evidence);
}

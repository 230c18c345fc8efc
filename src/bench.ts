/** Conductor of `tailgate bench`: two revisions built as the gate builds them, and their microbenchmarks alone. */
import { waiversOf } from './accepted.ts';
import { buildBoth } from './both-builds.ts';
import type { Situation } from './builds/candidate.ts';
import { openRepository } from './builds/git.ts';
import { chooseRevisions, type Revisions } from './builds/revision.ts';
import { readTrailers } from './builds/trailers.ts';
import { createWorktrees } from './builds/worktree.ts';
import { worktreeNames } from './config/rounds.ts';
import type { GateConfig } from './config/settings.ts';
import { nearest } from './config/suggestions.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { type Nanoseconds, ratio } from './kernel/units.ts';
import type { Clock } from './kernel/world.ts';
import type { GateEvent } from './live.ts';
import {
  type BenchmarksResult,
  type BenchmarksSettings,
  findBenchmarks,
  measureBenchmarks,
} from './microbenchmarks.ts';
import { type JobSettings, projectIn } from './settings.ts';
import { acceptedBenchmarks } from './verdict/benchmark-waivers.ts';

export interface BenchJob {
  /** The root of the repository, or any folder in it. */
  readonly directory: string;
  readonly config: GateConfig;
  /** The settings of the baseline where only they are trusted. */
  readonly trusted: JobSettings['trusted'];
  /** What is measured and how strictly, by the settings that count. */
  readonly settings: (config: GateConfig) => BenchmarksSettings;
  readonly situation: Situation;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly seed: number;
  /** Of all rounds together; null: as long as it takes. */
  readonly timeBudget: Nanoseconds | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
  readonly tell: (event: GateEvent) => void;
}

export interface BenchResult extends BenchmarksResult {
  /** The settings that counted. */
  readonly config: GateConfig;
  readonly revisions: Revisions;
  readonly elapsed: Nanoseconds;
}

/**
 * Builds both sides and measures their microbenchmarks.
 * @throws TailgateError as the steps of the gate do: `usage`, `no-baseline`, `service-failed`, `cancelled`.
 */
export async function runBench(job: BenchJob): Promise<BenchResult> {
  const began = job.clock.now();
  const git = await openRepository(job);
  const revisions = await chooseRevisions({ git, wanted: job.config.baseline, nearest, ...job });
  const { baseline, candidate } = revisions;
  const trusted = await job.trusted(job.config, git, revisions);
  const settings = job.settings(trusted);
  const range = { baseline: baseline.sha, candidate: candidate.sha };
  const trailers = await readTrailers(git, range, trusted.trustConfig, nearest);
  for (const warning of [...revisions.warnings, ...trailers.warnings]) job.tell({ kind: 'warning', warning });
  const config = {
    ...trusted,
    workingDirectory: projectIn(git.directory, job.directory, trusted.workingDirectory),
  };
  await using worktrees = await createWorktrees({
    git,
    revisions,
    names: worktreeNames(job.seed),
    ledger: job.ledger,
    submodules: config.submodules,
    lfs: config.lfs,
    onProblem: (warning) => job.tell({ kind: 'warning', warning }),
  });
  // The count only says whether identical builds are worth a word.
  const built = await buildBoth(job, config, git, worktrees, 1);
  const found = await findBenchmarks({
    ...job,
    settings,
    env: config.env,
    directories: built.directories,
    revisions: {
      baseline: { sha: baseline.sha, ref: baseline.ref, how: baseline.how },
      candidate: { sha: candidate.sha, ref: candidate.ref, how: candidate.how },
    },
  });
  // Never null: what `bench` measures was asked for.
  const time = job.timeBudget === null ? null : { budget: job.timeBudget, share: ratio(1) };
  const measured = await measureBenchmarks(found!, time);
  const evidence = { ...measured.evidence, waivers: waiversOf(config, trailers.accepted) };
  const verdict = acceptedBenchmarks(measured.verdict, evidence, nearest);
  return { verdict, evidence, config, revisions, elapsed: (job.clock.now() - began) as Nanoseconds };
}

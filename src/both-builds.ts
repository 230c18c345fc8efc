/** Conductor of the set-up: both sides in their worktrees, and whether they came out the same. */
import { buildSide } from './builds/build.ts';
import type { Git } from './builds/git.ts';
import { buildsNotCompared, hashOutput, identicalBuilds, type Output } from './builds/output.ts';
import type { Worktrees } from './builds/worktree.ts';
import type { GateConfig } from './config/settings.ts';
import type { Warning } from './kernel/errors.ts';
import { maskValues } from './kernel/masking.ts';
import { type Side, sides } from './kernel/words.ts';
import type { GateEvent } from './live.ts';
import { withoutSecrets } from './service/environment.ts';
import { secretsOf } from './shots.ts';

export interface BuiltSides {
  readonly directories: Readonly<Record<Side, string>>;
  readonly outputHashes: Readonly<Record<Side, string | null>>;
  readonly identicalBuilds: boolean;
  readonly warnings: readonly Warning[];
}

export interface BuildsJob {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly tell: (event: GateEvent) => void;
}

/**
 * Runs `setup` on the candidate first, so that a pull request that does not build is told so soonest.
 * @throws TailgateError `service-failed` with the side and its last lines.
 */
export async function buildBoth(
  job: BuildsJob,
  config: GateConfig,
  git: Git,
  worktrees: Worktrees,
  changedFiles: number,
): Promise<BuiltSides> {
  const directories = { baseline: worktrees.baseline, candidate: worktrees.candidate };
  const outputs: Partial<Record<Side, Output>> = {};
  for (const side of [...sides].reverse()) {
    if (config.setup !== '') job.tell({ kind: 'building', side });
    const built = await buildSide({
      side,
      worktree: worktrees[side],
      workingDirectory: config.workingDirectory,
      setup: config.setup,
      env: { ...withoutSecrets(job.environment), ...config.env },
      timeout: config.setupTimeout,
      signal: job.signal,
      mask: maskValues(secretsOf(job.environment, config)),
      onLine: (line) => job.tell({ kind: 'output', side, line }),
    });
    directories[side] = built.directory;
    if (config.setup === '') continue;
    job.tell({ kind: 'built', side, duration: built.duration });
    outputs[side] = await hashOutput(git.at(worktrees[side]));
  }
  const { baseline, candidate } = outputs;
  const made = baseline === undefined || candidate === undefined ? null : { baseline, candidate };
  const same = made === null ? null : identicalBuilds(made.baseline, made.candidate, changedFiles);
  const unseen = made === null ? null : buildsNotCompared(made, changedFiles);
  const warnings = [same, unseen].filter((warning) => warning !== null);
  for (const warning of warnings) job.tell({ kind: 'warning', warning });
  const hashOf = (output: Output | undefined): string | null =>
    output?.kind === 'hashed' ? output.sha256 : null;
  return {
    directories,
    outputHashes: { baseline: hashOf(baseline), candidate: hashOf(candidate) },
    identicalBuilds: same !== null,
    warnings,
  };
}

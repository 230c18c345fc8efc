/** Conductor of the service of a ramp: the commit that is checked out, built and started by us. */
import { buildSide } from './builds/build.ts';
import { openRepository } from './builds/git.ts';
import { createWorktrees } from './builds/worktree.ts';
import type { GateConfig, ScenarioSettings } from './config/settings.ts';
import { TailgateError } from './kernel/errors.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { maskingErrors, maskValues } from './kernel/masking.ts';
import type { Clock, Random } from './kernel/world.ts';
import { withoutSecrets } from './service/environment.ts';
import { pickPorts } from './service/ports.ts';
import { projectIn } from './settings.ts';
import { type OneService, startOne } from './sides.ts';

export interface RampServiceJob {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Values that nobody should read; a session joins them when it is opened. */
  readonly secrets: ReadonlySet<string>;
}

/**
 * Builds and starts the commit that is checked out, hands it over, and ends it afterwards.
 * @throws TailgateError `service-failed` when it does not build, start or answer, masked.
 */
export async function withService<Result>(
  job: RampServiceJob,
  given: GateConfig,
  use: (one: OneService, commit: string) => Promise<Result>,
): Promise<Result> {
  return await maskingErrors(
    () => job.secrets,
    () => withUnmasked(job, given, use),
  );
}

async function withUnmasked<Result>(
  job: RampServiceJob,
  given: GateConfig,
  use: (one: OneService, commit: string) => Promise<Result>,
): Promise<Result> {
  const git = await openRepository(job);
  const sha = await git.run(['rev-parse', '--verify', 'HEAD^{commit}']);
  const config = {
    ...given,
    workingDirectory: projectIn(git.directory, job.directory, given.workingDirectory),
  };
  await using worktrees = await createWorktrees({
    git,
    revisions: { baseline: { sha }, candidate: { sha } },
    names: { baseline: 'tree-1', candidate: 'tree-2' },
    ledger: job.ledger,
    submodules: config.submodules,
    lfs: config.lfs,
  });
  const { directory } = await buildSide({
    side: 'candidate',
    worktree: worktrees.candidate,
    workingDirectory: config.workingDirectory,
    setup: config.setup,
    env: { ...withoutSecrets(job.environment), ...config.env },
    timeout: config.setupTimeout,
    signal: job.signal,
    mask: maskValues(job.secrets),
  });
  const { lower } = await pickPorts(job.random);
  const directories = { baseline: directory, candidate: directory };
  await using one = await startOne({ ...job, config, directories }, 'candidate', lower);
  return await use(one, sha);
}

/** The scenario of that name, or the first one. @throws TailgateError `usage` naming those there are. */
export function scenarioOf(config: GateConfig, name: string | undefined): ScenarioSettings {
  const found = name === undefined ? config.scenarios[0] : config.scenarios.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new TailgateError({
    code: 'usage',
    message: `--scenario is "${name}"; there are ${config.scenarios.map((one) => one.name).join(', ')}`,
  });
}

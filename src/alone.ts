/** Conductor of a candidate without a baseline: it is measured alone, and nothing is compared. */

import { buildSide } from './builds/build.ts';
import { openRepository } from './builds/git.ts';
import { createWorktrees } from './builds/worktree.ts';
import type { GateConfig } from './config/settings.ts';
import { summariseLoad } from './evidence/load-summary.ts';
import { describeLoad } from './evidence/load-text.ts';
import { isSaturated, unsoundReasons } from './evidence/soundness.ts';
import { builtFile } from './kernel/installation.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { maskingErrors, maskValues } from './kernel/masking.ts';
import { nsToSeconds, secondsToNs } from './kernel/units.ts';
import { type Clock, freshSeed, seededRandom } from './kernel/world.ts';
import { startGenerator } from './load/remote.ts';
import type { Purpose } from './load/rows-taken.ts';
import { defaultLeadIn, planSchedule } from './load/schedule.ts';
import { withoutSecrets } from './service/environment.ts';
import { readEnvironment } from './service/machine.ts';
import { pickPorts } from './service/ports.ts';
import { openOne, prepareShots, secretsOf } from './shots.ts';
import { startOne } from './sides.ts';

/** One scenario of the candidate, by itself. */
export interface Alone {
  readonly scenario: string;
  readonly lines: readonly string[];
}

export interface AloneJob {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
}

/** Long enough for a p99 at a few hundred requests a second. */
const duration = secondsToNs(10);

/**
 * Measures the commit that is checked out, for the report of a job that has nothing to compare it with.
 * @throws TailgateError `service-failed` when it does not build, start or answer, masked.
 */
export async function measureAlone(job: AloneJob, config: GateConfig): Promise<readonly Alone[]> {
  const secrets = new Set(secretsOf(job.environment, config));
  const measured = await maskingErrors(
    () => secrets,
    () => measureUnmasked(job, config, secrets),
  );
  const mask = maskValues(secrets);
  return measured.map(({ scenario, lines }) => ({ scenario, lines: lines.map(mask) }));
}

/** @param secrets that sessions join as they are opened. */
async function measureUnmasked(
  job: AloneJob,
  config: GateConfig,
  secrets: Set<string>,
): Promise<readonly Alone[]> {
  const git = await openRepository(job);
  const sha = await git.run(['rev-parse', '--verify', 'HEAD^{commit}']);
  const seed = config.seed ?? freshSeed();
  const random = seededRandom(seed);
  const prepared = prepareShots(config, job.directory, job.environment, (name) => {
    const { rate } = config.scenarios.find((one) => one.name === name)!;
    return Math.round(rate * nsToSeconds(duration)) + defaultLeadIn;
  });
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
  });
  const directories = { baseline: directory, candidate: directory };
  const { lower } = await pickPorts(random);
  await using one = await startOne({ ...job, config, directories, random }, 'candidate', lower);
  const { service } = one;
  await using generator = await startGenerator({ entry: builtFile('generator.js'), signal: job.signal });
  const measured: Alone[] = [];
  for (const scenario of config.scenarios) {
    const { timeout, maxSockets, maxInFlight, arrivals } = config;
    const shots = prepared.get(scenario.name)!;
    const session =
      shots.session === null ? null : await openOne({ config, random, secrets }, service, shots, 0);
    const shape = { rate: scenario.rate, arrivals, weights: shots.weights };
    const run = (length: typeof duration, leadIn: number, purpose: Purpose) =>
      generator.slice({
        target: service.target,
        ...shots.draw({
          schedule: planSchedule(
            { ...shape, extent: { kind: 'duration', duration: length }, leadIn },
            random,
          ),
          random,
          slot: purpose,
          purpose,
          session,
        }),
        timeout,
        maxSockets,
        maxInFlight,
      });
    // Load that is thrown away: a fresh process is several times slower at first.
    await run(secondsToNs(3), 0, 'warm-up');
    const result = await run(duration, defaultLeadIn, 'measured');
    const reasons = unsoundReasons(result, isSaturated(result));
    const summary = summariseLoad(result, {
      seed,
      reasons,
      environment: readEnvironment(job.environment),
      partial: false,
    });
    const lines = describeLoad(summary);
    measured.push({ scenario: scenario.name, lines });
  }
  return measured;
}

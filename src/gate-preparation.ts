/** Conductor of what a gate decides before anything is built: revisions, settings, plan, requests. */
import { changedFiles, matchesAny } from './builds/changes.ts';
import { type Git, openRepository } from './builds/git.ts';
import { chooseRevisions, type Revisions } from './builds/revision.ts';
import { readTrailers, type Trailers } from './builds/trailers.ts';
import type { JobPlan } from './config/plan.ts';
import { planJob } from './config/planner.ts';
import type { GateConfig } from './config/settings.ts';
import { nearest } from './config/suggestions.ts';
import { typicalAssumptions } from './config/timing.ts';
import { type Findings, type GateJob, nothingYet } from './gate-job.ts';
import { benchmarkShare } from './hot-paths.ts';
import type { Warning } from './kernel/errors.ts';
import { type Mask, maskingErrors, maskValues } from './kernel/masking.ts';
import { freshSeed } from './kernel/world.ts';
import { findLeftOut } from './left-out.ts';
import type { ScenarioShots } from './load/scenario-shots.ts';
import { machineWarnings } from './senders.ts';
import { projectIn } from './settings.ts';
import { mostShotsOf, prepareShots, secretsOf } from './shots.ts';
import type { Absent } from './verdict/left-out.ts';
import { leastRounds, lookRounds } from './verdict/looks.ts';

/** What a job will do, decided before anything is built. */
export interface Prepared {
  readonly git: Git;
  readonly config: GateConfig;
  readonly revisions: Revisions;
  readonly changed: readonly string[];
  /** Null when nothing of the change matches `paths`. */
  readonly plan: JobPlan | null;
  /** What its commits accept. */
  readonly trailers: Trailers;
  /** What each scenario sends, its files read; empty without a plan. */
  readonly shots: ReadonlyMap<string, ScenarioShots>;
  /** What its configuration takes out of the gate, and what is not there any more. */
  readonly absent: Absent;
  /** What is odd about benchmarks and requests, and can be measured all the same. */
  readonly warnings: readonly Warning[];
}

/**
 * Chooses the revisions and plans the rounds; what a dry run does. What it tells and throws shows no secret.
 * @throws TailgateError `usage` or `no-baseline`.
 */
export async function prepareGate(job: GateJob, found: Findings = nothingYet(job)): Promise<Prepared> {
  const secrets = () => secretsOf(job.environment, found.config);
  return await maskingErrors(secrets, () => prepareUnmasked(job, found));
}

async function prepareUnmasked(job: GateJob, found: Findings): Promise<Prepared> {
  const git = await openRepository(job);
  const revisions = await chooseRevisions({ git, wanted: job.config.baseline, nearest, ...job });
  found.revisions = revisions;
  const config = await job.trusted(job.config, git, revisions);
  found.config = {
    ...config,
    workingDirectory: projectIn(git.directory, job.directory, config.workingDirectory),
  };
  const before = (await job.measuredBefore?.(git, revisions)) ?? null;
  const left = await findLeftOut(before, found.config, git, revisions);
  const absent = { leftOut: left.leftOut, gone: left.gone };
  found.absent = absent;
  const changed = await changedFiles(git, revisions.baseline.sha, revisions.candidate.sha);
  const skipped = config.paths.length > 0 && !matchesAny(changed, config.paths);
  const rules = { lookRounds, leastRounds };
  const benchmarks = await benchmarkShare(git, revisions, found.config);
  const assumptions = { ...typicalAssumptions, benchmarks };
  const plan = skipped ? null : planJob(config, config.seed ?? freshSeed(), assumptions, rules);
  found.plan = plan;
  if (plan !== null) job.tell({ kind: 'planned', plan, config, revisions });
  const range = { baseline: revisions.baseline.sha, candidate: revisions.candidate.sha };
  const trailers = await readTrailers(git, range, config.trustConfig, nearest);
  const told = [
    ...revisions.warnings,
    ...trailers.warnings,
    ...(plan === null ? [] : machineWarnings(config)),
  ];
  for (const warning of told) job.tell({ kind: 'warning', warning });
  const shots =
    plan === null
      ? new Map<string, ScenarioShots>()
      : prepareShots(found.config, git.directory, job.environment, (name) => mostShotsOf(plan, name));
  const ofShots = warningsOf(shots, maskValues(secretsOf(job.environment, found.config)));
  const warnings = [...left.warnings, ...(plan === null ? left.unmeasured : []), ...ofShots];
  for (const warning of warnings) job.tell({ kind: 'warning', warning });
  return { git, config: found.config, revisions, changed, plan, trailers, shots, absent, warnings };
}

/** They name requests by their path, which a secret may stand in. */
const warningsOf = (shots: Prepared['shots'], mask: Mask): readonly Warning[] =>
  [...shots.values()].flatMap(({ warnings }) =>
    warnings.map((warning) => ({ ...warning, message: mask(warning.message) })),
  );

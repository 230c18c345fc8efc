/** Conductor of the gate: two revisions, their builds, rounds in turns, looks, confirmation, the verdict. */
import { waiversOf } from './accepted.ts';
import { type Alone, measureAlone } from './alone.ts';
import { type BuiltSides, buildBoth } from './both-builds.ts';
import type { Situation } from './builds/candidate.ts';
import { changedFiles, matchesAny } from './builds/changes.ts';
import { type Git, openRepository } from './builds/git.ts';
import { chooseRevisions, type Revisions } from './builds/revision.ts';
import { readTrailers, type Trailers } from './builds/trailers.ts';
import { createWorktrees } from './builds/worktree.ts';
import type { JobPlan } from './config/plan.ts';
import { planJob } from './config/planner.ts';
import { planRound, worktreeNames } from './config/rounds.ts';
import type { GateConfig } from './config/settings.ts';
import { nearest } from './config/suggestions.ts';
import { typicalAssumptions } from './config/timing.ts';
import { addFloor, addRound, replaceablePairs, startEvidence } from './evidence/collect.ts';
import type { Evidence, RevisionRecord } from './evidence/trial.ts';
import { measureFloor } from './floor.ts';
import { benchmarkShare, findHotPaths, measureHotPaths } from './hot-paths.ts';
import type { RoundJob } from './job.ts';
import { TailgateError } from './kernel/errors.ts';
import { builtFile } from './kernel/installation.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { maskedError, maskValues } from './kernel/masking.ts';
import type { Nanoseconds } from './kernel/units.ts';
import type { Side } from './kernel/words.ts';
import { type Clock, freshSeed, seededRandom } from './kernel/world.ts';
import { afterRound, beforeRound, type GateEvent } from './live.ts';
import type { ScenarioShots } from './load/scenario-shots.ts';
import type { FoundBenchmarks } from './microbenchmarks.ts';
import { measureRound } from './round.ts';
import { machineWarnings, placementOf, sendersOf, startSenders } from './senders.ts';
import type { Planted } from './service/front-order.ts';
import { readEnvironment } from './service/machine.ts';
import { pinGenerator } from './service/placement.ts';
import { startShared } from './services.ts';
import { projectIn } from './settings.ts';
import { mostShotsOf, prepareShots, secretsOf } from './shots.ts';
import { startBoth } from './sides.ts';
import { verdictOfFailure, verdictOfSkipped } from './verdict/failure.ts';
import type { Verdict } from './verdict/finding.ts';
import { judge } from './verdict/judge.ts';
import { leastRounds, lookRounds } from './verdict/looks.ts';

export interface GateJob {
  /** The root of the repository, or any folder in it. */
  readonly directory: string;
  readonly config: GateConfig;
  readonly situation: Situation;
  readonly mergeBaseByApi?: (one: string, other: string) => Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
  /** Settings that can weaken the gate, taken from the baseline where the configuration wants that. */
  readonly trusted: (config: GateConfig, git: Git, revisions: Revisions) => Promise<GateConfig>;
  readonly tell: (event: GateEvent) => void;
  /** Adds this to the requests of a side, without a change to its code; see `tailgate self-test`. */
  readonly front?: (side: Side) => Planted;
  /** Called when the verdict is known and both builds are still there. */
  readonly afterwards?: (built: StillBuilt) => Promise<void>;
}

/** A job that was measured, and what may be measured once more of the same builds. */
export interface StillBuilt {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  readonly config: GateConfig;
  readonly directories: BuiltSides['directories'];
  readonly shots: Prepared['shots'];
  /** Measures both sides from the start, by the same plan with another seed. Failures of a side become the verdict. */
  readonly again: (changes: {
    readonly seed: number;
    /** Rounds after which it may be decided, the last of them the plan's last. */
    readonly looks: JobPlan['looks'];
    readonly front: (side: Side) => Planted;
  }) => Promise<{ readonly verdict: Verdict; readonly evidence: Evidence }>;
}

export interface GateResult {
  readonly verdict: Verdict;
  /** The settings the verdict was reached with. */
  readonly config: GateConfig;
  readonly plan: JobPlan | null;
  readonly revisions: Revisions | null;
  /** What was measured, also when the job ended early. */
  readonly evidence: Evidence | null;
  /** The candidate alone, where there was nothing to compare it with. */
  readonly alone: readonly Alone[];
  readonly elapsed: Nanoseconds;
}

/** What a job has found out so far: nothing of it is lost when a later step fails. */
type Findings = {
  -readonly [Key in 'config' | 'plan' | 'revisions' | 'evidence' | 'alone']: GateResult[Key];
};

/**
 * Runs the whole gate.
 * @throws TailgateError `usage` for what only the user can mend, `cancelled` when the signal fired. Everything
 * else becomes a verdict.
 */
export async function runGate(job: GateJob): Promise<GateResult> {
  const began = job.clock.now();
  const found = nothingYet(job);
  const result = (verdict: Verdict): GateResult => ({
    verdict,
    ...found,
    elapsed: (job.clock.now() - began) as Nanoseconds,
  });
  try {
    return result(await decide(job, found));
  } catch (error) {
    job.signal.throwIfAborted();
    if (!(error instanceof TailgateError)) throw error;
    if (error.code !== 'no-baseline')
      return result(verdictOfFailure(masked(error, job, found.config), found));
    return result(await withoutBaseline(job, found, error));
  }
}

/** What a job will do, decided before anything is built. */
interface Prepared {
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
}

/**
 * Chooses the revisions and plans the rounds; what a dry run does.
 * @throws TailgateError `usage` or `no-baseline`.
 */
export async function prepareGate(job: GateJob, found: Findings = nothingYet(job)): Promise<Prepared> {
  const git = await openRepository(job);
  const revisions = await chooseRevisions({ git, wanted: job.config.baseline, nearest, ...job });
  found.revisions = revisions;
  const config = await job.trusted(job.config, git, revisions);
  found.config = {
    ...config,
    workingDirectory: projectIn(git.directory, job.directory, config.workingDirectory),
  };
  const changed = await changedFiles(git, revisions.baseline.sha, revisions.candidate.sha);
  const skipped = config.paths.length > 0 && !matchesAny(changed, config.paths);
  const rules = { lookRounds, leastRounds };
  const benchmarks = await benchmarkShare(git, revisions, found.config);
  const assumptions = { ...typicalAssumptions, benchmarks };
  const plan = skipped ? null : planJob(config, config.seed ?? freshSeed(), assumptions, rules);
  found.plan = plan;
  if (plan !== null) job.tell({ kind: 'planned', plan, config, revisions });
  const range = { baseline: revisions.baseline.sha, candidate: revisions.candidate.sha };
  const trailers = await readTrailers(git, range, config.trustConfig);
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
  return { git, config: found.config, revisions, changed, plan, trailers, shots };
}

async function decide(job: GateJob, found: Findings): Promise<Verdict> {
  const { git, config, revisions, changed, plan, trailers, shots } = await prepareGate(job, found);
  if (plan === null) return verdictOfSkipped(config.paths);
  await using worktrees = await createWorktrees({
    git,
    revisions,
    names: worktreeNames(plan.seed),
    ledger: job.ledger,
    submodules: config.submodules,
    lfs: config.lfs,
    onProblem: (warning) => job.tell({ kind: 'warning', warning }),
  });
  const built = await buildBoth(job, config, git, worktrees, changed.length);
  const record = (side: Side): RevisionRecord => ({
    ...revisions[side],
    outputHash: built.outputHashes[side],
  });
  const evidence = startEvidence({
    createdAt: job.clock.today(),
    environment: readEnvironment(job.environment),
    revisions: { baseline: record('baseline'), candidate: record('candidate') },
    identicalBuilds: built.identicalBuilds,
    warnings: [...revisions.warnings, ...trailers.warnings, ...built.warnings, ...machineWarnings(config)],
    placement: placementOf(config).kind,
    plan,
    config,
    waivers: waiversOf(config, trailers.accepted),
  });
  found.evidence = evidence;
  const hotPaths = await findHotPaths(job, config, evidence, built.directories);
  // Awaited here: the worktrees must outlive it.
  const verdict = await measure(job, found, evidence, built, hotPaths, shots);
  await job.afterwards?.({
    verdict,
    evidence: found.evidence,
    config,
    directories: built.directories,
    shots,
    again: async ({ seed, looks, front }) => {
      const anew = { ...found, evidence: { ...evidence, plan: { ...plan, seed, looks } } };
      const measuring = measure({ ...job, front }, anew, anew.evidence, built, null, shots);
      const reached = await measuring.catch((error: unknown) => {
        job.signal.throwIfAborted();
        if (!(error instanceof TailgateError)) throw error;
        return verdictOfFailure(masked(error, job, config), anew);
      });
      return { verdict: reached, evidence: anew.evidence };
    },
  });
  return verdict;
}

/** Rounds until a look decides, then the microbenchmarks, which share nothing with the load. */
async function measure(
  job: GateJob,
  found: Findings,
  empty: Evidence,
  built: BuiltSides,
  hotPaths: FoundBenchmarks | null,
  shots: Prepared['shots'],
): Promise<Verdict> {
  const { config } = found;
  const { plan } = empty;
  const random = seededRandom(plan.seed).fork('conductor');
  const generatorFile = { entry: builtFile('generator.js'), signal: job.signal };
  await using generator = await startSenders(generatorFile, sendersOf(config).count);
  const pinned = await Promise.all(generator.pids.map((pid) => pinGenerator(pid, placementOf(config))));
  const sidesJob = { ...job, config, random, directories: built.directories };
  await using shared = await startShared(sidesJob);
  const roundJob: RoundJob = {
    plan,
    config,
    clock: job.clock,
    random,
    generator,
    prepared: shots,
    sessions: new Map(),
    secrets: new Set(secretsOf(job.environment, config)),
    startBoth: (round) => startBoth({ ...sidesJob, shared }, round),
    startedAt: job.clock.now(),
    signal: job.signal,
  };
  // Where a container forbids it they share the CPUs as before.
  const placed = pinned.every((one) => one) ? empty : { ...empty, placement: 'shared' as const };
  let evidence = addFloor(placed, await measureFloor(roundJob));
  let progress = judge(evidence, { nearest });
  while (progress.kind === 'continue') {
    for (const event of beforeRound(evidence, progress)) job.tell(event);
    const round = planRound(plan, evidence.rounds.length, progress.scenarios);
    const measured = await measureRound(roundJob, round, progress.phase, replaceablePairs(evidence));
    evidence = addRound(evidence, measured);
    found.evidence = evidence;
    progress = judge(evidence, { nearest });
    for (const event of afterRound(evidence, measured, progress)) job.tell(event);
  }
  if (hotPaths === null) return progress.verdict;
  // What nobody asks any more would only take CPU from the microbenchmarks.
  await shared[Symbol.asyncDispose]();
  found.evidence = await measureHotPaths(hotPaths, config, evidence);
  return finalVerdict(found.evidence);
}

/** Of evidence that no further round can join. */
function finalVerdict(evidence: Evidence): Verdict {
  const progress = judge(evidence, { final: true, nearest });
  if (progress.kind === 'continue') throw new Error('final evidence is always decided');
  return progress.verdict;
}

function nothingYet(job: GateJob): Findings {
  return { config: job.config, plan: null, revisions: null, evidence: null, alone: [] };
}

/** The candidate is measured alone; when even that fails, the failure is the news. */
async function withoutBaseline(job: GateJob, found: Findings, why: TailgateError): Promise<Verdict> {
  try {
    found.alone = await measureAlone(job, found.config);
    return verdictOfFailure(masked(why, job, found.config), found);
  } catch (error) {
    job.signal.throwIfAborted();
    if (!(error instanceof TailgateError)) throw error;
    return verdictOfFailure(masked(error, job, found.config), found);
  }
}

/** What a command or service printed may hold the secrets it was given. */
const masked = (error: TailgateError, job: GateJob, config: GateConfig): TailgateError =>
  maskedError(error, maskValues(secretsOf(job.environment, config)));

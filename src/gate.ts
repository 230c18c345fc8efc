/** Conductor of the gate: two revisions, their builds, rounds in turns, looks, fresh rounds where one is not enough, the verdict. */
import { waiversOf } from './accepted.ts';
import { measureAlone } from './alone.ts';
import { type BuiltSides, buildBoth } from './both-builds.ts';
import { createWorktrees } from './builds/worktree.ts';
import type { JobPlan } from './config/plan.ts';
import { holdsFreshRounds, keepToTime, type TimeSoFar } from './config/plan-time.ts';
import { planRound, worktreeNames } from './config/rounds.ts';
import type { GateConfig } from './config/settings.ts';
import { nearest } from './config/suggestions.ts';
import { addFloor, addRound, replaceablePairs, startEvidence } from './evidence/collect.ts';
import type { Evidence, RevisionRecord } from './evidence/trial.ts';
import { measureFloor } from './floor.ts';
import { type Findings, type GateJob, type GateResult, nothingYet } from './gate-job.ts';
import { type Prepared, prepareGate } from './gate-preparation.ts';
import { findHotPaths, measureHotPaths } from './hot-paths.ts';
import type { RoundJob } from './job.ts';
import { TailgateError } from './kernel/errors.ts';
import { builtFile } from './kernel/installation.ts';
import { maskedError, maskValues } from './kernel/masking.ts';
import { type Nanoseconds, ns } from './kernel/units.ts';
import type { Side } from './kernel/words.ts';
import { seededRandom } from './kernel/world.ts';
import { afterRound, beforeRound } from './live.ts';
import type { FoundBenchmarks } from './microbenchmarks.ts';
import { measureRound } from './round.ts';
import { machineWarnings, placementOf, sendersOf, startSenders } from './senders.ts';
import { readEnvironment } from './service/machine.ts';
import { pinGenerator } from './service/placement.ts';
import { startShared } from './services.ts';
import { secretsOf } from './shots.ts';
import { startBoth } from './sides.ts';
import { verdictOfFailure, verdictOfSkipped } from './verdict/failure.ts';
import type { Continue, Verdict } from './verdict/finding.ts';
import { judge } from './verdict/judge.ts';
import { absentRows } from './verdict/left-out.ts';
import { leastRounds } from './verdict/looks.ts';

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
    if (error.code !== 'no-baseline') return result(verdictOfEarlyEnd(error, job, found));
    return result(await withoutBaseline(job, found, error));
  }
}

async function decide(job: GateJob, found: Findings): Promise<Verdict> {
  const prepared = await prepareGate(job, found);
  const { git, config, revisions, changed, plan, trailers, shots } = prepared;
  if (plan === null)
    return verdictOfSkipped(config.paths, absentRows(prepared.absent, config.judge), prepared.warnings);
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
    warnings: [
      ...revisions.warnings,
      ...trailers.warnings,
      ...built.warnings,
      ...machineWarnings(config),
      ...prepared.warnings,
    ],
    placement: placementOf(config).kind,
    plan,
    config,
    waivers: waiversOf(config, trailers.accepted),
    leftOut: prepared.absent.leftOut,
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
        return verdictOfEarlyEnd(error, job, anew);
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
    const kept = progress.phase === 'measuring' ? planInTime(evidence, progress, config) : evidence.plan;
    if (kept !== evidence.plan) {
      job.tell({ kind: 'warning', warning: kept.notes.at(-1)! });
      evidence = { ...evidence, plan: kept };
      found.plan = kept;
      found.evidence = evidence;
      progress = judge(evidence, { nearest });
      continue;
    }
    if (noTimeToSettle(evidence, progress, config)) break;
    for (const event of beforeRound(evidence, progress)) job.tell(event);
    const round = planRound(plan, evidence.rounds.length, progress.scenarios);
    const measured = await measureRound(roundJob, round, progress.phase, replaceablePairs(evidence));
    evidence = addRound(evidence, measured);
    found.evidence = evidence;
    progress = judge(evidence, { nearest });
    for (const event of afterRound(evidence, measured, progress)) job.tell(event);
  }
  if (hotPaths === null) return progress.kind === 'decided' ? progress.verdict : finalVerdict(evidence);
  // What nobody asks any more would only take CPU from the microbenchmarks.
  await shared[Symbol.asyncDispose]();
  found.evidence = await measureHotPaths(hotPaths, config, evidence);
  return finalVerdict(found.evidence);
}

/** What was planned, as far as the time budget still holds it. */
function planInTime(evidence: Evidence, progress: Continue, config: GateConfig): JobPlan {
  const { plan, counters } = evidence;
  const judged = plan.scenarios.flatMap((scenario) => [
    ...scenario.judged,
    ...(counters ?? []).filter((counter) => counter.judge !== null),
  ]);
  return keepToTime(plan, leastRounds(judged.length), timeSoFar(evidence, progress, config));
}

/** A regression is confirmed whatever that takes; what is only open gets rounds that the budget holds. */
function noTimeToSettle(evidence: Evidence, progress: Continue, config: GateConfig): boolean {
  const begins = evidence.rounds.every((round) => round.phase === 'measuring');
  if (progress.purpose !== 'settle' || !begins) return false;
  return !holdsFreshRounds(evidence.plan, timeSoFar(evidence, progress, config));
}

const timeSoFar = (
  { rounds, plan }: Evidence,
  { usable }: Continue,
  { timeBudget }: GateConfig,
): TimeSoFar => ({
  measured: rounds.length,
  usable,
  spent: ns(rounds.reduce((sum, round) => sum + round.duration, 0)),
  budget: ns(timeBudget * (1 - plan.benchmarks)),
});

/** Of evidence that no further round can join. */
function finalVerdict(evidence: Evidence): Verdict {
  const progress = judge(evidence, { final: true, nearest });
  if (progress.kind === 'continue') throw new Error('final evidence is always decided');
  return progress.verdict;
}

/** The candidate is measured alone; when even that fails, the failure is the news. */
async function withoutBaseline(job: GateJob, found: Findings, why: TailgateError): Promise<Verdict> {
  try {
    found.alone = await measureAlone(job, found.config);
    return verdictOfEarlyEnd(why, job, found);
  } catch (error) {
    job.signal.throwIfAborted();
    if (!(error instanceof TailgateError)) throw error;
    return verdictOfEarlyEnd(error, job, found);
  }
}

/** What had been found out by then stays in sight. */
function verdictOfEarlyEnd(error: TailgateError, job: GateJob, found: Findings): Verdict {
  const missing = absentRows(found.absent, found.config.judge);
  return verdictOfFailure(masked(error, job, found.config), { evidence: found.evidence, missing });
}

/** What a command or service printed may hold the secrets it was given. */
const masked = (error: TailgateError, job: GateJob, config: GateConfig): TailgateError =>
  maskedError(error, maskValues(secretsOf(job.environment, config)));

/** Conductor of microbenchmarks: two built sides → what they share, rounds in turns, looks, confirmation, the verdict. */
import { matchesAny } from './builds/changes.ts';
import { defaultBenchGlobs } from './config/schema-judging.ts';
import type { MicrobenchmarkSettings } from './config/settings.ts';
import { TailgateError } from './kernel/errors.ts';
import { builtFile } from './kernel/installation.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { type Mask, maskFor } from './kernel/masking.ts';
import type { Nanoseconds } from './kernel/units.ts';
import { type Side, sides } from './kernel/words.ts';
import { type Clock, type Random, seededRandom } from './kernel/world.ts';
import type {
  BenchEvidence,
  BenchPlan,
  BenchResult,
  BenchRevision,
  BenchSubject,
} from './microbench/evidence.ts';
import { benchFiles } from './microbench/files.ts';
import { discoverFunctions, measureFunctions } from './microbench/functions.ts';
import { nothingFound, refuseTwice, unmatchedGlobs } from './microbench/naming.ts';
import { findNode } from './microbench/node.ts';
import type { FunctionJob } from './microbench/pair.ts';
import { patienceWithin, type TellWaiting } from './microbench/patience.ts';
import { SuiteReadings } from './microbench/readings.ts';
import type { FunctionPlan } from './microbench/sampling.ts';
import { runSuite, type SuiteJob, suiteResults, suiteSubjects } from './microbench/suites.ts';
import type { ProgressEvent } from './report/progress.ts';
import { meterFor } from './service/cost.ts';
import { withoutSecrets } from './service/environment.ts';
import type { BenchVerdict } from './verdict/benchmark-finding.ts';
import { benchStep } from './verdict/benchmark-progress.ts';
import { type BenchTime, expectedRounds, judgedCount, outOfTimeWarning } from './verdict/benchmark-time.ts';
import { leastRounds, lookRounds } from './verdict/looks.ts';

export interface BenchmarksSettings extends MicrobenchmarkSettings {
  /** null: twelve, or as many as this many benchmarks need. */
  readonly rounds: number | null;
  readonly confirm: boolean;
  readonly tolerance: BenchPlan['tolerance'];
  readonly onDifferentResult: BenchPlan['onDifferentResult'];
}

export interface BenchmarksJob {
  readonly settings: BenchmarksSettings;
  /** Where each side's project was built. */
  readonly directories: Readonly<Record<Side, string>>;
  readonly revisions: Readonly<Record<Side, BenchRevision>>;
  /** Of this process; secrets are taken out of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `env` of the configuration. */
  readonly env: Readonly<Record<string, string>>;
  readonly seed: number;
  /** What never ends may take no more than a part of it; null: as long as it takes. */
  readonly timeBudget: Nanoseconds | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
  readonly tell: (event: ProgressEvent) => void;
}

export interface BenchmarksResult {
  readonly verdict: BenchVerdict;
  readonly evidence: BenchEvidence;
}

const defaultRounds = 12;
const confirmationRounds = 6;

/** What is measured and how, after everything was seen once. */
interface Found {
  readonly subjects: readonly BenchSubject[];
  readonly plans: readonly FunctionPlan[];
  readonly readings: SuiteReadings;
  readonly node: string | null;
}

/** Everything that `settings` names, seen once and calibrated, ready for rounds in turns. */
export interface FoundBenchmarks {
  readonly job: BenchmarksJob;
  readonly random: Random;
  readonly functions: FunctionJob | null;
  readonly suites: SuiteJob;
  readonly found: Found;
  /** Without a round. */
  readonly empty: BenchEvidence;
}

/**
 * Looks for everything that `settings` names, in both directories.
 * @returns null when nobody named anything and nothing is there.
 * @throws TailgateError `usage` when there is no benchmark at all, or the rounds cannot decide so many; `cancelled`.
 */
export async function findBenchmarks(job: BenchmarksJob): Promise<FoundBenchmarks | null> {
  const random = seededRandom(job.seed).fork('benchmarks');
  const env = { ...withoutSecrets(job.environment), ...job.env };
  refuseTwice(job.settings.suites);
  const mask = maskFor(job.environment, job.env);
  const patience = patienceWithin(job.timeBudget);
  const onWait: TellWaiting = (what, limit) => job.tell({ kind: 'waiting', what, limit });
  const functions = await functionJob(job, env, mask, onWait);
  const suites: SuiteJob = {
    ...job,
    env,
    mask,
    timeout: patience.run,
    meterOf: (identity) => meterFor(identity, job.clock),
  };
  const found = await find(job, functions, { ...suites, timeout: patience.firstRun, onWait }, random);
  if (found.subjects.length === 0) {
    if (job.settings.declared) throw nothingFound(job.settings.files, job.settings.suites);
    return null;
  }
  warnOfGlobs(job, functions?.files ?? { baseline: [], candidate: [] });
  job.tell({ kind: 'benchmarks-found', count: found.subjects.length, node: found.node });
  return { job, random, functions, suites, found, empty: start(job, found) };
}

/**
 * Measures and judges what was found.
 * @param time of all rounds together: when no further one fits, the last look is taken. null: as long as it takes.
 * @throws TailgateError `cancelled`.
 */
export async function measureBenchmarks(
  { job, random, functions, suites, found, empty }: FoundBenchmarks,
  time: BenchTime | null,
): Promise<BenchmarksResult> {
  let { evidence, progress } = benchStep(empty, time);
  while (progress.kind === 'continue') {
    const { phase, benchmarks } = progress;
    const index = evidence.rounds.length;
    const done = evidence.rounds.filter((round) => round.phase === phase).length;
    const of = phase === 'measuring' ? evidence.plan.rounds : confirmationRounds;
    job.tell({ kind: 'bench-round', index: done + 1, of, phase, benchmarks: benchmarks.length });
    const began = job.clock.now();
    const wanted = new Set(benchmarks);
    const results = await measureRound(job, functions, suites, found, wanted, random.fork(`round-${index}`));
    const duration = (job.clock.now() - began) as Nanoseconds;
    const rounds = [...evidence.rounds, { index, phase, results, duration }];
    evidence = { ...evidence, suites: found.readings.all, rounds };
    if (index === 0 && time !== null)
      job.tell({ kind: 'bench-timed', duration, ...time, rounds: expectedRounds(evidence, time), of });
    const asked = evidence.plan.outOfTime;
    ({ evidence, progress } = benchStep(evidence, time));
    if (evidence.plan.outOfTime !== asked)
      job.tell({ kind: 'warning', warning: outOfTimeWarning(evidence)! });
  }
  return { verdict: progress.verdict, evidence };
}

async function functionJob(
  job: BenchmarksJob,
  env: Readonly<Record<string, string | undefined>>,
  mask: Mask,
  onWait: TellWaiting,
): Promise<(FunctionJob & { readonly version: string }) | null> {
  const { files } = job.settings;
  if (files.length === 0) return null;
  const matches = (file: string): boolean => matchesAny([file], files);
  const found = {
    baseline: benchFiles(job.directories.baseline, matches),
    candidate: benchFiles(job.directories.candidate, matches),
  };
  if (sides.every((side) => found[side].length === 0)) return null;
  const node = await findNode(env, job.directories.candidate);
  const patience = patienceWithin(job.timeBudget);
  return {
    entry: builtFile('microbench-child.js'),
    node: node.path,
    nodeOptions: node.options,
    version: node.version,
    directories: job.directories,
    files: found,
    env,
    mask,
    patience: patience.order,
    finding: patience.finding,
    onWait,
    clock: job.clock,
    signal: job.signal,
    ledger: job.ledger,
  };
}

/** Functions are calibrated; suites are run once, which also warms their caches and builds. */
async function find(
  job: BenchmarksJob,
  functions: Awaited<ReturnType<typeof functionJob>>,
  suites: SuiteJob,
  random: Random,
): Promise<Found> {
  const subjects: BenchSubject[] = [];
  const plans: FunctionPlan[] = [];
  const readings = new SuiteReadings({
    read: (name, formats) => job.tell({ kind: 'suite-read', name, formats }),
    warn: (warning) => job.tell({ kind: 'warning', warning }),
  });
  if (functions !== null) {
    const found = await discoverFunctions(functions, random.fork('functions'));
    subjects.push(...found.subjects);
    plans.push(...found.plans);
    if (!job.settings.declared) passOver(job, subjects);
    for (const message of found.warnings)
      job.tell({ kind: 'warning', warning: { code: 'benchmark-files', message } });
  }
  for (const suite of job.settings.suites) {
    const runs = await runSuite(suites, suite, random.fork(`suite-${suite.name}`));
    readings.add(suite.name, runs);
    subjects.push(...suiteSubjects(suite, runs));
  }
  refuseTwice(subjects);
  return { subjects, plans, readings, node: functions?.version ?? null };
}

function warnOfGlobs({ settings, tell }: BenchmarksJob, files: FunctionJob['files']): void {
  const given = settings.files.filter((glob) => !defaultBenchGlobs.includes(glob));
  for (const warning of unmatchedGlobs(given, files, (file, glob) => matchesAny([file], [glob])))
    tell({ kind: 'warning', warning });
}

/** What nobody named and neither side can run belongs to another tool, such as a runner with its own globals. */
function passOver(job: BenchmarksJob, subjects: BenchSubject[]): void {
  const foreign = subjects.filter(
    ({ source, name, problem }) =>
      source === 'function' &&
      problem !== null &&
      (!name.includes(' > ') || problem.startsWith('both sides: ')),
  );
  for (const subject of foreign) {
    subjects.splice(subjects.indexOf(subject), 1);
    const message = `${subject.name} is passed over: ${subject.problem}`;
    const hint = '`microbenchmarks: []` looks for none';
    job.tell({ kind: 'warning', warning: { code: 'benchmark-files', message, hint } });
  }
}

/** Everything still open, once: functions in one pair of processes, then each suite that has an open benchmark. */
async function measureRound(
  job: BenchmarksJob,
  functions: FunctionJob | null,
  suites: SuiteJob,
  found: Found,
  wanted: ReadonlySet<string>,
  random: Random,
): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = [];
  const plans = found.plans.filter((plan) => wanted.has(plan.name));
  if (functions !== null) results.push(...(await measureFunctions(functions, plans, random)));
  for (const suite of job.settings.suites) {
    if (![...wanted].some((name) => name.startsWith(`${suite.name} > `))) continue;
    const runs = await runSuite(suites, suite, random.fork(suite.name));
    found.readings.add(suite.name, runs);
    results.push(...suiteResults(suite, runs, wanted, found.subjects));
  }
  return results;
}

function start(job: BenchmarksJob, found: Found): BenchEvidence {
  const { settings } = job;
  const judged = judgedCount(found.subjects);
  const needed = leastRounds(judged);
  const rounds = settings.rounds ?? Math.max(defaultRounds, needed);
  if (rounds < needed) {
    throw new TailgateError({
      code: 'usage',
      message: `${rounds} rounds cannot decide ${judged} benchmarks: the smallest p they can reach is too large for so many`,
      hint: `give --rounds ${needed} or more, or measure fewer benchmarks`,
    });
  }
  return {
    schema: 'tailgate-bench-evidence',
    version: 1,
    createdAt: job.clock.today().toISOString(),
    seed: job.seed,
    node: found.node,
    revisions: job.revisions,
    plan: {
      rounds,
      looks: lookRounds(rounds),
      confirm: settings.confirm,
      confirmationRounds,
      tolerance: settings.tolerance,
      onDifferentResult: settings.onDifferentResult,
    },
    suites: found.readings.all,
    subjects: found.subjects,
    rounds: [],
  };
}

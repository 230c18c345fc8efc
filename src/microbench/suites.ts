/** Benchmarks of any language by command: run in turns in both worktrees, once a round, and read by an adapter. */
import type { SuiteSettings } from '../config/settings.ts';
import { type CommandExit, type CommandResult, runCommand } from '../kernel/command.ts';
import { assertNever, messageOf, type Warning } from '../kernel/errors.ts';
import type { Leftover } from '../kernel/leftovers.ts';
import type { Mask } from '../kernel/masking.ts';
import type { GroupIdentity } from '../kernel/processes.ts';
import { bytes, formatDuration, type Nanoseconds } from '../kernel/units.ts';
import { type Format, otherSide, type Side, sides } from '../kernel/words.ts';
import type { Clock, Random } from '../kernel/world.ts';
import { benchmarkFileLimit } from './adapters/decode.ts';
import { readBenchmarks } from './adapters/read.ts';
import type { BenchResult, BenchSubject, SideResult } from './evidence.ts';
import { executionRows } from './executions.ts';
import { quietTime, type TellWaiting } from './patience.ts';
import { type BenchRow, sameUnit } from './samples.ts';

export type Suite = SuiteSettings;

/** Peak memory of a process tree while it runs. */
export interface MemoryMeter {
  sample(): unknown;
  peakMemory(): number | null;
}

export interface SuiteJob {
  readonly directories: Readonly<Record<Side, string>>;
  /** The whole environment of the commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of one run of a command. */
  readonly timeout: Nanoseconds;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger?: { add(entry: Leftover): void; remove(entry: Leftover): void };
  readonly meterOf: (identity: GroupIdentity) => MemoryMeter;
  readonly onWait?: TellWaiting;
  /** Takes secrets out of every name, unit and reason. */
  readonly mask: Mask;
}

/** What a suite said on one side in one round. */
export type SuiteRun =
  | {
      readonly kind: 'rows';
      readonly rows: readonly BenchRow[];
      /** What its output was taken for; null where none was read. */
      readonly format: Format | null;
      /** Of the adapter. */
      readonly warnings: readonly Warning[];
    }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs a suite on both sides, in a drawn order. What goes wrong with a command is a reason of its side.
 * @throws TailgateError `cancelled`; `usage` where this machine cannot measure executions.
 */
export async function runSuite(
  job: SuiteJob,
  suite: Suite,
  random: Random,
): Promise<Readonly<Record<Side, SuiteRun>>> {
  switch (suite.kind) {
    case 'execution':
      return executionRows(job, suite.exec, random);
    case 'command': {
      const first: Side = random.coin() ? 'baseline' : 'candidate';
      const runs: Partial<Record<Side, SuiteRun>> = {};
      for (const side of [first, otherSide(first)]) runs[side] = await runCommandOf(job, suite, side);
      return { baseline: runs.baseline!, candidate: runs.candidate! };
    }
    default:
      return assertNever(suite);
  }
}

async function runCommandOf(
  job: SuiteJob,
  suite: Extract<Suite, { kind: 'command' }>,
  side: Side,
): Promise<SuiteRun> {
  const result = await runInLedger(job, {
    command: suite.command,
    cwd: job.directories[side],
    env: job.env,
    name: `${suite.name} on the ${side}`,
  });
  const problem = exitProblem(result, job);
  if (problem !== null) return { kind: 'failed', reason: problem };
  if (result.truncated) return { kind: 'failed', reason: 'its output is larger than 64 MB' };
  const name = `output of ${suite.name}`;
  try {
    const read = readBenchmarks({ name, bytes: result.stdoutBytes }, suite.format);
    return {
      kind: 'rows',
      rows: read.rows.map((row) => maskedRow(row, job.mask)),
      format: read.format,
      warnings: read.warnings.map((warning) => maskedWarning(warning, job.mask)),
    };
  } catch (error) {
    return {
      kind: 'failed',
      reason: whyUnread(messageOf(error), { ...result, name }, suite.format, job.mask),
    };
  }
}

function maskedRow(row: BenchRow, mask: Mask): BenchRow {
  const { normalised, text } = row.unit;
  // Known units hold no secret; the word of a custom one is whatever the output says.
  const unit = { ...row.unit, normalised: mask(normalised), text: mask(text) };
  return { ...row, name: mask(row.name), unit, problem: row.problem === null ? null : mask(row.problem) };
}

const maskedWarning = ({ code, message, hint }: Warning, mask: Mask): Warning => ({
  code,
  message: mask(message),
  ...(hint === undefined ? {} : { hint: mask(hint) }),
});

/** Errors of adapters quote the beginning of what they read, and may cut a secret in two: they read it masked then. */
function whyUnread(
  why: string,
  { name, stdout }: { readonly name: string; readonly stdout: string },
  format: Extract<Suite, { kind: 'command' }>['format'],
  mask: Mask,
): string {
  const text = mask(stdout);
  if (text === stdout) return why;
  try {
    readBenchmarks({ name, bytes: new TextEncoder().encode(text) }, format);
  } catch (error) {
    return mask(messageOf(error));
  }
  return `${name} cannot be read`;
}

/** Runs a command so that whoever comes after a crash can end it. */
export async function runInLedger(
  job: SuiteJob,
  what: {
    readonly command: string | readonly string[];
    readonly cwd: string;
    readonly env: SuiteJob['env'];
    /** For a reader who waits. */
    readonly name: string;
    readonly onStart?: (identity: GroupIdentity) => void;
  },
): Promise<CommandResult> {
  let entry: Leftover | null = null;
  const { onStart, name, ...command } = what;
  const waits = new AbortController();
  job.clock.sleep(quietTime, waits.signal).then(
    () => job.onWait?.(job.mask(name), job.timeout),
    () => undefined,
  );
  const result = await runCommand({
    ...command,
    timeout: job.timeout,
    signal: job.signal,
    captureLimit: bytes(benchmarkFileLimit),
    onStart: (identity) => {
      entry = { kind: 'group', ...identity };
      job.ledger?.add(entry);
      onStart?.(identity);
    },
  }).finally(() => waits.abort());
  if (entry !== null) job.ledger?.remove(entry);
  job.signal.throwIfAborted();
  return result;
}

/** Why a command's run is no result; null when it ended with 0. */
export function exitProblem(
  { exit, tail }: CommandResult,
  { timeout, mask }: Pick<SuiteJob, 'timeout' | 'mask'>,
): string | null {
  if (exit.kind === 'exited' && exit.code === 0) return null;
  // Masked before it is cut: a part of a secret is not known as one.
  const last = tail.map(mask).findLast((line) => /\S/.test(line));
  return `the command ${exitWords(exit, timeout)}${last === undefined ? '' : `: ${last.slice(0, 300)}`}`;
}

function exitWords(exit: CommandExit, timeout: Nanoseconds): string {
  switch (exit.kind) {
    case 'exited':
      return `ended with exit code ${exit.code}`;
    case 'signalled':
      return `was ended by ${exit.signal}`;
    case 'timed-out':
      return `did not end within ${formatDuration(timeout)}`;
    case 'cancelled':
      return 'was cancelled';
    case 'not-found':
      return `could not be started (${exit.message})`;
    default:
      return assertNever(exit);
  }
}

const rowName = (suite: Suite, row: BenchRow): string => `${suite.name} > ${row.name}`;

/** The benchmarks of a suite, from its first round. A suite that failed is one benchmark with a problem. */
export function suiteSubjects(suite: Suite, runs: Readonly<Record<Side, SuiteRun>>): readonly BenchSubject[] {
  const failed = sides.filter((side) => runs[side].kind === 'failed');
  if (failed.length > 0) {
    const run = runs[failed[0]!];
    const who = failed.length === 2 ? 'both sides' : failed[0]!;
    return [{ ...blank(suite), problem: `${who}: ${run.kind === 'failed' ? run.reason : ''}` }];
  }
  const rows = { baseline: rowsOf(runs.baseline), candidate: rowsOf(runs.candidate) };
  const names = new Set(sides.flatMap((side) => [...rows[side].keys()]));
  return [...names].map((name) =>
    subjectOf(suite, rows.baseline.get(name) ?? null, rows.candidate.get(name) ?? null),
  );
}

const blank = (suite: Suite): BenchSubject => ({
  name: suite.name,
  source: suite.kind,
  unit: { kind: 'custom', normalised: '', text: '' },
  direction: 'smaller-is-better',
  presence: 'both',
  alone: null,
  iterations: null,
  problem: null,
  remark: null,
});

function subjectOf(suite: Suite, baseline: BenchRow | null, candidate: BenchRow | null): BenchSubject {
  const row = (candidate ?? baseline)!;
  const subject: BenchSubject = {
    ...blank(suite),
    name: rowName(suite, row),
    unit: row.unit,
    direction: row.direction,
    ...(baseline?.directionGuessed || candidate?.directionGuessed ? { directionGuessed: true } : {}),
  };
  if (baseline === null || candidate === null) {
    return { ...subject, presence: baseline === null ? 'candidate' : 'baseline', alone: row.value };
  }
  if (!sameUnit(baseline.unit, candidate.unit)) {
    const problem = `the unit changed from ${baseline.unit.text} to ${candidate.unit.text}`;
    return { ...subject, problem };
  }
  return baseline.direction === candidate.direction
    ? subject
    : { ...subject, problem: 'smaller is better on one side, bigger on the other' };
}

const rowsOf = (run: SuiteRun): ReadonlyMap<string, BenchRow> =>
  new Map(run.kind === 'rows' ? run.rows.map((row) => [row.name, row]) : []);

/** A round's results of the benchmarks that are wanted. */
export function suiteResults(
  suite: Suite,
  runs: Readonly<Record<Side, SuiteRun>>,
  wanted: ReadonlySet<string>,
  subjects: readonly BenchSubject[],
): readonly BenchResult[] {
  const own = subjects.filter(({ name }) => wanted.has(name) && name.startsWith(`${suite.name} > `));
  const of = (subject: BenchSubject, side: Side): SideResult => {
    const run = runs[side];
    if (run.kind === 'failed') return { kind: 'failed', reason: run.reason };
    const row = run.rows.find((one) => rowName(suite, one) === subject.name);
    if (row === undefined) return { kind: 'failed', reason: 'the output has no such benchmark this time' };
    if (row.value === null) return { kind: 'failed', reason: row.problem ?? 'it has no value' };
    if (!sameUnit(row.unit, subject.unit)) {
      return { kind: 'failed', reason: `its unit is ${row.unit.text} this time` };
    }
    return { kind: 'measured', value: row.value, samples: row.samples, cpu: null, digest: null };
  };
  return own.map((subject) => ({
    name: subject.name,
    baseline: of(subject, 'baseline'),
    candidate: of(subject, 'candidate'),
  }));
}

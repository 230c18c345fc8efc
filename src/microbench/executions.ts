/**
 * What one execution of a command-line tool costs: user and system time and peak memory of its process tree. The time
 * is what the kernel accounts to the finished children of a shell (getrusage), as bash's `time` prints it in whole
 * milliseconds: short commands are executed several times in one sample.
 */
import { constants } from 'node:os';
import type { CommandExit } from '../kernel/command.ts';
import { TailgateError } from '../kernel/errors.ts';
import { msToNs, nsToMs } from '../kernel/units.ts';
import { type Side, sides } from '../kernel/words.ts';
import type { Random } from '../kernel/world.ts';
import type { BenchRow, BenchUnit } from './samples.ts';
import { median, quads } from './sampling.ts';
import { exitProblem, type MemoryMeter, runInLedger, type SuiteJob, type SuiteRun } from './suites.ts';

/** CPU time of a sample: fifty times the millisecond that user and system time are cut to. */
const sampleTarget = msToNs(100);
const mostExecutions = 100;
/** A side and round: one quad has two. */
const samples = 4;
/** How often memory is looked at; a peak that is shorter may be missed, on both sides alike. */
const memoryPause = msToNs(5);

const script = `TIMEFORMAT='%U %S'
{ time for ((i = 0; i < TAILGATE_EXECUTIONS; i++)); do
  sh -c "$TAILGATE_EXEC" >/dev/null 2>&3 || exit $?
done; } 3>&2 2>&1`;

/** Seconds of user and system time, with the decimal sign of the locale. */
const timesLine = /^(\d+)[.,](\d{3}) (\d+)[.,](\d{3})\s*$/;

/** How bash tells that the shell of the command was ended by a signal: with a line of our script. */
const signalLine = /^bash: .*\$TAILGATE_EXEC/;

/** A shell's exit code for a command that was ended by a signal: 128 and the signal's number. */
function signalOf(exit: CommandExit): CommandExit {
  if (exit.kind !== 'exited') return exit;
  const found = Object.entries(constants.signals).find(([, number]) => number === exit.code - 128);
  return found === undefined ? exit : { kind: 'signalled', signal: found[0] as NodeJS.Signals };
}

interface Execution {
  /** ns an execution. */
  readonly cpu: number;
  /** Bytes; null where this system does not tell, or it ended before anybody looked. */
  readonly memory: number | null;
}

/**
 * One round of a command: first once a side, uncounted, to warm the file cache and to see how long it takes; then in
 * quads of both sides, equally many executions a sample.
 */
export async function executionRows(
  job: SuiteJob,
  exec: string,
  random: Random,
): Promise<Readonly<Record<Side, SuiteRun>>> {
  const failed: Partial<Record<Side, SuiteRun>> = {};
  const first: Partial<Record<Side, Execution>> = {};
  for (const side of random.shuffle(sides)) {
    const answer = await execute(job, exec, side, 1);
    if (typeof answer === 'string') failed[side] = { kind: 'failed', reason: answer };
    else first[side] = answer;
  }
  const taken: Record<Side, Execution[]> = { baseline: [], candidate: [] };
  if (failed.baseline === undefined && failed.candidate === undefined) {
    const each = Math.max(msToNs(1), Math.min(first.baseline!.cpu, first.candidate!.cpu));
    const executions = Math.min(mostExecutions, Math.max(1, Math.ceil(sampleTarget / each)));
    for (const side of quads(samples, random)) {
      const answer = await execute(job, exec, side, executions);
      if (typeof answer === 'string') failed[side] = { kind: 'failed', reason: answer };
      else taken[side].push(answer);
      if (typeof answer === 'string') break;
    }
  }
  const runOf = (side: Side): SuiteRun =>
    failed[side] ?? { kind: 'rows', rows: rowsOf(taken[side]), format: null, warnings: [] };
  return { baseline: runOf('baseline'), candidate: runOf('candidate') };
}

/** @returns what it cost, or why there is no answer. */
async function execute(
  job: SuiteJob,
  exec: string,
  side: Side,
  executions: number,
): Promise<Execution | string> {
  const watching = new AbortController();
  const watches: Promise<MemoryMeter>[] = [];
  const result = await runInLedger(job, {
    command: ['bash', '-c', script],
    cwd: job.directories[side],
    name: `${exec} on the ${side}`,
    env: { ...job.env, TAILGATE_EXEC: exec, TAILGATE_EXECUTIONS: String(executions) },
    onStart: (identity) => {
      watches.push(watchMemory(job, job.meterOf(identity), watching.signal));
    },
  }).finally(() => watching.abort());
  const [meter] = await Promise.all(watches);
  if (result.exit.kind === 'not-found') {
    throw new TailgateError({
      code: 'usage',
      message: `CPU time of a command is measured with bash, and ${result.exit.message}`,
      hint: 'install bash, or leave the benchmarks with exec out on this machine',
    });
  }
  // The shell prints its times whatever the end was; the command's own last words are what helps.
  const words = result.tail.filter((line) => !timesLine.test(line) && !signalLine.test(line));
  const exit = result.tail.some((line) => signalLine.test(line)) ? signalOf(result.exit) : result.exit;
  const problem = exitProblem({ ...result, exit, tail: words }, job);
  if (problem !== null) return problem;
  const times = timesLine.exec(result.stdout);
  if (times === null)
    return `bash did not print its times, but ${JSON.stringify(job.mask(result.stdout).slice(0, 80))}`;
  const [user, system] = [`${times[1]}${times[2]}`, `${times[3]}${times[4]}`].map(Number);
  return { cpu: msToNs(user! + system!) / executions, memory: meter?.peakMemory() ?? null };
}

async function watchMemory(job: SuiteJob, meter: MemoryMeter, signal: AbortSignal): Promise<MemoryMeter> {
  try {
    while (!signal.aborted) {
      meter.sample();
      await job.clock.sleep(memoryPause, signal);
    }
  } catch {
    // Woken up by the end of the command.
  }
  return meter;
}

const cpuUnit: BenchUnit = { kind: 'time', normalised: 'ns', text: 'ns' };
const memoryUnit: BenchUnit = { kind: 'bytes', normalised: 'bytes', text: 'bytes' };

function rowsOf(taken: readonly Execution[]): readonly BenchRow[] {
  const row = (name: string, unit: BenchUnit, values: readonly number[], problem: string): BenchRow => {
    const value = values.length === 0 ? Number.NaN : median(values);
    const known = Number.isFinite(value) && value > 0;
    return {
      name,
      unit,
      direction: 'smaller-is-better',
      value: known ? value : null,
      samples: values,
      spread: null,
      problem: known ? null : problem,
    };
  };
  const memory = taken.flatMap((one) => (one.memory === null || one.memory <= 0 ? [] : [one.memory]));
  return [
    row(
      'cpu',
      cpuUnit,
      taken.map((one) => one.cpu),
      `it used less than ${nsToMs(msToNs(1))} ms of CPU time in all executions together`,
    ),
    row('peak memory', memoryUnit, memory, 'this system does not tell the memory of a process tree'),
  ];
}

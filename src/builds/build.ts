/** Sets one side up in its worktree: the user's own command, run once, its output kept. */
import { createWriteStream, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { finished } from 'node:stream/promises';
import type { CommandExit } from '../kernel/command.ts';
import { runCommand } from '../kernel/command.ts';
import { assertNever, messageOf, TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { formatBytes, formatDuration, bytes as toBytes } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { Environment } from './git.ts';
import { withoutHookVariables } from './git.ts';
import type { Worktrees } from './worktree.ts';

export interface BuildOptions {
  readonly side: Side;
  /** Absolute path. */
  readonly worktree: string;
  /** Relative to the worktree; `.` for its root. */
  readonly workingDirectory: string;
  /** A command for the shell; empty: nothing to do. */
  readonly setup: string;
  /** The whole environment of the command. */
  readonly env: Environment;
  readonly timeout: Nanoseconds;
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
  /** Takes secrets out of a line before anyone sees it: reader, log file, error. */
  readonly mask?: (line: string) => string;
  /** Gets every line, up to 64 MiB. */
  readonly logFile?: string;
}

export interface BuiltSide {
  readonly side: Side;
  /** Where the service starts: absolute. */
  readonly directory: string;
  readonly duration: Nanoseconds;
}

const logLimit = toBytes(64 * 1024 * 1024);

/**
 * Runs the setup of one side.
 * @throws TailgateError `service-failed` with side, exit and the last 50 lines when it fails or takes too long;
 * `cancelled`; `no-baseline` or `usage` as `findWorkingDirectory`.
 */
export async function buildSide(options: BuildOptions): Promise<BuiltSide> {
  const { side, setup } = options;
  const directory = findWorkingDirectory(side, options.worktree, options.workingDirectory);
  if (setup.trim() === '') return { side, directory, duration: 0 as Nanoseconds };

  const mask = options.mask ?? ((line: string) => line);
  const log = options.logFile === undefined ? null : openLog(options.logFile);
  const result = await runCommand({
    command: setup,
    cwd: directory,
    env: withoutHookVariables(options.env),
    timeout: options.timeout,
    onLine: (line) => {
      const shown = mask(line);
      log?.write(shown);
      options.onLine?.(shown);
    },
    // Nothing of it is wanted but lines.
    captureLimit: toBytes(0),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const unwritten = (await log?.close()) ?? null;
  const { exit } = result;
  if (exit.kind === 'exited' && exit.code === 0) {
    if (unwritten !== null) throw unwritten;
    return { side, directory, duration: result.duration };
  }
  if (exit.kind === 'cancelled') throw new TailgateError({ code: 'cancelled', message: 'cancelled' });
  throw new TailgateError({
    code: 'service-failed',
    message: `the setup of the ${side} ${describe(exit, options.timeout)}: ${firstLine(mask(setup))}`,
    hint: hintFor(exit, side),
    tail: result.tail.map(mask),
  });
}

/**
 * Both working directories, the candidate's first: when it is missing there, the setting is wrong, and that must not
 * pass for a baseline that lacks the service.
 * @throws TailgateError as `findWorkingDirectory`.
 */
export function findWorkingDirectories(
  worktrees: Pick<Worktrees, Side>,
  workingDirectory: string,
): Readonly<Record<Side, string>> {
  const candidate = findWorkingDirectory('candidate', worktrees.candidate, workingDirectory);
  return { candidate, baseline: findWorkingDirectory('baseline', worktrees.baseline, workingDirectory) };
}

/**
 * Where a side's project is.
 * @throws TailgateError `usage` when the setting leaves the worktree or the candidate has no such directory;
 * `no-baseline` when only the baseline can be at fault.
 */
export function findWorkingDirectory(side: Side, worktree: string, workingDirectory: string): string {
  const directory = join(worktree, workingDirectory);
  if (isAbsolute(workingDirectory) || leaves(worktree, directory)) throw outside(workingDirectory);
  let real: string;
  try {
    if (!statSync(directory).isDirectory()) throw new Error('not a directory');
    real = realpathSync(directory);
  } catch {
    throw missing(side, workingDirectory);
  }
  // A link that is part of the repository may lead out of it, where both sides would share one folder.
  if (leaves(realpathSync(worktree), real)) throw outside(workingDirectory);
  return directory;
}

function missing(side: Side, workingDirectory: string): TailgateError {
  switch (side) {
    case 'baseline':
      return new TailgateError({
        code: 'no-baseline',
        message: `the baseline lacks the service: it has no directory "${workingDirectory}"`,
        hint: 'when this change adds the service, the next change has a baseline',
      });
    case 'candidate':
      return new TailgateError({
        code: 'usage',
        message: `working-directory: the candidate has no directory "${workingDirectory}"`,
        hint: 'give a directory of the repository that is committed, relative to its root, e.g. services/api',
      });
    default:
      return assertNever(side);
  }
}

function outside(workingDirectory: string): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `working-directory: "${workingDirectory}" is not inside the repository`,
    hint: 'give a path relative to the root of the repository, e.g. services/api',
  });
}

function leaves(from: string, to: string): boolean {
  const way = relative(from, to);
  return isAbsolute(way) || way === '..' || way.startsWith('../') || way.startsWith('..\\');
}

function describe(exit: CommandExit, timeout: Nanoseconds): string {
  switch (exit.kind) {
    case 'exited':
      return `failed (exit ${exit.code})`;
    case 'signalled':
      return `was ended by ${exit.signal}`;
    case 'timed-out':
      return `took longer than ${formatDuration(timeout)}`;
    case 'cancelled':
      return 'was cancelled';
    case 'not-found':
      return `could not be started (${exit.message})`;
    default:
      return assertNever(exit);
  }
}

function hintFor(exit: CommandExit, side: Side): string {
  if (exit.kind === 'timed-out') return 'raise setup-timeout, or make the setup shorter';
  if (exit.kind === 'exited' && exit.code === 127)
    return 'a program of the setup command is not installed here';
  if (side === 'candidate')
    return 'its last lines are below; the same command fails in a fresh clone of this commit';
  return 'its last lines are below; when an older commit cannot be built any more, name another with baseline';
}

function firstLine(text: string): string {
  const [line = '', ...rest] = text.trim().split('\n');
  return line.length > 120 || rest.length > 0 ? `${line.slice(0, 120)} …` : line;
}

interface Log {
  write(line: string): void;
  /** @returns why lines were lost, or null. */
  close(): Promise<TailgateError | null>;
}

function openLog(path: string): Log {
  const stream = createWriteStream(path, { mode: 0o600 });
  const end = finished(stream).then(
    () => null,
    (error: unknown) =>
      new TailgateError({
        code: 'usage',
        message: `the log ${path} cannot be written: ${messageOf(error)}`,
        hint: 'give a folder that exists and has space',
      }),
  );
  let size = 0;
  return {
    write: (line) => {
      if (size > logLimit) return;
      size += Buffer.byteLength(line) + 1;
      stream.write(size > logLimit ? `… cut here, at ${formatBytes(logLimit)}\n` : `${line}\n`);
    },
    close: () => {
      stream.end();
      return end;
    },
  };
}

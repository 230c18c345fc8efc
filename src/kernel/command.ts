/** Runs one command: bounded in time and memory, killable with everything it started, keeps the tail of its output. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { messageOf } from './errors.ts';
import { outOfFilesHint } from './folders.ts';
import { endGroup, markedEnvironment, readProcess } from './processes.ts';
import { LineSplitter, OutputTail } from './tail.ts';
import type { Bytes, Nanoseconds } from './units.ts';
import { bytes, msToNs, ns } from './units.ts';
import { realClock } from './world.ts';

export interface CommandOptions {
  /** A string is run by the shell as the user wrote it; a list is run as it is, without a shell. */
  readonly command: string | readonly string[];
  readonly cwd: string;
  /** The whole environment of the command: nothing is added but the mark by which strays are found. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeout: Nanoseconds;
  readonly signal?: AbortSignal;
  /** Between TERM and KILL; 5 s unless told. */
  readonly grace?: Nanoseconds;
  /** Each line of either stream, as it comes, clamped to 2,000 characters. */
  readonly onLine?: (line: string) => void;
  /** Lines of `tail`; 50 unless told. */
  readonly tailLines?: number;
  /** How much of standard output is kept; 1 MiB unless told. */
  readonly captureLimit?: Bytes;
  /** Called once with the process group's identity, so that a ledger can remember it. */
  readonly onStart?: (group: { group: number; leaderStart: number | null; mark: string }) => void;
}

export type CommandExit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'cancelled' }
  /**
   * It could not be started at all: no such program, no such directory, not executable. With `shortage` the machine
   * had too little of something for it, which the message names with its way out.
   */
  | { readonly kind: 'not-found'; readonly message: string; readonly shortage?: true };

export interface CommandResult {
  readonly exit: CommandExit;
  /** As UTF-8. */
  readonly stdout: string;
  /** The same as it came, for what may be in another encoding. */
  readonly stdoutBytes: Uint8Array;
  /** Standard output was longer than `captureLimit`; `stdout` holds its beginning. */
  readonly truncated: boolean;
  /** Last lines of both streams in the order of arrival. */
  readonly tail: readonly string[];
  readonly duration: Nanoseconds;
}

const longestTimer = 2 ** 31 - 1;

/**
 * Runs a command in its own process group and waits for its end; never throws for anything the command does.
 * Output is always drained. On time-out and cancellation the whole group gets TERM, the grace, then KILL; and when
 * the command ends by itself, whatever it left running is ended the same way before this returns.
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const begun = realClock.now();
  const tail = new OutputTail(options.tailLines ?? 50);
  const capture = new Capture(options.captureLimit ?? bytes(1024 * 1024));
  const result = (exit: CommandExit): CommandResult => ({
    exit,
    stdout: capture.text(),
    stdoutBytes: capture.bytes(),
    truncated: capture.truncated,
    tail: tail.lines(),
    duration: ns(realClock.now() - begun),
  });
  if (options.signal?.aborted === true) return result({ kind: 'cancelled' });

  const { env, mark } = markedEnvironment(options.env);
  const started = start(options.command, options.cwd, env);
  if (started.kind === 'refused') return result(notFound(started.message, started.cause));
  const { child } = started;
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = new Promise<CommandExit>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(notFound(explain(error, options), error));
    });
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal }),
    );
  });
  const splitters = [drain('stdout'), drain('stderr')];

  if (child.pid === undefined) return result(await ended);
  const leaderStart = readProcess(child.pid)?.start ?? null;
  options.onStart?.({ group: child.pid, leaderStart, mark });
  const { exit: first, cancelWaits } = await firstOf(ended, options);
  cancelWaits();
  await endGroup(child.pid, {
    signal: 'SIGTERM',
    grace: options.grace ?? msToNs(5000),
    clock: realClock,
    leaderStart,
    mark,
  });
  await settle(child, closed);
  for (const splitter of splitters) splitter?.end();
  return result(first);

  function drain(stream: 'stdout' | 'stderr'): LineSplitter | null {
    const splitter = options.onLine === undefined ? null : new LineSplitter(options.onLine);
    child[stream]?.on('data', (data: Buffer) => {
      tail.feed(stream, data);
      if (stream === 'stdout') capture.feed(data);
      splitter?.feed(data);
    });
    return splitter;
  }
}

/**
 * Spawns a command in a group of its own with both outputs piped and no input.
 * @returns the child (its `error` event tells a program that does not exist), or why it was refused outright.
 */
export function start(
  command: string | readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
):
  | { readonly kind: 'child'; readonly child: ChildProcess }
  | { readonly kind: 'refused'; readonly message: string; readonly cause?: unknown } {
  const [program, ...rest] = typeof command === 'string' ? [command] : command;
  if (program === undefined || program.trim() === '') {
    return { kind: 'refused', message: 'the command is empty' };
  }
  try {
    const child = spawn(program, rest, {
      cwd,
      env: { ...env },
      shell: typeof command === 'string',
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { kind: 'child', child };
  } catch (error) {
    const message = shortageOf(error) === null ? messageOf(error) : explain(error as Error, { command, cwd });
    return { kind: 'refused', message, cause: error };
  }
}

/** Why a command could not be started, in a sentence that names the program or the directory. */
export function explain(error: Error, options: Pick<CommandOptions, 'command' | 'cwd'>): string {
  if (!existsSync(options.cwd)) return `the directory ${options.cwd} does not exist`;
  const program = typeof options.command === 'string' ? 'the shell' : String(options.command[0]);
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return `${program} was not found`;
  if (code === 'EACCES') return `${program} may not be executed`;
  return `${program} could not be started: ${shortageOf(error) ?? error.message}`;
}

/** What the machine had too little of, with the way out; null when that was not why. */
function shortageOf(error: unknown): string | null {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  switch (code) {
    case 'EMFILE':
    case 'ENFILE':
      return `too many files are open (${code}); ${outOfFilesHint}`;
    case 'EAGAIN':
      return `there are too many processes (${code}); raise the limit with ulimit -u, or end some`;
    case 'ENOMEM':
      return `there is too little memory (${code}); end something that holds much of it`;
    case 'E2BIG':
      return `its arguments and environment are longer than this system takes (${code}); unset what is long in the environment`;
    default:
      return null;
  }
}

const notFound = (message: string, cause: unknown): CommandExit =>
  shortageOf(cause) === null
    ? { kind: 'not-found', message }
    : { kind: 'not-found', message, shortage: true };

async function firstOf(
  ended: Promise<CommandExit>,
  options: CommandOptions,
): Promise<{ exit: CommandExit; cancelWaits: () => void }> {
  const waits = new AbortController();
  const limit = ns(Math.min(options.timeout, longestTimer * 1e6));
  const timedOut = realClock.sleep(limit, waits.signal).then(
    (): CommandExit => ({ kind: 'timed-out' }),
    (): Promise<CommandExit> => ended,
  );
  const cancelled = new Promise<CommandExit>((resolve) => {
    options.signal?.addEventListener('abort', () => resolve({ kind: 'cancelled' }), {
      once: true,
      signal: waits.signal,
    });
  });
  const exit = await Promise.race([ended, timedOut, cancelled]);
  return { exit, cancelWaits: () => waits.abort() };
}

/** Waits for the end of both streams, but not for ever: a stray that nobody can find may still hold them open. */
export async function settle(child: ChildProcess, closed: Promise<void>): Promise<void> {
  const waits = new AbortController();
  await Promise.race([closed, realClock.sleep(msToNs(1000), waits.signal).catch(() => undefined)]);
  waits.abort();
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

class Capture {
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  truncated = false;

  constructor(limit: Bytes) {
    this.#limit = limit;
  }

  feed(data: Buffer): void {
    const room = this.#limit - this.#size;
    if (data.length > room) this.truncated = true;
    if (room <= 0) return;
    const piece = data.length > room ? data.subarray(0, room) : data;
    this.#chunks.push(piece);
    this.#size += piece.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }
}

/** Runs git: lists of arguments only, never a shell; bounded in time; never asks anybody; failures carry git's own last words. */
import type { CommandExit } from '../kernel/command.ts';
import { runCommand } from '../kernel/command.ts';
import { assertNever, TailgateError } from '../kernel/errors.ts';
import type { Bytes, Nanoseconds } from '../kernel/units.ts';
import { bytes, secondsToNs } from '../kernel/units.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GitCall {
  /** 30 s unless told. */
  readonly timeout?: Nanoseconds;
  /** 1 MiB unless told. */
  readonly captureLimit?: Bytes;
  /** Added to the environment of this call. */
  readonly env?: Environment;
}

export interface GitAnswer {
  /** git ended with 0. */
  readonly ok: boolean;
  readonly exit: CommandExit;
  readonly stdout: string;
  /** Standard output was longer than the limit; `stdout` holds its beginning. */
  readonly truncated: boolean;
  /** Last lines, passwords in addresses masked. */
  readonly tail: readonly string[];
}

export interface Git {
  /** Where the calls run. */
  readonly directory: string;
  /** @throws TailgateError `usage` when git is missing or the directory is, `cancelled` when the signal fired. */
  ask(args: readonly string[], call?: GitCall): Promise<GitAnswer>;
  /** Standard output without its last line end. @throws as `ask`, and `usage` with git's last lines when it failed. */
  run(args: readonly string[], call?: GitCall): Promise<string>;
  /** The same runner in another directory. */
  at(directory: string): Git;
  /** The same runner, but a cancelled job no longer stops it: for clean-up. */
  unstoppable(): Git;
}

export interface GitOptions {
  readonly directory: string;
  readonly environment: Environment;
  readonly signal?: AbortSignal;
}

/** What a hook of git sets for its children; with them, git in a worktree would work on the hook's repository. */
const hookVariables: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);

/** Hooks would run the project's own commands; an automatic gc or file monitor would outlive the call. */
const settings: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  'core.quotePath=false',
].flatMap((setting) => ['-c', setting]);

/** The same environment without what a git hook sets for its children. */
export function withoutHookVariables(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !hookVariables.has(name)));
}

/** A runner of git for one directory. Credentials handed over by `GIT_CONFIG_COUNT` and the like stay in force. */
export function gitIn(options: GitOptions): Git {
  const base: Environment = {
    ...withoutHookVariables(options.environment),
    // Messages are recognised by their text.
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    // Large files are pulled when the settings ask for them, not while a worktree is made.
    GIT_LFS_SKIP_SMUDGE: '1',
  };
  const ask: Git['ask'] = async (args, call = {}) => {
    const { exit, stdout, truncated, tail } = await runCommand({
      command: ['git', ...settings, ...args],
      cwd: options.directory,
      env: { ...base, ...call.env },
      timeout: call.timeout ?? secondsToNs(30),
      captureLimit: call.captureLimit ?? bytes(1024 * 1024),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (exit.kind === 'cancelled') throw new TailgateError({ code: 'cancelled', message: 'cancelled' });
    if (exit.kind === 'not-found') {
      throw new TailgateError({
        code: 'usage',
        message: `git cannot be run: ${exit.message}`,
        ...(exit.shortage === true
          ? {}
          : { hint: 'Tailgate needs the git program in PATH, and an existing directory to run it in' }),
      });
    }
    const ok = exit.kind === 'exited' && exit.code === 0;
    return { ok, exit, stdout, truncated, tail: tail.map(withoutPasswords) };
  };
  return {
    directory: options.directory,
    ask,
    run: async (args, call) => {
      const answer = await ask(args, call);
      if (!answer.ok) throw gitFailed(args, answer);
      return answer.stdout.replace(/\r?\n$/, '');
    },
    at: (directory) => gitIn({ ...options, directory }),
    unstoppable: () => gitIn({ directory: options.directory, environment: options.environment }),
  };
}

/** The error of a call that failed: which command, how it ended, git's last lines. */
export function gitFailed(args: readonly string[], answer: GitAnswer, hint?: string): TailgateError {
  const lines = answer.tail.filter((line) => line.trim() !== '').slice(-5);
  return new TailgateError({
    code: 'usage',
    message: `git ${withoutPasswords(args.join(' '))} ${describe(answer.exit)}${lines.length === 0 ? '' : `: ${lines.join(' / ')}`}`,
    ...(hint === undefined ? {} : { hint }),
    tail: answer.tail,
  });
}

/**
 * Finds the repository that a directory belongs to.
 * @returns a runner in the root of its working tree.
 * @throws TailgateError `usage` when the directory is in no git repository, or in one without a working tree.
 */
export async function openRepository(options: GitOptions): Promise<Git> {
  const git = gitIn(options);
  const args = ['rev-parse', '--show-toplevel'];
  const answer = await git.ask(args);
  const words = answer.tail.join(' ');
  if (answer.ok) return git.at(answer.stdout.trimEnd());
  if (/not a git repository/i.test(words)) {
    throw new TailgateError({
      code: 'usage',
      message: `${options.directory} is not in a git repository`,
      hint: 'run Tailgate inside the repository; in a workflow, put a step with actions/checkout before it',
      tail: answer.tail,
    });
  }
  if (/must be run in a work tree/i.test(words)) {
    throw new TailgateError({
      code: 'usage',
      message: `${options.directory} is in a git repository without a working tree`,
      hint: 'run Tailgate in a clone that has its files checked out',
    });
  }
  throw gitFailed(args, answer);
}

function describe(exit: CommandExit): string {
  switch (exit.kind) {
    case 'exited':
      return `failed (exit ${exit.code})`;
    case 'signalled':
      return `was ended by ${exit.signal}`;
    case 'timed-out':
      return 'took longer than it may';
    case 'cancelled':
      return 'was cancelled';
    case 'not-found':
      return `could not be started: ${exit.message}`;
    default:
      return assertNever(exit);
  }
}

function withoutPasswords(line: string): string {
  return line.replace(/:\/\/[^/@\s]+@/g, '://***@');
}

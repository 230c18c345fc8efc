import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuildOptions } from '../../src/builds/build.ts';
import { buildSide, findWorkingDirectories, findWorkingDirectory } from '../../src/builds/build.ts';
import type { TailgateError } from '../../src/kernel/errors.ts';
import { readProcess } from '../../src/kernel/processes.ts';
import { msToNs, secondsToNs } from '../../src/kernel/units.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'build-')));
  mkdirSync(join(root, 'one/api'), { recursive: true });
  mkdirSync(join(root, 'two'), { recursive: true });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const build = (setup: string, more: Partial<BuildOptions> = {}) =>
  buildSide({
    side: 'candidate',
    worktree: join(root, 'one'),
    workingDirectory: 'api',
    setup,
    env: process.env,
    timeout: secondsToNs(20),
    ...more,
  });

const refusal = (promise: Promise<unknown>): Promise<TailgateError> =>
  promise.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: TailgateError) => error,
  );

describe('setup', () => {
  it('runs in the working directory of its side, through the shell, and its lines are kept', async () => {
    const lines: string[] = [];
    const logFile = join(root, 'setup.log');
    const built = await build('echo "at $(pwd)" && echo oops >&2 && echo made > made.txt', {
      onLine: (line) => lines.push(line),
      logFile,
    });
    expect(built.directory).toBe(join(root, 'one/api'));
    expect(built.duration).toBeGreaterThan(0);
    expect(readFileSync(join(root, 'one/api/made.txt'), 'utf8')).toBe('made\n');
    expect([...lines].sort()).toEqual([`at ${join(root, 'one/api')}`, 'oops']);
    expect(readFileSync(logFile, 'utf8').trim().split('\n').sort()).toEqual([...lines].sort());
  });

  it('that is empty runs nothing', async () => {
    const built = await build('  ', { logFile: join(root, 'nowhere/setup.log') });
    expect(built).toEqual({ side: 'candidate', directory: join(root, 'one/api'), duration: 0 });
  });

  it('gets the environment it was given, without what a git hook leaves', async () => {
    const lines: string[] = [];
    const env = { PATH: process.env['PATH'], ONE: 'first', GIT_DIR: '/elsewhere' };
    await build('echo "$ONE $GIT_DIR."', { env, onLine: (line) => lines.push(line) });
    expect(lines).toEqual(['first .']);
  });

  it('that fails names the side, the exit and the command, and brings the last 50 lines', async () => {
    const error = await refusal(
      build('for i in $(seq 60); do echo line $i; done; exit 3', { side: 'baseline' }),
    );
    expect(error.code).toBe('service-failed');
    expect(error.message).toContain('the setup of the baseline failed (exit 3): for i in');
    expect(error.tail).toHaveLength(50);
    expect(error.tail.at(-1)).toBe('line 60');
    expect(error.hint).toContain('name another with baseline');
  });

  it('that names a missing program says so', async () => {
    const error = await refusal(build('no-such-program-here --version'));
    expect(error.message).toContain('exit 127');
    expect(error.hint).toContain('not installed');
  });

  it('that takes too long is ended with all it started', async () => {
    const error = await refusal(build('sleep 60 & echo $! > pid; wait', { timeout: msToNs(400) }));
    expect(error.code).toBe('service-failed');
    expect(error.message).toContain('took longer than 400 ms');
    expect(error.hint).toContain('setup-timeout');
    const pid = Number(readFileSync(join(root, 'one/api/pid'), 'utf8'));
    const left = readProcess(pid);
    // Where nobody collects orphans, a dead one stays on the list.
    expect(left === null || left.zombie).toBe(true);
  });

  it('of a job that is cancelled stops, and is no failure of the side', async () => {
    const stop = new AbortController();
    const lines: string[] = [];
    const running = build('echo begun; sleep 60', {
      signal: stop.signal,
      onLine: (line) => {
        lines.push(line);
        stop.abort();
      },
    });
    expect((await refusal(running)).code).toBe('cancelled');
    expect(lines).toEqual(['begun']);
  });

  it('shows secrets to nobody', async () => {
    const lines: string[] = [];
    const logFile = join(root, 'setup.log');
    const mask = (line: string) => line.replaceAll('hunter2', '***');
    const error = await refusal(
      build('echo hunter2; exit 1', { mask, logFile, onLine: (line) => lines.push(line) }),
    );
    const seen = [error.message, ...error.tail, ...lines, readFileSync(logFile, 'utf8')].join('\n');
    expect(seen).toContain('***');
    expect(seen).not.toContain('hunter2');
  });

  it('whose log cannot be written says so, unless the setup itself failed', async () => {
    const logFile = join(root, 'nowhere/setup.log');
    const lost = await refusal(build('echo x', { logFile }));
    expect(lost.message).toContain(`the log ${logFile} cannot be written`);
    expect((await refusal(build('exit 1', { logFile }))).code).toBe('service-failed');
  });
});

describe('the working directory', () => {
  const thrown = (work: () => unknown): TailgateError => {
    try {
      work();
    } catch (error) {
      return error as TailgateError;
    }
    throw new Error('it was not refused');
  };

  it('that only the baseline lacks means that there is no baseline', () => {
    const worktrees = { candidate: join(root, 'one'), baseline: join(root, 'two') };
    const error = thrown(() => findWorkingDirectories(worktrees, 'api'));
    expect(error.code).toBe('no-baseline');
    expect(error.message).toContain('the baseline lacks the service');
    expect(error.message).toContain('"api"');
  });

  it('that both lack is a wrong setting, never a missing baseline', () => {
    const worktrees = { candidate: join(root, 'one'), baseline: join(root, 'two') };
    expect(thrown(() => findWorkingDirectories(worktrees, 'apy')).code).toBe('usage');
  });

  it('must stay inside the worktree, also by way of links', () => {
    symlinkSync(join(root, 'two'), join(root, 'one/out'));
    symlinkSync('api', join(root, 'one/in'));
    for (const path of ['../two', '/etc', 'out', 'api/../../two']) {
      const error = thrown(() => findWorkingDirectory('candidate', join(root, 'one'), path));
      expect(error.message).toContain('is not inside the repository');
    }
    expect(findWorkingDirectory('candidate', join(root, 'one'), 'in')).toBe(join(root, 'one/in'));
    expect(findWorkingDirectory('candidate', join(root, 'one'), '.')).toBe(join(root, 'one'));
  });
});

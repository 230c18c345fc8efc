import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitIn, openRepository, withoutHookVariables } from '../../src/builds/git.ts';
import type { TailgateError } from '../../src/kernel/errors.ts';
import { environment, Playground } from './repositories.ts';

let playground: Playground;
let directory: string;

beforeEach(() => {
  playground = new Playground();
  directory = playground.repository('work');
  playground.commit(directory, 'first', { 'below/file.txt': 'x' });
});

afterEach(() => playground.remove());

const refusal = (promise: Promise<unknown>): Promise<TailgateError> =>
  promise.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: TailgateError) => error,
  );

describe('a repository', () => {
  it('is found from a folder inside it', async () => {
    const git = await openRepository({ directory: playground.path('work', 'below'), environment });
    expect(git.directory).toBe(directory);
  });

  it('that is none, or has no files, is refused with the way out', async () => {
    const none = await refusal(openRepository({ directory: playground.folder('plain'), environment }));
    expect(none.code).toBe('usage');
    expect(none.message).toContain('is not in a git repository');
    expect(none.hint).toContain('actions/checkout');
    const bare = await refusal(
      openRepository({ directory: playground.serve(directory, 'bare.git'), environment }),
    );
    expect(bare.message).toContain('without a working tree');
  });

  it('is not mistaken for that of a hook which runs us', async () => {
    const other = playground.repository('other');
    const hook = {
      ...environment,
      GIT_DIR: `${other}/.git`,
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: `${other}/.git/index`,
    };
    const git = await openRepository({ directory, environment: hook });
    expect(git.directory).toBe(directory);
    expect(withoutHookVariables({ GIT_DIR: 'x', GIT_CONFIG_COUNT: '1', PATH: 'p' })).toEqual({
      GIT_CONFIG_COUNT: '1',
      PATH: 'p',
    });
  });
});

describe('git', () => {
  it('that is missing gives an error which says so', async () => {
    const error = await refusal(
      openRepository({ directory, environment: { PATH: playground.folder('empty') } }),
    );
    expect(error.code).toBe('usage');
    expect(error.message).toContain('git was not found');
  });

  it('that fails is quoted with its own last lines, without passwords', async () => {
    const git = gitIn({ directory, environment });
    const failed = await refusal(git.run(['rev-parse', '--verify', 'nowhere']));
    expect(failed.message).toContain('git rev-parse --verify nowhere failed (exit 128): fatal:');
    const secret = await refusal(git.run(['fetch', 'file://user:hunter2@/nowhere.git']));
    expect(secret.tail.join('\n')).not.toContain('hunter2');
    expect(secret.message).not.toContain('hunter2');
  });

  it('is never started for a job that was cancelled, except to clean up', async () => {
    const stop = new AbortController();
    const git = gitIn({ directory, environment, signal: stop.signal });
    stop.abort();
    expect((await refusal(git.run(['status']))).code).toBe('cancelled');
    expect(await git.unstoppable().run(['rev-parse', '--is-inside-work-tree'])).toBe('true');
  });

  it('in a folder that is gone says which', async () => {
    rmSync(directory, { recursive: true });
    const error = await refusal(gitIn({ directory, environment }).run(['status']));
    expect(error.message).toContain(`the directory ${directory} does not exist`);
  });
});

describe('git that cannot be started', () => {
  it('for want of something is told with its way out, not with PATH', async () => {
    const long = { ...environment, LONG: 'x'.repeat(4_000_000) };
    const error = await refusal(gitIn({ directory, environment: long }).run(['status']));
    expect(error.code).toBe('usage');
    expect(error.message).toMatch(/^git cannot be run: git could not be started: .*E2BIG/);
    expect(error.hint).toBeUndefined();
    const missing = await refusal(gitIn({ directory, environment: { PATH: '/nowhere' } }).run(['status']));
    expect(missing.hint).toMatch(/in PATH/);
  });
});

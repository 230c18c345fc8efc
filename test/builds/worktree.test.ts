import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Git } from '../../src/builds/git.ts';
import { openRepository } from '../../src/builds/git.ts';
import type { WorktreeEntry, WorktreeOptions } from '../../src/builds/worktree.ts';
import { createWorktrees } from '../../src/builds/worktree.ts';
import type { TailgateError, Warning } from '../../src/kernel/errors.ts';
import { environment, Playground } from './repositories.ts';

let playground: Playground;
let directory: string;
let git: Git;
let first: string;
let second: string;
let alive: string[];

const ledger = {
  add: (entry: WorktreeEntry) => void alive.push(JSON.stringify(entry)),
  remove: (entry: WorktreeEntry) => {
    alive = alive.filter((line) => line !== JSON.stringify(entry));
  },
};

beforeEach(async () => {
  playground = new Playground();
  directory = playground.repository('work');
  first = playground.commit(directory, 'first', { 'server.js': 'one' });
  second = playground.commit(directory, 'second', { 'server.js': 'two' });
  git = await openRepository({ directory, environment });
  alive = [];
});

afterEach(() => playground.remove());

it('leaves no folder behind when it cannot be written down', async () => {
  const full = {
    add: () => {
      throw new Error('the disk is full');
    },
    remove: () => undefined,
  };
  const parentDirectory = join(directory, '..', 'worktrees');
  await expect(make({ parentDirectory, ledger: full })).rejects.toThrow('the disk is full');
  expect(readdirSync(parentDirectory)).toEqual([]);
});

const make = (more: Partial<WorktreeOptions> = {}) =>
  createWorktrees({
    git,
    revisions: { baseline: { sha: first }, candidate: { sha: second } },
    names: { baseline: 'two', candidate: 'one' },
    parentDirectory: playground.path('temporary'),
    ledger,
    submodules: false,
    lfs: false,
    ...more,
  });

const refusal = (promise: Promise<unknown>): Promise<TailgateError> =>
  promise.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: TailgateError) => error,
  );

function expectNothingLeft(): void {
  expect(playground.git(directory, 'worktree', 'list').split('\n')).toHaveLength(1);
  const notes = join(directory, '.git/worktrees');
  expect(existsSync(notes) ? readdirSync(notes) : []).toEqual([]);
  expect(readdirSync(playground.folder('temporary'))).toEqual([]);
  expect(alive).toEqual([]);
}

describe('worktrees', () => {
  it('are siblings of equal path length, detached at their revisions', async () => {
    const made = await make();
    expect(readFileSync(join(made.baseline, 'server.js'), 'utf8')).toBe('one');
    expect(readFileSync(join(made.candidate, 'server.js'), 'utf8')).toBe('two');
    expect(made.baseline.length).toBe(made.candidate.length);
    expect([made.baseline, made.candidate]).toEqual([join(made.root, 'two'), join(made.root, 'one')]);
    expect(playground.git(made.baseline, 'rev-parse', 'HEAD')).toBe(first);
    expect(() => playground.git(made.baseline, 'symbolic-ref', 'HEAD')).toThrow();
    await made[Symbol.asyncDispose]();
  });

  it('stand in the ledger while they live and leave nothing when they are disposed, twice as well', async () => {
    const made = await make();
    expect(alive).toHaveLength(3);
    writeFileSync(join(made.baseline, 'server.js'), 'changed');
    mkdirSync(join(made.candidate, 'node_modules'));
    writeFileSync(join(made.candidate, 'node_modules/x.js'), 'built');
    await made[Symbol.asyncDispose]();
    await made[Symbol.asyncDispose]();
    expectNothingLeft();
    expect(playground.git(directory, 'rev-parse', 'HEAD')).toBe(second);
  });

  it('are removed however they were damaged: deleted, locked, or without the right to write', async () => {
    const made = await make();
    rmSync(made.baseline, { recursive: true });
    playground.git(directory, 'worktree', 'lock', made.candidate);
    mkdirSync(join(made.candidate, 'cache/module'), { recursive: true });
    writeFileSync(join(made.candidate, 'cache/module/file'), 'x');
    chmodSync(join(made.candidate, 'cache/module'), 0o500);
    rmSync(join(made.candidate, '.git'));
    await made[Symbol.asyncDispose]();
    expectNothingLeft();
  });

  it('that cannot be removed are reported and stay in the ledger, without an exception', async () => {
    const problems: Warning[] = [];
    const made = await make({ onProblem: (problem) => problems.push(problem) });
    rmSync(join(directory, '.git'), { recursive: true });
    await made[Symbol.asyncDispose]();
    expect(problems.map((problem) => problem.code)).toEqual(['worktree-left']);
    expect(existsSync(made.root)).toBe(false);
    expect(alive.every((line) => line.includes('worktree')) && alive.length > 0).toBe(true);
  });

  it('may both hold the same commit', async () => {
    const made = await make({ revisions: { baseline: { sha: second }, candidate: { sha: second } } });
    expect(readFileSync(join(made.baseline, 'server.js'), 'utf8')).toBe('two');
    await made[Symbol.asyncDispose]();
    expectNothingLeft();
  });

  it('run no hook of the repository', async () => {
    const hook = join(directory, '.git/hooks/post-checkout');
    writeFileSync(hook, `#!/bin/sh\ntouch ${playground.path('hooked')}\n`);
    chmodSync(hook, 0o755);
    const made = await make();
    await made[Symbol.asyncDispose]();
    expect(existsSync(playground.path('hooked'))).toBe(false);
  });

  it('refuse names that differ in length, or that would give a path away', async () => {
    for (const names of [
      { baseline: 'one', candidate: 'three' },
      { baseline: 'one', candidate: 'one' },
      { baseline: '../', candidate: 'one' },
    ]) {
      await expect(make({ names })).rejects.toThrow('two plain words of equal length');
    }
    expect(alive).toEqual([]);
  });
});

describe('a creation that fails', () => {
  it('halfway leaves nothing behind', async () => {
    // By name, the candidate is made first here.
    const error = await refusal(
      make({ revisions: { baseline: { sha: '0'.repeat(39).concat('1') }, candidate: { sha: second } } }),
    );
    expect(error.code).toBe('usage');
    expect(error.message).toContain('git worktree add');
    expect(error.hint).toContain('baseline');
    expectNothingLeft();
  });

  it('because the job was cancelled leaves nothing behind', async () => {
    const stop = new AbortController();
    const stoppable = await openRepository({ directory, environment, signal: stop.signal });
    const stopping = {
      ...ledger,
      add: (entry: WorktreeEntry) => {
        ledger.add(entry);
        if (entry.kind === 'worktree' && entry.path.endsWith('two')) stop.abort();
      },
    };
    const error = await refusal(make({ git: stoppable, ledger: stopping }));
    expect(error.code).toBe('cancelled');
    expectNothingLeft();
  });
});

describe('submodules', () => {
  it('are checked out when they are asked for, and removed with the rest', async () => {
    const library = playground.repository('library');
    playground.commit(library, 'library', { 'lib.js': 'deep' });
    const allowed = {
      ...environment,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'protocol.file.allow',
      GIT_CONFIG_VALUE_0: 'always',
    };
    playground.git(
      directory,
      ...['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib'],
    );
    const third = playground.commit(directory, 'third');
    const revisions = { baseline: { sha: second }, candidate: { sha: third } };
    const open = await openRepository({ directory, environment: allowed });
    const made = await make({ git: open, revisions, submodules: true });
    expect(readFileSync(join(made.candidate, 'lib/lib.js'), 'utf8')).toBe('deep');
    await made[Symbol.asyncDispose]();
    expectNothingLeft();

    const error = await refusal(make({ revisions, submodules: true }));
    expect(error.message).toContain('submodule update');
    expect(error.hint).toContain('the submodules of the candidate could not be fetched');
    expectNothingLeft();
  });
});

describe('large files', () => {
  it('without git-lfs are refused before anything is made', async () => {
    const folder = playground.folder('bin');
    writeFileSync(
      join(folder, 'git-lfs'),
      '#!/bin/sh\necho "git: \'lfs\' is not a git command" >&2\nexit 1\n',
    );
    chmodSync(join(folder, 'git-lfs'), 0o755);
    const without = { ...environment, PATH: `${folder}:${environment['PATH']}` };
    const error = await refusal(
      make({ git: await openRepository({ directory, environment: without }), lfs: true }),
    );
    expect(error.message).toContain('git-lfs is not installed');
    expect(existsSync(playground.path('temporary'))).toBe(false);
  });

  it('are pulled inside each worktree when git-lfs is there', async () => {
    const folder = playground.folder('bin');
    const script = `#!/bin/sh\n[ "$1" = version ] && exit 0\necho "$1 $(pwd)" >> ${playground.path('calls')}\n`;
    writeFileSync(join(folder, 'git-lfs'), script);
    chmodSync(join(folder, 'git-lfs'), 0o755);
    const withLfs = { ...environment, PATH: `${folder}:${environment['PATH']}` };
    const made = await make({ git: await openRepository({ directory, environment: withLfs }), lfs: true });
    const calls = readFileSync(playground.path('calls'), 'utf8').trim().split('\n').sort();
    expect(calls).toEqual([`pull ${made.candidate}`, `pull ${made.baseline}`].sort());
    await made[Symbol.asyncDispose]();
    expectNothingLeft();
  });
});

describe('a new job', () => {
  const listed = (): readonly string[] =>
    playground
      .git(directory, 'worktree', 'list', '--porcelain')
      .split('\n')
      .filter((line) => line.startsWith('worktree '));
  const add = (place: string, ...how: readonly string[]): string => {
    playground.git(directory, 'worktree', 'add', '--quiet', ...how, place);
    return place;
  };
  const remove = (place: string): void => rmSync(place, { recursive: true, force: true });

  it('drops what git notes about worktrees of killed jobs, of whatever folder for temporary files', async () => {
    for (const folder of ['a/tailgate-aB3xYz', 'b/tailgate-000000']) {
      for (const tree of ['tree-1', 'tree-2']) add(playground.path(folder, tree), '--detach');
      remove(playground.path(folder));
    }
    // A job that was killed while git made it.
    const half = playground.path('a/tailgate-halfxx');
    add(join(half, 'tree-1'), '--detach');
    writeFileSync(join(directory, '.git/worktrees/tree-12/locked'), 'initializing');
    remove(half);
    expect(listed()).toHaveLength(6);
    await (await make())[Symbol.asyncDispose]();
    expectNothingLeft();
  });

  it('leaves every worktree of somebody else, and of a job that runs', async () => {
    const kept = [
      add(playground.path('mine'), '--detach'),
      add(playground.path('a/tailgate-feature/tree-1'), '--detach'),
      add(playground.path('a/tailgate-branch/tree-1'), '-b', 'branch'),
      add(playground.path('a/tailgate-locked/tree-1'), '--detach', '--lock'),
      add(playground.path('gone/tailgate-aB3xYz/tree-1'), '--detach'),
    ];
    for (const place of kept.slice(0, 4)) remove(place);
    remove(playground.path('a/tailgate-branch'));
    remove(playground.path('a/tailgate-locked'));
    // A disk that is not mounted now.
    remove(playground.path('gone'));
    kept.push(add(playground.path('a/tailgate-alive1/tree-1'), '--detach'));
    await (await make())[Symbol.asyncDispose]();
    expect(listed().slice(1).sort()).toEqual(kept.map((place) => `worktree ${place}`).sort());
  });

  it('finds them from a linked worktree of the user too', async () => {
    const linked = add(playground.path('linked'), '--detach');
    add(playground.path('a/tailgate-aB3xYz/tree-1'), '--detach');
    remove(playground.path('a/tailgate-aB3xYz'));
    const made = await make({ git: await openRepository({ directory: linked, environment }) });
    await made[Symbol.asyncDispose]();
    expect(listed()).toEqual([`worktree ${directory}`, `worktree ${linked}`]);
  });
});

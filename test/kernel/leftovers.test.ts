import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TailgateError } from '../../src/kernel/errors.ts';
import type { Leftover } from '../../src/kernel/leftovers.ts';
import { openLedger, readLedger, sweep, sweepNow } from '../../src/kernel/leftovers.ts';
import { findMembers, readProcess } from '../../src/kernel/processes.ts';

type Group = Extract<Leftover, { kind: 'group' }>;

let directory = '';
let path = '';
let groups: Group[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'leftovers-'));
  path = join(directory, 'deeper', 'ledger');
  groups = [];
});

afterEach(() => {
  for (const entry of groups) {
    for (const member of findMembers(entry)) process.kill(member.pid, 'SIGKILL');
  }
  rmSync(directory, { recursive: true, force: true });
});

async function sleeper(script = 'sleep 50 & wait'): Promise<Group> {
  const mark = randomUUID();
  const child = spawn('/bin/sh', ['-c', `echo on; ${script}`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TAILGATE_MARK: mark },
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const group = child.pid!;
  const entry: Group = { kind: 'group', group, leaderStart: readProcess(group)!.start, mark };
  groups.push(entry);
  return entry;
}

/** A repository with one commit, and git in it. */
function repositoryIn(parent: string) {
  const repository = join(parent, 'repository');
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  mkdirSync(repository);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  return { repository, git };
}

const isAlive = (entry: Group): boolean => findMembers(entry).length > 0;

describe('the ledger', () => {
  it('knows what was added and not taken back, also when it is opened again', () => {
    const ledger = openLedger(path);
    const one: Leftover = { kind: 'directory', path: '/tmp/some/one' };
    const two: Leftover = { kind: 'worktree', repository: '/tmp/some/repo', path: '/tmp/some/two' };
    ledger.add(one);
    ledger.add(two);
    expect(readLedger(path)).toEqual([one, two]);
    const again = openLedger(path);
    again.remove(one);
    expect(readLedger(path)).toEqual([two]);
    again.remove(two);
    expect(existsSync(path)).toBe(false);
    again.remove(two);
    expect(existsSync(path)).toBe(false);
  });

  it.runIf(existsSync('/dev/full'))(
    'on a full disk names its folder, and ends what it cannot write down',
    async () => {
      const ledger = openLedger(path);
      mkdirSync(join(directory, 'deeper'));
      symlinkSync('/dev/full', path);
      const group = await sleeper();
      const told = `${join(directory, 'deeper')} cannot hold the files of a job: the disk is full`;
      expect(() => ledger.add(group)).toThrow(told);
      await expect.poll(() => isAlive(group)).toBe(false);
      const entry: Leftover = { kind: 'directory', path: '/tmp/some/one' };
      expect(() => ledger.add(entry)).toThrow(TailgateError);
      // Clean-up goes on without a word: the entry is only looked for once more.
      expect(() => ledger.remove(group)).not.toThrow();
    },
  );

  it('reads on past torn and foreign lines', () => {
    mkdirSync(join(directory, 'deeper'));
    const entry: Leftover = { kind: 'directory', path: '/tmp/some/one' };
    const group = { kind: 'group', group: '12', leaderStart: 1, mark: 'x' };
    writeFileSync(
      path,
      `null\n[1]\n{"add":${JSON.stringify(group)}}\n{"add":${JSON.stringify(entry)}}\n{"add":{"kind":"dir`,
    );
    expect(readLedger(path)).toEqual([entry]);
    const next: Leftover = { kind: 'directory', path: '/tmp/some/two' };
    openLedger(path).add(next);
    expect(readLedger(path)).toEqual([entry, next]);
  });
});

describe('the sweep', () => {
  it('does nothing on a missing file and on a broken one', async () => {
    expect(await sweep(path)).toEqual({ ended: [], failed: [] });
    mkdirSync(join(directory, 'deeper'));
    writeFileSync(path, '\0\0{{{');
    expect(await sweep(path)).toEqual({ ended: [], failed: [] });
    mkdirSync(join(directory, 'is-a-directory'));
    expect(await sweep(join(directory, 'is-a-directory'))).toEqual({ ended: [], failed: [] });
  });

  it('ends process groups, removes directories and is idempotent', async () => {
    const ledger = openLedger(path);
    const group = await sleeper();
    const stubborn = await sleeper(`trap '' TERM; while true; do sleep 0.1; done`);
    const scratch = join(directory, 'scratch');
    mkdirSync(join(scratch, 'full'), { recursive: true });
    ledger.add(group);
    ledger.add(stubborn);
    ledger.add({ kind: 'directory', path: scratch });
    const report = await sweep(path);
    expect(report.failed).toEqual([]);
    expect(report.ended.length).toBe(3);
    expect(isAlive(group)).toBe(false);
    expect(isAlive(stubborn)).toBe(false);
    expect(existsSync(scratch)).toBe(false);
    expect(existsSync(path)).toBe(false);
    expect(await sweep(path)).toEqual({ ended: [], failed: [] });
  });

  it('leaves a process alone whose number was used before by another', async () => {
    const stranger = await sleeper();
    const ledger = openLedger(path);
    ledger.add({ ...stranger, leaderStart: stranger.leaderStart! - 1, mark: randomUUID() });
    await sweep(path);
    sweepNow(path);
    expect(isAlive(stranger)).toBe(true);
  });

  it('leaves a group alone that lost its leader and does not carry the mark', async () => {
    const stranger = await sleeper('sleep 50 & sleep 0.1');
    // Gone, not only dead: as long as nobody has reaped it, the leader still names its group.
    await expect.poll(() => readProcess(stranger.group)).toBe(null);
    openLedger(path).add({ ...stranger, mark: randomUUID() });
    await sweep(path);
    sweepNow(path);
    expect(isAlive(stranger)).toBe(true);
  });

  it('finds by the mark what outlived the leader of the group', async () => {
    const entry = await sleeper('setsid sleep 50 & sleep 0.1');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(readProcess(entry.group)?.zombie ?? true).toBe(true);
    expect(isAlive(entry)).toBe(true);
    openLedger(path).add(entry);
    await sweep(path);
    expect(isAlive(entry)).toBe(false);
  });

  it('removes worktrees so that git forgets them, changed, locked or already half gone', async () => {
    const { repository, git } = repositoryIn(directory);
    const ledger = openLedger(path);
    for (const name of ['changed', 'locked', 'damaged', 'gone']) {
      const place = join(directory, name);
      git('worktree', 'add', '-q', '--detach', place);
      ledger.add({ kind: 'worktree', repository, path: place });
      writeFileSync(join(place, 'untracked'), 'x');
    }
    git('worktree', 'lock', join(directory, 'locked'));
    rmSync(join(directory, 'damaged', '.git'));
    rmSync(join(directory, 'gone'), { recursive: true });
    expect((await sweep(path)).failed).toEqual([]);
    for (const name of ['changed', 'locked', 'damaged', 'gone']) {
      expect(existsSync(join(directory, name))).toBe(false);
    }
    expect(git('worktree', 'list').trim().split('\n').length).toBe(1);
  });

  it('never removes what holds us, and keeps the entry with the reason', async () => {
    const ledger = openLedger(path);
    for (const place of ['/', '/tmp', 'relative/path', process.cwd()]) {
      ledger.add({ kind: 'directory', path: place });
    }
    const report = await sweep(path);
    expect(report.ended).toEqual([]);
    expect(report.failed.length).toBe(4);
    expect(existsSync(process.cwd())).toBe(true);
    expect(readLedger(path).length).toBe(4);
  });

  it('at the exit of our own process kills at once, and removes and forgets worktrees without git', async () => {
    const group = await sleeper(`trap '' TERM; while true; do sleep 0.1; done`);
    const { repository, git } = repositoryIn(directory);
    const ledger = openLedger(path);
    const tree = join(directory, 'tree');
    git('worktree', 'add', '-q', '--detach', tree);
    git('worktree', 'add', '-q', '--detach', join(directory, 'of-the-user'));
    ledger.add({ kind: 'worktree', repository, path: tree });
    ledger.add(group);
    sweepNow(path);
    await expect.poll(() => isAlive(group)).toBe(false);
    expect(existsSync(tree)).toBe(false);
    expect(git('worktree', 'list')).not.toContain('prunable');
    expect(git('worktree', 'list').trim().split('\n').length).toBe(2);
    expect(existsSync(path)).toBe(false);
  });
});

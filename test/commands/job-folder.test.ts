import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withLedger } from '../../src/commands/job-folder.ts';
import { openLedger } from '../../src/kernel/leftovers.ts';
import { readProcess } from '../../src/kernel/processes.ts';

const usual = process.env['TMPDIR'];
let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'job-folder-'));
  process.env['TMPDIR'] = directory;
});

afterEach(() => {
  if (usual === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = usual;
  rmSync(directory, { recursive: true, force: true });
});

const own = {
  pid: process.pid,
  start: readProcess(process.pid)!.start,
  numbering: readlinkSync('/proc/self/ns/pid'),
};
const dead = { ...own, start: own.start - 1 };

/** The folder of a job whose process is `owner`, and what it has on disk. */
function jobOf(owner: object | null, name: string) {
  const folder = join(directory, `tailgate-job-${name}`);
  const files = join(directory, `files-${name}`);
  mkdirSync(folder, { mode: 0o700 });
  mkdirSync(files);
  if (owner !== null) writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner));
  const ledger = openLedger(join(folder, 'leftovers.jsonl'));
  ledger.add({ kind: 'directory', path: files });
  return { folder, files, ledger };
}

it('removes what a job left behind whose process was killed, before the next one begins', async () => {
  const { folder, files, ledger } = jobOf(dead, 'killed');
  const repository = join(directory, 'repository');
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
      ...{ cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    });
  mkdirSync(repository);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('worktree', 'add', '-q', '--detach', join(files, 'tree-1'));
  ledger.add({ kind: 'worktree', repository, path: join(files, 'tree-1') });
  await withLedger(async () => {
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(files)).toBe(false);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
  expect(readdirSync(directory)).toEqual(['repository']);
});

it.each([
  ['is alive', own],
  ['is not known', null],
  ['has its number in another container', { ...dead, numbering: 'pid:[1]' }],
  ['had no start that could be read', { ...dead, start: null }],
])('leaves a job alone whose process %s', async (_, owner) => {
  const { folder, files } = jobOf(owner, 'other');
  await withLedger(async () => undefined);
  expect([existsSync(folder), existsSync(files)]).toEqual([true, true]);
});

it('believes no ledger that another user may have written', async () => {
  const { folder, files } = jobOf(dead, 'open');
  chmodSync(folder, 0o770);
  await withLedger(async () => undefined);
  expect(existsSync(files)).toBe(true);
});

it('writes down whose job it is: a later one finds it alive', async () => {
  await withLedger(async (outer) => {
    const files = join(directory, 'files');
    mkdirSync(files);
    outer.add({ kind: 'directory', path: files });
    await withLedger(async () => undefined);
    expect(existsSync(files)).toBe(true);
  });
  expect(readdirSync(directory)).toEqual([]);
});

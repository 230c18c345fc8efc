import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withLedger } from '../../src/commands/job-folder.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { makeTemporaryFolder, onDisk } from '../../src/kernel/folders.ts';

let directory = '';
const before = process.env['TMPDIR'];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'folders-'));
});

afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(directory, { recursive: true, force: true });
});

function refusal(work: () => unknown): TailgateError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof TailgateError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was refused');
}

it('makes a folder of its own in TMPDIR, or where it is told to, parents included', () => {
  process.env['TMPDIR'] = directory;
  expect(makeTemporaryFolder('job-').startsWith(join(directory, 'job-'))).toBe(true);
  const deeper = makeTemporaryFolder('job-', join(directory, 'a', 'b'));
  expect(statSync(deeper).isDirectory()).toBe(true);
  expect(deeper.startsWith(join(directory, 'a', 'b', 'job-'))).toBe(true);
});

it('names a TMPDIR that is not there, and starts no job', async () => {
  const missing = join(directory, 'missing');
  process.env['TMPDIR'] = missing;
  const error = refusal(() => makeTemporaryFolder('job-'));
  expect(error.code).toBe('usage');
  expect(error.message).toBe(`${missing} cannot hold the files of a job: there is no such folder`);
  expect(error.hint).toMatch(/free space there, or set TMPDIR/);
  let ran = false;
  const job = withLedger(async () => {
    ran = true;
  });
  await expect(job).rejects.toThrow(`${missing} cannot hold`);
  expect(ran).toBe(false);
  expect(existsSync(missing)).toBe(false);
});

it('names a file where a folder is wanted', () => {
  writeFileSync(join(directory, 'file'), '');
  expect(refusal(() => makeTemporaryFolder('job-', join(directory, 'file', 'x'))).message).toMatch(
    /no folder/,
  );
});

it.each([
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'permission is denied'],
  ['EMFILE', 'too many files are open'],
])('says %s in words', (code, words) => {
  const failing = (): never => {
    throw Object.assign(new Error('refused'), { code });
  };
  expect(refusal(() => onDisk('/some/place', failing)).message).toBe(
    `/some/place cannot hold the files of a job: ${words}`,
  );
});

it('leaves a defect a defect', () => {
  const broken = (): never => {
    throw new TypeError('x is not a function');
  };
  expect(() => onDisk('/some/place', broken)).toThrow(TypeError);
});

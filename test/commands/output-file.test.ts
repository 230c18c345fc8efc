import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { outputFile } from '../../src/commands/output-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'output-'));
afterAll(() => rmSync(directory, { recursive: true }));

const terminal = {
  directory,
  environment: {},
  signal: new AbortController().signal,
  print: () => undefined,
  tell: () => undefined,
  interactive: false,
};
const open = (file: string) => outputFile(terminal, 'json', file);

it('touches nothing before it writes', () => {
  const fresh = open('fresh.json');
  expect(readdirSync(directory)).toEqual([]);
  fresh.write('{"a":1}');
  expect(readFileSync(join(directory, 'fresh.json'), 'utf8')).toBe('{"a":1}');
  writeFileSync(join(directory, 'old.json'), 'what was there');
  open('old.json');
  expect(readFileSync(join(directory, 'old.json'), 'utf8')).toBe('what was there');
});

it('refuses before the work what is a folder, has no folder or goes through a file', () => {
  mkdirSync(join(directory, 'folder'));
  writeFileSync(join(directory, 'file'), '');
  expect(() => open('folder')).toThrow('--json is "folder", which cannot be written: it is a folder');
  expect(() => open('missing/x.json')).toThrow(/there is no folder .*missing/);
  expect(() => open('file/x.json')).toThrow(/cannot be written/);
});

it.runIf(existsSync('/proc/self'))('refuses a folder that takes no files, whoever asks', () => {
  expect(() => open('/proc/x.json')).toThrow(
    /^--json is "\/proc\/x.json", which cannot be written: (no file can be made there|permission is denied)$/,
  );
});

it.runIf(existsSync('/dev/full'))(
  'refuses a device that is always full, and takes one that swallows all',
  () => {
    expect(() => open('/dev/full')).toThrow(
      '--json is "/dev/full", which cannot be written: the disk is full',
    );
    open('/dev/null').write('{}');
  },
);

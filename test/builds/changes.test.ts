import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedFiles, matchesAny, readFileAt, trackedFiles } from '../../src/builds/changes.ts';
import type { Git } from '../../src/builds/git.ts';
import { gitIn } from '../../src/builds/git.ts';
import type { TailgateError } from '../../src/kernel/errors.ts';
import { bytes } from '../../src/kernel/units.ts';
import { environment, Playground } from './repositories.ts';

let playground: Playground;
let git: Git;
let first: string;
let second: string;

beforeAll(() => {
  playground = new Playground();
  const directory = playground.repository('work');
  first = playground.commit(directory, 'first', {
    'src/moved.js': 'a long enough text to be found again at another place\n',
    'src/kept.js': 'kept',
    'tailgate.yml': 'start: node server.js\n',
  });
  playground.git(directory, 'mv', 'src/moved.js', 'src/näw name.js');
  symlinkSync('/etc/passwd', join(directory, 'link.yml'));
  second = playground.commit(directory, 'second', { 'tailgate.yml': 'start: node other.js\n' });
  git = gitIn({ directory, environment });
});

afterAll(() => playground.remove());

describe('tracked files', () => {
  it('are those of the commit, below a folder relative to it, with every letter', async () => {
    expect([...(await trackedFiles(git, second, 'src'))].sort()).toEqual(['kept.js', 'näw name.js']);
    expect(await trackedFiles(git, first, '.')).toContain('src/moved.js');
    expect(await trackedFiles(git, second, '.')).not.toContain('src/moved.js');
  });
});

describe('changed files', () => {
  it('are named at both places when they moved, and with every letter', async () => {
    expect([...(await changedFiles(git, first, second))].sort()).toEqual([
      'link.yml',
      'second.txt',
      'src/moved.js',
      'src/näw name.js',
      'tailgate.yml',
    ]);
    expect(await changedFiles(git, first, first)).toEqual([]);
  });

  it('also between two commits of a shallow clone that know nothing of each other', async () => {
    const clone = playground.repository('clone');
    playground.git(clone, 'remote', 'add', 'origin', `file://${playground.path('work')}`);
    playground.git(clone, 'fetch', '--quiet', '--depth=1', 'origin', first);
    playground.git(clone, 'fetch', '--quiet', '--depth=1', 'origin', second);
    const found = await changedFiles(gitIn({ directory: clone, environment }), first, second);
    expect(found).toHaveLength(5);
  });
});

describe('globs', () => {
  const files = ['src/deep/a.ts', 'docs/guide.md', '.github/workflows/ci.yml'];

  it.each([
    [['src/**'], true],
    [['src/'], true],
    [['./src/**'], true],
    [['src'], false],
    [['*.ts'], false],
    [['**/*.ts'], true],
    [['**/*.{ts,js}'], true],
    [['.github/**'], true],
    [['**/*.yml'], true],
    [['lib/**'], false],
    [['lib/**', '**/*.md'], true],
    [['**/*.md', '!docs/**'], false],
    [['!docs/**', '**/*.md'], true],
    [['!docs/**'], true],
    [['!docs/**', '!src/**', '!.github/**'], false],
    [[], true],
  ])('%j among three files: %s', (globs, expected) => {
    expect(matchesAny(files, globs)).toBe(expected);
  });

  it('never meet an empty change', () => {
    expect(matchesAny([], [])).toBe(false);
    expect(matchesAny([], ['!docs/**'])).toBe(false);
  });

  it('that say nothing are refused', () => {
    expect(() => matchesAny(files, ['!'])).toThrow('"!" is not a glob');
  });
});

describe('a file of a commit', () => {
  const refusal = (promise: Promise<unknown>): Promise<TailgateError> =>
    promise.then(
      () => {
        throw new Error('it was not refused');
      },
      (error: TailgateError) => error,
    );

  it('is read as that commit has it, not as it lies on disk', async () => {
    expect(await readFileAt(git, first, 'tailgate.yml')).toBe('start: node server.js\n');
    expect(await readFileAt(git, second, './tailgate.yml')).toBe('start: node other.js\n');
    expect(await readFileAt(git, second, 'src/näw name.js')).toContain('long enough');
  });

  it('that the commit does not have is null', async () => {
    expect(await readFileAt(git, first, 'second.txt')).toBeNull();
    expect(await readFileAt(git, first, 'no/such/file')).toBeNull();
  });

  it('that is a link, a folder, too large, or outside is refused', async () => {
    expect((await refusal(readFileAt(git, second, 'link.yml'))).message).toContain('is no plain file');
    expect((await refusal(readFileAt(git, second, 'src'))).message).toContain('is no plain file');
    expect((await refusal(readFileAt(git, second, 'tailgate.yml', bytes(8)))).message).toContain(
      'larger than',
    );
    for (const path of ['../x', '/etc/passwd', '', 'a/../../x']) {
      expect((await refusal(readFileAt(git, second, path))).message).toContain(
        'is not inside the repository',
      );
    }
  });
});

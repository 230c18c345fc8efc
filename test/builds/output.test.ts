import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitIn } from '../../src/builds/git.ts';
import type { Output, OutputLimits } from '../../src/builds/output.ts';
import { buildsNotCompared, hashOutput, identicalBuilds } from '../../src/builds/output.ts';
import { bytes } from '../../src/kernel/units.ts';
import { environment, Playground } from './repositories.ts';

let playground: Playground;

beforeEach(() => {
  playground = new Playground();
  const work = playground.repository('work');
  const first = playground.commit(work, 'first', { '.gitignore': 'dist\n', 'server.js': 'one' });
  const second = playground.commit(work, 'second', { 'server.js': 'two' });
  playground.git(work, 'worktree', 'add', '--quiet', '--detach', playground.path('one'), first);
  playground.git(work, 'worktree', 'add', '--quiet', '--detach', playground.path('two'), second);
});

afterEach(() => playground.remove());

function write(name: string, text: string): void {
  const path = playground.path(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const hash = (name: string, limits?: OutputLimits): Promise<Output> =>
  hashOutput(gitIn({ directory: playground.path(name), environment }), limits);

describe('the output of setup', () => {
  it('is nothing when only sources and fetched dependencies are there', async () => {
    expect(await hash('one')).toEqual({ kind: 'nothing' });
    write('one/node_modules/x/index.js', 'x');
    write('one/web/node_modules/.cache/y', 'y');
    expect(await hash('one')).toEqual({ kind: 'nothing' });
  });

  it('is the same on both sides when the same was made, ignored files included, whatever the sources', async () => {
    for (const side of ['one', 'two']) write(`${side}/dist/main.js`, `built in ${playground.path(side)}/src`);
    const [one, two] = [await hash('one'), await hash('two')];
    expect(one.kind).toBe('hashed');
    expect(two).toEqual(one);
    const warning = identicalBuilds(one, two, 1);
    expect(warning?.code).toBe('identical-builds');
    expect(warning?.message).toContain('the 1 file it left is byte for byte equal');
    expect(identicalBuilds(one, two, 0)).toBeNull();
    expect(identicalBuilds({ kind: 'nothing' }, { kind: 'nothing' }, 3)).toBeNull();
  });

  it('differs by content, by name, by link and by a source that setup changed', async () => {
    const seen = new Set<string>();
    const note = async (): Promise<void> => {
      const output = await hash('one');
      if (output.kind !== 'hashed') throw new Error(output.kind);
      seen.add(output.sha256);
    };
    write('one/dist/a', '1');
    await note();
    write('one/dist/a', '2');
    await note();
    write('one/dist/b', '');
    await note();
    symlinkSync('a', join(playground.path('one'), 'dist/c'));
    await note();
    write('one/server.js', 'generated');
    await note();
    expect(seen.size).toBe(5);
  });

  it('beyond its limits is not hashed, and says why', async () => {
    write('one/dist/a', '12345');
    write('one/dist/b', '12345');
    expect(await hash('one', { files: 1, size: bytes(100) })).toEqual({
      kind: 'not-hashed',
      why: 'it has more than 1 files',
    });
    const large = await hash('one', { files: 2, size: bytes(9) });
    expect(large.kind).toBe('not-hashed');
    expect(identicalBuilds(large, large, 1)).toBeNull();
    expect(buildsNotCompared({ baseline: large, candidate: large }, 1)?.message).toContain(
      'left on both sides was not read, since it is larger than 9 B',
    );
    const small = await hash('one', { files: 2, size: bytes(10) });
    expect(buildsNotCompared({ baseline: small, candidate: large }, 1)?.message).toContain(
      'on the candidate',
    );
    expect(buildsNotCompared({ baseline: large, candidate: large }, 0)).toBeNull();
    expect(buildsNotCompared({ baseline: small, candidate: small }, 1)).toBeNull();
    expect(buildsNotCompared({ baseline: { kind: 'nothing' }, candidate: large }, 1)).toBeNull();
    expect((await hash('one', { files: 2, size: bytes(10) })).kind).toBe('hashed');
  });
});

/** Both sides set up in real worktrees: what is said of what they came out as. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltSides, buildBoth } from '../../src/both-builds.ts';
import { gitIn } from '../../src/builds/git.ts';
import { readConfig } from '../../src/config/read.ts';
import type { Warning } from '../../src/kernel/errors.ts';
import { environment, Playground } from './repositories.ts';

let playground: Playground;
let work: string;

beforeEach(() => {
  playground = new Playground();
  work = playground.repository('work');
  const first = playground.commit(work, 'first', {
    '.gitignore': 'out\n',
    'cached.js': 'x',
    'source.js': 'one',
  });
  const second = playground.commit(work, 'second', { 'source.js': 'two' });
  playground.git(work, 'worktree', 'add', '--quiet', '--detach', playground.path('one'), first);
  playground.git(work, 'worktree', 'add', '--quiet', '--detach', playground.path('two'), second);
});
afterEach(() => playground.remove());

async function built(
  setup: string,
  changedFiles = 1,
): Promise<BuiltSides & { readonly told: readonly Warning[] }> {
  const told: Warning[] = [];
  const text = `start: none\nsetup: ${JSON.stringify(setup)}\n`;
  const { config } = readConfig(text, { source: 'tailgate.yml', overrides: {}, environment });
  const worktrees = {
    root: playground.root,
    baseline: playground.path('one'),
    candidate: playground.path('two'),
    [Symbol.asyncDispose]: async () => {},
  };
  const job = {
    environment,
    signal: new AbortController().signal,
    tell: (event: { readonly kind: string; readonly warning?: Warning }) => {
      if (event.kind === 'warning') told.push(event.warning!);
    },
  };
  const sides = await buildBoth(
    job,
    config,
    gitIn({ directory: work, environment }),
    worktrees,
    changedFiles,
  );
  return { ...sides, told };
}

describe('a set-up', () => {
  it('that makes the same on both sides is called out, and each side has the hash of what it made', async () => {
    const { identicalBuilds, outputHashes, warnings, told } = await built('cp cached.js out');
    expect(identicalBuilds).toBe(true);
    expect(outputHashes.baseline).toMatch(/^[0-9a-f]{64}$/);
    expect(outputHashes.candidate).toBe(outputHashes.baseline);
    expect(warnings.map(({ code }) => code)).toEqual(['identical-builds']);
    expect(told).toEqual(warnings);
  });

  it.each([
    ['makes something else on each', 'cp source.js out'],
    ['makes nothing', 'true'],
    ['makes something on one of them only', 'if grep -q two source.js; then truncate -s 600M out; fi'],
  ])('that %s is not mentioned', async (_, setup) => {
    const { identicalBuilds, warnings, told } = await built(setup);
    expect([identicalBuilds, warnings, told]).toEqual([false, [], []]);
  });

  // A hole of the file system: 600 MB that take no disk, and are refused by their size, unread.
  it.each([
    ['both sides', 'truncate -s 600M out', { baseline: null, candidate: null }],
    [
      'the candidate',
      'echo x > out; if grep -q two source.js; then truncate -s 600M out; fi',
      { baseline: expect.stringMatching(/^[0-9a-f]{64}$/), candidate: null },
    ],
  ])('that leaves more than is read on %s gets a note that says so', async (side, setup, hashes) => {
    const { identicalBuilds, outputHashes, warnings, told } = await built(setup);
    expect([identicalBuilds, outputHashes]).toEqual([false, hashes]);
    expect(warnings).toEqual([
      {
        code: 'builds-not-compared',
        message: `whether setup made the same on both sides was not looked at: what it left on ${side} was not read, since it is larger than 512 MiB`,
        hint: expect.any(String),
      },
    ]);
    expect(told).toEqual(warnings);
    expect((await built(setup, 0)).warnings).toEqual([]);
  });
});

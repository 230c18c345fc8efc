/** What the baseline's file measures and the job does not: read at the baseline's commit, held against the job's settings. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitIn } from '../../src/builds/git.ts';
import type { Revisions } from '../../src/builds/revision.ts';
import { type FoundLeftOut, findLeftOut } from '../../src/left-out.ts';
import { readJobSettings } from '../../src/settings.ts';
import { environment, Playground } from '../builds/repositories.ts';

let playground: Playground;
let directory: string;
let commits = 0;

beforeEach(() => {
  playground = new Playground();
  directory = playground.repository('work');
});
afterEach(() => playground.remove());

const bench = 'export const run = () => 1;\n';
const home = 'scenarios: [{ name: home }]\n';
const both = 'scenarios: [{ name: home }, { name: checkout, path: /checkout }]\n';

/** Of a baseline with these files and a candidate with those settings; `null` removes its file, `remove` others. */
async function leftOut(
  baseline: Readonly<Record<string, string>>,
  candidate: string | null,
  given: {
    readonly file?: string;
    readonly directory?: string;
    readonly path?: string;
    readonly remove?: readonly string[];
  } = {},
): Promise<FoundLeftOut> {
  commits += 1;
  const sha = playground.commit(directory, 'baseline', { ...baseline, commit: `${commits}` });
  const starts = join(directory, given.directory ?? '.');
  const own = join(starts, given.file ?? 'tailgate.yml');
  if (candidate === null) rmSync(own);
  else {
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, candidate);
  }
  const settings = readJobSettings({
    directory: starts,
    file: given.file,
    overrides: { start: 'node server.mjs', path: given.path },
    environment,
  });
  for (const name of given.remove ?? []) rmSync(join(directory, name));
  const head = given.remove === undefined ? sha : playground.commit(directory, 'candidate', {});
  const revision = (of: string) => ({ sha: of, ref: 'main', how: 'the merge-base' });
  const revisions: Revisions = { baseline: revision(sha), candidate: revision(head), warnings: [] };
  const git = gitIn({ directory, environment });
  const config = await settings.trusted(settings.config, git, revisions);
  return await findLeftOut(await settings.measuredBefore(git, revisions), config, git, revisions);
}

const nothing: FoundLeftOut = { leftOut: null, gone: [], warnings: [], unmeasured: [] };

describe('scenarios', () => {
  it('that are gone from the file are left out; the names that came are told beside them', async () => {
    expect(await leftOut({ 'tailgate.yml': both }, home)).toEqual({
      ...nothing,
      leftOut: { file: 'tailgate.yml', scenarios: ['checkout'], routes: [], benchmarks: [], added: [] },
    });
    const renamed = await leftOut({ 'tailgate.yml': both }, both.replace('checkout', 'basket'));
    expect(renamed.leftOut).toMatchObject({ scenarios: ['checkout'], added: ['basket'] });
  });

  it('are left out by a candidate that has no file any more', async () => {
    const gone = await leftOut({ 'tailgate.yml': both }, null);
    expect(gone.leftOut).toMatchObject({ scenarios: ['home', 'checkout'], added: ['default'] });
  });

  it('are left in part where a request is gone that no other scenario sends', async () => {
    const mix = (requests: string, more = ''): string =>
      `scenarios: [{ name: home, requests: [{ path: / }, ${requests}] }${more}]\n`;
    const baseline = { 'tailgate.yml': mix('{ path: /old }, { method: POST, path: /orders }') };
    const gone = await leftOut(baseline, mix('{ path: "/old?page=2" }, { path: /orders }'));
    expect(gone.leftOut).toMatchObject({
      scenarios: [],
      routes: [{ scenario: 'home', routes: ['POST /orders'] }],
    });
    const moved = mix('{ path: /old }', ', { name: orders, requests: [{ method: POST, path: /orders }] }');
    expect(await leftOut(baseline, moved)).toEqual(nothing);
  });

  it('are those of the file that the job names, wherever it lies', async () => {
    const files = { 'tailgate.yml': both, 'ops/gate.yml': both };
    expect((await leftOut(files, home, { file: 'ops/gate.yml' })).leftOut).toMatchObject({
      file: 'ops/gate.yml',
      scenarios: ['checkout'],
    });
    const inside = await leftOut({ 'shop/tailgate.yml': both }, home, { directory: 'shop' });
    expect(inside.leftOut).toMatchObject({ file: 'shop/tailgate.yml', scenarios: ['checkout'] });
  });

  it('are left out although the baseline is trusted, whose file says how strict the gate is and not what it measures', async () => {
    const trusting = { 'tailgate.yml': `${both}trust-config: baseline\n` };
    expect((await leftOut(trusting, home)).leftOut).toMatchObject({ scenarios: ['checkout'] });
  });

  it('are read of a baseline that needs a variable this job does not have', async () => {
    const needy = { 'tailgate.yml': `${both}env: { TOKEN: "\${NO_SUCH_VARIABLE}" }\n` };
    expect((await leftOut(needy, home)).leftOut).toMatchObject({ scenarios: ['checkout'] });
  });

  it.each([
    ['more of them', { 'tailgate.yml': home }, both],
    ['the same', { 'tailgate.yml': both }, both],
    ['a baseline without a file', { 'other.yml': both }, home],
    ['a baseline whose file is broken', { 'tailgate.yml': 'scenarios: [{' }, home],
  ])('are all there: %s', async (_, baseline, candidate) => {
    expect(await leftOut(baseline, candidate)).toEqual(nothing);
  });

  it('are all there when the job is given another path beside both files', async () => {
    expect(await leftOut({ 'tailgate.yml': home }, home, { path: '/other' })).toEqual(nothing);
  });

  it('are not read of a link', async () => {
    symlinkSync('mine.yml', join(directory, 'tailgate.yml'));
    const sha = playground.commit(directory, 'baseline', { 'mine.yml': both });
    const settings = readJobSettings({
      directory,
      file: undefined,
      overrides: { start: 'node server.mjs' },
      environment,
    });
    const revision = { sha, ref: 'main', how: 'the merge-base' };
    const revisions = { baseline: revision, candidate: revision, warnings: [] };
    expect(await settings.measuredBefore(gitIn({ directory, environment }), revisions)).toBeNull();
  });
});

describe('benchmarks', () => {
  const files = { 'bench/a.js': bench, 'bench/b.js': bench, 'bench/notes.md': '', 'lib/c.js': bench };
  const listed = (list: string): string => `${home}microbenchmarks: ${list}\n`;

  it('are files of a glob that is gone, and suites', async () => {
    const baseline = { ...files, 'tailgate.yml': listed('[bench/**, { name: go, command: go test }]') };
    expect((await leftOut(baseline, listed('[bench/b.js]'))).leftOut).toMatchObject({
      scenarios: [],
      benchmarks: ['bench/a.js', 'go'],
    });
    expect((await leftOut(baseline, listed('[]'))).leftOut?.benchmarks).toEqual([
      'bench/a.js',
      'bench/b.js',
      'go',
    ]);
  });

  it('are all there while any glob still meets their file, and where the trusted baseline names them', async () => {
    const baseline = { ...files, 'tailgate.yml': listed('[bench/**]') };
    expect(await leftOut(baseline, listed('["**/*.js"]'))).toEqual(nothing);
    const trusting = { ...files, 'tailgate.yml': `${listed('[bench/**]')}trust-config: baseline\n` };
    expect(await leftOut(trusting, listed('[]'))).toEqual(nothing);
  });

  it('that nobody named are told in a warning: they may be files of another tool', async () => {
    const found = await leftOut({ 'tailgate.yml': home, 'parse.bench.js': bench }, listed('[]'));
    expect(found.leftOut).toBeNull();
    expect(found.warnings).toMatchObject([{ code: 'benchmarks-left-out' }]);
    expect(found.warnings[0]!.message).toContain('`parse.bench.js`');
  });

  it('that are gone under a glob that stays are told apart: only who measures nothing needs to hear of them', async () => {
    const baseline = { ...files, 'tailgate.yml': listed('[bench/**]') };
    const gone = await leftOut(baseline, listed('[bench/**]'), { remove: ['bench/a.js', 'bench/notes.md'] });
    expect(gone).toEqual({ ...nothing, gone: ['bench/a.js'] });
    const partly = await leftOut(baseline, listed('[bench/a.js]'), { remove: ['bench/a.js'] });
    expect([partly.leftOut?.benchmarks, partly.gone]).toEqual([['bench/b.js'], ['bench/a.js']]);
  });

  it('that are gone and that nobody named are a warning for who measures nothing', async () => {
    const found = await leftOut({ 'tailgate.yml': home, 'parse.bench.js': bench }, home, {
      remove: ['parse.bench.js'],
    });
    expect(found).toMatchObject({ leftOut: null, gone: [], warnings: [] });
    expect(found.unmeasured[0]!.message).toContain('`parse.bench.js`; this change does not have them');
  });

  it('and scenarios are said once and up to a thousand, however often the file of the baseline has them', async () => {
    const suites = Array.from({ length: 1001 }, (_, index) => `{ name: s${index}, command: x }`);
    const twice =
      'scenarios: [{ name: home, path: /a }, { name: home, path: /b }, { name: x }, { name: x }]\n';
    const { leftOut: left } = await leftOut(
      { 'tailgate.yml': `${twice}microbenchmarks: [${suites}, ${suites[0]}]\n` },
      home,
    );
    expect(left).toMatchObject({
      scenarios: ['x'],
      routes: [{ scenario: 'home', routes: ['GET /a', 'GET /b'] }],
    });
    expect([left?.benchmarks.length, new Set(left?.benchmarks).size]).toEqual([1000, 1000]);
  });
});

/** `tailgate bench` on real repositories: both revisions built, measured in turns, decided. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseStored } from '../../src/evidence/store.ts';
import { judgeBenchmarks } from '../../src/verdict/benchmarks.ts';
import { Desk } from './terminal.ts';

type Files = Readonly<Record<string, string>>;

/** A repository whose branch `main` is the baseline, with the candidate checked out. */
function repository(baseline: Files, candidate: Files): Desk {
  const desk = new Desk();
  const git = (...args: string[]): void => {
    const own = ['-c', 'user.name=Rig', '-c', 'user.email=rig@example.invalid', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...own, ...args], { cwd: desk.directory, stdio: 'pipe' });
  };
  const commit = (files: Files): void => {
    for (const [name, content] of Object.entries(files)) desk.write(name, content);
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'Change');
  };
  git('init', '--quiet', '--initial-branch=main');
  commit(baseline);
  git('checkout', '--quiet', '-b', 'candidate');
  commit(candidate);
  return desk;
}

/** Work of a known number of steps: what the engine makes of it, it makes of both. */
const steps = (count: number): string => `
let seed = 1;
export function steps() {
  let value = seed;
  for (let index = 0; index < ${count}; index++) value = (value * 1103515245 + 12345) & 0x7fffffff;
  seed = value | 1;
  return typeof value;
}`;

const worktrees = (desk: Desk): number =>
  execFileSync('git', ['worktree', 'list'], { cwd: desk.directory, encoding: 'utf8' }).trim().split('\n')
    .length;

describe('tailgate bench', () => {
  test('catches code that does half as much again, with its change, and leaves nothing behind', async () => {
    using desk = repository({ 'a.bench.mjs': steps(20_000) }, { 'a.bench.mjs': steps(30_000) });
    const flags = ['--rounds', '6', '--seed', '7', '--json', 'v.json', '--evidence', 'e.json'];
    const { code, out, err } = await desk.run('bench', '--baseline', 'main', ...flags);
    expect(err).toContain('1 microbenchmark found, run by Node v');
    expect(err).toContain('confirmation round 6 of at most 6');
    expect(out).toMatch(/^Regression: a\.bench\.mjs > steps became worse: \+\d+ % \(spread ±/);
    expect(out).toMatch(/a\.bench\.mjs > steps .*\+\d+ % \[\+\d+ %, \+\d+ %\].* regressed/);
    expect(code).toBe(1);
    const verdict = JSON.parse(readFileSync(join(desk.directory, 'v.json'), 'utf8'));
    expect(verdict).toMatchObject({ outcome: 'regression', exitCode: 1, seed: 7 });
    expect(verdict.findings[0].change.effect).toBeGreaterThan(0.3);
    expect(verdict.findings[0].change.effect).toBeLessThan(0.7);
    // The evidence alone gives the same answer again.
    const stored = parseStored(readFileSync(join(desk.directory, 'e.json'), 'utf8'));
    if (stored.kind !== 'microbenchmarks') throw new Error('another kind of evidence');
    const { evidence } = stored;
    const again = judgeBenchmarks(evidence);
    expect(again.kind === 'decided' && again.verdict.outcome).toBe('regression');
    expect(worktrees(desk)).toBe(1);
    expect(readdirSync(desk.directory).sort()).toEqual(['.git', 'a.bench.mjs', 'e.json', 'v.json']);
  }, 120_000);

  test('runs setup on both sides, and measures what it made', async () => {
    const files = {
      'make.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync('made.bench.mjs', 'export const made = () => 1;');`,
    };
    using desk = repository(files, {});
    const { out, err } = await desk.run(
      'bench',
      '--baseline',
      'main',
      '--setup',
      'node make.mjs',
      '--rounds',
      '6',
      '--no-confirm',
    );
    expect(err).toContain('1 microbenchmark found');
    expect(out).toContain('made.bench.mjs > made');
  }, 120_000);

  test('a benchmark that throws on the candidate ends with 3 and its message; new and missing ones are shown', async () => {
    using desk = repository(
      { 'a.bench.mjs': 'export const parse = () => 1; export const gone = () => 1;' },
      {
        'a.bench.mjs':
          'export const parse = () => { throw new Error("not yet"); }; export const fresh = () => 1;',
      },
    );
    const { code, out } = await desk.run('bench', '--baseline', 'main');
    expect(code).toBe(3);
    expect(out).toContain('Invalid: `a.bench.mjs > parse`: candidate: it threw: not yet');
    expect(out).toMatch(/a\.bench\.mjs > gone .* missing/);
    expect(out).toMatch(/a\.bench\.mjs > fresh .* new/);
  }, 60_000);

  const go = (time: number): string => `BenchmarkParse-8  1000  ${time} ns/op  0 B/op\n`;
  const suite = ['--baseline', 'main', '--command', 'cat out.txt', '--rounds', '7'];
  const accepted = (ceiling: string): string =>
    `waivers: [{ scenario: "command > BenchmarkParse-8", metric: microbenchmark, ceiling: ${ceiling}, reason: "safer" }, { metric: cpu, ceiling: 5%, reason: "of load" }]\n`;

  test('goes by waivers of tailgate.yml, and its evidence gives the same answer again', async () => {
    using desk = repository({ 'out.txt': go(100), 'tailgate.yml': accepted('40%') }, { 'out.txt': go(130) });
    const { code, out } = await desk.run('bench', ...suite, '--evidence', 'e.json', '--json', 'v.json');
    expect(code, out).toBe(0);
    expect(out).toMatch(/^Pass with an accepted change: none of 1 other became worse/);
    expect(out).toMatch(/command > BenchmarkParse-8 +100 ns +130 ns .* accepted/);
    expect(out.replace(/\s+/g, ' ')).toContain('accepted by the configuration up to +40 %: “safer”');
    const verdict = JSON.parse(readFileSync(join(desk.directory, 'v.json'), 'utf8'));
    // The waiver for CPU is about load, which is not measured here.
    expect(verdict).toMatchObject({ outcome: 'pass', warnings: [], waivers: [{}, { metric: 'cpu' }] });
    const again = await desk.run('judge', 'e.json');
    expect([again.code, again.out.split('\n')[0]]).toEqual([0, out.split('\n')[0]]);
    desk.write('tailgate.yml', accepted('20%'));
    const { code: red, out: above } = await desk.run('bench', ...suite);
    expect(red).toBe(1);
    expect(above.replace(/\s+/g, ' ')).toContain(
      'above the ceiling of +20 % that the configuration accepts, by 10 points: “safer”',
    );
  }, 60_000);

  test.each([
    ['count', 'fail-on: [regression]\n', 'fail-on: [regression]\n', 0],
    [
      'and its own file do not where the baseline alone is trusted',
      'trust-config: baseline\n',
      accepted('40%'),
      1,
    ],
  ])(
    'what its commits accept %s',
    async (_, baseline, candidate, exitCode) => {
      using desk = repository(
        { 'out.txt': go(100), 'tailgate.yml': baseline },
        { 'out.txt': go(130), 'tailgate.yml': candidate },
      );
      const own = [
        '-c',
        'user.name=Rig',
        '-c',
        'user.email=rig@example.invalid',
        '-c',
        'commit.gpgsign=false',
      ];
      const trailer = 'Perf-Accepted: command > BenchmarkParse-8/microbenchmark <= +40% | safer';
      const amend = ['commit', '--quiet', '--amend', '--message', `Change\n\n${trailer}`];
      execFileSync('git', [...own, ...amend], { cwd: desk.directory });
      const { code, out, err } = await desk.run('bench', ...suite);
      expect(code, out + err).toBe(exitCode);
      const said = `${out}${err}`.replace(/\s+/g, ' ');
      expect(said).toMatch(
        exitCode === 0 ? /accepted by commit [0-9a-f]{10} up to/ : /accept nothing here: with `trust-config/,
      );
    },
    60_000,
  );

  test('a suite of another tool is run in both worktrees and judged by its rows', async () => {
    const go = (times: string): string => `BenchmarkParse-8  1000  ${times}\n`;
    using desk = repository({ 'out.txt': go('100 ns/op  0 B/op') }, { 'out.txt': go('100 ns/op  16 B/op') });
    const { code, out } = await desk.run(
      'bench',
      '--baseline',
      'main',
      '--command',
      'cat out.txt',
      '--rounds',
      '7',
    );
    expect(code).toBe(1);
    expect(out).toMatch(/command > BenchmarkParse-8 \[B\/op\] .* regressed/);
    expect(out).toContain('it went from 0 to 16 bytes, so there is no ratio');
    expect(out).toMatch(/command > BenchmarkParse-8 +100 ns +100 ns .* unchanged/);
  }, 60_000);

  test('says what the output was taken for, and never turns red by a guess of its direction', async () => {
    const score = (value: number): string => JSON.stringify([{ name: 'score', unit: 'points', value }]);
    using desk = repository({ 'out.json': score(100) }, { 'out.json': score(120) });
    const flags = ['--baseline', 'main', '--command', 'cat out.json', '--json', 'v.json'];
    const { code, out, err } = await desk.run('bench', ...flags, '--evidence', 'e.json');
    expect(err).toContain('command: read as github-action-benchmark\n');
    expect(err).toContain('warning: command: smaller was taken to be better for "points".');
    expect(code).toBe(0);
    expect(out).toMatch(/^Inconclusive: .*command > score/);
    const shown = out.replace(/\s+/g, ' ');
    expect(shown).toContain('it moved by +20 %, but nothing tells whether more points is better or worse');
    expect(shown).toContain('command: smaller was taken to be better for "points"');
    expect(shown).toContain('command: read as github-action-benchmark');
    const verdict = JSON.parse(readFileSync(join(desk.directory, 'v.json'), 'utf8'));
    const formats = { baseline: 'github-action-benchmark', candidate: 'github-action-benchmark' };
    expect(verdict.suites).toEqual([{ name: 'command', formats }]);
    expect(verdict.warnings).toEqual([expect.objectContaining({ code: 'direction-guessed' })]);
    expect((await desk.run('judge', 'e.json')).out).toContain('Inconclusive');
    const named = await desk.run('bench', ...flags, '--format', 'customBiggerIsBetter');
    expect([named.code, named.out.split(':')[0]]).toEqual([0, 'Pass']);
    expect(named.err).not.toContain('was taken to be better');
  }, 60_000);

  test('measures what tailgate.yml names, unless flags name something else', async () => {
    const config = 'microbenchmarks: [{ name: one, command: "cat out.txt" }]\n';
    const files = { 'a.bench.mjs': 'export const one = () => 1;', 'tailgate.yml': config };
    using desk = repository({ ...files, 'out.txt': 'BenchmarkParse-8  1000  100 ns/op\n' }, {});
    const { code, out } = await desk.run('bench', '--baseline', 'main', '--rounds', '6');
    expect(code).toBe(0);
    expect(out).toMatch(/^one > BenchmarkParse-8 /m);
    expect(out).not.toContain('a.bench.mjs');
    const other = await desk.run('bench', '--baseline', 'main', '--rounds', '6', '--command', 'cat out.txt');
    expect(other.out).toMatch(/^command > BenchmarkParse-8 /m);
    desk.write('off.yml', 'microbenchmarks: []\n');
    const off = await desk.run('bench', '--baseline', 'main', '--config', 'off.yml');
    expect(off.code).toBe(2);
    expect(off.err).toContain('`microbenchmarks` in off.yml is [], which turns them off');
  }, 60_000);

  test('a large change is red also where the time holds fewer rounds, and its evidence says the same', async () => {
    using desk = repository({ 'a.bench.mjs': steps(100) }, { 'a.bench.mjs': steps(10_000) });
    const flags = ['--baseline', 'main', '--time-budget', '20s', '--evidence', 'e.json', '--json', 'v.json'];
    const { code, out, err } = await desk.run('bench', ...flags);
    expect(out).toMatch(/^Regression: a\.bench\.mjs > steps became worse: \+/);
    expect(code).toBe(1);
    expect(err).toMatch(
      /a round takes about .* 20 s are kept for microbenchmarks: room for \d+ of at most 12 rounds/,
    );
    const flat = out.replace(/\s+/g, ' ');
    expect(flat).toMatch(/[6-8] rounds of microbenchmarks before a confirmation instead of 12: a round took/);
    expect(flat).toMatch(/`--time-budget \d+s` gives all 12 and 6 to confirm/);
    const again = await desk.run('judge', 'e.json', '--json', 'again.json');
    expect(again.code).toBe(1);
    const read = (name: string) => JSON.parse(readFileSync(join(desk.directory, name), 'utf8'));
    expect(read('again.json')).toEqual(read('v.json'));
  }, 120_000);

  test('says in its first line that the time is too short for any answer, and which would do', async () => {
    using desk = repository({ 'a.bench.mjs': steps(20_000) }, { 'a.bench.mjs': steps(30_000) });
    const { code, out } = await desk.run('bench', '--baseline', 'main', '--time-budget', '10ms');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Inconclusive: cannot tell whether a\.bench\.mjs > \w+ became worse by 5 %: the time budget held 1 of 12 rounds, too few to decide\.\n/,
    );
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /measuring ended after 1 of 12 rounds: a round took [\d.]+ m?s, and 10 ms of the time budget are too short even for the fewest rounds that could fail, 6 and 6 to confirm; `--time-budget \d+s` gives all 12/,
    );
  }, 60_000);

  test.each([
    ['no benchmark at all', { 'a.js': '' }, [], /there is no benchmark: no file of either side matches/],
    ['too few rounds', {}, ['--rounds', '3'], /--rounds is "3"; it wants a whole number from 6/],
    ['an unknown format', {}, ['--command', 'true', '--format', 'gobench'], /did you mean go-bench/],
    ['an unknown baseline', {}, ['--baseline', 'nothing'], /nothing/],
  ])('ends with 2 on %s', async (_, files, flags, message) => {
    using desk = repository({ 'x.txt': 'x', ...files }, {});
    const { code, err } = await desk.run('bench', '--baseline', 'main', ...flags);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});

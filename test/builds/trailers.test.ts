/** Changes that a commit or a description accepts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Git, gitIn } from '../../src/builds/git.ts';
import { lastWord, readDescription, readTrailers } from '../../src/builds/trailers.ts';
import { nearest } from '../../src/config/suggestions.ts';
import { environment, Playground } from './repositories.ts';

let playground: Playground;
let directory: string;
let git: Git;
let baseline: string;
let branch = 0;

beforeAll(() => {
  playground = new Playground();
  directory = playground.repository('work');
  empty('main');
  baseline = empty('base\n\nPerf-Accepted: default/p50 <= +50% | long since merged');
  git = gitIn({ directory, environment });
});
afterAll(() => playground.remove());

function empty(message: string): string {
  playground.git(directory, 'commit', '--quiet', '--allow-empty', '-m', message);
  return playground.git(directory, 'rev-parse', 'HEAD');
}

/** A branch off the baseline with these messages, oldest first. */
async function read(messages: readonly string[], trust: 'candidate' | 'baseline' = 'candidate') {
  branch += 1;
  playground.git(directory, 'checkout', '--quiet', '-b', `branch-${branch}`, baseline);
  const shas = messages.map(empty);
  const trailers = await readTrailers(git, { baseline, candidate: shas.at(-1) ?? baseline }, trust);
  return { ...trailers, names: shas.map((sha) => `commit ${sha.slice(0, 10)}`) };
}

describe('a trailer', () => {
  it('accepts a change of one row, with its commit as the origin', async () => {
    const { accepted, warnings, names } = await read([
      'hash passwords\n\nWith the slower function.\n\nPerf-Accepted: sign in/cpu <= +12.5% | the new hash is safer\nReviewed-by: A <a@example.com>',
    ]);
    expect(warnings).toEqual([]);
    expect(accepted).toEqual([
      {
        scenario: 'sign in',
        metric: 'cpu',
        ceiling: 0.125,
        expires: null,
        reason: 'the new hash is safer',
        origin: names[0],
      },
    ]);
  });

  it('is found whatever the case of its key, folded, and beside others of its commit', async () => {
    const { accepted } = await read([
      'x\n\nperf-accepted: default/p99 <= 30% | it also\n  sorts now\nPERF-ACCEPTED: default/errors <= 0.5 points | known',
    ]);
    expect(accepted.map(({ metric, ceiling, reason }) => [metric, ceiling, reason]).sort()).toEqual([
      ['errors', 0.005, 'known'],
      ['p99', 0.3, 'it also sorts now'],
    ]);
  });

  it.each([
    ['bench/parse.bench.js > small', 'bench/parse.bench.js > small/microbenchmark <= +5% | x'],
    ['a <= b | c/d', 'a <= b | c/d/microbenchmark <= +5% | x'],
    ['p99/p50', 'p99/p50/microbenchmark<=5%|x'],
  ])('knows the name %s', async (name, line) => {
    const { accepted } = await read([`x\n\nPerf-Accepted: ${line}`]);
    expect(accepted).toMatchObject([
      { scenario: name, metric: 'microbenchmark', ceiling: 0.05, reason: 'x' },
    ]);
  });

  it('may say anything as its reason', async () => {
    const { accepted } = await read(['x\n\nPerf-Accepted: default/cpu <= 5% | see a/p99 <= 3% | and #12']);
    expect(accepted).toMatchObject([{ metric: 'cpu', ceiling: 0.05, reason: 'see a/p99 <= 3% | and #12' }]);
  });

  it('counts only between baseline and candidate', async () => {
    expect((await read(['nothing here'])).accepted).toEqual([]);
    expect((await read([])).accepted).toEqual([]);
  });

  it('of a later commit replaces that of an earlier one for the same row, and no other', async () => {
    const { accepted, names } = await read([
      'one\n\nPerf-Accepted: default/cpu <= 5% | one\nPerf-Accepted: default/p99 <= 5% | one',
      'two\n\nPerf-Accepted: default/cpu <= 4% | no\nPerf-Accepted: default/cpu <= 20% | two',
    ]);
    expect(accepted.map(({ metric, ceiling, origin }) => [metric, ceiling, origin])).toEqual([
      ['cpu', 0.2, names[1]],
      ['p99', 0.05, names[0]],
    ]);
  });

  it('that is not the last paragraph accepts nothing, and that is said', async () => {
    const { accepted, warnings, names } = await read([
      'x\n\nPerf-Accepted: default/cpu <= 5% | x\n\nMore words.',
    ]);
    expect(accepted).toEqual([]);
    expect(warnings).toEqual([
      {
        code: 'trailer-misplaced',
        message: `${names[0]} has a Perf-Accepted line outside of its trailers, which accepts nothing`,
        hint: expect.stringContaining('last paragraph'),
      },
    ]);
  });

  it('accepts nothing where the baseline is trusted, and that is said', async () => {
    const { accepted, warnings, names } = await read(
      ['x\n\nPerf-Accepted: default/cpu <= 5% | x'],
      'baseline',
    );
    expect(accepted).toEqual([]);
    expect(warnings).toMatchObject([
      { code: 'trailers-ignored', message: expect.stringContaining(`(${names[0]}) accept nothing here`) },
    ]);
    expect((await read(['x'], 'baseline')).warnings).toEqual([]);
  });
});

describe('a malformed trailer', () => {
  it.each([
    ['default/cpu', 'it has no ceiling after `<=`'],
    ['default/cpu <= 5%', 'it has no reason after `|`'],
    ['default/cpu <= 5% |', 'it gives no reason'],
    ['cpu <= 5% | x', 'it does not say whose metric it is'],
    ['/cpu <= 5% | x', 'it does not say whose metric it is'],
    ['default/speed <= 5% | x', '`speed` is none of p50, p90, p95, p99, cpu,'],
    ['default/cpu <= 5 | x', 'its ceiling is `5`, wanted a share above 0%, such as +12%'],
    ['default/cpu <= -5% | x', 'its ceiling is `-5%`, wanted a share above 0%'],
    ['default/cpu <= 0% | x', 'its ceiling is `0%`, wanted a share above 0%'],
    ['default/cpu <= 5 points | x', 'its ceiling is `5 points`, wanted a share above 0%'],
    ['default/errors <= 5% | x', 'its ceiling is `5%`, wanted points above 0, such as +2 points'],
    ['default/cpu < 5% | x', 'it has no ceiling after `<=`'],
    [`default/cpu <= 5% | ${'x'.repeat(501)}`, 'its reason is longer than 500 characters'],
    [`${'x'.repeat(301)}/cpu <= 5% | x`, 'its name is longer than 300 characters'],
    [`default/cpu <= 5% | ${'x'.repeat(1000)}`, 'it is longer than 1000 characters'],
  ])('%s: %s', async (line, problem) => {
    const { accepted, warnings, names } = await read([`x\n\nPerf-Accepted: ${line}`]);
    expect(accepted).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toContain(`${names[0]} accepts nothing with the line “Perf-Accepted: `);
    expect(warnings[0]?.message).toContain(problem);
    expect(warnings[0]?.message.length).toBeLessThan(400);
    expect(warnings[0]?.hint).toContain('`Perf-Accepted: <scenario>/<metric> <= +12% | reason`');
  });

  it('leaves the good ones of its commit as they are', async () => {
    const { accepted, warnings } = await read([
      'x\n\nPerf-Accepted: nonsense\nPerf-Accepted: default/cpu <= 5% | fine',
    ]);
    expect([accepted.length, warnings.length]).toEqual([1, 1]);
  });

  it('costs no time however it is made', async () => {
    const began = process.cpuUsage().user;
    readDescription(`Perf-Accepted: ${'a/cpu <= '.repeat(50_000)}`, 'candidate');
    readDescription(`${'<!-'.repeat(20_000)}${'<!--'.repeat(20_000)}`, 'candidate');
    expect(process.cpuUsage().user - began).toBeLessThan(2_000_000);
  });
});

describe('a history that is not all there', () => {
  it('is read as far as it is there', async () => {
    playground.git(directory, 'checkout', '--quiet', '-b', 'shallow', baseline);
    empty('one\n\nPerf-Accepted: default/cpu <= 5% | one');
    const tip = empty('two\n\nPerf-Accepted: default/p99 <= 5% | two');
    const bare = playground.serve(directory, 'origin.git');
    const clone = playground.checkout(bare, 'refs/heads/shallow', 'clone');
    playground.git(clone, 'fetch', '--quiet', '--depth=1', 'origin', baseline);
    const there = gitIn({ directory: clone, environment });
    const { accepted, warnings } = await readTrailers(there, { baseline, candidate: tip }, 'candidate');
    expect(accepted.map(({ reason }) => reason)).toEqual(['two']);
    expect(warnings).toEqual([]);
  });

  it('is a warning when git cannot tell', async () => {
    const candidate = 'f'.repeat(40);
    const { accepted, warnings } = await readTrailers(git, { baseline, candidate }, 'candidate');
    expect(accepted).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'trailers-unread' }]);
  });
});

describe('the description of a pull request', () => {
  it('may have the lines anywhere, but not where no reader sees them', () => {
    const text =
      'Hashes passwords.\r\n\r\nPerf-Accepted: default/cpu <= 12% | safer\r\n\r\nMore.\r\n<!--\nPerf-Accepted: default/p99 <= 99% | example\n-->';
    expect(readDescription(text, 'candidate')).toEqual({
      accepted: [
        {
          scenario: 'default',
          metric: 'cpu',
          ceiling: 0.12,
          expires: null,
          reason: 'safer',
          origin: 'the description of the pull request',
        },
      ],
      warnings: [],
    });
  });

  it('may be empty, malformed, or not trusted', () => {
    expect(readDescription(null, 'candidate')).toEqual({ accepted: [], warnings: [] });
    expect(readDescription('Perf-Accepted: all', 'candidate').warnings[0]?.message).toContain(
      'the description of the pull request accepts nothing with the line “Perf-Accepted: all”',
    );
    const ignored = readDescription('Perf-Accepted: default/cpu <= 5% | x', 'baseline');
    expect(ignored).toMatchObject({ accepted: [], warnings: [{ code: 'trailers-ignored' }] });
  });

  it('is told the nearest metric for one that is mistyped', () => {
    const { accepted, warnings } = readDescription(
      'Perf-Accepted: default/cpu-totl <= 5% | x',
      'candidate',
      nearest,
    );
    expect(accepted).toEqual([]);
    expect(warnings[0]?.message).toMatch(/`cpu-totl` is none of p50, .*, did you mean `cpu-total`\?$/);
  });

  it('has the last word over commits', () => {
    const of = (origin: string, ceiling: number) => ({
      ...readDescription(`Perf-Accepted: default/cpu <= ${ceiling}% | x`, 'candidate').accepted[0]!,
      origin,
    });
    expect(lastWord([[of('description', 20)], [of('commit', 5)]]).map(({ origin }) => origin)).toEqual([
      'description',
    ]);
  });
});

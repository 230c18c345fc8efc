/** `tailgate read` and `tailgate compare` as a user meets them. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serialise, serialiseBench } from '../../src/evidence/store.ts';
import { benchmarks, storedJob } from '../verdict/stored-job.ts';
import { Desk } from './terminal.ts';

const custom = (rows: readonly (readonly [name: string, unit: string, value: unknown])[]): string =>
  JSON.stringify(rows.map(([name, unit, value]) => ({ name, unit, value })));

const goBench = (times: readonly number[]): string =>
  [
    'goos: linux',
    'pkg: example.test/parse',
    ...times.map((time) => `BenchmarkParse-8  1000  ${time} ns/op`),
  ].join('\n');

describe('tailgate read', () => {
  test('says what it took the file for and shows one row a benchmark', async () => {
    using desk = new Desk();
    desk.write('bench.txt', goBench([100, 110, 120]));
    const { code, out } = await desk.run('read', 'bench.txt');
    expect(code).toBe(0);
    expect(out).toContain('bench.txt: Go benchmark text');
    expect(out).toContain('format go-bench; 1 row');
    expect(out).toMatch(/Parse.*\s+ns\s+smaller\s+110 ns\s+3/);
  });

  test('prints JSON of exactly the promised shape', async () => {
    using desk = new Desk();
    desk.write('bench.txt', goBench([100, 110, 120]));
    const { out } = await desk.run('read', 'bench.txt', '--json');
    const read = JSON.parse(out);
    expect(Object.keys(read)).toEqual(['format', 'rows']);
    expect(read.format).toBe('go-bench');
    expect(read.rows).toEqual([
      {
        name: expect.stringContaining('Parse'),
        unit: 'ns',
        direction: 'smaller-is-better',
        value: 110,
        samples: [100, 110, 120],
        problem: null,
      },
    ]);
  });

  test('shows a value that is no number as missing, with the reason, never as 0', async () => {
    using desk = new Desk();
    desk.write(
      'bench.json',
      '[{"name": "parse", "unit": "ns", "value": NaN}, {"name": "ok", "unit": "ns", "value": 5}]',
    );
    const { code, out } = await desk.run('read', 'bench.json');
    expect(code).toBe(0);
    expect(out).toContain('1 of them without a value');
    expect(out).toMatch(/parse\s+ns\s+smaller\s+missing/);
    const { out: json } = await desk.run('read', 'bench.json', '--json');
    expect(JSON.parse(json).rows[0]).toMatchObject({ value: null, problem: expect.stringMatching(/\S/) });
  });

  test('shows names whole enough to be told apart, however long a problem is, and the problem below', async () => {
    using desk = new Desk();
    const rows = ['a', 'b', 'c'].map(
      (one) =>
        `{"name":"BenchmarkSomethingQuiteLong${one}/with=parameters/x/y","unit":"ns","value":"${'9'.repeat(150)}z"}`,
    );
    desk.write('bench.json', `[${rows.join(',')}]`);
    const { out } = await desk.run('read', 'bench.json');
    const [table, below] = out.split('\n\n').slice(1);
    const names = table!
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2}/)[0]);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^BenchmarkSomething/);
    expect(table).not.toContain('999');
    expect(below).toMatch(/^BenchmarkSomethingQuiteLonga\/with=parameters\/x\/y:\s"9+z"\sis not a number\n/);
  });

  test('cuts names to the width that COLUMNS gives, but never so far that two become one', async () => {
    using desk = new Desk();
    const long = (tail: string): string =>
      `org.example.${'x'.repeat(30)}.middle${tail}.${'y'.repeat(30)}.run`;
    desk.write(
      'bench.json',
      custom([
        [long('A'), 'ns', 1],
        [long('B'), 'ns', 2],
      ]),
    );
    const shown = async (columns: string) => {
      const { out } = await desk.run('read', 'bench.json', { COLUMNS: columns });
      return out.split('\n').filter((line) => line.startsWith('org.'));
    };
    const wide = await shown('200');
    expect(wide[0]).toContain(`${long('A')}  ns`);
    const narrow = await shown('60');
    expect(narrow.map((line) => line.split(' ')[0])).toEqual([
      expect.stringMatching(/eA\.y/),
      expect.stringMatching(/eB\.y/),
    ]);
    desk.write('one.json', custom([[long('A'), 'ns', 1]]));
    const { out } = await desk.run('read', 'one.json', { COLUMNS: '60' });
    expect(out).toMatch(/^org\.example\.x+….*\.run {2}ns/m);
  });

  test('takes the direction from the format that was asked for', async () => {
    using desk = new Desk();
    desk.write('bench.json', custom([['score', 'points', 12]]));
    const { out } = await desk.run('read', 'bench.json', '--format', 'custom-bigger-is-better', '--json');
    expect(JSON.parse(out)).toMatchObject({
      format: 'custom-bigger-is-better',
      rows: [{ direction: 'bigger-is-better' }],
    });
  });

  test.each([
    ['truncated JSON', '[{"name": "parse", "unit": "ns",\n "value": 5', [], /line 2, column \d+/],
    [
      'no benchmark at all',
      'ok   example.test/parse 0.01s\n',
      ['--format', 'go-bench'],
      /no benchmark was read/,
    ],
    ['an unknown format', 'hello', [], /no known benchmark format/],
    ['an empty file', '', [], /is empty/],
    ['an unknown word for a format', '[]', ['--format', 'gobench'], /did you mean go-bench/],
  ])('ends with 2 on %s and names it', async (_, content, flags, message) => {
    using desk = new Desk();
    desk.write('bench.json', content);
    const { code, out, err } = await desk.run('read', 'bench.json', ...flags);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });

  test('ends with 2 on a file that is not there, a directory, and a file above the limit, unread', async () => {
    using desk = new Desk();
    expect(await desk.run('read', 'nothing.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('nothing.json cannot be read'),
    });
    expect(await desk.run('read', '.')).toMatchObject({
      code: 2,
      err: expect.stringContaining('a directory'),
    });
    desk.write('huge.json', '');
    // A hole of the file system: a gigabyte that takes no disk, and no memory when it is refused by its size.
    truncateSync(join(desk.directory, 'huge.json'), 1024 ** 3);
    const before = process.memoryUsage().rss;
    const { code, err } = await desk.run('read', 'huge.json');
    expect(code).toBe(2);
    expect(err).toContain('the limit is 64 MB');
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });

  test('keeps escape sequences of foreign names away from the terminal', async () => {
    using desk = new Desk();
    desk.write('bench.json', custom([['a\u001b]0;title\u0007b', 'ns', 5]]));
    const { out } = await desk.run('read', 'bench.json');
    expect(out).not.toContain('\u001b');
  });
});

describe('tailgate compare', () => {
  const compared = async (baseline: string, candidate: string) => {
    using desk = new Desk();
    desk.write('a.json', baseline);
    desk.write('b.json', candidate);
    const text = await desk.run('compare', 'a.json', 'b.json');
    const json = await desk.run('compare', 'a.json', 'b.json', '--json');
    return { text, json: JSON.parse(json.out) };
  };

  test('matches rows by name and says what is higher and what is lower', async () => {
    const { text, json } = await compared(
      custom([
        ['parse', 'ns', 100],
        ['serve', 'ops/s', 1000],
        ['same', 'ns', 7],
      ]),
      custom([
        ['serve', 'ops/s', 900],
        ['same', 'ns', 7],
        ['parse', 'ns', 90],
      ]),
    );
    expect(text.code).toBe(0);
    const changes = json.rows.map((row: { name: string; change: object }) => [row.name, row.change]);
    expect(changes).toEqual([
      ['parse', { kind: 'ratio', change: expect.closeTo(-0.1, 9), moved: 'lower', withinSpread: false }],
      ['serve', { kind: 'ratio', change: expect.closeTo(-0.1, 9), moved: 'lower', withinSpread: false }],
      ['same', { kind: 'same' }],
    ]);
    expect(text.out).toMatch(/parse\s+smaller\s+100 ns\s+90 ns\s+−10 %\s+lower/);
  });

  test('never gives a verdict: single runs', async () => {
    const { text, json } = await compared(custom([['parse', 'ns', 100]]), custom([['parse', 'ns', 150]]));
    expect(text.code).toBe(0);
    expect(json.verdict).toBe(null);
    expect(json.limits[0]).toContain('single run of every benchmark');
    expect(text.out).toContain('No verdict:');
    expect(text.out).toContain('tailgate bench');
  });

  test('never gives a verdict: some rows are single runs, and how many', async () => {
    const named = (name: string, times: readonly number[]): string =>
      times.map((time) => `Benchmark${name}-8  1000  ${time} ns/op`).join('\n');
    const repeated = `${named('A', [1, 1.1, 1.2])}\n${named('B', [2])}\n`;
    const { json } = await compared(repeated, repeated);
    expect(json.limits[0]).toMatch(/^each file holds a single run of 1 of 2 benchmarks: /);
    expect(json.limits[1]).toContain('share one process');
    const other = await compared(repeated, `${named('A', [1, 1.1])}\n${named('B', [2, 3])}\n`);
    expect(other.json.limits[0]).toMatch(/^the baseline holds a single run of 1 of 2 benchmarks: /);
    const unlike = await compared(repeated, named('A', [1]));
    expect(unlike.json.limits[0]).toMatch(
      /^the baseline holds a single run of 1 of 2 benchmarks, the candidate holds a single run of every benchmark: /,
    );
  });

  test('never gives a verdict: repetitions in one process', async () => {
    const { text, json } = await compared(goBench([100, 101, 102, 103]), goBench([110, 111, 112, 113]));
    expect(json.limits[0]).toContain('share one process');
    expect(json.rows[0].baseline).toMatchObject({ samples: 4, within: expect.closeTo(0.0146, 3) });
    expect(text.out).toContain('in 4');
  });

  test('says of a difference within the repetitions of a file that it is', async () => {
    const { text, json } = await compared(goBench([100, 108, 92, 104]), goBench([101, 109, 93, 105]));
    expect(json.rows[0].change).toMatchObject({ moved: 'higher', withinSpread: true });
    expect(text.out).toMatch(/\+0\.98 %\s+within the spread/);
    expect(text.out).not.toMatch(/worse/);
  });

  test('sends whoever compares load to the gate', async () => {
    const job = serialise(storedJob({ measuring: 6 }));
    const { text } = await compared(job, job);
    expect(text.out).toContain('`tailgate gate` runs both sides in turns');
    expect((await compared(goBench([1]), goBench([1]))).text.out).toContain('`tailgate bench` runs');
  });

  test('reads evidence of `bench` too', async () => {
    const { text } = await compared(serialiseBench(benchmarks(0)), serialiseBench(benchmarks(0.5)));
    expect(text.out).toMatch(/small \(candidate\).*100 ns.*\+[\d]+ %\s+higher/);
    expect(text.out).toContain('`tailgate bench` runs');
  });

  test('never gives a verdict: several processes, but not in turns', async () => {
    const hyperfine = (times: readonly number[]): string =>
      JSON.stringify({
        results: [{ command: 'x', mean: times[0], median: times[0], user: 1, system: 1, times }],
      });
    const { json } = await compared(hyperfine([1, 1.1, 1.2]), hyperfine([2, 2.1, 2.2]));
    expect(json.limits).toEqual([expect.stringContaining('one after the other, not in turns')]);
  });

  test('says new, missing, invalid and n/a with their reasons instead of a number', async () => {
    const { text, json } = await compared(
      custom([
        ['gone', 'ns', 5],
        ['unit', 'ns', 5],
        ['zero', 'B', 0],
        ['zeros', 'B', 0],
        ['broken', 'ns', 5],
      ]),
      '[{"name":"unit","unit":"B","value":5},{"name":"zero","unit":"B","value":8},{"name":"zeros","unit":"B","value":0},{"name":"broken","unit":"ns","value":NaN},{"name":"fresh","unit":"ns","value":1}]',
    );
    const kinds = Object.fromEntries(
      json.rows.map((row: { name: string; change: { kind: string } }) => [row.name, row.change.kind]),
    );
    expect(kinds).toEqual({
      gone: 'missing',
      unit: 'invalid',
      zero: 'none',
      zeros: 'same',
      broken: 'none',
      fresh: 'new',
    });
    expect(text.out).toContain('invalid: the unit changed from ns to B');
    expect(text.out).toContain('it was 0, so there is no ratio');
    expect(text.out).toContain('the candidate has no value');
    expect(text.out).not.toMatch(/NaN %|Infinity/);
  });

  test('ends with 2 when one of the files is no result file, and names that one', async () => {
    using desk = new Desk();
    desk.write('a.json', custom([['parse', 'ns', 1]]));
    desk.write('b.json', '[{"name": "parse"');
    const { code, err } = await desk.run('compare', 'a.json', 'b.json');
    expect(code).toBe(2);
    expect(err).toContain('b.json');
    expect(await desk.run('compare', 'a.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('takes 2'),
    });
  });
});

import { expect, test } from 'vitest';
import { brief, readText, rowOf } from './reading.ts';

const goodGo = 'BenchmarkA-8 \t 10\t 5 ns/op\n';
const noResult = 'no result follows its name; was it stopped, or did it panic?';

test.each([
  ['BenchmarkB-8 \t panic: boom\n', noResult],
  ['BenchmarkB-8 \t panic: boom\nBenchmarkC-8 \t 10\t 7 ns/op\n', noResult],
  ['BenchmarkB-8 \t panic: boom\nFAIL\tc/d\t0.1s\n', noResult],
  ['BenchmarkB-8 \t 10\t', noResult],
  ['BenchmarkB-8 \t 10\t 3', noResult],
  ['BenchmarkB-8\n', noResult],
  ['BenchmarkB-8 \t 10\t 5 ns/op\t 3', 'its line is cut off after "3"'],
  ['BenchmarkB-8 \t 10\t 5 ns/op\t 3\n', 'its line is cut off after "3"'],
  ['BenchmarkB-8 \t 10\t 5 ns/o', 'its line is cut off after "ns/o"'],
  ['BenchmarkB-8 \t 10\t 5 ns/op\nBenchmarkB-8 \t panic: boom\n', noResult],
  ['BenchmarkB-8 \t--- FAIL: BenchmarkB-8\n', 'Go says FAIL'],
])('go: an unfinished benchmark is a row with a problem: %j', (text, problem) => {
  const result = readText(goodGo + text);
  expect(result.rows[0]).toMatchObject({ value: 5, problem: null });
  const row = result.rows.find((one) => one.name.startsWith('BenchmarkB-8'));
  expect(row).toMatchObject({
    value: null,
    problem,
    unit: { normalised: /ns\/o$/.test(text) ? 'ns' : 'ns' },
  });
});

test('go: a benchmark that prints while it runs, and the announcements of go test -v, are not unfinished', () => {
  const verbose = [
    '=== RUN   BenchmarkAll',
    'BenchmarkAll',
    '=== RUN   BenchmarkAll/one',
    'BenchmarkAll/one',
    'BenchmarkAll/one-8 \t 10\t 5 ns/op',
    'BenchmarkSkipped',
    '    a_test.go:3: not here',
    '--- SKIP: BenchmarkSkipped',
    'BenchmarkPrints-8 \t Benchmarking it',
    'more text',
    '      20\t 6 ns/op',
    'BenchmarkOnlyOthers',
    'PASS',
    'ok  \tc/d\t1.0s',
  ].join('\n');
  const result = readText(verbose);
  expect(brief(result.rows)).toEqual([
    ['BenchmarkAll/one-8', 'ns', 's', 5],
    ['BenchmarkPrints-8', 'ns', 's', 6],
  ]);
  expect(result.warnings).toEqual([]);
});

test('go: a package that failed is said', () => {
  const result = readText(`${goodGo}ok  \ta/b\t1.0s\nFAIL\tc/d [build failed]\nFAIL\n`);
  expect(result.warnings.map((warning) => warning.message)).toEqual([
    'Go says FAIL of c/d (build failed): benchmarks of it may be missing',
  ]);
});

/** Each with a whole benchmark A above, whose figures stay; B is the one that is not whole. */
const cut: readonly (readonly [title: string, whole: string, rest: string, name: string, problem: RegExp])[] =
  [
    ...['77 ns/iter', '77 ns/iter (+/-', '77 ns/iter (+/- 3', '', '77'].map(
      (end) =>
        [
          'libtest',
          'test a ... bench: 5 ns/iter (+/- 1)\n',
          `test b ... bench: ${end}`,
          'b',
          /cut off/,
        ] as const,
    ),
    ...['[1.0 ns 2.0 ns', '[1.0', '['].map(
      (end) =>
        [
          'criterion',
          'a       time:   [1.0 ns 5.0 ns 9.0 ns]\n',
          `b       time:   ${end}`,
          'b',
          /cut off/,
        ] as const,
    ),
    [
      'criterion',
      'a       time:   [1.0 ns 5.0 ns 9.0 ns]\n',
      'Benchmarking b: Warming up for 3.0000 s\n',
      'b',
      /no result follows/,
    ],
    ...['x 12', 'x 1,23', 'x 12 ops', 'x 12 ops/se'].map(
      (end) =>
        [
          'benchmark.js',
          'a x 5 ops/sec ±1.00% (90 runs sampled)\n',
          `b ${end}`,
          'b',
          /cut off after/,
        ] as const,
    ),
  ];

test.each(cut)(
  '%s: a line that is cut off is a row with a problem: %j%j',
  (_title, whole, rest, name, problem) => {
    const result = readText(whole + rest);
    expect(rowOf(result, 'a').value).toBe(5);
    expect(rowOf(result, name).value).toBeNull();
    expect(rowOf(result, name).problem).toMatch(problem);
    expect(result.rows).toHaveLength(2);
  },
);

test('criterion: a change block that is cut off is no benchmark', () => {
  const whole = 'a       time:   [1.0 ns 5.0 ns 9.0 ns]\n                 change:\n';
  expect(readText(`${whole}                        time:   [-2.05`).rows).toHaveLength(1);
});

const table = [
  'benchmark name                       samples       iterations    est run time',
  '                                     mean          low mean      high mean',
  '                                     std dev       low std dev   high std dev',
  '-----------------------------------------------------------------------------',
  'a                                              100            50      2.5 ms ',
  '                                              5 ns          4 ns        6 ns ',
  '                                              1 ns          1 ns        1 ns ',
  '',
  '',
].join('\n');

test.each([
  ['b                                              100            50      2.5 ms ', 'b', /no mean follows/],
  ['b                                              100            50      2.5 ms \n', 'b', /no mean follows/],
  [
    'b                                              100            50      2.5 ms \n         5 ns      4 n',
    'b',
    /no mean/,
  ],
  [
    'b                                              100            50      2.5 ms \nand more       5 ns',
    'b and more',
    /no mean/,
  ],
  ['b                                              100            5', 'b', /no mean follows/],
  [
    'b                                              100            50      2.5 ms \nbenchmark failed (no memory)\n',
    'b',
    /^Catch2 says: benchmark failed \(no memory\)$/,
  ],
])('Catch2: a first line without its mean is a row with a problem: %j', (text, name, problem) => {
  const result = readText(table + text);
  expect(rowOf(result, 'a').value).toBe(5);
  expect(rowOf(result, name).problem).toMatch(problem);
  expect(result.rows).toHaveLength(2);
});

const wrkLines = [
  'Running 2s test @ http://127.0.0.1/b',
  '  1 threads and 2 connections',
  '  Thread Stats   Avg      Stdev     Max   +/- Stdev',
  '    Latency    10.41ms   13.45ms  67.93ms   89.45%',
  '  Latency Distribution',
  '     50%    5.56ms',
  '     99%   65.25ms',
  '  553 requests in 2.00s, 70.17KB read',
  'Requests/sec:    275.96',
  'Transfer/sec:     35.02KB',
];
const wrkText = wrkLines.join('\n');

test('wrk: a run that is whole has no problem, whether or not its last line is ended', () => {
  for (const text of [wrkText, `${wrkText}\n`]) {
    const result = readText(text);
    expect(brief(result.rows).map(([name, , , value]) => [name, value])).toEqual([
      ['latency mean', 10.41e6],
      ['latency p50', 5.56e6],
      ['latency p99', 65.25e6],
      ['requests/s', 275.96],
      ['transfer/s', 35.02 * 1024],
    ]);
  }
});

test.each([
  ['Requests/sec', ['requests/s']],
  ['5.96\nTransfer', ['requests/s']],
  ['ms\n  553', ['latency p99', 'requests/s']],
  ['     99%', ['latency p99', 'requests/s']],
  ['  Latency Dist', ['requests/s']],
])('wrk: of a run that is cut off before %j, what is not there is rows with a problem', (mark, names) => {
  const half = wrkText.slice(0, wrkText.indexOf(mark));
  const broken = readText(half, 'wrk').rows.filter((row) => row.problem !== null);
  expect(broken.map((row) => row.name).sort()).toEqual(names);
});

test('wrk: a run that was cut off above a whole one is told too', () => {
  const { rows } = readText(`${wrkLines.slice(0, 5).join('\n')}\n${wrkText.replace('/b', '/c')}`);
  expect(rows.filter((row) => row.problem !== null).map((row) => row.name)).toEqual([
    'requests/s (http://127.0.0.1/b)',
    'latency p99 (http://127.0.0.1/b)',
  ]);
});

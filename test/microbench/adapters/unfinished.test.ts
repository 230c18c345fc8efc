import { expect, test } from 'vitest';
import { brief, readText } from './reading.ts';

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

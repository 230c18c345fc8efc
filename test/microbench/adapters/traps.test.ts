import { expect, test } from 'vitest';
import { brief, readFixture, readText, refusal, rowOf } from './reading.ts';

const codes = (result: { readonly warnings: readonly { readonly code: string }[] }): string[] =>
  result.warnings.map((warning) => warning.code);

test('go: one name in two packages is two series', () => {
  const result = readFixture('go-bench.txt');
  expect(rowOf(result, 'BenchmarkParse-2 (example.com/shop/cart)').value).toBe(30000.5);
  expect(rowOf(result, 'BenchmarkParse-2 (example.com/shop/list)').value).toBe(90000);
});

test('go: without pkg lines the ok lines tell the packages apart', () => {
  const row = 'BenchmarkA \t 10\t 5 ns/op\n';
  const result = readText(`${row}ok  \tfirst\t1.0s\n${row}ok  \tsecond\t1.0s\n`);
  expect(brief(result.rows)).toEqual([
    ['BenchmarkA (first)', 'ns', 's', 5],
    ['BenchmarkA (second)', 'ns', 's', 5],
  ]);
});

test('go: names keep slashes, equals signs, hyphens, commas and the processor suffix', () => {
  const name = 'BenchmarkX/a=1,b=2/c-d_e-16';
  expect(readText(`${name} \t 10\t 5 ns/op\n`).rows[0]?.name).toBe(name);
});

test('go: a suffix of -cpu tells series apart', () => {
  const result = readText('BenchmarkA-1 10 5 ns/op\nBenchmarkA-2 10 3 ns/op\n');
  expect(brief(result.rows)).toEqual([
    ['BenchmarkA-1', 'ns', 's', 5],
    ['BenchmarkA-2', 'ns', 's', 3],
  ]);
});

test('go: a unit line may say that more is better, and custom units keep their name', () => {
  const result = readText('Unit wins better=higher\nBenchmarkA 10 5 ns/op 3 wins 7 p99-ns 4 text-bytes\n');
  expect(brief(result.rows)).toEqual([
    ['BenchmarkA', 'ns', 's', 5],
    ['BenchmarkA [wins]', 'wins', 'b', 3],
    ['BenchmarkA [p99-ns]', 'ns', 's', 7],
    ['BenchmarkA [text-bytes]', 'bytes', 's', 4],
  ]);
});

test('go: NaN is a missing value', () => {
  expect(readText('BenchmarkA 1 NaN ns/op\n').rows[0]).toMatchObject({
    value: null,
    problem: 'the file has NaN here',
  });
});

test('go: the events of go test -json are put together to lines', () => {
  const event = (Output: string, Package: string) => JSON.stringify({ Action: 'output', Package, Output });
  const text = [
    event('BenchmarkA-2 \t', 'shop/cart'),
    event('     100\t  50 ns/op\n', 'shop/cart'),
    event('BenchmarkA-2 \t 100\t  70 ns/op\n', 'shop/list'),
    JSON.stringify({ Action: 'pass', Package: 'shop/list' }),
  ].join('\n');
  expect(readText(text, 'go-bench')).toEqual(readText(text));
  expect(brief(readText(text).rows)).toEqual([
    ['BenchmarkA-2 (shop/cart)', 'ns', 's', 50],
    ['BenchmarkA-2 (shop/list)', 'ns', 's', 70],
  ]);
});

test('libtest: a comma is a thousands sign and a point the decimal sign', () => {
  const text = 'test a ... bench:  13,967,756.30 ns/iter (+/- 266,769.64)\n';
  expect(readText(text).rows[0]).toMatchObject({ value: 13967756.3, spread: 266769.64 });
});

test('libtest: a decimal comma is a row without a value, not a value a hundred times too large', () => {
  const text = 'test a ... bench:  13,5 ns/iter (+/- 2)\n';
  expect(readText(text).rows[0]?.problem).toMatch(/decimal comma/);
});

test('libtest: figures that spaces group are a row with a problem, not their first group', () => {
  const text = 'test a ... bench: 12 345 ns/iter (+/- 9)\ntest b ... bench: 1 ns/iter (+/- 0)\n';
  const result = readText(text);
  expect(rowOf(result, 'a').problem).toMatch(/not of libtest's form: "12 345 ns\/iter/);
  expect(rowOf(result, 'b').value).toBe(1);
});

test('benchmark.js: a heading that ends in a colon is no benchmark that threw', () => {
  const row = (name: string) => `${name} x 5 ops/sec ±1.00% (90 runs sampled)`;
  const text = [
    'Suite one: ',
    row('a'),
    'throws: ',
    'again: ',
    'breaks: TypeError: no',
    '',
    'Suite two: ',
    row('b'),
  ].join('\n');
  const result = readText(text);
  expect(result.rows.map((one) => [one.name, one.problem])).toEqual([
    ['a', null],
    ['throws', 'the benchmark threw something without a message'],
    ['again', 'the benchmark threw something without a message'],
    ['breaks', 'the benchmark threw TypeError: no'],
    ['b', null],
  ]);
  expect(result.warnings.map((warning) => warning.message)).toEqual([
    expect.stringContaining('"Suite one" has no figures'),
    expect.stringContaining('"Suite two" has no figures'),
  ]);
});

test('libtest: cycles and throughput in one file differ in direction row by row', () => {
  const result = readText('test a ... bench: 9 cycles/iter (+/- 1)\ntest b ... bench: 8 MB/s (+/- 1)\n');
  expect(result.rows.map((row) => row.direction)).toEqual(['smaller-is-better', 'bigger-is-better']);
});

test('criterion: its change block is not a measurement', () => {
  expect(readFixture('criterion.txt').rows.map((row) => row.name)).not.toContain('change:');
  expect(readFixture('criterion.txt').rows).toHaveLength(4);
});

test('criterion: the estimates of a change are refused, since they are no times', () => {
  const estimate =
    '{"confidence_interval":{"confidence_level":0.95,"lower_bound":-0.01,"upper_bound":0.01},"point_estimate":0.002,"standard_error":0.005}';
  const text = `{"mean":${estimate},"median":${estimate}}`;
  expect(refusal(() => readText(text, 'auto', 'target/criterion/a/change/estimates.json'))).toMatch(
    /new\/estimates\.json/,
  );
});

test('criterion: estimates of old versions have capitals and no slope in flat sampling', () => {
  const estimate = (value: number) => ({
    confidence_interval: { confidence_level: 0.95, lower_bound: 1, upper_bound: 9 },
    point_estimate: value,
    standard_error: 0.1,
  });
  const old = JSON.stringify({
    Mean: estimate(4.7),
    Median: estimate(4.6),
    MedianAbsDev: estimate(0.1),
    Slope: estimate(4.5),
    StdDev: estimate(0.2),
  });
  expect(brief(readText(old, 'auto', 'C:\\target\\criterion\\Fib\\Fast\\base\\estimates.json').rows)).toEqual(
    [['Fib/Fast', 'ns', 's', 4.5]],
  );
  const flat = JSON.stringify({
    mean: estimate(4.7),
    median: estimate(4.6),
    median_abs_dev: estimate(0.1),
    slope: null,
    std_dev: estimate(0.2),
  });
  expect(brief(readText(flat, 'auto', 'fib.json').rows)).toEqual([['fib', 'ns', 's', 4.7]]);
});

test('benchmark.js: rows between banners, with ± and a name that holds " x "', () => {
  const text = [
    'Running suite 1 of 2 x 3',
    '=====',
    ...['a', 'b x 2', 'c', 'd', 'e', 'f'].map(
      (name, index) => `${name} x ${index + 1},000 ops/sec ±16.6% (9 runs sampled)`,
    ),
    '-----',
    'Fastest is f',
  ].join('\n');
  const result = readText(text);
  expect(result.rows.map((row) => row.name)).toEqual(['a', 'b x 2', 'c', 'd', 'e', 'f']);
  expect(result.rows[0]).toMatchObject({ value: 1000, spread: 166 });
});

test('hyperfine: a null deviation is no spread known, also after a single run', () => {
  expect(rowOf(readFixture('hyperfine.json'), 'once')).toMatchObject({ spread: null, samples: [2e9] });
});

test('hyperfine: commands too quick to measure are missing, and exits that went wrong are said', () => {
  const result = readFixture('hyperfine.json');
  expect(rowOf(result, 'true').problem).toMatch(/NaN/);
  expect(result.warnings.map((warning) => warning.message)).toEqual([
    'once: 1 of 1 runs were ended by a signal',
  ]);
  const failing =
    '{"results": [{"command": "a", "mean": 1, "stddev": 0.1, "user": 1, "system": 1, "times": [1, 1], "exit_codes": [0, 2]}]}';
  expect(readText(failing).warnings[0]?.message).toBe('a: 1 of 2 runs did not exit with 0');
});

test('hyperfine: equal names are told apart by their parameters', () => {
  const result = (n: number) => ({
    command: 'run',
    mean: n,
    stddev: null,
    user: 1,
    system: 1,
    times: [n],
    parameters: { n: String(n) },
  });
  const names = readText(JSON.stringify({ results: [result(1), result(2)] })).rows.map((row) => row.name);
  expect(names).toEqual(['run (n=1)', 'run (n=1) [user+system]', 'run (n=2)', 'run (n=2) [user+system]']);
});

test('JMH: the unit tells the direction, whatever the mode says', () => {
  const text =
    '[{"benchmark": "a", "mode": "thrpt", "threads": 1, "primaryMetric": {"score": 2, "scoreError": 0.1, "scoreUnit": "s/op", "rawData": [[2]]}}]';
  expect(brief(readText(text).rows)).toEqual([['a', 'ns', 's', 2e9]]);
});

test('BenchmarkDotNet: a bare or quoted NaN is missing, not an error and not a 0', () => {
  const of = (mean: string) =>
    readText(
      `{"HostEnvironmentInfo": {"BenchmarkDotNetVersion": "0.13"}, "Benchmarks": [{"FullName": "a", "Statistics": {"Mean": ${mean}, "StandardDeviation": NaN}}]}`,
    );
  expect(of('NaN').rows[0]).toMatchObject({ value: null, spread: null });
  expect(of('"NaN"').rows[0]?.problem).toBe('the file has NaN here');
});

test('tinybench: a task that threw is a row with a problem, in 2 and in 6', () => {
  const result = readFixture('tinybench.json');
  expect(rowOf(result, 'threw').problem).toMatch(/threw an error whose message is not in the file/);
  expect(rowOf(result, 'threw in two').problem).toMatch(/threw boom/);
});

test('tinybench: the rows of table() are read too', () => {
  const text = JSON.stringify([
    {
      'Task name': 'ok',
      'Latency avg (ns)': '78.86 ± 1.02%',
      'Latency med (ns)': '80.00 ± 0.00',
      'Throughput avg (ops/s)': '12998817 ± 0.03%',
      Samples: 253612,
    },
    { 'Task name': 'throws', Error: 'boom', Stack: 'Error: boom' },
    {
      'Task Name': 'two',
      'ops/sec': '1,700,414',
      'Average Time (ns)': 588.09,
      Margin: '±12.46%',
      Samples: 68017,
    },
  ]);
  const result = readText(text);
  expect(brief(result.rows)).toEqual([
    ['ok', 'ns', 's', 78.86],
    ['throws', 'ns', 's', null],
    ['two', 'ns', 's', 588.09],
  ]);
  expect(result.rows[2]?.spread).toBeCloseTo(588.09 * 0.1246, 6);
});

test('mitata and vitest: a benchmark that failed is a row with a problem', () => {
  expect(rowOf(readFixture('mitata.json'), 'throws').problem).toBe('the benchmark threw boom');
  expect(rowOf(readFixture('vitest.json'), 'cart.bench.ts > totals > throws').problem).toMatch(
    /did it throw/,
  );
});

test('Google Benchmark: names of errors and skips are rows with a problem', () => {
  expect(rowOf(readFixture('google-benchmark.json'), 'BM_Broken').problem).toMatch(/no device/);
});

test('pytest-benchmark: a cut list of rounds is not used as if it were all', () => {
  const text =
    '{"benchmarks": [{"fullname": "a", "name": "a", "stats": {"mean": 2, "stddev": 0.1, "data": [9, "... omitted"]}}]}';
  const result = readText(text);
  expect(rowOf(result, 'a').samples).toEqual([2e9]);
  expect(codes(result)).toEqual(['samples-left-out']);
});

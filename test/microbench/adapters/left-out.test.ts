import { expect, test } from 'vitest';
import { brief, readText, refusal, rowOf } from './reading.ts';

test('a benchmark that is a field of JSON twice is an error that names it, not the last one', () => {
  const twice = '{"a": {"latency": {"value": 1}},\n"a": {"latency": {"value": 2}}}';
  for (const format of ['auto', 'bencher'] as const) {
    expect(refusal(() => readText(twice, format))).toMatch(
      /not valid JSON: line 2, column 1: the field "a" is there twice.*different names/,
    );
  }
  expect(refusal(() => readText(`banner\n${twice}`))).toMatch(/line 3, column 1: the field "a"/);
  const measure = '{"a": {"latency": {"value": 1}, "latency": {"value": 2}}}';
  expect(refusal(() => readText(measure))).toMatch(/the field "latency" is there twice/);
  expect(
    refusal(() => readText('{"a": {"latency": {"value": 1}}, "\\u0061": {"latency": {"value": 2}}}')),
  ).toMatch(/the field "a" is there twice/);
  const k6 = '{"metrics": {"iterations": {"count": 1, "rate": 1}, "iterations": {"count": 2, "rate": 2}}}';
  expect(refusal(() => readText(k6))).toMatch(/the field "iterations" is there twice/);
  const once = '{"a": {"latency": {"value": 1}}, "b": {"latency": {"value": 2}}}';
  expect(brief(readText(once).rows)).toEqual([
    ['a', 'ns', 's', 1],
    ['b', 'ns', 's', 2],
  ]);
});

test.each([
  ['{"results": []}', ['hyperfine']],
  ['{"benchmarks": []}', ['google-benchmark', 'pytest-benchmark', 'pyperf', 'mitata']],
  ['{"files": []}', ['vitest']],
  ['{"tasks": []}', ['tinybench']],
  ['{"metrics": {}}', ['k6']],
  ['{"Benchmarks": []}', ['benchmarkdotnet']],
  [
    '[]',
    ['jmh', 'tinybench', 'github-action-benchmark', 'custom-smaller-is-better', 'custom-bigger-is-better'],
  ],
  ['{}', ['bencher']],
] as const)('%s is an error that there is no benchmark, with the formats that it may be', (text, formats) => {
  for (const format of ['auto', ...formats] as const) {
    const message = refusal(() => readText(text, format));
    expect(message).toMatch(/^no benchmark was read from results\.txt; it looks like .*did the command run/);
    for (const one of formats) expect(message).toContain(one);
  }
  const other = refusal(() => readText(text, 'criterion-estimates'));
  expect(other).toMatch(
    new RegExp(`as criterion-estimates; it looks like .*use format: ${formats[0]}, or format: auto`),
  );
});

test('an empty list among several JSON values is told, and what is whole is read', () => {
  const custom = '[{"name": "a", "unit": "ns", "value": 1}]';
  for (const text of [`${custom}\n[]\n`, `[]\n${custom}\n`]) {
    const result = readText(text);
    expect(brief(result.rows)).toEqual([['a', 'ns', 's', 1]]);
    expect(result.warnings.map((warning) => warning.message)).toEqual([
      'results.txt holds JSON of github-action-benchmark without any benchmark',
    ]);
  }
  expect(readText(`{"unrelated": 1}\n${custom}`).warnings.map((warning) => warning.message)).toEqual([
    'results.txt holds JSON that is not github-action-benchmark; it was not read',
  ]);
});

const estimate = { value: 1, unit: 'ns', name: 'a' };

test.each([
  ['google-benchmark', { benchmarks: [{ name: 'a', real_time: 1, cpu_time: 1, time_unit: 'ns' }] }],
  ['pytest-benchmark', { benchmarks: [{ fullname: 'a', stats: { mean: 1 } }] }],
  ['pyperf', { benchmarks: [{ metadata: { name: 'a' }, runs: [{ values: [1] }] }] }],
  ['mitata', { layout: [], benchmarks: [{ alias: 'a', runs: [{ stats: { avg: 1 } }] }] }],
  ['benchmarkdotnet', { Benchmarks: [{ FullName: 'a', Statistics: { Mean: 1 } }] }],
  ['hyperfine', { results: [{ command: 'a', mean: 1, user: 1, system: 1 }] }],
  [
    'vitest',
    { files: [{ filepath: 'a', groups: [{ fullName: '', benchmarks: [{ name: 'a', mean: 1 }] }] }] },
  ],
  ['tinybench', { tasks: [{ name: 'a', runs: 1, result: { mean: 1 } }] }],
  ['jmh', [{ benchmark: 'a', primaryMetric: { score: 1, scoreUnit: 'ns/op' } }]],
  ['github-action-benchmark', [estimate]],
] as const)('%s: what is no object in a list of benchmarks is told', (format, value) => {
  // The first list that is met gets two entries that are none.
  const text = JSON.stringify(value).replace('}]', '}, null, "junk"]');
  const result = readText(text);
  expect(result.format).toBe(format);
  expect(rowOf(result, 'a').problem).toBeNull();
  const told = result.warnings.filter((warning) => warning.code === 'entries-left-out');
  expect(told.map((warning) => warning.message)).toEqual([
    expect.stringMatching(/^2 of 3 \w+ are not objects and were not read \(the first is number 2\)$/),
  ]);
  expect(readText(JSON.stringify(value)).warnings).toEqual([]);
});

test('k6: a trend without any of the statistics that are read is a row with a problem', () => {
  const flat = { metrics: { iterations: { count: 1, rate: 1 }, http_req_duration: { min: 1, max: 9 } } };
  const nested = {
    metrics: {
      iterations: { type: 'counter', values: { count: 1, rate: 1 } },
      http_req_duration: { type: 'trend', contains: 'time', values: { min: 1, max: 9, 'p(75)': 3 } },
    },
  };
  for (const summary of [flat, nested]) {
    expect(rowOf(readText(JSON.stringify(summary)), 'http_req_duration')).toMatchObject({
      value: null,
      problem: 'it has none of avg, med, p(90), p(95), p(99), p(99.9)',
      unit: { normalised: 'ns' },
    });
  }
});

test('mitata: a benchmark without any run is a row with a problem', () => {
  const run = { name: 'a', stats: { avg: 1, ticks: 1 } };
  const text = JSON.stringify({
    layout: [{ name: 'group' }, { name: null }],
    benchmarks: [
      { alias: 'a', group: 1, runs: [run] },
      { alias: 'b', group: 0, runs: [] },
    ],
  });
  const result = readText(text);
  expect(rowOf(result, 'a').value).toBe(1);
  expect(rowOf(result, 'group > b').problem).toBe('mitata has no runs of it');
});

test('hyperfine: where there is no user or system time, the row of their sum has a problem', () => {
  const result = readText(
    JSON.stringify({
      results: [
        { command: 'a', mean: 1, times: [1], system: 1 },
        { command: 'b', mean: 1, times: [1], user: 1, system: 1 },
      ],
    }),
  );
  expect(rowOf(result, 'a [user+system]').problem).toBe('the file has no user and system time of it');
  expect(rowOf(result, 'b [user+system]').value).toBe(2e9);
});

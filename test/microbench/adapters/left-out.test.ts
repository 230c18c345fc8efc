import { expect, test } from 'vitest';
import { brief, readText, refusal } from './reading.ts';

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

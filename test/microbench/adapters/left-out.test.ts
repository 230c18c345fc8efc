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

import { expect, test } from 'vitest';
import { quantityOf, readNumber, splitQuantity } from '../../../src/microbench/adapters/quantities.ts';
import { sameUnit } from '../../../src/microbench/samples.ts';

test.each([
  ['ns/op', 'time', 'ns', 1, 's'],
  ['ps', 'time', 'ns', 0.001, 's'],
  ['µs', 'time', 'ns', 1e3, 's'],
  ['μs/iter', 'time', 'ns', 1e3, 's'],
  ['us', 'time', 'ns', 1e3, 's'],
  ['ms per request', 'time', 'ns', 1e6, 's'],
  ['seconds', 'time', 'ns', 1e9, 's'],
  ['Milliseconds', 'time', 'ns', 1e6, 's'],
  ['min', 'time', 'ns', 60e9, 's'],
  ['ops/sec', 'rate', 'operations/s', 1, 'b'],
  ['ops/ms', 'rate', 'operations/s', 1e3, 'b'],
  ['ops/min', 'rate', 'operations/s', 1 / 60, 'b'],
  ['Kreq/s', 'rate', 'operations/s', 1e3, 'b'],
  ['requests per second', 'rate', 'operations/s', 1, 'b'],
  ['Hz', 'rate', 'operations/s', 1, 'b'],
  ['MB/s', 'rate', 'bytes/s', 1e6, 'b'],
  ['GiB/s', 'rate', 'bytes/s', 1024 ** 3, 'b'],
  ['Melem/s', 'rate', 'elements/s', 1e6, 'b'],
  ['MS/s', 'rate', 'MS/s', 1, 'b'],
  ['B/op', 'bytes', 'bytes', 1, 's'],
  ['KiB', 'bytes', 'bytes', 1024, 's'],
  ['allocs/op', 'count', 'allocs', 1, 's'],
  ['cycles/iter', 'count', 'cycles', 1, 's'],
  ['Percent', 'custom', 'percent', 1, 's'],
  ['hit points', 'custom', 'hit points', 1, 's'],
  ['constructor', 'custom', 'constructor', 1, 's'],
  ['', 'custom', '', 1, 's'],
] as const)('the unit "%s" is %s in %s', (text, kind, normalised, factor, better) => {
  const quantity = quantityOf(text);
  expect(quantity.unit).toEqual({ kind, normalised, text });
  expect(quantity.factor).toBeCloseTo(factor, 12);
  expect(quantity.direction[0]).toBe(better);
});

test('units of one kind can be compared, of two kinds not', () => {
  expect(sameUnit(quantityOf('ns/op').unit, quantityOf('µs').unit)).toBe(true);
  expect(sameUnit(quantityOf('MB/s').unit, quantityOf('ops/s').unit)).toBe(false);
  expect(sameUnit(quantityOf('ns').unit, quantityOf('B/op').unit)).toBe(false);
});

test.each([
  ['1,431,759.30', 1431759.3],
  ['12,146', 12146],
  ['40537.123', 40537.123],
  ['1e-3', 0.001],
  [' 7 ', 7],
])('the number %s is read', (text, value) => {
  expect(readNumber(text)).toEqual({ kind: 'number', value });
});

test.each(['13,5', '1.234,5', '0,123', '12,3456', 'nan', '-nan', '+Inf', '', 'many', '1,23,456', '1e999'])(
  'the number "%s" is not guessed at',
  (text) => {
    expect(readNumber(text).kind).toBe('problem');
  },
);

test.each([
  ['6.21ms', '6.21', 'ms'],
  ['13,967.3 ns', '13,967.3', 'ns'],
  ['-nanus', '-nan', 'us'],
  ['676.14KB', '676.14', 'KB'],
  ['0.00', '0.00', ''],
])('%s is split into amount and unit', (text, amount, unit) => {
  expect(splitQuantity(text)).toEqual({ amount, unit });
});

import { expect, test } from 'vitest';
import { benchFormats as formats } from '../../../src/kernel/words.ts';
import { adapters } from '../../../src/microbench/adapters/registry.ts';
import { expectedFixtures } from './expected-fixtures.ts';
import { brief, digits, readFixture, rowOf } from './reading.ts';

test.each(expectedFixtures)('%s is taken for %s and read row by row', (file, format, rows) => {
  const result = readFixture(file);
  expect(result.format).toBe(format);
  expect(brief(result.rows)).toEqual(
    rows.map(([name, unit, better, value]) => [name, unit, better, digits(value)]),
  );
  for (const row of result.rows) {
    expect(row.value === null, `${row.name}: a missing value has a reason, and only that`).toBe(
      row.problem !== null,
    );
    expect(row.samples.length > 0).toBe(row.value !== null);
  }
});

test.each(expectedFixtures)('%s is read in the same way when its format %s is given', (file, format) => {
  expect(readFixture(file, format)).toEqual(readFixture(file));
});

test('every format has an adapter, and a fixture that auto takes for it unless the file cannot tell', () => {
  expect(adapters.map((adapter) => adapter.format).sort()).toEqual([...formats].sort());
  const withFixture = new Set<string>(expectedFixtures.map(([, format]) => format));
  const without = formats.filter((format) => !withFixture.has(format));
  expect(without).toEqual(['custom-smaller-is-better', 'custom-bigger-is-better', 'tailgate-evidence']);
});

test('repetitions inside a file become samples, with the deviation as spread', () => {
  const go = rowOf(
    readFixture('go-bench.txt'),
    'BenchmarkTotal/items=10,currency=eur-2 (example.com/shop/cart)',
  );
  expect(go).toMatchObject({ samples: [4000, 4200, 4100], spread: 100 });
  const google = rowOf(readFixture('google-benchmark.json'), 'BM_Copy/8');
  expect(google).toMatchObject({ samples: [3000, 5000], spread: 1400 });
  expect(rowOf(readFixture('pyperf.json'), 'parse')).toMatchObject({ samples: [1e6, 2e6, 3e6], spread: 1e6 });
  const jmh = rowOf(readFixture('jmh.json'), 'shop.Cart.total (currency=eur, size=10) (thrpt, 1 threads)');
  expect(jmh).toMatchObject({ samples: [4000, 6000, 5000, 5000], spread: null });
  const full = rowOf(readFixture('benchmarkdotnet.json'), 'Shop.Cart.Full');
  expect(full).toMatchObject({ samples: [20], spread: null });
  expect(rowOf(readFixture('criterion-messages.json'), 'norm').samples).toEqual([100, 120]);
  expect(rowOf(readFixture('tinybench.json'), 'two')).toMatchObject({ samples: [9e6, 11e6], spread: 1.5e6 });
});

test('what a tool prints beside a value is the spread, in the unit of the row', () => {
  const libtest = rowOf(readFixture('libtest.txt'), 'tests::parse (benches/parse.rs)');
  expect(libtest.spread).toBe(1234.5);
  expect(rowOf(readFixture('catch2.txt'), 'sort 10 (Sorting / large input)').spread).toBe(20e6);
  expect(rowOf(readFixture('criterion.txt'), 'parse/1024').spread).toBeCloseTo(200, 6);
  expect(rowOf(readFixture('benchmark-js.txt'), 'parse').spread).toBeCloseTo(1234567 * 0.166, 3);
  expect(rowOf(readFixture('wrk.txt'), 'latency mean').spread).toBe(500e3);
  expect(rowOf(readFixture('bencher.json'), 'parse').spread).toBe(2);
  expect(rowOf(readFixture('folder/criterion/fib/20/new/estimates.json'), 'fib/20').spread).toBe(0.5);
  const custom = readFixture('github-action-benchmark.json');
  expect(rowOf(custom, 'parse').spread).toBe(500e3);
  expect(rowOf(custom, 'cache').spread).toBeNull();
});

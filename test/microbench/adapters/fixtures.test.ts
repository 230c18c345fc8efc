import { expect, test } from 'vitest';
import { adapters } from '../../../src/microbench/adapters/registry.ts';
import { type Format, formats } from '../../../src/microbench/samples.ts';
import { type Brief, brief, readFixture, rowOf } from './reading.ts';

/** Every fixture with every row that must be read from it, in order. */
const expected: readonly (readonly [file: string, format: Format, rows: readonly Brief[]])[] = [
  [
    'go-bench.txt',
    'go-bench',
    [
      ['BenchmarkTotal/items=10,currency=eur-2 (example.com/shop/cart)', 'ns', 's', 4100],
      ['BenchmarkTotal/items=10,currency=eur-2 (example.com/shop/cart) [B/op]', 'bytes', 's', 512],
      ['BenchmarkTotal/items=10,currency=eur-2 (example.com/shop/cart) [allocs/op]', 'allocs', 's', 7],
      ['BenchmarkParse-2 (example.com/shop/cart)', 'ns', 's', 30000.5],
      ['BenchmarkParse-2 (example.com/shop/cart) [MB/s]', 'bytes/s', 'b', 34.13e6],
      ['BenchmarkPrints-2 (example.com/shop/cart)', 'ns', 's', 250],
      ['BenchmarkBroken (example.com/shop/cart)', 'ns', 's', null],
      ['BenchmarkParse-2 (example.com/shop/list)', 'ns', 's', 90000],
      ['BenchmarkParse-2 (example.com/shop/list) [wins/round]', 'wins/round', 's', 3],
    ],
  ],
  [
    'libtest.txt',
    'libtest',
    [
      ['tests::broken', 'ns', 's', null],
      ['tests::parse (benches/parse.rs)', 'ns', 's', 1234567.8],
      ['tests::parse (benches/parse.rs) [MB/s]', 'bytes/s', 'b', 812e6],
      ['tests::parse (benches/write.rs)', 'ns', 's', 500],
      ['tests::spin', 'cycles', 's', 77],
    ],
  ],
  [
    'catch2.txt',
    'catch2',
    [
      ['sort 10 (Sorting / small input)', 'ns', 's', 500],
      ['sort of a list with a long name', 'ns', 's', 1250],
      ['throwing', 'ns', 's', null],
      ['sort 10 (Sorting / large input)', 'ns', 's', 1.5e9],
    ],
  ],
  [
    'criterion.txt',
    'criterion',
    [
      ['parse/1024', 'ns', 's', 10000],
      ['parse/1024 [throughput]', 'bytes/s', 'b', 97.656 * 1024 ** 2],
      ['a group/with a name that is too long', 'ns', 's', 950],
      ['a group/with a name that is too long [throughput]', 'elements/s', 'b', 1.0526e6],
    ],
  ],
  [
    'benchmark-js.txt',
    'benchmark-js',
    [
      ['parse', 'operations/s', 'b', 1234567],
      ['list x 2 of x 50', 'operations/s', 'b', 81.61],
      ['broken', 'operations/s', 'b', null],
      ['once', 'operations/s', 'b', 3],
    ],
  ],
  [
    'wrk.txt',
    'wrk',
    [
      ['latency mean', 'ns', 's', 1.5e6],
      ['latency p50', 'ns', 's', 1.2e6],
      ['latency p75', 'ns', 's', 1.6e6],
      ['latency p90', 'ns', 's', 2.1e6],
      ['latency p99', 'ns', 's', 4e6],
      ['socket errors', 'errors', 's', 10],
      ['non-2xx responses', 'errors', 's', 5],
      ['requests/s', 'operations/s', 'b', 5400],
      ['transfer/s', 'bytes/s', 'b', 1024 ** 2],
    ],
  ],
  [
    'wrk2.txt',
    'wrk2',
    [
      ['latency mean', 'ns', 's', 2e6],
      ['latency p50', 'ns', 's', 1.8e6],
      ['latency p99', 'ns', 's', 5e6],
      ['uncorrected latency p50', 'ns', 's', 0.8e6],
      ['uncorrected latency p99', 'ns', 's', 2e6],
      ['requests/s', 'operations/s', 'b', 1000],
      ['transfer/s', 'bytes/s', 'b', 170 * 1024],
    ],
  ],
  [
    'hdr-histogram-log.hlog',
    'hdr-histogram-log',
    [
      // 94 of 1 µs, 5 of 2 µs, 1 of 0.9 ms, each at the top of its bucket of three digits.
      ['p50', 'ns', 's', 1000],
      ['p90', 'ns', 's', 1000],
      ['p99', 'ns', 's', 2000],
      ['p99.9', 'ns', 's', 900095],
      ['write p50', 'ns', 's', 50015],
      ['write p90', 'ns', 's', 50015],
      ['write p99', 'ns', 's', 50015],
      ['write p99.9', 'ns', 's', 50015],
    ],
  ],
  [
    'pyperf.json',
    'pyperf',
    [
      ['parse', 'ns', 's', 2e6],
      ['memory', 'bytes', 's', 2000],
      ['only calibrated', 'ns', 's', null],
    ],
  ],
  [
    'pytest-benchmark.json',
    'pytest-benchmark',
    [
      ['tests/test_parse.py::test_parse[small]', 'ns', 's', 1e9],
      ['tests/test_parse.py::test_new', 'ns', 's', 2e6],
    ],
  ],
  [
    'google-benchmark.json',
    'google-benchmark',
    [
      ['BM_Copy/8', 'ns', 's', 4000],
      ['BM_Copy/8 [cpu]', 'ns', 's', 3000],
      ['BM_Copy/8 [bytes_per_second]', 'bytes/s', 'b', 3e6],
      ['BM_Only', 'ns', 's', 6e6],
      ['BM_Only [cpu]', 'ns', 's', 5e6],
      ['BM_Broken', 'ns', 's', null],
    ],
  ],
  [
    'jmh.json',
    'jmh',
    [
      ['shop.Cart.total (currency=eur, size=10) (thrpt, 1 threads)', 'operations/s', 'b', 5000],
      ['shop.Cart.total (currency=eur, size=10) (thrpt, 1 threads) [gc.alloc.rate.norm]', 'bytes', 's', 64],
      ['shop.Cart.total (currency=eur, size=10) (thrpt, 1 threads) [gc.alloc.rate]', 'bytes/s', 's', 100e6],
      ['shop.Cart.total (currency=eur, size=10) (thrpt, 1 threads) [gc.time]', 'ns', 's', 0],
      ['shop.Cart.total (currency=eur, size=10) (sample, 1 threads)', 'ns', 's', 250],
      ['shop.Cart.total (currency=eur, size=10) (sample, 1 threads) [p50]', 'ns', 's', 200],
      ['shop.Cart.total (currency=eur, size=10) (sample, 1 threads) [p99]', 'ns', 's', 900],
    ],
  ],
  [
    'benchmarkdotnet.json',
    'benchmarkdotnet',
    [
      ['Shop.Cart.Total(Size: 10)', 'ns', 's', 11],
      ['Shop.Cart.Total(Size: 10) [allocated]', 'bytes', 's', 0],
      ['Shop.Cart.Full', 'ns', 's', 20],
      ['Shop.Cart.Broken', 'ns', 's', null],
    ],
  ],
  [
    'hyperfine.json',
    'hyperfine',
    [
      ['node cli.js small.json', 'ns', 's', 50e6],
      ['node cli.js small.json [user+system]', 'ns', 's', 40e6],
      ['true', 'ns', 's', null],
      ['true [user+system]', 'ns', 's', null],
      ['once', 'ns', 's', 2e9],
      ['once [user+system]', 'ns', 's', 1.5e9],
    ],
  ],
  [
    'tinybench.json',
    'tinybench',
    [
      ['six', 'ns', 's', 250e3],
      ['six with samples', 'ns', 's', 2e6],
      ['two', 'ns', 's', 10e6],
      ['threw', 'ns', 's', null],
      ['threw in two', 'ns', 's', null],
    ],
  ],
  [
    'mitata.json',
    'mitata',
    [
      ['empty', 'ns', 's', 2.5],
      ['json > parse (n=1)', 'ns', 's', 30],
      ['json > parse (n=8)', 'ns', 's', 70],
      ['throws', 'ns', 's', null],
    ],
  ],
  [
    'vitest.json',
    'vitest',
    [
      ['cart.bench.ts > totals > small', 'ns', 's', 250e3],
      ['cart.bench.ts > totals > throws', 'ns', 's', null],
    ],
  ],
  [
    'k6.json',
    'k6',
    [
      ['http_req_duration avg', 'ns', 's', 2.5e6],
      ['http_req_duration med', 'ns', 's', 2e6],
      ['http_req_duration p(90)', 'ns', 's', 4e6],
      ['http_req_duration p(95)', 'ns', 's', 5e6],
      ['http_req_duration p(99)', 'ns', 's', 8e6],
      ['http_req_duration{expected_response:true} avg', 'ns', 's', 2.4e6],
      ['http_req_duration{expected_response:true} med', 'ns', 's', 1.9e6],
      ['http_req_duration{expected_response:true} p(90)', 'ns', 's', 4e6],
      ['http_req_duration{expected_response:true} p(95)', 'ns', 's', 5e6],
      ['http_req_duration{expected_response:true} p(99)', 'ns', 's', 7e6],
      ['http_req_failed', 'share', 's', 0.02],
      ['http_reqs rate', 'operations/s', 'b', 100],
      ['data_received rate', 'bytes/s', 'b', 5000],
    ],
  ],
  [
    'autocannon.json',
    'autocannon',
    [
      ['cart: latency mean', 'ns', 's', 1.5e6],
      ['cart: latency p50', 'ns', 's', 1e6],
      ['cart: latency p90', 'ns', 's', 2e6],
      ['cart: latency p97.5', 'ns', 's', 3e6],
      ['cart: latency p99', 'ns', 's', 4e6],
      ['cart: latency p99.9', 'ns', 's', 8e6],
      ['cart: requests/s', 'operations/s', 'b', 100],
      ['cart: bytes/s', 'bytes/s', 'b', 20000],
      ['cart: errors', 'errors', 's', 1],
      ['cart: timeouts', 'errors', 's', 2],
      ['cart: non2xx', 'errors', 's', 0],
    ],
  ],
  [
    'oha.json',
    'oha',
    [
      ['latency mean', 'ns', 's', 2.5e6],
      ['latency p50', 'ns', 's', 2e6],
      ['latency p90', 'ns', 's', 4e6],
      ['latency p95', 'ns', 's', 5e6],
      ['latency p99', 'ns', 's', 8e6],
      ['latency p99.9', 'ns', 's', 50e6],
      ['requests/s', 'operations/s', 'b', 400],
      ['success rate', 'share', 'b', 0.99],
      ['errors', 'errors', 's', 50],
    ],
  ],
  [
    'vegeta.json',
    'vegeta',
    [
      ['latency mean', 'ns', 's', 2.5e6],
      ['latency p50', 'ns', 's', 2e6],
      ['latency p90', 'ns', 's', 4e6],
      ['latency p95', 'ns', 's', 5e6],
      ['latency p99', 'ns', 's', 8e6],
      ['requests/s', 'operations/s', 'b', 100.5],
      ['successful requests/s', 'operations/s', 'b', 90.5],
      ['success rate', 'share', 'b', 0.9],
    ],
  ],
  ['folder/criterion/fib/20/new/estimates.json', 'criterion-estimates', [['fib/20', 'ns', 's', 9.9]]],
  ['criterion-messages.json', 'criterion-messages', [['norm', 'ns', 's', 112]]],
  [
    'github-action-benchmark.json',
    'github-action-benchmark',
    [
      ['parse', 'ns', 's', 12.5e6],
      ['requests', 'operations/s', 'b', 1000],
      ['cache', 'hit points', 's', 80],
      ['broken', 'ns', 's', null],
    ],
  ],
  [
    'bencher.json',
    'bencher',
    [
      ['parse', 'ns', 's', 88],
      ['parse [throughput]', 'operations/s', 'b', 5.5],
      ['build.sh [build-time]', 'ns', 's', 87e9],
      ['binary [file-size]', 'bytes', 's', 42],
      ['count [instructions]', 'instructions', 's', 100],
    ],
  ],
];

test.each(expected)('%s is taken for %s and read row by row', (file, format, rows) => {
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

test.each(expected)('%s is read in the same way when its format %s is given', (file, format) => {
  expect(readFixture(file, format)).toEqual(readFixture(file));
});

test('every format has an adapter, and a fixture that auto takes for it unless the file cannot tell', () => {
  expect(adapters.map((adapter) => adapter.format).sort()).toEqual([...formats].sort());
  const withFixture = new Set(expected.map(([, format]) => format));
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

function digits(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(12));
}

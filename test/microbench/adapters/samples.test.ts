import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Format, benchFormats as formats } from '../../../src/kernel/words.ts';
import { readBenchmarks } from '../../../src/microbench/adapters/read.ts';
import type { ReadResult } from '../../../src/microbench/samples.ts';
import { expectedJson, expectedRows, jmhName } from './expected-json-samples.ts';
import { expectedText } from './expected-text-samples.ts';
import { brief, digits, readFixture, refusal, rowOf } from './reading.ts';

/** A collection of real result files of many tools; it lies beside the repository where there is one. */
const collection = fileURLToPath(new URL('../../../../shared/samples/', import.meta.url));

function readSample(file: string, format: 'auto' | Format = 'auto'): ReadResult {
  return readBenchmarks({ name: file, bytes: readFileSync(`${collection}${file}`) }, format);
}

test('the fixtures of this project are read whether or not the collection is there', () => {
  expect(formats).toContain(readFixture('go-bench.txt').format);
});

if (existsSync(collection)) {
  describe('the collection of real files', () => {
    test.each([...expectedText, ...expectedJson])('%s', (file, format, rows) => {
      const result = readSample(file);
      expect(result.format).toBe(format);
      expect(brief(result.rows)).toEqual(
        rows.map(([name, unit, better, value]) => [name, unit, better, digits(value)]),
      );
      expect(readSample(file, format)).toEqual(result);
    });

    test.each(expectedRows)('%s', (file, format, rows, values) => {
      const result = readSample(file);
      expect(result.format).toBe(format);
      expect(result.rows).toHaveLength(rows);
      for (const [name, value] of Object.entries(values)) {
        expect(digits(rowOf(result, name).value), name).toBe(digits(value));
      }
    });

    test('repetitions in them are samples', () => {
      expect(rowOf(readSample('hyperfine/bencher-one.json'), 'sleep 0.01').samples).toHaveLength(214);
      expect(rowOf(readSample('pyperf/mult_list_py36.json'), '[1]*1000').samples).toHaveLength(60);
      expect(rowOf(readSample('pyperf/track_memory.json'), 'timeit').samples).toEqual([
        7360512, 7364608, 7380992,
      ]);
      const go = rowOf(readSample('go-bench/xperf-issue19634.txt'), 'BenchmarkFloatSub/100-4 (note: before)');
      expect(go.samples).toEqual([115, 114, 115, 115, 115]);
      const dotNet = readSample('benchmarkdotnet/bencher-memory.json');
      expect(rowOf(dotNet, 'BenchmarkDotNet.Samples.Memory.AllocExactList').samples).toEqual([
        54.01603579521179, 55.24192452430725, 54.68738079071045,
      ]);
      expect(rowOf(readSample('google-benchmark/gbench-test3_run0.json'), 'BM_Two').samples).toEqual([9, 8]);
      expect(rowOf(readSample('jmh/bencher-throughput.json'), jmhName).samples).toHaveLength(3);
      expect(
        rowOf(readSample('tinybench/tinybench-2.9.0-local-samples-cut.json'), 'sort | 10').samples,
      ).toHaveLength(40);
    });

    // HdrHistogram's own tests give 1,510,998,015 and 1,745,879,039 for p99.9 of the first and the third file: the
    // same buckets (from 1,509,949,440 and 1,744,830,464), told in three digits instead of the two of the log.
    test.each([
      ['hdrhistogram-hlog/jHiccup-2.0.1.logV0.hlog', { p50: 393215, 'p99.9': 1518338047 }],
      [
        'hdrhistogram-hlog/tagged-Log.logV2.hlog',
        { p99: 1392508927, 'A p99': 1392508927, 'A p99.9': 1543503871 },
      ],
      ['hdrhistogram-hlog/jHiccup-2.0.7S.logV2.hlog', { p99: 1434451967, 'p99.9': 1753219071 }],
    ])('%s', (file, values) => {
      const result = readSample(file);
      expect(result.format).toBe('hdr-histogram-log');
      expect(result.warnings).toEqual([]);
      for (const [name, value] of Object.entries(values)) expect(rowOf(result, name).value).toBe(value);
    });

    test('a run without any benchmark is an error that names the format', () => {
      const message = refusal(() => readSample('cargo-libtest/bencher-zero.txt'));
      expect(message).toMatch(/no benchmark was read from .*bencher-zero\.txt; it looks like libtest/);
    });

    test('autocannon counts sockets that the server destroyed nowhere, and the warning says so', () => {
      const { warnings } = readSample('autocannon/autocannon-8.0.0-mixed.json');
      expect(warnings.map((one) => one.code)).toEqual(['errors-counted', 'requests-unanswered']);
    });

    test('the grpc summary of k6 has no p(99), and the warning says how to get it', () => {
      const warning = readSample('k6-summary/k6reporter-grpc.json').warnings.find(
        (one) => one.code === 'no-p99',
      );
      expect(warning?.hint).toContain('--summary-trend-stats');
    });
  });
}

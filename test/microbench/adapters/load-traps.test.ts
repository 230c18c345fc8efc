import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { brief, fixturePath, readFixture, readText, refusal, rowOf } from './reading.ts';

const codes = (result: { readonly warnings: readonly { readonly code: string }[] }): string[] =>
  result.warnings.map((warning) => warning.code);

test('k6: the flat export of older versions is read, and its thresholds are not', () => {
  const text = JSON.stringify({
    root_group: { name: '', groups: {}, checks: {} },
    metrics: {
      http_req_duration: {
        avg: 2,
        min: 1,
        med: 1.5,
        max: 9,
        'p(90)': 3,
        'p(95)': 4,
        thresholds: { 'p(95)<1': true },
      },
      http_reqs: { count: 100, rate: 10 },
      http_req_failed: { value: 0.5, passes: 50, fails: 50, thresholds: { 'rate<0.1': true } },
      vus: { value: 1, min: 1, max: 1 },
    },
  });
  const result = readText(text);
  expect(result.format).toBe('k6');
  expect(brief(result.rows)).toEqual([
    ['http_req_duration avg', 'ns', 's', 2e6],
    ['http_req_duration med', 'ns', 's', 1.5e6],
    ['http_req_duration p(90)', 'ns', 's', 3e6],
    ['http_req_duration p(95)', 'ns', 's', 4e6],
    ['http_reqs rate', 'operations/s', 'b', 10],
    ['http_req_failed', 'share', 's', 0.5],
  ]);
  expect(result.warnings.find((warning) => warning.code === 'no-p99')?.hint).toContain('p(99)');
});

test('k6: the machine-readable summary is read, with counters by the length of the run', () => {
  const text = JSON.stringify({
    version: '1.0.0',
    metadata: { k6Version: '2.0.0', generatedAt: '2030-01-01T00:00:00Z' },
    config: { duration: 10, execution: 'local', script: 'a.js' },
    results: {
      metrics: [
        {
          name: 'http_req_duration',
          type: 'trend',
          contains: 'time',
          values: { avg: 2, med: 1.5, p90: 3, p95: 4 },
        },
        { name: 'http_reqs', type: 'counter', contains: 'default', values: { count: 100 } },
        {
          name: 'http_req_failed',
          type: 'rate',
          contains: 'default',
          values: { matches: 1, total: 100, rate: 0.01 },
        },
      ],
    },
  });
  const result = readText(text);
  expect(brief(result.rows)).toEqual([
    ['http_req_duration avg', 'ns', 's', 2e6],
    ['http_req_duration med', 'ns', 's', 1.5e6],
    ['http_req_duration p(90)', 'ns', 's', 3e6],
    ['http_req_duration p(95)', 'ns', 's', 4e6],
    ['http_reqs rate', 'operations/s', 'b', 10],
    ['http_req_failed', 'share', 's', 0.01],
  ]);
  expect(result.warnings.find((warning) => warning.code === 'no-p99')?.hint).toContain('handleSummary');
});

test('k6: a summary that went through PowerShell is refused with the way out', () => {
  const text =
    '{"root_group": {}, "metrics": {"iterations": {"count": 1, "rate": 1}, "http_req_duration": "@{max=924.2; p(90)=308.9}"}}';
  expect(refusal(() => readText(text))).toMatch(/http_req_duration is the text "@\{max=.*PowerShell.*-Depth/);
  const nested = text.replace('"@{max', '{"type": "trend", "values": "@{max').replace('308.9}"', '308.9}"}');
  expect(refusal(() => readText(nested))).toMatch(/PowerShell/);
});

test('autocannon: when nothing was answered there is no latency', () => {
  const text = JSON.stringify({
    url: 'http://127.0.0.1:1/',
    errors: 0,
    timeouts: 20,
    non2xx: 0,
    latency: { mean: 0, stddev: 0, p50: 0, p90: 0, p97_5: 0, p99: 0, totalCount: 0 },
    requests: { mean: 0, stddev: 0, total: 0 },
    throughput: { mean: 0, stddev: 0, total: 0 },
  });
  const result = readText(text);
  expect(rowOf(result, 'latency p99').problem).toBe('not one request was answered');
  expect(rowOf(result, 'requests/s').value).toBeNull();
  expect(rowOf(result, 'timeouts').value).toBe(20);
  expect(codes(result)).toEqual(['errors-counted']);
});

test('autocannon: requests that were sent and neither answered nor counted as failures are said', () => {
  const run = (sent: number, total: number, max: number) => ({
    ...{ connections: 2, pipelining: 3, errors: 0, timeouts: 0, non2xx: 0 },
    latency: { mean: 1, stddev: 0, p50: 1, p99: 1, totalCount: total },
    requests: { mean: 10, stddev: 1, max, total, sent },
    throughput: { mean: 10, stddev: 1 },
  });
  const warned = (sent: number, total: number, max: number) =>
    readText(JSON.stringify(run(sent, total, max))).warnings.map((one) => one.message);
  expect(warned(598, 177, 177)).toEqual([
    '598 requests were sent and 177 answered: autocannon counts a request whose connection was closed nowhere, and it is in no latency figure',
  ]);
  // Six may be on their way at the end.
  expect(warned(183, 177, 0)).toEqual([]);
  expect(warned(184, 177, 0)).toHaveLength(1);
  // As measured with autocannon 8.0.0, two connections and an overall rate of 100 for two seconds.
  expect(warned(329, 229, 127)).toEqual([]);
  const older = { ...run(0, 177, 1), requests: { mean: 10, total: 177 } };
  expect(readText(JSON.stringify(older)).warnings).toEqual([]);
});

test('wrk2: a run shorter than its calibration prints -nan, which is missing', () => {
  const text = [
    'Running 5s test @ http://127.0.0.1:8080/',
    '  1 threads and 1 connections',
    '  Thread Stats   Avg      Stdev     Max   +/- Stdev',
    '    Latency    -nanus   -nanus   0.00us    0.00%',
    '    Req/Sec    -nan      -nan      0.00      0.00%',
    '  0 requests in 5.00s, 0.00B read',
    'Requests/sec:      0.00',
    'Transfer/sec:       0.00B',
  ].join('\n');
  const result = readText(text);
  expect(brief(result.rows)).toEqual([
    ['latency mean', 'ns', 's', null],
    ['requests/s', 'operations/s', 'b', null],
    ['transfer/s', 'bytes/s', 'b', null],
  ]);
  expect(result.rows[0]?.problem).toBe('the file has -nan here');
});

test('oha: figures of a run without any success are null, and missing', () => {
  const text = JSON.stringify({
    summary: {
      successRate: 0,
      total: 1,
      slowest: null,
      fastest: null,
      average: null,
      requestsPerSec: 10,
      totalData: 0,
      sizePerRequest: null,
      sizePerSec: 0,
    },
    latencyPercentiles: { p50: null, p99: null },
    statusCodeDistribution: {},
    errorDistribution: { 'connection refused': 10 },
  });
  const result = readText(text);
  expect(rowOf(result, 'latency p99').value).toBeNull();
  expect(rowOf(result, 'success rate').value).toBe(0);
  expect(rowOf(result, 'errors').value).toBe(10);
});

test('vegeta: a report of no requests has no values, and one of failures says so', () => {
  const empty =
    '{"latencies": {"total": 0, "mean": 0, "50th": 0, "90th": 0, "95th": 0, "99th": 0, "max": 0, "min": 0}, "bytes_in": {}, "bytes_out": {}, "requests": 0, "rate": 0, "throughput": 0, "success": 0, "status_codes": {}, "errors": null}';
  expect(readText(empty).rows.every((row) => row.problem === 'not one request was sent')).toBe(true);
  expect(readFixture('vegeta.json').warnings[0]?.message).toMatch(/90 × 200, 10 × 500/);
});

test('HdrHistogram log: the printed maximum tells nanoseconds from microseconds', () => {
  const log = readFileSync(fixturePath('hdr-histogram-log.hlog'), 'utf8');
  const micro = log
    .replace(',0.002,', ',2.000,')
    .replace(',0.050,', ',50.000,')
    .replace(',0.900,', ',900.000,');
  expect(rowOf(readText(micro), 'p50').value).toBe(1e6);
  const unknown = readText(micro.replace(',900.000,', ',9.000,'));
  expect(rowOf(unknown, 'p50').value).toBe(1000);
  expect(codes(unknown)).toEqual(['unit-guessed']);
});

test('HdrHistogram log: a broken interval is told, and its figures are not given', () => {
  const log = '#[Histogram log format version 1.3]\n0.0,1.0,0.1,HISTFAAAABBrokenpayload\n';
  expect(refusal(() => readText(log))).toMatch(/line 2 cannot be read/);
});

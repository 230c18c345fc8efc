import { describe, expect, it } from 'vitest';
import { readCounter, readSamples } from '../../src/service/prometheus.ts';

/** As endpoints of common clients print it. */
const page = `# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 12.345678

# TYPE requests_total counter
requests_total{method="GET",code="200"} 1027 1395066363000
requests_total{ method = "POST" , code = "200" , } 3
  requests_total{method="PUT",path="C:\\\\dir\\"q\\"\\n}",code="200"} 1.5e3
process_cpu_seconds_total_of_others 99
go_gc_duration_seconds{quantile="0.5"} 4.9351e-05
go_gc_duration_seconds_sum +7.5E-1
broken_gauge NaN
up +Inf
`;

const told = (text: string, metric: string, labels: Record<string, string> = {}): number | string => {
  const reading = readCounter(text, metric, labels);
  return reading.kind === 'value' ? reading.value : reading.reason;
};

describe('a counter', () => {
  it('without labels is its one value', () => {
    expect(told(page, 'process_cpu_seconds_total')).toBe(12.345678);
    expect(told(page, 'go_gc_duration_seconds_sum')).toBe(0.75);
    expect(told(page, 'go_gc_duration_seconds')).toBe(4.9351e-5);
  });

  it('with labels is the series that has them, whatever else it has', () => {
    expect(told(page, 'requests_total', { method: 'GET' })).toBe(1027);
    expect(told(page, 'requests_total', { code: '200', method: 'POST' })).toBe(3);
    expect(told(page, 'requests_total', { path: 'C:\\dir"q"\n}' })).toBe(1500);
  });

  it('of which two series are left has no value, and the reason names them', () => {
    expect(told(page, 'requests_total', { code: '200' })).toMatch(
      /^3 series match `requests_total` with \{code="200"\}: name the labels of one$/,
    );
    expect(told(page, 'requests_total')).toMatch(/^3 series match `requests_total`: /);
  });

  it('that is not there has no value, and the reason says what there is', () => {
    expect(told(page, 'cpu')).toBe('the answer has no `cpu`');
    expect(told('', 'cpu')).toBe('the answer has no `cpu`');
    expect(told('<html><body>404</body></html>', 'cpu')).toBe('the answer has no `cpu`');
    expect(told(page, 'requests_total', { method: 'PATCH' })).toBe(
      'no series of `requests_total` has the labels {method="PATCH"}; the first one has {method="GET",code="200"}',
    );
  });

  it.each([
    ['broken_gauge', 'NaN'],
    ['up', 'Infinity'],
  ])('%s has a value no counter can have', (metric, value) => {
    expect(told(page, metric)).toBe(`\`${metric}\` is ${value}, which no counter can be`);
  });

  it('below zero is none', () => {
    expect(told('cpu -1\n', 'cpu')).toContain('is -1');
  });

  it('of OpenMetrics is found without its _total', () => {
    const text =
      '# TYPE cpu_seconds counter\n# UNIT cpu_seconds seconds\ncpu_seconds_total 4.0 # {trace_id="a"} 1 1.5\ncpu_seconds_created 1.6e9\n# EOF\n';
    expect(told(text, 'cpu_seconds_total')).toBe(4);
    expect(told(text, 'cpu_seconds')).toBe(4);
  });

  it('with a quoted name inside the braces is found too', () => {
    expect(told('{"app.queries_total",db="a"} 7\n{"other",db="a"} 8\n', 'app.queries_total')).toBe(7);
  });

  it('whose line is torn has no value, and the reason shows the line', () => {
    for (const line of ['cpu', 'cpu{', 'cpu{a="b} 1', 'cpu{a=b} 1', 'cpu{a} 1', 'cpu 1,5', 'cpu 0x10']) {
      expect(told(`${line}\n`, 'cpu'), line).toMatch(
        /^a line of `cpu` is not in the text format of Prometheus: /,
      );
    }
  });

  it('on windows line ends and without a last line end is read', () => {
    expect(told('# x\r\ncpu 1\r\nother 2', 'other')).toBe(2);
  });
});

describe('samples', () => {
  it('keep infinities and NaN as they are', () => {
    const values = readSamples('a 1\na -Inf\na nan\na .5\na 1.\n', 'a').map(({ value }) => value);
    expect(values).toEqual([1, -Infinity, Number.NaN, 0.5, 1]);
  });

  it('of one metric are found among 20,000 others without reading those', () => {
    const others = Array.from({ length: 20_000 }, (_, index) => `m${index}{a="b"} not a number`).join('\n');
    expect(readSamples(`${others}\nwanted 3\n`, 'wanted')).toEqual([
      { name: 'wanted', labels: {}, value: 3 },
    ]);
  });

  it('with many escapes and no end are refused at once', () => {
    const began = process.cpuUsage();
    expect(() => readSamples(`a{b="${'\\\\'.repeat(50_000)}`, 'a')).toThrow();
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
  });
});

/** The words that every room shares: sides, outcomes, row states, metrics. One list each, used by exit code, outputs, comment and JSON. */

export type Side = 'baseline' | 'candidate';
export const sides: readonly Side[] = ['baseline', 'candidate'];
export const otherSide = (side: Side): Side => (side === 'baseline' ? 'candidate' : 'baseline');

/** The verdict of a whole job. */
export const outcomes = [
  'pass',
  'regression',
  'invalid',
  'service-failed',
  'no-baseline',
  'inconclusive',
  'skipped',
] as const;
export type Outcome = (typeof outcomes)[number];

/** What becomes of one judged row. */
export const rowStates = [
  'regressed',
  'improved',
  'unchanged',
  'undecided',
  'accepted',
  'new',
  'missing',
  'not-eligible',
  'invalid',
] as const;
export type RowState = (typeof rowStates)[number];

export const percentileNames = ['p50', 'p90', 'p95', 'p99', 'p999'] as const;
export type PercentileName = (typeof percentileNames)[number];
/** The share of shots at or below each percentile. */
export const percentileShare: Readonly<Record<PercentileName, number>> = {
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  p999: 0.999,
};

/** What is measured and judged per scenario, per counter of its service (`metrics`), and per microbenchmark. */
export const metricNames = [
  'p50',
  'p90',
  'p95',
  'p99',
  'cpu',
  'cpu-total',
  'tail',
  'errors',
  'counter',
  'microbenchmark',
] as const;
export type MetricName = (typeof metricNames)[number];
/** Those of a scenario: everything that the load test tells. */
export const loadMetrics = metricNames.filter(
  (metric) => metric !== 'microbenchmark' && metric !== 'counter',
);

/** What may turn a job red, beyond what always does. */
export const failOnWords = [
  'regression',
  'invalid',
  'service-failed',
  'inconclusive',
  'no-baseline',
  'missing',
] as const;
export type FailOn = (typeof failOnWords)[number];

export type Direction = 'smaller-is-better' | 'bigger-is-better';

/** Every result format that can be read; the words of `format:` in the configuration and of `--format`. */
export const benchFormats = [
  'go-bench',
  'pyperf',
  'pytest-benchmark',
  'google-benchmark',
  'catch2',
  'libtest',
  'criterion',
  'criterion-estimates',
  'criterion-messages',
  'jmh',
  'benchmarkdotnet',
  'hyperfine',
  'benchmark-js',
  'tinybench',
  'mitata',
  'vitest',
  'k6',
  'autocannon',
  'wrk',
  'wrk2',
  'oha',
  'vegeta',
  'hdr-histogram-log',
  'github-action-benchmark',
  'custom-smaller-is-better',
  'custom-bigger-is-better',
  'bencher',
  'tailgate-evidence',
] as const;
export type Format = (typeof benchFormats)[number];

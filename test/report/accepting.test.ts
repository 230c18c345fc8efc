/** The lines that let a wanted slowdown through are lines that the configuration and the commits take. */
import { describe, expect, it } from 'vitest';
import { readDescription } from '../../src/builds/trailers.ts';
import { readConfig } from '../../src/config/read.ts';
import { ratio } from '../../src/kernel/units.ts';
import { acceptingOf } from '../../src/report/accepting.ts';
import type { ReportContext } from '../../src/report/context.ts';
import { plainPhrase } from '../../src/report/terminal.ts';
import type { Finding } from '../../src/verdict/finding.ts';
import { changed, context, finding, points } from './verdicts.ts';

const slower = (more: Partial<Finding> = {}): Finding =>
  finding({ state: 'regressed', change: changed(0.18, 0.07), ...more });

const linesOf = (rows: readonly Finding[], more: Partial<ReportContext> = {}) =>
  acceptingOf(rows, context(more))?.ways.map((way) => way.lines);

/** What configuration and description make of the lines, as scenario, metric and ceiling. */
function readBack(rows: readonly Finding[]) {
  const [waivers = [], trailers = []] = linesOf(rows) ?? [];
  // The dots are for a person to replace: they are no reason.
  const filled = [waivers, trailers].map((lines) => lines.map((line) => line.replace('…', 'worth it')));
  const config = readConfig(['start: a', ...filled[0]!].join('\n'), {
    source: 'test',
    overrides: {},
    environment: {},
  }).config;
  const { accepted, warnings } = readDescription(filled[1]!.join('\n'), 'candidate');
  expect(warnings).toEqual([]);
  const short = (one: { scenario: string; metric: string; ceiling: number }) =>
    [one.scenario, one.metric, one.ceiling] as const;
  return { waivers: config.waivers.map(short), trailers: accepted.map(short).reverse() };
}

describe('the lines to accept a regression', () => {
  it('are taken by the configuration and as trailers, with the end of the interval as ceiling', () => {
    const bench = 'bench/parse.bench.js > "small"';
    const rows = [
      slower(),
      slower({ metric: 'errors', change: points(0.012) }),
      slower({ scenario: bench, metric: 'microbenchmark' }),
    ];
    const wanted = [
      ['checkout', 'p99', 0.27],
      ['checkout', 'errors', 0.02],
      [bench, 'microbenchmark', 0.27],
    ];
    expect(readBack(rows)).toEqual({ waivers: wanted, trailers: wanted });
  });

  it('go by the lower end where bigger is better', () => {
    const rate = slower({
      metric: 'microbenchmark',
      direction: 'bigger-is-better',
      change: changed(-0.18, 0, { interval: [ratio(-0.21), ratio(-0.15)] }),
    });
    expect(readBack([rate]).waivers).toEqual([['checkout', 'microbenchmark', 0.21]]);
  });

  it('round up, and not because of binary fractions', () => {
    const exact = changed(0.1, 0.02, { interval: [ratio(0.05), ratio(0.29)] });
    expect(readBack([slower({ change: exact })]).waivers).toEqual([['checkout', 'p99', 0.29]]);
  });

  it('are not offered where nothing has a figure', () => {
    expect(linesOf([])).toBeUndefined();
    expect(linesOf([slower({ reason: 'saturated: it could not hold 300/s' })])).toBeUndefined();
    expect(linesOf([slower({ change: { kind: 'none', reason: 'from 0' } })])).toBeUndefined();
  });

  it('leave out the trailer of a name that no message can carry', () => {
    const odd = linesOf([slower({ scenario: 'a\nb' }), slower({ scenario: 'x'.repeat(301) })]);
    expect(odd).toHaveLength(1);
  });

  it('go to the baseline where it alone is trusted', () => {
    const accepting = acceptingOf([slower()], context({ trustConfig: 'baseline' }))!;
    expect(accepting.ways).toHaveLength(1);
    expect(plainPhrase(accepting.ways[0]!.before)).toContain('add to `tailgate.yml` of the branch');
  });
});

import { describe, expect, it } from 'vitest';
import { ns, ratio } from '../../src/kernel/units.ts';
import { plantingText, selfTestMarkdown, selfTestText } from '../../src/report/self-test-text.ts';
import { checkOf, notRun, selfTestExitCode } from '../../src/verdict/self-test.ts';
import { nothingSized, type Sizes } from '../../src/verdict/self-test-sizes.ts';
import { changed, finding, pass, serviceFailed, verdict } from './verdicts.ts';

const sizes: Sizes = {
  cpu: { burnt: ns(34_000), rise: ratio(0.15), rises: [] },
  latency: { delay: ns(7e6), delayed: ratio(0.02), rise: ratio(0.4), metric: 'p99', rises: [] },
  tooNoisy: [],
};
const red = (metric: 'cpu' | 'p99') =>
  verdict('regression', [finding({ metric, state: 'regressed', change: changed(0.3, 0.05) })]);
const reportOf = (...checks: ReturnType<typeof checkOf>[]) => ({
  checks,
  sizes,
  exitCode: selfTestExitCode(checks),
});
const good = reportOf(checkOf('nothing', pass), checkOf('cpu', red('cpu')), checkOf('latency', red('p99')));
const bad = reportOf(checkOf('nothing', pass), checkOf('cpu', pass), notRun('latency', 'not run: <b>', null));

it('says what is planted in which size', () => {
  expect(plantingText('nothing', sizes)).toBe('nothing planted');
  expect(plantingText('cpu', sizes)).toBe('34 µs of CPU burnt in each request (+15 %)');
  expect(plantingText('latency', sizes)).toBe('2 % of the requests held back for 7 ms (p99 +40 % or more)');
  expect(plantingText('latency', nothingSized)).toBe('latency: not planted');
});

describe('the text', () => {
  it('says that all three ended as they must, with figures', () => {
    const text = selfTestText(good);
    expect(text.split('\n')[0]).toMatch(/^Self-test passed/);
    expect(text.match(/^ok {6}/gm)).toHaveLength(3);
    expect(text).toContain('found CPU per request +30 %');
    expect(text).not.toContain('way out');
  });

  it('says which job failed and why, with the way out and the last words of a service', () => {
    const text = selfTestText(bad);
    expect(text.split('\n')[0]).toContain('2 of 3 jobs did not end as they must (exit code 1)');
    expect(text.match(/^failed/gm)).toHaveLength(1);
    expect(text.match(/^not run/gm)).toHaveLength(1);
    expect(text).toContain('way out: use a quieter runner');
    expect(selfTestText(reportOf(checkOf('nothing', serviceFailed)))).toContain(
      "| Error: Cannot find module 'express'",
    );
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });
});

it('a row that was flagged in nothing and not confirmed is told as a failure, with its reason', () => {
  const flagged = finding({
    state: 'undecided',
    confirmation: 'not-confirmed',
    reason: 'not confirmed: +11 % when it was flagged, +6.8 % over all 18 rounds',
  });
  const nothing = checkOf('nothing', verdict('inconclusive', [flagged]));
  const report = reportOf(nothing, checkOf('cpu', red('cpu')), checkOf('latency', red('p99')));
  const text = selfTestText(report);
  expect(text.split('\n')[0]).toContain('1 of 3 jobs did not end as they must (exit code 6)');
  expect(text).toMatch(/^failed {2}nothing planted$/m);
  expect(text.replace(/\s+/g, ' ')).toContain('p99 was flagged: not confirmed: +11 % when it was flagged');
  expect(selfTestMarkdown(report)).toMatch(/^\| \*\*failed\*\* \| nothing planted \| inconclusive \|/m);
});

describe('the Markdown', () => {
  it('has one row a job, and foreign text does not become markup', () => {
    const text = selfTestMarkdown(bad);
    expect(text.match(/^\| (ok|\*\*(failed|not run)\*\*) \|/gm)).toHaveLength(3);
    expect(text).toContain('| pass | the job passed');
    expect(text).not.toContain('<b>');
    expect(selfTestMarkdown(good)).toContain('**Self-test passed');
  });
});

describe('of several scenarios', () => {
  const slow = (scenario: string) =>
    finding({ scenario, metric: 'cpu', state: 'regressed', change: changed(0.3, 0.05) });
  const rises = [
    { scenario: 'one', rise: ratio(0.15), unrealistic: false },
    { scenario: 'two', rise: ratio(14), unrealistic: true },
  ];
  const planted: Sizes = { ...sizes, cpu: { ...sizes.cpu!, rises } };
  const reportWith = (...rows: ReturnType<typeof finding>[]) => ({
    ...reportOf(checkOf('nothing', pass), checkOf('cpu', verdict('regression', rows), planted)),
    sizes: planted,
  });

  it('each is told, with the size that says little about real changes', () => {
    const report = reportWith(slow('one'), slow('two'));
    const text = selfTestText(report);
    expect(report.exitCode).toBe(0);
    expect(text.split('\n')[0]).toContain('caught in each of its 2 scenarios');
    expect(text).toMatch(/^ +one: caught: CPU per request \+30 %/m);
    expect(text).toMatch(/^ +two: caught: CPU per request \+30 %/m);
    expect(text.replace(/\s+/g, ' ')).toContain('planted +1,400 % in two: more than a doubling');
    expect(text).not.toContain('in one: more');
    expect(selfTestMarkdown(report)).toMatch(/one: caught.*<br>two: caught/);
  });

  it('one that was not caught fails the whole', () => {
    const report = reportWith(slow('one'), finding({ scenario: 'two', metric: 'cpu' }));
    expect(report.exitCode).toBe(1);
    expect(selfTestText(report)).toMatch(/^ +two: missed: it saw CPU per request/m);
  });
});

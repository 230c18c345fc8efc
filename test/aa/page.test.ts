import { describe, expect, test } from 'vitest';
import { handMark, renderPage, type SeriesReport } from './page.ts';
import { type JobLine, summarise } from './summary.ts';

const line = (job: number, changes: Partial<JobLine>): JobLine => ({
  job,
  startedAt: '2025-03-01T08:00:00.000Z',
  seconds: 100,
  exitCode: 0,
  outcome: 'pass',
  reason: null,
  rounds: { decided: 12, confirming: 0, run: 12 },
  slices: { measured: 192, rejected: 0 },
  seed: job,
  onTime: 0.97,
  steal: 0.001,
  pressure: 0.1,
  load: 0.2,
  rows: [],
  evidence: null,
  ...changes,
});

function report(lines: readonly JobLine[], slow: SeriesReport['series']['slow'] = null): SeriesReport {
  return {
    series: {
      createdAt: '2025-03-01T08:00:00.000Z',
      commit: 'abc',
      bundle: 'def',
      timeBudget: '4m',
      full: false,
      slow,
      config: '',
    },
    machine: null,
    plan: null,
    lines,
    summary: summarise(lines),
    choices: [],
    whatIf: null,
  };
}

const green = Array.from({ length: 60 }, (_, index) => line(index + 1, {}));

describe('the page', () => {
  test('states the exact bound beside the false alarms', () => {
    // 1 − 0.05^(1/60) = 4.87 %.
    expect(renderPage([report(green)], null)).toContain(
      '| **false alarms: red with `regression`** | 0 of 60 | 0 % | ≤ 4.9 % |',
    );
  });

  test('names every red job with its reason', () => {
    const red = line(61, { outcome: 'invalid', exitCode: 3, reason: 'too many slices were unsound' });
    const text = renderPage([report([...green, red])], null);
    expect(text).toContain('- job 61: `invalid`, too many slices were unsound');
    expect(text).not.toContain('No job was red');
  });

  test('counts what caught a planted slowdown, with a bound from below', () => {
    const lines = [line(1, { outcome: 'regression', exitCode: 1 }), line(2, { outcome: 'inconclusive' })];
    const text = renderPage([report(lines, { asked: 'cpu=5%', planted: 'a spin' })], null);
    // P(X ≥ 1 of 2) = 5 % at 1 − √0.95 = 2.5 %.
    expect(text).toContain('| **caught: red with `regression`** | 1 of 2 | 50 % | ≥ 2.5 % |');
    expect(text).toContain('- job 2: `inconclusive`');
    expect(text).not.toContain('- job 1');
  });

  test('keeps what was written by hand below its mark, and only that', () => {
    const first = renderPage([report(green)], null);
    const again = renderPage([report(green.slice(1))], `${first}\nDecided: nothing.\n`);
    expect(again.endsWith(`${handMark}\n\nDecided: nothing.\n`)).toBe(true);
    expect(again).toContain('0 of 59');
    expect(again).not.toContain('0 of 60');
  });
});

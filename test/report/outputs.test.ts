import { describe, expect, it } from 'vitest';
import { ratio } from '../../src/kernel/units.ts';
import { annotationsOf, outputsOf } from '../../src/report/outputs.ts';
import { verdictJson, verdictJsonText } from '../../src/report/verdict-json.ts';
import * as made from './verdicts.ts';

const { changed, finding, points, verdict } = made;

describe('the outputs of the action', () => {
  it('give the figures of the worst judged scenario in per cent', () => {
    const rows = [
      finding({ scenario: 'a', change: changed(0.02, 0.03) }),
      finding({ scenario: 'b', state: 'regressed', change: changed(0.1812, 0.06) }),
      finding({ scenario: 'c', judged: false, change: changed(0.9, 0.01) }),
      finding({ scenario: 'a', metric: 'cpu', change: changed(-0.032, 0.01) }),
    ];
    const outputs = outputsOf(verdict('regression', rows), made.evidence(), made.context());
    expect(outputs).toMatchObject({
      verdict: 'regression',
      conclusion: 'failure',
      'p99-change': '18.12',
      'cpu-change': '-3.2',
      spread: '6',
      'smallest-detectable-change': '8.5',
      'baseline-sha': made.baselineSha,
      'candidate-sha': made.candidateSha,
    });
    expect(JSON.parse(outputs.regressions)).toEqual([
      { scenario: 'b', metric: 'p99', change: 18.12, interval: [11.43, 25.21], spread: 6 },
    ]);
    expect(JSON.parse(outputs.improvements)).toEqual([]);
  });

  it('take the percentile that is judged in the place of p99', () => {
    const rows = [
      finding({ metric: 'p95', change: changed(0.07, 0.02) }),
      finding({ judged: false, change: changed(0.5, 0.1) }),
    ];
    expect(outputsOf(verdict('pass', rows), null, made.context())['p99-change']).toBe('7');
  });

  it('are empty where there is no figure, and know the commits all the same', () => {
    const outputs = outputsOf(made.serviceFailed, null, made.context());
    expect(outputs).toMatchObject({
      'p99-change': '',
      'cpu-change': '',
      spread: '',
      regressions: '[]',
      'candidate-sha': made.candidateSha,
    });
    const nothing = made.context({ revisions: { baseline: null, candidate: null } });
    expect(outputsOf(made.skipped, null, nothing)).toMatchObject({ 'baseline-sha': '', 'candidate-sha': '' });
  });

  it('hold points for shares, and null for what is no number', () => {
    const rows = [
      finding({ metric: 'errors', state: 'regressed', change: points(0.042) }),
      finding({ state: 'regressed', change: changed(Number.NaN, 0.1) }),
    ];
    const outputs = outputsOf(verdict('regression', rows), null, made.context());
    expect(JSON.parse(outputs.regressions).map((row: { change: unknown }) => row.change)).toEqual([
      4.2,
      null,
    ]);
    expect(outputs['p99-change']).toBe('');
  });
});

describe('lines pinned to the job', () => {
  it('name each regressed row with its figures, worst first', () => {
    const rows = [0.1, 0.4].map((effect, index) =>
      finding({ scenario: `s${index}`, state: 'regressed', change: changed(effect, 0.05) }),
    );
    const pinned = annotationsOf(verdict('regression', rows), 1);
    expect(pinned.map((line) => line.title)).toEqual(['Regression: p99 of s1', 'Regression: p99 of s0']);
    expect(pinned[0]!.message).toBe('+40 % (4.7 ms → 4.72 ms, 95 % interval +33 % to +47 %, spread ±5 %).');
  });

  it('give the first sentence where no row did it', () => {
    expect(annotationsOf(made.invalid, 3)).toEqual([
      {
        title: 'Tailgate: invalid',
        message:
          'Invalid: more than a quarter of the slices were unsound: generator-busy. This says nothing about the change, good or bad.',
      },
    ]);
    const gone = { kind: 'none', reason: 'it is gone' } as const;
    const rows = [finding({ state: 'missing', metric: 'cpu', change: gone, candidate: null }), finding()];
    expect(annotationsOf(verdict('pass', rows), 1)[0]).toEqual({
      title: 'Tailgate: missing',
      message: expect.stringMatching(
        /^Missing: scenario `checkout` was not measured on the side of this change/,
      ),
    });
  });
});

describe('the verdict as JSON', () => {
  it('holds what was decided, of what, and how to repeat it', () => {
    const json = JSON.parse(verdictJsonText(made.regression, made.evidence(), made.context()));
    expect(json).toMatchObject({
      schema: 'tailgate-verdict',
      version: 1,
      verdict: 'regression',
      conclusion: 'failure',
      exitCode: 1,
      seed: 42,
      judgedTail: 'p99',
      rounds: { measured: 6, planned: 12, confirming: 6 },
      revisions: { baseline: { sha: made.baselineSha, how: 'merge-base with main' } },
    });
    expect(json.findings[0]).toMatchObject({ scenario: 'checkout', metric: 'p99', state: 'regressed' });
    expect(json.plan.looks).toEqual([6, 9, 12]);
    expect(json.reproduce).toContain('--seed 42');
    expect(JSON.stringify(json)).not.toContain('histograms');
  });

  it('tells a warning that verdict and evidence share once', () => {
    const warning = { code: 'high-floor', message: 'the floor is high' };
    const verdict = { ...made.regression, warnings: [warning] };
    const json = JSON.parse(
      verdictJsonText(verdict, { ...made.evidence(), warnings: [warning] }, made.context()),
    );
    expect(json.warnings).toEqual([warning]);
  });

  it('has null for every number that is none', () => {
    const rows = [
      finding({
        baseline: Number.NaN,
        candidate: Infinity,
        change: changed(Number.NaN, 1),
        perRound: [-Infinity],
      }),
    ];
    const of = verdict('inconclusive', rows, {
      onTimeShare: { baseline: ratio(Number.NaN), candidate: ratio(1) },
    });
    const json = verdictJson(of, null, made.context()) as unknown as {
      findings: { baseline: unknown; candidate: unknown; perRound: unknown }[];
      onTimeShare: unknown;
    };
    expect(json.findings[0]).toMatchObject({ baseline: null, candidate: null, perRound: [null] });
    expect(json.onTimeShare).toEqual({ baseline: null, candidate: 1 });
  });
});

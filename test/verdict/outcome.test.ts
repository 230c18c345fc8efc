import { describe, expect, it } from 'vitest';
import type { FailOn, Outcome, RowState, Side } from '../../src/kernel/words.ts';
import type { Finding, Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import {
  conclusionOf,
  exitCodeOf,
  foldOutcome,
  verdictWithout,
  worstFirst,
} from '../../src/verdict/outcome.ts';
import { evidenceOf, readPlain } from './evidence-builder.ts';

const progress = judge(evidenceOf({ measuring: 6 }), { readSlice: readPlain });
const pass: Verdict =
  progress.kind === 'decided' ? progress.verdict : verdictWithout('invalid', 'not decided');
const template = pass.findings.find((finding) => finding.metric === 'p99')!;
const finding = (state: RowState, changes: Partial<Finding> = {}): Finding => ({
  ...template,
  state,
  ...changes,
});

const usual: FailOn[] = ['regression', 'invalid', 'service-failed'];

const ended = (outcome: Outcome, side: Side | null = null): Verdict => ({
  ...pass,
  outcome,
  failure: side === null ? null : { side, message: 'exited with 1', hint: null, tail: [] },
});

describe('exit codes and conclusions', () => {
  it.each<[Outcome, FailOn[], number, string]>([
    ['pass', usual, 0, 'success'],
    ['regression', usual, 1, 'failure'],
    ['regression', ['invalid'], 0, 'neutral'],
    ['invalid', usual, 3, 'failure'],
    ['invalid', ['regression'], 0, 'neutral'],
    ['service-failed', usual, 4, 'failure'],
    ['no-baseline', usual, 0, 'neutral'],
    ['no-baseline', [...usual, 'no-baseline'], 5, 'failure'],
    ['inconclusive', usual, 0, 'neutral'],
    ['inconclusive', [...usual, 'inconclusive'], 6, 'failure'],
    ['skipped', usual, 0, 'neutral'],
  ])('%s with fail-on %j ends with %i, %s', (outcome, failOn, code, conclusion) => {
    const settings = { failOn, onBaselineFailure: 'fail' } as const;
    expect(exitCodeOf(ended(outcome), settings)).toBe(code);
    expect(conclusionOf(ended(outcome), settings)).toBe(conclusion);
  });

  it('forgives a baseline that fails only where that was asked for, and a candidate never', () => {
    const neutral = { failOn: usual, onBaselineFailure: 'neutral' } as const;
    const fail = { failOn: usual, onBaselineFailure: 'fail' } as const;
    expect(exitCodeOf(ended('service-failed', 'baseline'), neutral)).toBe(0);
    expect(conclusionOf(ended('service-failed', 'baseline'), neutral)).toBe('neutral');
    expect(exitCodeOf(ended('service-failed', 'baseline'), fail)).toBe(4);
    expect(exitCodeOf(ended('service-failed', 'candidate'), neutral)).toBe(4);
  });

  it('fails on missing rows when asked to', () => {
    const verdict = { ...pass, findings: [finding('missing')] };
    expect(exitCodeOf(verdict, { failOn: usual, onBaselineFailure: 'fail' })).toBe(0);
    expect(exitCodeOf(verdict, { failOn: [...usual, 'missing'], onBaselineFailure: 'fail' })).toBe(1);
  });
});

describe('fold', () => {
  it.each<[RowState[], Outcome]>([
    [['unchanged', 'improved', 'accepted', 'not-eligible', 'new'], 'pass'],
    [['unchanged', 'undecided'], 'inconclusive'],
    [['undecided', 'invalid'], 'invalid'],
    [['invalid', 'regressed', 'undecided'], 'regression'],
    [['new', 'new'], 'no-baseline'],
    [[], 'invalid'],
  ])('%j is %s', (states, outcome) => {
    expect(foldOutcome(states.map((state) => finding(state)))).toBe(outcome);
  });

  it('does not listen to rows that are shown for information', () => {
    const shown = (['undecided', 'invalid', 'regressed'] as const).map((state) =>
      finding(state, { judged: false }),
    );
    expect(foldOutcome([finding('unchanged'), ...shown])).toBe('pass');
  });

  it('puts the worst row first, judged before informative, and keeps the order of the plan', () => {
    const rows = [
      finding('regressed', { judged: false, metric: 'p95' }),
      finding('unchanged', { scenario: 'b' }),
      finding('unchanged', { scenario: 'a' }),
      finding('unchanged', { scenario: 'a', metric: 'p50' }),
      finding('undecided', { scenario: 'b' }),
      finding('regressed', { scenario: 'b', metric: 'cpu' }),
    ];
    const sorted = worstFirst(rows, ['b', 'a']).map((row) => `${row.state} ${row.scenario} ${row.metric}`);
    expect(sorted).toEqual([
      'regressed b cpu',
      'undecided b p99',
      'unchanged b p99',
      'unchanged a p50',
      'unchanged a p99',
      'regressed home p95',
    ]);
    expect(rows[0]!.metric).toBe('p95');
  });
});

/** Judging microbenchmarks: states, looks, confirmation and the family, on numbers alone. */
import { describe, expect, test } from 'vitest';
import { ns } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import type { BenchEvidence, BenchResult, BenchSubject, SideResult } from '../../src/microbench/evidence.ts';
import type { BenchFinding, BenchVerdict } from '../../src/verdict/benchmark-finding.ts';
import { judgeBenchmarks } from '../../src/verdict/benchmarks.ts';
import { benchSubject, emptyBench } from './bench-builder.ts';

const measured = (value: number, digest: string | null = 'same'): SideResult => ({
  kind: 'measured',
  value,
  samples: [value],
  cpu: ns(value / 2),
  digest,
});

/** A round whose candidate is exp(d) times its baseline of 100. */
const step = (name: string, d: number): BenchResult => ({
  name,
  baseline: measured(100),
  candidate: measured(100 * Math.exp(d)),
});

interface Given {
  readonly subjects: readonly BenchSubject[];
  readonly measuring: readonly (readonly BenchResult[])[];
  readonly confirming?: readonly (readonly BenchResult[])[];
  readonly rounds?: number;
  readonly confirm?: boolean;
  readonly onDifferentResult?: 'warn' | 'stop';
}

function evidenceOf(given: Given): BenchEvidence {
  const phases = [
    ...given.measuring.map((results) => ({ results, phase: 'measuring' as const })),
    ...(given.confirming ?? []).map((results) => ({ results, phase: 'confirming' as const })),
  ];
  const plan = { confirm: given.confirm ?? true, onDifferentResult: given.onDifferentResult ?? 'stop' };
  return {
    ...emptyBench(given.subjects, given.rounds ?? 12, plan),
    rounds: phases.map((one, index) => ({ index, duration: ns(1), ...one })),
  };
}

const series = (name: string, values: readonly number[]): BenchResult[][] =>
  values.map((d) => [step(name, d)]);

function decided(evidence: BenchEvidence, final = false): BenchVerdict {
  const progress = judgeBenchmarks(evidence, { final });
  if (progress.kind !== 'decided') throw new Error(`not decided: ${JSON.stringify(progress)}`);
  return progress.verdict;
}

const only = (verdict: BenchVerdict): BenchFinding => {
  expect(verdict.findings.length).toBe(1);
  return verdict.findings[0]!;
};

/** Worked example 8.3 of the method: no change. */
const quiet = [0.011, -0.024, 0.017, -0.008, 0.031, -0.015, 0.004, -0.029, 0.022, 0.009, -0.012, -0.003];
/** Around +6 %. */
const slower = [0.06, 0.05, 0.07, 0.055, 0.065, 0.062, 0.048, 0.071, 0.059, 0.06, 0.052, 0.066];
const fresh = [0.061, 0.058, 0.067, 0.05, 0.064, 0.06];

describe('one benchmark', () => {
  test('that did not move passes at the first look of six rounds', () => {
    const early = judgeBenchmarks(
      evidenceOf({ subjects: [benchSubject('a')], measuring: series('a', quiet.slice(0, 5)) }),
    );
    expect(early).toEqual({ kind: 'continue', phase: 'measuring', benchmarks: ['a'] });
    const verdict = decided(
      evidenceOf({ subjects: [benchSubject('a')], measuring: series('a', quiet.slice(0, 6)) }),
    );
    const finding = only(verdict);
    expect([verdict.outcome, finding.state, finding.rounds.used]).toEqual(['pass', 'unchanged', 6]);
    expect(finding.change).toMatchObject({ kind: 'ratio', p: 0.421875, upper: expect.closeTo(0.031486, 5) });
  });

  test('does not pass early while the interval still holds a change that matters', () => {
    const wide = [0.11, -0.12, 0.09, -0.1, 0.12, -0.13];
    const progress = judgeBenchmarks(
      evidenceOf({ subjects: [benchSubject('a')], measuring: series('a', wide) }),
    );
    expect(progress).toEqual({ kind: 'continue', phase: 'measuring', benchmarks: ['a'] });
  });

  test('that became slower is flagged at nine rounds, never at six, and is a regression once confirmed', () => {
    const reached = (rounds: number, confirming = 0) =>
      judgeBenchmarks(
        evidenceOf({
          subjects: [benchSubject('a')],
          measuring: series('a', slower.slice(0, rounds)),
          confirming: series('a', fresh.slice(0, confirming)),
        }),
      );
    expect(reached(6)).toEqual({ kind: 'continue', phase: 'measuring', benchmarks: ['a'] });
    expect(reached(9)).toEqual({ kind: 'continue', phase: 'confirming', benchmarks: ['a'] });
    expect(reached(9, 5)).toEqual({ kind: 'continue', phase: 'confirming', benchmarks: ['a'] });
    const progress = reached(9, 6);
    const finding = only(progress.kind === 'decided' ? progress.verdict : expect.unreachable());
    expect(finding).toMatchObject({ state: 'regressed', confirmation: 'confirmed', rounds: { used: 15 } });
    expect(finding.baseline).toBeCloseTo(100, 9);
    const { change } = finding;
    if (change.kind !== 'ratio') throw new Error('no ratio');
    expect(change.effect).toBeCloseTo(Math.expm1(0.06), 2);
    expect(change.interval![0]).toBeGreaterThan(0);
    expect(change.p).toBe(2 ** -15);
  });

  test('that was flagged and is not beyond doubt afterwards is undecided, with both estimates', () => {
    const verdict = decided(
      evidenceOf({
        subjects: [benchSubject('a')],
        measuring: series('a', slower.slice(0, 9)),
        confirming: series(
          'a',
          fresh.map((d) => -d),
        ),
      }),
    );
    expect(only(verdict)).toMatchObject({
      state: 'undecided',
      confirmation: 'not-confirmed',
      reason: expect.stringMatching(/not confirmed: \+6\.\d %.*over all 15 rounds/),
    });
    expect(verdict.outcome).toBe('inconclusive');
  });

  test('is not confirmed by a large pooled effect alone: chance must be excluded at 1 %', () => {
    const mixed = [0.06, 0.05, 0.07, -0.2, -0.25, -0.22];
    const finding = only(
      decided(
        evidenceOf({
          subjects: [benchSubject('a')],
          measuring: series('a', slower.slice(0, 9)),
          confirming: series('a', mixed),
        }),
      ),
    );
    expect(finding).toMatchObject({ state: 'undecided', confirmation: 'not-confirmed' });
    if (finding.change.kind !== 'ratio') throw new Error('no ratio');
    expect(finding.change.effect).toBeGreaterThan(0.02);
    expect(finding.change.p).toBeGreaterThan(0.01);
  });

  test('without confirmation is a regression at the look itself', () => {
    const verdict = decided(
      evidenceOf({
        subjects: [benchSubject('a')],
        measuring: series('a', slower.slice(0, 9)),
        confirm: false,
      }),
    );
    expect(only(verdict)).toMatchObject({ state: 'regressed', confirmation: 'off' });
  });

  test('that became faster is improved and never fails', () => {
    const verdict = decided(
      evidenceOf({
        subjects: [benchSubject('a')],
        measuring: series(
          'a',
          slower.map((d) => -d),
        ),
      }),
    );
    expect([verdict.outcome, only(verdict).state]).toEqual(['pass', 'improved']);
  });

  test('too noisy to say is undecided, with what could have been seen and how many rounds would settle it', () => {
    const noisy = [0.35, -0.42, 0.12, -0.18, 0.61, 0.05, -0.27, 0.48, -0.09, 0.22, -0.55, 0.31].map(
      (d) => d / 4,
    );
    const verdict = decided(evidenceOf({ subjects: [benchSubject('a')], measuring: series('a', noisy) }));
    const finding = only(verdict);
    expect([verdict.outcome, finding.state]).toEqual(['inconclusive', 'undecided']);
    expect(finding.reason).toContain('the smallest effect visible is');
    expect(finding.roundsToSettle).toBeGreaterThan(0);
  });

  test('that gets slower by less than min passes or stays undecided, and never fails', () => {
    const slightly = slower.map((d) => d / 6);
    const verdict = decided(evidenceOf({ subjects: [benchSubject('a')], measuring: series('a', slightly) }));
    expect(only(verdict).state).toBe('unchanged');
  });

  test('cut short is undecided', () => {
    const verdict = decided(
      evidenceOf({ subjects: [benchSubject('a')], measuring: series('a', slower.slice(0, 4)) }),
      true,
    );
    expect(only(verdict)).toMatchObject({
      state: 'undecided',
      reason: expect.stringContaining('4 of 12 rounds'),
    });
  });

  test('CPU time stands beside, for information', () => {
    const verdict = decided(
      evidenceOf({ subjects: [benchSubject('a')], measuring: series('a', quiet.slice(0, 6)) }),
    );
    expect(only(verdict).cpu).toMatchObject({ baseline: 50, change: { kind: 'ratio' } });
  });
});

describe('a direction that is only guessed', () => {
  const points = benchSubject('p', {
    unit: { kind: 'custom', normalised: 'points', text: 'points' },
    directionGuessed: true,
  });
  const faster = slower.map((d) => -d);
  const given = (values: readonly number[], more: Partial<Given> = {}) =>
    evidenceOf({ subjects: [points], measuring: series('p', values), ...more });

  test.each([
    ['more', slower, /^it moved by \+6\.\d+ %, but nothing tells whether more points is better or worse/],
    ['less', faster, /^it moved by −5\.\d+ %, but nothing tells/],
    ['less than detect, beyond chance', slower.map((d) => d / 2), /^it moved by \+3 %/],
  ])('is neither red nor green when it moved: %s', (_, values, reason) => {
    const verdict = decided(given(values));
    expect([verdict.outcome, only(verdict).state]).toEqual(['inconclusive', 'undecided']);
    expect(only(verdict).reason).toMatch(reason);
    expect(only(verdict).reason).toMatch(/custom-bigger-is-better or custom-smaller-is-better/);
    expect(only(verdict).roundsToSettle).toBe(null);
    // The same figures with a direction of their own.
    const known = { ...points, directionGuessed: false };
    const sure = judgeBenchmarks(given(values, { subjects: [known], confirm: false }), { final: true });
    expect(sure.kind === 'decided' && sure.verdict.outcome).not.toBe('inconclusive');
  });

  test('passes when it stays where it was, to both sides', () => {
    expect(only(decided(given(quiet.slice(0, 6)))).state).toBe('unchanged');
    const fallen = quiet.map((d) => d - 0.045);
    expect(only(decided(given(fallen))).state).toBe('undecided');
  });

  test('takes no part of the level of the others', () => {
    const others = Array.from({ length: 30 }, (_, index) => ({ ...points, name: `p${index}` }));
    const rounds = slower.map((d) => [step('a', d), ...others.map((one) => step(one.name, d))]);
    const verdict = decided(
      evidenceOf({ subjects: [benchSubject('a'), ...others], measuring: rounds, confirm: false }),
    );
    expect(verdict.findings[0]).toMatchObject({ name: 'a', state: 'regressed' });
    expect(verdict.findings.filter((one) => one.state === 'undecided')).toHaveLength(30);
  });
});

test('what was said of the output of a suite is among the warnings', () => {
  const warning = { code: 'samples-left-out', message: 'go: 1 of 3 repetitions cannot be used' };
  const evidence = evidenceOf({ subjects: [benchSubject('a')], measuring: series('a', quiet) });
  const formats = { baseline: 'go-bench', candidate: 'go-bench' } as const;
  const suites = [{ name: 'go', formats, warnings: [warning] }];
  expect(decided({ ...evidence, suites }).warnings).toEqual([warning]);
});

describe('direction and zero', () => {
  const rate = benchSubject('r', {
    direction: 'bigger-is-better',
    unit: { kind: 'rate', normalised: 'operations/s', text: 'ops/s' },
  });

  test('a rate that falls is a regression, shown as a fall', () => {
    const verdict = decided(
      evidenceOf({
        subjects: [rate],
        measuring: series(
          'r',
          slower.slice(0, 9).map((d) => -d),
        ),
        confirming: series(
          'r',
          fresh.map((d) => -d),
        ),
      }),
    );
    const finding = only(verdict);
    expect([verdict.outcome, finding.state]).toEqual(['regression', 'regressed']);
    if (finding.change.kind !== 'ratio') throw new Error('no ratio');
    const { effect, interval } = finding.change;
    expect(effect).toBeCloseTo(Math.expm1(-0.06), 2);
    expect(interval![0]).toBeLessThan(effect);
    expect(interval![1]).toBeGreaterThan(effect);
    expect(interval![1]).toBeLessThan(0);
  });

  test('a rate that rises is improved', () => {
    expect(only(decided(evidenceOf({ subjects: [rate], measuring: series('r', slower) }))).state).toBe(
      'improved',
    );
  });

  const bytes = benchSubject('b', { unit: { kind: 'bytes', normalised: 'bytes', text: 'B/op' } });
  const constant = (baseline: number, candidate: number, rounds: number): BenchResult[][] =>
    Array.from({ length: rounds }, () => [
      { name: 'b', baseline: measured(baseline), candidate: measured(candidate) },
    ]);

  test('0 that stays 0 is unchanged', () => {
    expect(only(decided(evidenceOf({ subjects: [bytes], measuring: constant(0, 0, 6) }))).state).toBe(
      'unchanged',
    );
  });

  test('0 that becomes 48 is a regression without a ratio, and says from what to what', () => {
    const finding = only(
      decided(
        evidenceOf({ subjects: [bytes], measuring: constant(0, 48, 9), confirming: constant(0, 48, 6) }),
      ),
    );
    expect(finding.state).toBe('regressed');
    expect(finding.change).toEqual({
      kind: 'none',
      reason: 'it went from 0 to 48 bytes, so there is no ratio',
    });
  });

  test('48 that becomes 0 is improved', () => {
    expect(only(decided(evidenceOf({ subjects: [bytes], measuring: constant(48, 0, 6) }))).state).toBe(
      'improved',
    );
  });

  test('nothing in a finding is NaN or infinite', () => {
    for (const values of [constant(0, 48, 3), constant(0, 0, 1), constant(1, 1, 12)]) {
      const text = JSON.stringify(
        decided(evidenceOf({ subjects: [bytes], measuring: values }), true),
        (_, value) => (typeof value === 'number' && !Number.isFinite(value) ? 'BROKEN' : value),
      );
      expect(text).not.toContain('BROKEN');
    }
  });
});

describe('what is not compared', () => {
  test('a benchmark that fails on a side is invalid at once, with side, round and reason', () => {
    const failing: BenchResult = {
      name: 'a',
      baseline: { kind: 'unmeasured' },
      candidate: { kind: 'failed', reason: 'it threw: no' },
    };
    const verdict = decided(
      evidenceOf({ subjects: [benchSubject('a')], measuring: [[step('a', 0)], [failing]] }),
    );
    expect(verdict.outcome).toBe('invalid');
    expect(only(verdict)).toMatchObject({ state: 'invalid', reason: 'candidate, round 2: it threw: no' });
  });

  test('results that differ between the sides, and never within one, are invalid after two rounds', () => {
    const other = (one: string, two: string): BenchResult => ({
      name: 'a',
      baseline: measured(100, one),
      candidate: measured(100, two),
    });
    const of = (...results: BenchResult[]) =>
      judgeBenchmarks(evidenceOf({ subjects: [benchSubject('a')], measuring: results.map((one) => [one]) }));
    expect(of(other('x', 'y')).kind).toBe('continue');
    expect(of(other('x', 'y'), other('x', 'y'))).toMatchObject({
      kind: 'decided',
      verdict: { outcome: 'invalid' },
    });
    // One that differs from process to process says nothing about the change.
    expect(of(other('x', 'y'), other('z', 'w')).kind).toBe('continue');
    expect(of(other('x', 'x'), other('x', 'x')).kind).toBe('continue');
  });

  test('results that differ are judged and marked where that is wanted', () => {
    const other = { name: 'a', baseline: measured(100), candidate: measured(100, 'another') };
    const measuring = Array.from({ length: 6 }, () => [other]);
    const verdict = decided(
      evidenceOf({ subjects: [benchSubject('a')], measuring, onDifferentResult: 'warn' }),
    );
    expect(verdict.findings[0]).toMatchObject({
      state: 'unchanged',
      sameResult: false,
      remark: expect.stringContaining('different results'),
    });
    expect(verdict.warnings[0]?.message).toContain('`a`: the sides return different results');
  });

  test('new, missing and broken benchmarks are shown and not measured', () => {
    const subjects = [
      benchSubject('a'),
      benchSubject('fresh', { presence: 'candidate', alone: 7 }),
      benchSubject('gone', { presence: 'baseline', alone: 8 }),
    ];
    const verdict = decided(evidenceOf({ subjects, measuring: series('a', quiet.slice(0, 6)) }));
    expect(verdict.outcome).toBe('pass');
    expect(
      verdict.findings.map(({ name, state, baseline, candidate }) => [name, state, baseline, candidate]),
    ).toEqual([
      ['gone', 'missing', 8, null],
      ['fresh', 'new', null, 7],
      ['a', 'unchanged', expect.any(Number), expect.any(Number)],
    ]);
    const broken = decided(
      evidenceOf({ subjects: [benchSubject('x', { problem: 'candidate: it threw' })], measuring: [] }),
    );
    expect([broken.outcome, broken.reason]).toEqual(['invalid', '`x`: candidate: it threw']);
  });

  test('nothing that both sides have is no baseline, never a pass', () => {
    const subjects = [
      benchSubject('fresh', { presence: 'candidate' }),
      benchSubject('gone', { presence: 'baseline' }),
    ];
    expect(decided(evidenceOf({ subjects, measuring: [] })).outcome).toBe('no-baseline');
  });
});

describe('many benchmarks', () => {
  test('the decided ones leave, the others go on, only the flagged one is confirmed', () => {
    const subjects = [benchSubject('quiet'), benchSubject('slow')];
    const both = (rounds: number): BenchResult[][] =>
      Array.from({ length: rounds }, (_, index) => [
        ...(index < 6 ? [step('quiet', quiet[index]!)] : []),
        step('slow', slower[index]!),
      ]);
    expect(judgeBenchmarks(evidenceOf({ subjects, measuring: both(6) }))).toEqual({
      kind: 'continue',
      phase: 'measuring',
      benchmarks: ['slow'],
    });
    const flagged = evidenceOf({ subjects, measuring: both(9) });
    expect(judgeBenchmarks(flagged)).toMatchObject({ phase: 'confirming', benchmarks: ['slow'] });
    const verdict = decided(evidenceOf({ subjects, measuring: both(9), confirming: series('slow', fresh) }));
    expect(verdict.findings.map((finding) => [finding.name, finding.state])).toEqual([
      ['slow', 'regressed'],
      ['quiet', 'unchanged'],
    ]);
    expect(verdict.outcome).toBe('regression');
  });

  test('they share one family: what one benchmark flags, it does not among two hundred', () => {
    // 2^-9 at nine rounds: below 1 % alone, above it when multiplied by 200; at twelve rounds likewise for 4 %.
    const names = Array.from({ length: 200 }, (_, index) => `n${String(index).padStart(3, '0')}`);
    const measuring = Array.from({ length: 12 }, (_, index) => [
      step('a', slower[index]!),
      ...names.map((name, at) => step(name, quiet[(index + at) % 12]! / 10)),
    ]);
    const alone = evidenceOf({ subjects: [benchSubject('a')], measuring: series('a', slower.slice(0, 9)) });
    expect(judgeBenchmarks(alone)).toMatchObject({ phase: 'confirming' });
    const many = evidenceOf({
      subjects: [benchSubject('a'), ...names.map((name) => benchSubject(name))],
      measuring,
    });
    const finding = decided(many).findings.find((one) => one.name === 'a');
    expect(finding?.state).toBe('undecided');
  });

  test('unchanged code is rarely called slower: 400 jobs of ten benchmarks each, heavy tails, none confirmed', () => {
    let flagged = 0;
    let confirmed = 0;
    for (let job = 0; job < 400; job++) {
      const random = seededRandom(job);
      // Symmetric with heavy tails: the ratio of a normal-like sum and a uniform.
      const draw = (): number => ((random.next() + random.next() - 1) * 0.03) / (0.2 + random.next());
      const subjects = Array.from({ length: 10 }, (_, index) => benchSubject(`b${index}`));
      const results = (): BenchResult[] => subjects.map((one) => step(one.name, draw()));
      const measuring = Array.from({ length: 12 }, results);
      const first = judgeBenchmarks(evidenceOf({ subjects, measuring }));
      if (first.kind === 'decided') continue;
      flagged += 1;
      const confirming = Array.from({ length: 6 }, results);
      confirmed += decided(evidenceOf({ subjects, measuring, confirming })).outcome === 'regression' ? 1 : 0;
    }
    expect(flagged / 400).toBeLessThanOrEqual(0.05);
    expect(confirmed / 400).toBeLessThanOrEqual(0.01);
  });

  test('+5 % is caught in at least 19 of 20 jobs where processes of one build differ by 2 %', () => {
    let caught = 0;
    for (let job = 0; job < 200; job++) {
      const random = seededRandom(1000 + job);
      const normal = (): number =>
        Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
      const draw = (): number => Math.log(1.05) + 0.02 * Math.SQRT2 * normal();
      const subjects = [benchSubject('a')];
      const take = (rounds: number) => series('a', Array.from({ length: rounds }, draw));
      const given = { subjects, measuring: take(12), confirming: take(6) };
      caught += decided(evidenceOf(given), true).outcome === 'regression' ? 1 : 0;
    }
    expect(caught / 200).toBeGreaterThanOrEqual(0.95);
  });
});

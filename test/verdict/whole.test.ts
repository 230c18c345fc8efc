/** The verdict of a whole job: load test, microbenchmarks and waivers come to one outcome. */
import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/config/suggestions.ts';
import type { Evidence, Waiver } from '../../src/evidence/trial.ts';
import { ratio } from '../../src/kernel/units.ts';
import type { Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { Recipe } from './evidence-builder.ts';
import { evidenceOf, readPlain } from './evidence-builder.ts';
import { bench, benchmarks, costlier, returning } from './stored-job.ts';

const calm: Recipe = { measuring: 6 };

const waiver = (more: Partial<Waiver> = {}): Waiver => ({
  scenario: 'home',
  metric: 'cpu',
  ceiling: ratio(0.12),
  expires: null,
  reason: 'safer hash',
  origin: 'the configuration',
  ...more,
});
const both = [waiver(), waiver({ metric: 'cpu-total' })];

function verdictOf(recipe: Recipe, evidence: Partial<Evidence>): Verdict {
  const progress = judge(evidenceOf({ ...recipe, evidence }), { readSlice: readPlain, final: true, nearest });
  if (progress.kind !== 'decided') throw new Error('not decided');
  return progress.verdict;
}

const states = (verdict: Verdict) =>
  Object.fromEntries(
    verdict.findings.filter((row) => row.judged).map((row) => [`${row.scenario}/${row.metric}`, row.state]),
  );

describe('a job with waivers', () => {
  it('is red without them', () => {
    const verdict = verdictOf(costlier, {});
    expect(verdict.outcome).toBe('regression');
    expect(states(verdict)).toMatchObject({ 'home/cpu': 'regressed', 'home/cpu-total': 'regressed' });
  });

  it('passes with all that regressed accepted, accepted rows before those at rest', () => {
    const verdict = verdictOf(costlier, { waivers: both });
    expect(verdict).toMatchObject({ outcome: 'pass', reason: null, warnings: [] });
    expect(verdict.findings.slice(0, 2).map(({ state }) => state)).toEqual(['accepted', 'accepted']);
  });

  it('stays red while one row has none', () => {
    expect(verdictOf(costlier, { waivers: [waiver()] }).outcome).toBe('regression');
  });

  it.each([
    ['2025-01-01', 'pass'],
    ['2024-12-31', 'regression'],
  ])(
    'goes by the day of the measurement: expiring %s, measured on 1 January, it is %s',
    (expires, outcome) => {
      const waivers = both.map((one) => ({ ...one, expires }));
      expect(verdictOf(costlier, { waivers }).outcome).toBe(outcome);
    },
  );

  it('has a warning with the nearest name for what matches nothing', () => {
    const { warnings } = verdictOf(calm, { waivers: [waiver({ scenario: 'hoem' })] });
    expect(warnings.map(({ hint }) => hint)).toEqual(['Did you mean `home/cpu`?']);
  });
});

describe('microbenchmarks', () => {
  const own = waiver({ scenario: bench, metric: 'microbenchmark' });

  it('turn a passing load test red, and say so as a row of their name', () => {
    const verdict = verdictOf(calm, { benchmarks: benchmarks(0.1) });
    expect(verdict.outcome).toBe('regression');
    expect(verdict.findings[0]).toMatchObject({
      scenario: bench,
      metric: 'microbenchmark',
      state: 'regressed',
    });
  });

  it('tell in their row that the sides return different results', () => {
    const of = (digests: readonly [string, string]) => {
      const verdict = verdictOf(calm, { benchmarks: returning(benchmarks(0), digests) });
      return verdict.findings.find((one) => one.scenario === bench);
    };
    expect(of(['a', 'b'])).toMatchObject({ state: 'unchanged', sameResult: false });
    expect(of(['a', 'a'])).not.toHaveProperty('sameResult');
  });

  it('are accepted by their full name', () => {
    const verdict = verdictOf(calm, { benchmarks: benchmarks(0.1), waivers: [own] });
    expect(verdict.outcome).toBe('pass');
    expect(states(verdict)[`${bench}/microbenchmark`]).toBe('accepted');
  });

  it('that are accepted leave a load test that is invalid as it is', () => {
    const broken: Recipe = { measuring: 0 };
    const load = verdictOf(broken, {});
    expect(load.outcome).toBe('invalid');
    const red = verdictOf(broken, { benchmarks: benchmarks(0.1) });
    expect(red.outcome).toBe('regression');
    const accepted = verdictOf(broken, { benchmarks: benchmarks(0.1), waivers: [own] });
    expect([accepted.outcome, accepted.reason]).toEqual(['invalid', load.reason]);
  });

  it('stay red when the load test alone is accepted', () => {
    const verdict = verdictOf(costlier, { benchmarks: benchmarks(0.1), waivers: both });
    expect(verdict.outcome).toBe('regression');
    expect(states(verdict)).toMatchObject({
      'home/cpu': 'accepted',
      [`${bench}/microbenchmark`]: 'regressed',
    });
  });
});

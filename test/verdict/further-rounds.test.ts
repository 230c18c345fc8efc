/** A last look that flags nothing and cannot pass: the rounds kept for a confirmation go to what is open. */
import { describe, expect, it } from 'vitest';
import type { Finding, Verdict } from '../../src/verdict/finding.ts';
import type { JudgeOptions } from '../../src/verdict/judge.ts';
import { judge } from '../../src/verdict/judge.ts';
import { signedRankP } from '../../src/verdict/statistics.ts';
import type { Recipe, Where } from './evidence-builder.ts';
import { evidenceOf, readPlain, scenarioPlan } from './evidence-builder.ts';

const progressOf = (recipe: Recipe, options: JudgeOptions = {}) =>
  judge(evidenceOf(recipe), { readSlice: readPlain, ...options });

function verdictOf(recipe: Recipe, options: JudgeOptions = {}): Verdict {
  const progress = progressOf(recipe, options);
  if (progress.kind !== 'decided') throw new Error(`not decided: ${JSON.stringify(progress)}`);
  return progress.verdict;
}

const p99Of = (verdict: Verdict, scenario = 'home'): Finding =>
  verdict.findings.find((finding) => finding.metric === 'p99' && finding.scenario === scenario)!;

/** The p99 of the candidate differs by these log-ratios, round by round. */
const differing =
  (d: readonly number[], scenario = 'home') =>
  (where: Where): { p99?: number } =>
    where.side === 'candidate' && where.scenario === scenario
      ? { p99: 4e6 * Math.exp(d[where.round % d.length]!) }
      : {};

/** Worse in nine rounds of twelve: p 1.7 %, which no family of six can flag; what looks worse is asked again. */
const worse = [0.3, 0.22, -0.1, 0.18, 0.26, -0.05, 0.14, 0.33, -0.2, 0.12, 0.29, 0.08];
const clearly = [0.25, 0.3, 0.21, 0.28, 0.24, 0.31];
const faintly = [0.19, -0.06, 0.23, 0.14, -0.02, 0.21];
/** No effect, and an interval up to 24 % where 20 % were asked for. */
const wide = [0.25, -0.325, 0.125, -0.175, 0.3875, 0.0375, -0.2125, 0.3, -0.075, 0.1625, -0.3625, 0.2];
const calm = [0.02, -0.03, 0.01, -0.01, 0.03, -0.02];

describe('a job that its last look leaves open', () => {
  it('goes on when a row looks worse, and fails when all rounds together leave no doubt', () => {
    expect(signedRankP(worse)).toBeGreaterThan(0.04 / 6);
    expect(progressOf({ measuring: 12, slice: differing(worse) })).toEqual({
      kind: 'continue',
      phase: 'confirming',
      purpose: 'settle',
      usable: 12,
      untilRounds: 6,
      scenarios: ['home'],
    });
    const verdict = verdictOf({
      measuring: 12,
      confirming: 6,
      slice: differing([...worse, ...clearly]),
    });
    expect(verdict.outcome).toBe('regression');
    expect(verdict.rounds).toEqual({ measured: 12, planned: 12, confirming: 6 });
    expect(p99Of(verdict)).toMatchObject({ state: 'regressed', confirmation: 'settled' });
    expect(p99Of(verdict).rounds.used).toBe(18);
  });

  it('asks for more than a confirmation does, since nothing had been flagged', () => {
    const d = [...worse, ...faintly];
    // With four rows that could reach it: between the half percent that is asked for here and the one percent of a confirmation.
    expect(4 * signedRankP(d)).toBeGreaterThan(0.005);
    expect(4 * signedRankP(d)).toBeLessThanOrEqual(0.01);
    const verdict = verdictOf({ measuring: 12, confirming: 6, slice: differing(d) });
    expect(verdict.outcome).toBe('inconclusive');
    expect(p99Of(verdict)).toMatchObject({ state: 'undecided', confirmation: 'not-needed' });
  });

  it('goes on when six rounds would make the interval narrow enough, and may then pass', () => {
    expect(progressOf({ measuring: 12, slice: differing(wide) })).toMatchObject({ purpose: 'settle' });
    const verdict = verdictOf({ measuring: 12, confirming: 6, slice: differing([...wide, ...calm]) });
    expect(verdict.outcome).toBe('pass');
    expect(p99Of(verdict)).toMatchObject({ state: 'unchanged' });
  });

  it('ends where they would be spent in vain', () => {
    const hopeless = wide.map((value) => 3 * value);
    const verdict = verdictOf({ measuring: 12, slice: differing(hopeless) });
    expect(verdict.outcome).toBe('inconclusive');
    expect(verdict.rounds.confirming).toBe(0);
  });

  it('asks only the scenarios that are open', () => {
    const scenarios = [scenarioPlan('home'), scenarioPlan('search')];
    const slice = differing(wide, 'search');
    expect(progressOf({ measuring: 12, scenarios, slice })).toMatchObject({
      purpose: 'settle',
      scenarios: ['search'],
    });
    const verdict = verdictOf({
      measuring: 12,
      confirming: 6,
      confirmed: ['search'],
      scenarios,
      slice: differing([...wide, ...calm], 'search'),
    });
    expect(p99Of(verdict, 'home').rounds.used).toBe(12);
    expect(p99Of(verdict, 'search').rounds.used).toBe(18);
  });

  it('is as its last look left it when no further round can come', () => {
    for (const confirming of [0, 3]) {
      const verdict = verdictOf(
        { measuring: 12, confirming, slice: differing([...worse, ...clearly]) },
        { final: true },
      );
      expect(verdict.outcome).toBe('inconclusive');
      expect(p99Of(verdict)).toMatchObject({ state: 'undecided' });
      expect(p99Of(verdict).rounds.used).toBe(12);
    }
  });

  it('has no further rounds when confirmation is switched off', () => {
    const plan = { confirm: false, confirmationRounds: 0 };
    const verdict = verdictOf({ measuring: 12, plan, slice: differing(wide) });
    expect(verdict.outcome).toBe('inconclusive');
  });
});

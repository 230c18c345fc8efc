/** What left the gate by the configuration stays in sight as `missing`, and decides nothing but `fail-on: missing`. */
import { describe, expect, it } from 'vitest';
import type { Evidence, LeftOut } from '../../src/evidence/trial.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { ratio } from '../../src/kernel/units.ts';
import { verdictOfFailure, verdictOfSkipped } from '../../src/verdict/failure.ts';
import type { Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import { absentRows, leftOutRows } from '../../src/verdict/left-out.ts';
import { exitCodeOf } from '../../src/verdict/outcome.ts';
import type { Recipe } from './evidence-builder.ts';
import { evidenceOf, readPlain, settings } from './evidence-builder.ts';
import { benchmarks, costlier } from './stored-job.ts';

const leftOut: LeftOut = {
  file: 'tailgate.yml',
  scenarios: ['checkout', 'search'],
  routes: [
    { scenario: 'home', routes: ['GET /old'] },
    { scenario: 'shop', routes: ['GET /a', 'POST /b', 'GET /c'] },
  ],
  benchmarks: ['bench/parse.bench.js', 'go'],
  added: [],
};

function verdictOf(recipe: Recipe, evidence: Partial<Evidence> = {}): Verdict {
  const progress = judge(evidenceOf({ ...recipe, evidence: { leftOut, ...evidence } }), {
    readSlice: readPlain,
    final: true,
  });
  if (progress.kind !== 'decided') throw new Error('not decided');
  return progress.verdict;
}

const missing = (verdict: Verdict) =>
  verdict.findings
    .filter(({ state }) => state === 'missing')
    .map(({ scenario, metric }) => [scenario, metric]);
const exits = (verdict: Verdict, ...failOn: ('regression' | 'missing')[]) =>
  exitCodeOf(verdict, { failOn, onBaselineFailure: 'fail' });

describe('a job with scenarios and benchmarks that only the baseline has in its file', () => {
  it('has a row each, first of all, and passes unless that shall fail', () => {
    const verdict = verdictOf({ measuring: 6 });
    expect(verdict.outcome).toBe('pass');
    expect(missing(verdict)).toEqual([
      ['checkout', 'cpu'],
      ['search', 'cpu'],
      ['home > GET /old', 'cpu'],
      ['shop > GET /a and 2 more', 'cpu'],
      ['bench/parse.bench.js', 'microbenchmark'],
      ['go', 'microbenchmark'],
    ]);
    expect(verdict.findings.slice(0, 6).every(({ state, judged }) => judged && state === 'missing')).toBe(
      true,
    );
    expect([exits(verdict, 'regression'), exits(verdict, 'missing')]).toEqual([0, 1]);
  });

  it('says in plain words whose file it is, and what may be another name of it', () => {
    const [row] = verdictOf({ measuring: 6 }).findings;
    expect(row).toMatchObject({
      reason: "the baseline's `tailgate.yml` measures it, this change's does not",
      baseline: null,
      candidate: null,
      change: { kind: 'none' },
    });
    const renamed = leftOutRows({ ...leftOut, added: ['a', 'b', 'c', 'd'] }, settings);
    expect(renamed.map(({ reason }) => reason?.split('; ')[1])).toEqual([
      "only this change's has `a`, `b`, `c` and 1 more, measured on both sides",
      "only this change's has `a`, `b`, `c` and 1 more, measured on both sides",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is red, invalid or accepted by what was measured', () => {
    expect(verdictOf(costlier).outcome).toBe('regression');
    expect(verdictOf({ measuring: 0 }).outcome).toBe('invalid');
    const red = verdictOf({ measuring: 6 }, { benchmarks: benchmarks(0.1) });
    expect([red.outcome, missing(red).length]).toEqual(['regression', 6]);
    const waivers = (['cpu', 'cpu-total'] as const).map((metric) => ({
      scenario: 'home',
      metric,
      ceiling: ratio(0.2),
      expires: null,
      reason: 'safer hash',
      origin: 'the configuration',
    }));
    const accepted = verdictOf(costlier, { waivers });
    expect([accepted.outcome, missing(accepted).length]).toEqual(['pass', 6]);
  });

  it('says of a waiver for such a row that it is missing', () => {
    const waiver = {
      scenario: 'checkout',
      metric: 'cpu' as const,
      ceiling: ratio(0.2),
      expires: null,
      reason: 'safer hash',
      origin: 'the configuration',
    };
    const { warnings } = verdictOf({ measuring: 6 }, { waivers: [waiver] });
    expect(warnings.map(({ code, message }) => [code, /the row is missing/.test(message)])).toEqual([
      ['waiver-unused', true],
    ]);
  });
});

it('a job that measured nothing because of `paths` shows them too, for the next one would not know', () => {
  const verdict = verdictOfSkipped(['src/**'], leftOutRows(leftOut, settings));
  expect([verdict.outcome, missing(verdict).length]).toEqual(['skipped', 6]);
  expect(verdict.reason).toBe(
    "no changed file matches paths: src/**; `checkout` (and 5 more) is missing: the baseline's `tailgate.yml` measures it, this change's does not",
  );
  expect([exits(verdict, 'regression'), exits(verdict, 'missing')]).toEqual([0, 1]);
});

describe('a job that ended early', () => {
  const early = (code: 'service-failed' | 'invalid' | 'no-baseline', evidence: Evidence | null): Verdict =>
    verdictOfFailure(new TailgateError({ code, message: 'candidate: it ended' }), {
      evidence,
      missing: absentRows({ leftOut, gone: ['bench/gone.js'] }, settings),
    });

  it.each(['service-failed', 'invalid', 'no-baseline'] as const)(
    'as %s has every row, which count for its exit code',
    (code) => {
      for (const evidence of [null, evidenceOf({ measuring: 3 })]) {
        const verdict = early(code, evidence);
        expect(verdict.outcome).toBe(code);
        expect(missing(verdict)).toEqual([
          ...missing(verdictOf({ measuring: 6 })),
          ['bench/gone.js', 'microbenchmark'],
        ]);
        expect([exits(verdict, 'regression'), exits(verdict, 'missing')]).toEqual([0, 1]);
        expect(verdict.rounds.measured).toBe(evidence === null ? 0 : 3);
      }
    },
  );

  it('because its time was over has the rows of its evidence', () => {
    const verdict = verdictOf({ measuring: 3 });
    expect([verdict.outcome, missing(verdict).length]).toEqual(['inconclusive', 6]);
    expect([exits(verdict, 'regression'), exits(verdict, 'missing')]).toEqual([0, 1]);
  });

  it('says of a file that is gone that it is, not that the configuration leaves it out', () => {
    const [row] = absentRows({ leftOut: null, gone: ['bench/gone.js'] }, settings);
    expect(row?.reason).toBe('the baseline has this file of benchmarks, this change does not');
  });
});

it('nothing left out is no row', () => {
  expect(leftOutRows(undefined, settings)).toEqual([]);
  expect(leftOutRows(null, settings)).toEqual([]);
});

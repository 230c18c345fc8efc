/** Microbenchmarks against the clock: the last look taken early, its level, and what is said of it. */
import { describe, expect, test } from 'vitest';
import { benchEvidenceForm } from '../../src/evidence/bench-form.ts';
import { ns, ratio, secondsToNs } from '../../src/kernel/units.ts';
import { type Random, seededRandom } from '../../src/kernel/world.ts';
import type { BenchEvidence, SideResult } from '../../src/microbench/evidence.ts';
import { type BenchStep, benchStep } from '../../src/verdict/benchmark-progress.ts';
import { benchPlanInTime, expectedRounds } from '../../src/verdict/benchmark-time.ts';
import { judgeBenchmarks } from '../../src/verdict/benchmarks.ts';
import { leastRounds, looksAt } from '../../src/verdict/looks.ts';
import { benchSubject, emptyBench } from './bench-builder.ts';

const measured = (value: number): SideResult => ({
  kind: 'measured',
  value,
  samples: [value],
  cpu: null,
  digest: 'same',
});

const empty = (benchmarks: number, rounds = 12, confirm = true): BenchEvidence =>
  emptyBench(
    Array.from({ length: benchmarks }, (_, index) => benchSubject(`b${index}`)),
    rounds,
    { confirm },
  );

interface Work {
  readonly benchmarks?: number;
  readonly rounds?: number;
  readonly confirm?: boolean;
  /** Of all rounds, in seconds. */
  readonly budget: number;
  readonly share?: number;
  /** ln(candidate / baseline) of one round. */
  readonly change: () => number;
  /** Seconds a round with so many open benchmarks takes. */
  readonly round: (open: number) => number;
}

/** A whole job, as the conductor carries it out. */
function carriedOut(work: Work): Extract<BenchStep['progress'], { kind: 'decided' }> & BenchStep {
  const time = { budget: secondsToNs(work.budget), share: ratio(work.share ?? 1) };
  let step = benchStep(empty(work.benchmarks ?? 1, work.rounds, work.confirm), time);
  while (step.progress.kind === 'continue') {
    const { phase, benchmarks } = step.progress;
    const results = benchmarks.map((name) => ({
      name,
      baseline: measured(100),
      candidate: measured(100 * Math.exp(work.change())),
    }));
    const duration = ns(work.round(benchmarks.length) * 1e9);
    const { rounds } = step.evidence;
    const evidence = {
      ...step.evidence,
      rounds: [...rounds, { index: rounds.length, phase, results, duration }],
    };
    step = benchStep(evidence, time);
  }
  // What is stored is of a valid form, and gives the same answer again.
  benchEvidenceForm(step.evidence, '');
  expect(judgeBenchmarks(step.evidence, { final: true })).toEqual(step.progress);
  return { ...step, ...step.progress };
}

const noisy = (random: Random, by: number) => (): number => (random.next() + random.next() - 1) * by;
const seconds = (each: number) => (): number => each;

describe('microbenchmarks that are short of time', () => {
  test.each([7, 8, 10])(
    'are red on a 300-fold change where the budget holds %d rounds and six to confirm',
    (rounds) => {
      const noise = noisy(seededRandom(rounds), 0.01);
      const change = (): number => Math.log(300) + noise();
      // A benchmark that may be flagged from nine rounds on is by then.
      const { verdict, evidence } = carriedOut({ budget: (rounds + 6) * 5 + 1, change, round: seconds(5) });
      const looked = Math.min(rounds, 9);
      expect(verdict.outcome).toBe('regression');
      expect(verdict.findings[0]!.confirmation).toBe('confirmed');
      expect(verdict.rounds).toEqual({ measured: looked, planned: looked < 9 ? looked : 12, confirming: 6 });
      expect(evidence.plan.outOfTime?.ended).toBe(looked < 9 ? 'last-look' : undefined);
    },
  );

  test('say how many rounds there were, why, and which budget gives all', () => {
    const change = (): number => Math.log(300);
    const eight = carriedOut({ budget: 71, change, round: seconds(5) }).verdict.warnings;
    expect(eight).toEqual([
      {
        code: 'bench-out-of-time',
        message:
          '8 rounds of microbenchmarks before a confirmation instead of 12: a round took 5 s, and their 71 s of the time budget hold no more',
        hint: '`--time-budget 100s` gives all 12 and 6 to confirm',
      },
    ]);
    // The budget that is advised is enough.
    expect(carriedOut({ budget: 100, change: () => 0, round: seconds(5) }).verdict.warnings).toEqual([]);
    const gate = carriedOut({ budget: 71, share: 1 / 3, change, round: seconds(5) }).verdict.warnings;
    expect(gate[0]!.hint).toBe('`time-budget: 300s` gives all 12 and 6 to confirm');
  });

  test('measure the fewest rounds and their confirmation also beyond the budget, and say so', () => {
    const change = (): number => Math.log(300);
    const { verdict } = carriedOut({ budget: 40, change, round: seconds(5.4) });
    expect(verdict.outcome).toBe('regression');
    expect(verdict.rounds).toEqual({ measured: 6, planned: 6, confirming: 6 });
    expect(verdict.warnings[0]!.message).toContain('took 64.8 s instead of 40 s');
    const six = carriedOut({ budget: 40, rounds: 6, change, round: seconds(5.4) });
    expect(six.verdict.outcome).toBe('regression');
    expect(six.verdict.warnings[0]!.message).toMatch(
      /^the rounds of the microbenchmarks took 64.8 s instead of 40 s/,
    );
  });

  test('pass, or stay open, by the bound of a last look where nothing changed', () => {
    const quiet = noisy(seededRandom('quiet'), 0.01);
    expect(carriedOut({ budget: 71, change: quiet, round: seconds(5) }).verdict.outcome).toBe('pass');
    const loud = noisy(seededRandom('loud'), 0.4);
    const { verdict } = carriedOut({ budget: 71, change: loud, round: seconds(5) });
    expect(verdict.outcome).toBe('inconclusive');
    expect(verdict.reason).toMatch(/the spread is/);
    expect(verdict.rounds.measured).toBe(8);
  });

  test('end at once where far too little time is kept for any answer, with the budget that would do', () => {
    const { verdict } = carriedOut({ budget: 10, change: () => 5, round: seconds(5) });
    expect(verdict.outcome).toBe('inconclusive');
    expect(verdict.rounds).toEqual({ measured: 1, planned: 12, confirming: 0 });
    expect(verdict.reason).toBe(
      '`b0`: measuring ended after 1 of 12 rounds: a round took 5 s, and 10 s of the time budget are too short even for the fewest rounds that could fail, 6 and 6 to confirm; `--time-budget 100s` gives all 12 and 6 to confirm',
    );
  });

  test('never take a last look that could not fail, whatever the number of benchmarks', () => {
    for (const benchmarks of [1, 3, 4, 20, 40, 41, 42, 51, 52]) {
      const { evidence } = carriedOut({
        benchmarks,
        rounds: Math.max(12, leastRounds(benchmarks)),
        budget: 12,
        change: () => 0.03,
        round: seconds(1),
      });
      expect(evidence.plan.outOfTime).toBeDefined();
      if (evidence.plan.outOfTime?.ended === 'last-look')
        expect(2 ** -evidence.plan.rounds * benchmarks).toBeLessThanOrEqual(
          looksAt(evidence.plan.looks).at(-1)!.failLevel!,
        );
    }
  });

  test('are told after the first round how many fit', () => {
    const expected = (budget: number, rounds = 1): number => {
      const evidence = empty(1);
      const results = [{ name: 'b0', baseline: measured(1), candidate: measured(1) }];
      const phase = 'measuring' as const;
      const all = Array.from({ length: rounds }, (_, index) => ({
        index,
        phase,
        results,
        duration: secondsToNs(5),
      }));
      return expectedRounds({ ...evidence, rounds: all }, { budget: secondsToNs(budget), share: ratio(1) });
    };
    expect([10, 40, 71, 300].map((budget) => expected(budget))).toEqual([0, 6, 8, 12]);
  });

  test('are left alone while another round and a confirmation of six fit', () => {
    const evidence = empty(1);
    const results = [{ name: 'b0', baseline: measured(1), candidate: measured(1) }];
    const rounds = Array.from({ length: 8 }, (_, index) => ({
      index,
      phase: 'measuring' as const,
      results,
      duration: secondsToNs(5),
    }));
    const at = (budget: number) =>
      benchPlanInTime({ ...evidence, rounds }, { budget: secondsToNs(budget), share: ratio(1) });
    expect(at(75)).toBe(evidence.plan);
    expect(at(74).looks).toEqual([6, 8]);
  });
});

describe('the error level of jobs that the clock cuts', () => {
  test('a look flags at most 5 % of 2000 unchanged jobs of two benchmarks, wherever they are cut', () => {
    let flagged = 0;
    let cut = 0;
    const jobs = 2000;
    for (let job = 0; job < jobs; job++) {
      const random = seededRandom(`level-${job}`);
      const draw = (): number => ((random.next() + random.next() - 1) * 0.06) / (0.2 + random.next());
      const each = 0.5 + random.next();
      const { verdict, evidence } = carriedOut({
        benchmarks: 2,
        confirm: false,
        budget: 6 + 6 * random.next(),
        change: draw,
        round: (open) => each * (0.5 + open / 2) * (0.9 + 0.2 * random.next()),
      });
      flagged += verdict.outcome === 'regression' ? 1 : 0;
      cut += evidence.plan.outOfTime?.ended === 'last-look' ? 1 : 0;
    }
    expect(cut / jobs).toBeGreaterThan(0.3);
    // Three standard errors of 2000 jobs at 5 % are 1.5 %.
    expect(flagged / jobs).toBeLessThanOrEqual(0.065);
    expect(flagged).toBeGreaterThan(0);
  });
});

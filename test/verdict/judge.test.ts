import { describe, expect, it } from 'vitest';
import { ratio } from '../../src/kernel/units.ts';
import type { MetricName } from '../../src/kernel/words.ts';
import type { Finding, Verdict } from '../../src/verdict/finding.ts';
import type { JudgeOptions } from '../../src/verdict/judge.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { Recipe, Where } from './evidence-builder.ts';
import { chance, evidenceOf, readPlain, scenarioPlan, settings } from './evidence-builder.ts';

const progressOf = (recipe: Recipe, options: JudgeOptions = {}) =>
  judge(evidenceOf(recipe), { readSlice: readPlain, ...options });

function verdictOf(recipe: Recipe, options: JudgeOptions = {}): Verdict {
  const progress = progressOf(recipe, options);
  if (progress.kind !== 'decided') throw new Error(`not decided: ${JSON.stringify(progress)}`);
  expectPlainNumbers(progress.verdict);
  return progress.verdict;
}

const row = (verdict: Verdict, metric: MetricName, scenario = 'home'): Finding =>
  verdict.findings.find((finding) => finding.metric === metric && finding.scenario === scenario)!;

const stateOf = (verdict: Verdict, metric: MetricName, scenario = 'home'): string =>
  row(verdict, metric, scenario).state;

/** No NaN and no Infinity anywhere: JSON would turn them into null and a table into nonsense. */
function expectPlainNumbers(value: unknown, path = 'verdict'): void {
  if (typeof value === 'number') expect(Number.isFinite(value), `${path} is ${value}`).toBe(true);
  if (typeof value === 'string') expect(value).not.toMatch(/NaN|Infinity|undefined|\[object/);
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) expectPlainNumbers(inner, `${path}.${key}`);
  }
}

const candidate = (where: Where): boolean => where.side === 'candidate';

/** The candidate's p99 and p50 are slower by a log-ratio a round; everything else is unchanged. */
const slower =
  (d: (round: number) => number) =>
  (where: Where): { p99?: number } =>
    candidate(where) ? { p99: 4e6 * Math.exp(d(where.round)) } : {};

const wild = [0.35, -0.42, 0.12, -0.18, 0.61, 0.05, -0.27, 0.48, -0.09, 0.22, -0.55, 0.31];

describe('looks', () => {
  it('measures all scenarios up to the first look, then on to the next', () => {
    const scenarios = [scenarioPlan('home'), scenarioPlan('search')];
    expect(progressOf({ measuring: 0, scenarios })).toEqual({
      kind: 'continue',
      phase: 'measuring',
      purpose: 'look',
      usable: 0,
      untilRounds: 6,
      scenarios: ['home', 'search'],
    });
    expect(progressOf({ measuring: 5 })).toMatchObject({ kind: 'continue', untilRounds: 6 });
    const unsettled = slower((round) => wild[round]!);
    expect(progressOf({ measuring: 6, slice: unsettled })).toMatchObject({ untilRounds: 9 });
    expect(progressOf({ measuring: 8, slice: unsettled })).toMatchObject({ untilRounds: 9 });
    expect(progressOf({ measuring: 9, slice: unsettled })).toMatchObject({ untilRounds: 12 });
  });

  it('passes an unchanged build at the first look', () => {
    const verdict = verdictOf({ measuring: 6 });
    expect(verdict.outcome).toBe('pass');
    expect(verdict.rounds).toEqual({ measured: 6, planned: 12, confirming: 0 });
    expect(verdict.reason).toBeNull();
    expect(verdict.warnings).toEqual([]);
    const cpu = row(verdict, 'cpu');
    expect(cpu.state).toBe('unchanged');
    expect(cpu.change).toMatchObject({ kind: 'ratio', p: 0.421875 });
    if (cpu.change.kind !== 'ratio') throw new Error('no ratio');
    expect(cpu.change.effect).toBeCloseTo(Math.expm1(0.0015), 9);
    expect(cpu.change.upper).toBeCloseTo(Math.expm1(0.031), 9);
    expect(cpu.perRound).toHaveLength(6);
    expect(cpu.baseline).toBeCloseTo(300e3, 3);
  });

  it('comes to the same answer from a stored file that holds more rounds than the decision took', () => {
    expect(verdictOf({ measuring: 12 }).rounds.measured).toBe(6);
  });

  it('leaves a wide spread undecided at the last look and says what would settle it', () => {
    const verdict = verdictOf({ measuring: 12, slice: slower((round) => wild[round]!) });
    expect(verdict.outcome).toBe('inconclusive');
    const p99 = row(verdict, 'p99');
    expect(p99.state).toBe('undecided');
    expect(p99.change).toMatchObject({ p: 0.31103515625 });
    expect(p99.reason).toBe(
      'the spread is ±28 % (one run against one run here would be off by ±48 %): the smallest effect visible is 41 %, 20 % was asked for; about 36 more rounds would settle it',
    );
    expect(p99.roundsToSettle).toBe(36);
    expect(verdict.reason).toContain('p99 of `home`');
    expect(stateOf(verdict, 'cpu')).toBe('unchanged');
    expect(verdict.findings[0]!.metric).toBe('p99');
  });

  it('is inconclusive when measuring ends between looks', () => {
    const verdict = verdictOf({ measuring: 4 }, { final: true });
    expect(verdict.outcome).toBe('inconclusive');
    expect(row(verdict, 'p99').reason).toBe(
      'measuring ended after 4 of 12 rounds, before a look could decide',
    );
    expect(row(verdict, 'p99').change).toMatchObject({ interval: null, spread: null, upper: null });
  });

  it('is invalid when not one round was measured', () => {
    const verdict = verdictOf({ measuring: 0 }, { final: true });
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.reason).toBe('no round was measured');
  });
});

describe('regressions', () => {
  const twenty = slower((round) => 0.18 + chance(round));

  it('flags at nine rounds and confirms with six more', () => {
    expect(progressOf({ measuring: 6, slice: twenty })).toMatchObject({ phase: 'measuring', untilRounds: 9 });
    expect(progressOf({ measuring: 9, slice: twenty })).toEqual({
      kind: 'continue',
      phase: 'confirming',
      purpose: 'confirm',
      usable: 9,
      untilRounds: 6,
      scenarios: ['home'],
    });
    expect(progressOf({ measuring: 9, confirming: 5, slice: twenty })).toMatchObject({
      phase: 'confirming',
      untilRounds: 6,
    });
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice: twenty });
    expect(verdict.outcome).toBe('regression');
    expect(verdict.rounds).toEqual({ measured: 9, planned: 12, confirming: 6 });
    const p99 = row(verdict, 'p99');
    expect(p99).toMatchObject({ state: 'regressed', confirmation: 'confirmed' });
    expect(p99.rounds.used).toBe(15);
    if (p99.change.kind !== 'ratio') throw new Error('no ratio');
    expect(p99.change.interval![0]).toBeGreaterThan(0);
    expect(p99.change.adjustedP).toBeLessThanOrEqual(0.01);
    expect(p99.change.p).toBe(2 ** -15);
    expect(verdict.findings[0]).toBe(p99);
    expect(stateOf(verdict, 'cpu')).toBe('unchanged');
  });

  it('measures only the flagged scenario again, at the look where the larger family can be flagged', () => {
    const scenarios = [scenarioPlan('home'), scenarioPlan('search')];
    const slice = (where: Where) => (where.scenario === 'home' ? twenty(where) : {});
    expect(progressOf({ measuring: 9, scenarios, slice })).toMatchObject({
      phase: 'measuring',
      untilRounds: 12,
    });
    expect(progressOf({ measuring: 12, scenarios, slice })).toEqual({
      kind: 'continue',
      phase: 'confirming',
      purpose: 'confirm',
      usable: 12,
      untilRounds: 6,
      scenarios: ['home'],
    });
    const verdict = verdictOf({ measuring: 12, confirming: 6, confirmed: ['home'], scenarios, slice });
    expect(verdict.outcome).toBe('regression');
    expect(row(verdict, 'p99').rounds).toEqual({ used: 18, dropped: 0 });
    expect(stateOf(verdict, 'p99', 'search')).toBe('unchanged');
    expect(row(verdict, 'p99', 'search').rounds).toEqual({ used: 12, dropped: 0 });
  });

  it('is inconclusive with both estimates when fresh rounds do not show it again', () => {
    const fading = slower((round) => (round < 9 ? 0.12 : -0.15) + chance(round));
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice: fading });
    expect(verdict.outcome).toBe('inconclusive');
    const p99 = row(verdict, 'p99');
    expect(p99).toMatchObject({ state: 'undecided', confirmation: 'not-confirmed' });
    expect(p99.reason).toMatch(
      /^not confirmed: \+13 % when it was flagged, .* over all 15 rounds, .*; a quieter runner or more rounds would settle it$/,
    );
  });

  it('fails at once where confirmation is switched off', () => {
    const verdict = verdictOf({ measuring: 9, slice: twenty, plan: { confirm: false } });
    expect(verdict.outcome).toBe('regression');
    expect(row(verdict, 'p99')).toMatchObject({ state: 'regressed', confirmation: 'off' });
  });

  it('is inconclusive when confirmation ends early', () => {
    const verdict = verdictOf({ measuring: 9, confirming: 3, slice: twenty }, { final: true });
    expect(verdict.outcome).toBe('inconclusive');
    expect(row(verdict, 'p99').reason).toBe('flagged, but confirmation ended after 3 of 6 rounds');
    expect(verdict.rounds.confirming).toBe(3);
  });

  it('does not flag what is significant and too small to matter', () => {
    const slice = (where: Where) =>
      candidate(where)
        ? { cpu: 300e3 * Math.exp(0.015 + chance(where.round) / 20), p99: 4e6 * Math.exp(wild[where.round]!) }
        : {};
    const verdict = verdictOf({ measuring: 12, slice });
    expect(verdict.outcome).toBe('inconclusive');
    expect(row(verdict, 'cpu')).toMatchObject({ state: 'unchanged', change: { p: 2 ** -12 } });
  });

  it('is not confirmed by a large effect over rounds that disagree', () => {
    const fresh = [-0.4, 0.5, -0.45, 0.1, -0.6, -0.5];
    const slice = slower((round) => (round < 9 ? 0.18 + chance(round) : fresh[round - 9]!));
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice });
    const { state, change } = row(verdict, 'p99');
    expect(state).toBe('undecided');
    if (change.kind !== 'ratio') throw new Error('no ratio');
    expect(change.effect).toBeGreaterThan(0.05);
    expect(change.adjustedP).toBeGreaterThan(0.01);
  });

  it('sees cost that falls into few slices in the total, not in the median', () => {
    const slice = (where: Where) =>
      candidate(where) && where.pair === 3 ? { cpu: 300e3 * 1.5 * Math.exp(chance(where.round)) } : {};
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice });
    expect(stateOf(verdict, 'cpu-total')).toBe('regressed');
    expect(stateOf(verdict, 'cpu')).toBe('unchanged');
  });

  it('subtracts what a side uses while idle', () => {
    const evidence = evidenceOf({ measuring: 6, idleRate: 0.1 });
    const loaded = {
      ...evidence,
      rounds: evidence.rounds.map((round) => ({
        ...round,
        trials: round.trials.map((trial) =>
          trial.side === 'candidate' && trial.cost !== null
            ? { ...trial, cost: { cpu: (trial.cost.cpu + 6e8) as never, idle: 6e9 as never } }
            : trial,
        ),
      })),
    };
    const progress = judge(loaded, { readSlice: readPlain });
    if (progress.kind !== 'decided') throw new Error('not decided');
    expect(stateOf(progress.verdict, 'cpu')).toBe('unchanged');
  });

  it('trips the tail guard on pauses that the median of slices does not see', () => {
    const slice = (where: Where) =>
      candidate(where) && where.pair === where.round % 4 ? { p99: 90e6, allP99: 90e6 } : {};
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice });
    expect(verdict.outcome).toBe('regression');
    const tail = row(verdict, 'tail');
    expect(tail).toMatchObject({ state: 'regressed', baseline: 0, candidate: 0.25, unit: 'share-of-slices' });
    expect(tail.change).toMatchObject({ kind: 'points', difference: 0.25, p: 2 ** -15 });
    expect(stateOf(verdict, 'p99')).toBe('unchanged');
  });

  it('does not pass pauses that look worse and could still be chance among so many rows', () => {
    // Six rounds of twelve with one slow slice of four: 12.5 points, p = 2^-6, six times that for six rows.
    const slice = (where: Where) =>
      candidate(where) && where.round < 6 && where.pair === 0 ? { p99: 90e6, allP99: 90e6 } : {};
    const verdict = verdictOf({ measuring: 12, slice }, { final: true });
    const tail = row(verdict, 'tail');
    expect(tail.change).toMatchObject({ kind: 'points', difference: 0.125, p: 2 ** -6 });
    expect([tail.state, verdict.outcome]).toEqual(['undecided', 'inconclusive']);
    expect(tail.reason).toContain('may be chance');
  });

  it('passes a single slow slice more: that is chance, and less than what is worth a red build', () => {
    const slice = (where: Where) =>
      candidate(where) && where.round === 0 && where.pair === 0 ? { p99: 90e6, allP99: 90e6 } : {};
    expect(stateOf(verdictOf({ measuring: 12, slice }), 'tail')).toBe('unchanged');
  });

  it('reads an improvement with the mirrored size when the sides are swapped', () => {
    const faster = verdictOf({ measuring: 6, slice: slower((round) => -0.3 + chance(round)) });
    expect(faster.outcome).toBe('pass');
    const p99 = row(faster, 'p99');
    expect(p99.state).toBe('improved');
    if (p99.change.kind !== 'ratio') throw new Error('no ratio');
    const mirrored = verdictOf({
      measuring: 9,
      confirming: 6,
      slice: slower((round) => 0.3 - chance(round)),
    });
    const swapped = row(mirrored, 'p99').change;
    if (swapped.kind !== 'ratio') throw new Error('no ratio');
    expect(Math.log1p(p99.change.effect)).toBeCloseTo(-Math.log1p(swapped.effect), 1);
    expect(p99.change.interval![1]).toBeLessThan(0);
  });
});

describe('errors and saturation', () => {
  it('confirms errors, and does not judge times of a candidate that answers hardly anything', () => {
    const slice = (where: Where) =>
      candidate(where) ? { failed: 400, errors: { 'status 503': 400 }, p50: 5e9, p99: 5e9 } : {};
    expect(progressOf({ measuring: 6, slice })).toMatchObject({ phase: 'confirming', scenarios: ['home'] });
    const verdict = verdictOf({ measuring: 6, confirming: 6, slice });
    expect(verdict.outcome).toBe('regression');
    expect(row(verdict, 'errors')).toMatchObject({ state: 'regressed', candidate: 0.8, baseline: 0 });
    expect(row(verdict, 'errors').reason).toBe(
      'the candidate answered only 20 % of the requests of `home` rightly (mostly status 503), so its times say nothing',
    );
    for (const metric of ['p50', 'p99', 'cpu', 'cpu-total', 'tail'] as const) {
      expect(stateOf(verdict, metric)).toBe('invalid');
    }
  });

  it('counts shots that were never answered, too few to move p99', () => {
    const slice = (where: Where) => (candidate(where) ? { unfinished: 3 } : {});
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice });
    expect(verdict.outcome).toBe('regression');
    expect(row(verdict, 'errors').change).toMatchObject({ kind: 'points', difference: 3 / 500 });
    expect(stateOf(verdict, 'p99')).toBe('unchanged');
  });

  it('forgives a few errors on either side', () => {
    const slice = (where: Where) => ({ failed: (where.round + Number(candidate(where))) % 2 });
    expect(verdictOf({ measuring: 6, slice }).outcome).toBe('pass');
  });

  it('divides by nothing when not one request succeeds', () => {
    const nothing = { failed: 500, errors: { 'connection refused': 500 }, statuses: {}, cpu: 0 };
    const all = verdictOf({
      measuring: 6,
      confirming: 6,
      slice: (where) => (candidate(where) ? nothing : {}),
    });
    expect(all.outcome).toBe('regression');
    const baseline = verdictOf({ measuring: 2, slice: (where) => (candidate(where) ? {} : nothing) });
    expect(baseline.outcome).toBe('invalid');
    expect(baseline.reason).toBe(
      'the baseline answered only 0 % of the requests of `home` rightly (mostly connection refused), so its times say nothing',
    );
    expect(verdictOf({ measuring: 2, slice: () => nothing }).outcome).toBe('invalid');
  });

  it('calls a saturated candidate a regression, even when its latency proves nothing', () => {
    const slice = (where: Where) =>
      candidate(where) ? { saturated: true, p99: 4e6 * Math.exp(wild[where.round % 12]!) } : {};
    expect(progressOf({ measuring: 6, slice })).toMatchObject({ phase: 'confirming' });
    const verdict = verdictOf({ measuring: 6, confirming: 6, slice });
    expect(verdict.outcome).toBe('regression');
    expect(row(verdict, 'p99')).toMatchObject({ state: 'regressed', confirmation: 'confirmed' });
    expect(row(verdict, 'p99').reason).toBe(
      'saturated: the candidate could not hold 800/s in 48 of 48 slices, the baseline could in 48',
    );
  });

  it('stops early when neither side holds the rate, and says which rate would do', () => {
    const verdict = verdictOf({ measuring: 2, slice: () => ({ saturated: true }) });
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.reason).toBe('neither side could hold 800/s in `home`; about 550/s would do');
    expect(stateOf(verdict, 'cpu')).toBe('invalid');
  });

  it('stops at a look when neither side held the rate in half of the rounds', () => {
    const verdict = verdictOf({ measuring: 6, slice: (where) => ({ saturated: where.round % 2 === 1 }) });
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.reason).toMatch(/^neither side could hold/);
    expect(verdictOf({ measuring: 6, slice: (where) => ({ saturated: where.round === 3 }) }).outcome).toBe(
      'pass',
    );
  });

  it('does not judge a rate that only the baseline cannot hold against the candidate', () => {
    const slice = (where: Where) => (candidate(where) ? {} : { saturated: true, p50: 9e6, p99: 40e6 });
    const verdict = verdictOf({ measuring: 6, slice });
    expect(verdict.outcome).toBe('pass');
    expect(stateOf(verdict, 'p99')).toBe('improved');
  });
});

describe('soundness', () => {
  it('replaces an unsound pair and says how many were rejected', () => {
    const slice = (where: Where) =>
      where.pair === 0 && where.attempt === 0 && where.round < 3
        ? where.side === (where.round % 2 === 0 ? 'baseline' : 'candidate')
          ? { unsound: ['generator-busy' as const], p99: 900e6 }
          : { p99: 700e6 }
        : {};
    const verdict = verdictOf({ measuring: 6, slice });
    expect(verdict.outcome).toBe('pass');
    expect(verdict.slices).toEqual({ measured: 6 * 8 + 3 * 2, rejected: 6 });
  });

  it('replaces a round with fewer than half of its pairs: a look at six means six usable rounds', () => {
    const slice = (where: Where) =>
      where.round === 2 && where.pair < 3 ? { unsound: ['released-too-few' as const] } : {};
    expect(progressOf({ measuring: 6, slice })).toMatchObject({ kind: 'continue', untilRounds: 7 });
    const verdict = verdictOf({ measuring: 7, slice });
    expect(verdict.outcome).toBe('pass');
    expect(row(verdict, 'p99').rounds).toEqual({ used: 6, dropped: 1 });
  });

  it('takes as many rounds of every scenario, when one of them has lost a round', () => {
    const scenarios = [scenarioPlan('home'), scenarioPlan('search')];
    const slice = (where: Where) =>
      where.round === 2 && where.pair < 3 && where.scenario === 'home'
        ? { unsound: ['released-too-few' as const] }
        : {};
    const verdict = verdictOf({ measuring: 7, scenarios, slice });
    expect(row(verdict, 'p99', 'home').rounds).toEqual({ used: 6, dropped: 1 });
    expect(row(verdict, 'p99', 'search').rounds).toEqual({ used: 6, dropped: 0 });
  });

  it('is invalid once more than a quarter of the planned pairs is lost', () => {
    const slice = () => ({ unsound: ['generator-busy' as const] });
    expect(progressOf({ measuring: 1, slice })).toMatchObject({ kind: 'continue' });
    const verdict = verdictOf({ measuring: 2, slice });
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.reason).toBe(
      '16 pairs of slices of `home` were unsound, more than a quarter of the 48 planned: the generator was busy (32 slices)',
    );
  });

  it('removes nothing when one side causes the unsound slices', () => {
    const slice = (where: Where) =>
      where.pair === 0 && where.attempt === 0 && candidate(where)
        ? { unsound: ['generator-busy' as const] }
        : {};
    const verdict = verdictOf({ measuring: 6, slice });
    expect(verdict.slices.rejected).toBe(0);
    expect(verdict.warnings.map((warning) => warning.code)).toContain('one-sided-unsound');
  });

  it('keeps the slow answers of the side that spoils its own slices', () => {
    const slice = (where: Where) =>
      candidate(where) && where.pair < 2 && where.attempt === 0
        ? { ...(where.pair === 0 ? { unsound: ['generator-busy' as const] } : {}), p99: 90e6 }
        : candidate(where) && where.pair === 2
          ? { p99: 90e6 }
          : {};
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice });
    expect(stateOf(verdict, 'p99')).toBe('regressed');
  });
});

describe('on time', () => {
  const noisyAll = (where: Where) => ({
    allP99: 4e6 * Math.exp(wild[where.round % 12]! * (candidate(where) ? 1 : 0)),
  });

  it('judges the shots sent on time while both sides are late alike, and shows the other view', () => {
    const verdict = verdictOf({ measuring: 6, slice: noisyAll });
    expect(verdict.outcome).toBe('pass');
    const p99 = row(verdict, 'p99');
    expect(p99.view).toBe('on-time');
    expect(p99.otherView!.view).toBe('all-shots');
    expect(p99.otherView!.change).not.toEqual(p99.change);
    expect(row(verdict, 'cpu').view).toBeNull();
    expect(verdict.onTimeShare).toEqual({ baseline: 0.96, candidate: 0.96 });
  });

  it.each(['baseline', 'candidate'] as const)('judges all shots when those of the %s are later', (side) => {
    const slice = (where: Where) => ({ ...noisyAll(where), late: where.side === side ? 60 : 20 });
    expect(progressOf({ measuring: 6, slice })).toMatchObject({ kind: 'continue' });
    const verdict = verdictOf({ measuring: 12, slice });
    expect(verdict.outcome).toBe('inconclusive');
    expect(row(verdict, 'p99')).toMatchObject({ state: 'undecided', view: 'all-shots' });
    expect(verdict.warnings.map((warning) => warning.code)).toContain('late-shares-differ');
  });

  it('judges all shots when one side is a little later in every round, whatever a stall does to the other', () => {
    const slice = (where: Where) => {
      const stalled = where.side === 'baseline' && where.round === 3 && where.pair === 0;
      const late = stalled ? 420 : candidate(where) ? 26 + (where.round % 5) : 20;
      return { ...slower((round) => wild[round]!)(where), late };
    };
    expect(row(verdictOf({ measuring: 12, slice }), 'p99').view).toBe('all-shots');
  });

  it('judges all shots when one side is much later in a few rounds', () => {
    const slice = (where: Where) => {
      const late = candidate(where) && where.round < 5 ? 200 : candidate(where) ? 20 : 21;
      return { ...noisyAll(where), late };
    };
    expect(row(verdictOf({ measuring: 12, slice }), 'p99').view).toBe('all-shots');
  });

  it('does not pass a candidate that hides behind late shots', () => {
    const slice = (where: Where) =>
      candidate(where) ? { allP99: 4e6 * Math.exp(0.2 + chance(where.round)) } : {};
    const verdict = verdictOf({ measuring: 12, slice });
    expect(verdict.outcome).toBe('inconclusive');
    expect(row(verdict, 'p99').reason).toMatch(
      /^over all requests, those that were sent late included, it rose by 2\d %, hardly by chance \([+−][\d.]+ % over those sent on time\), and a pass needs both/,
    );
  });

  it('calls the runner too noisy under 70 % on time, and still judges CPU', () => {
    const slice = (where: Where) => ({
      late: 160,
      ...(candidate(where) ? { cpu: 330e3 * Math.exp(chance(where.round)) } : {}),
    });
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice });
    expect(verdict.outcome).toBe('regression');
    expect(stateOf(verdict, 'cpu')).toBe('regressed');
    expect(row(verdict, 'p99')).toMatchObject({
      state: 'undecided',
      reason:
        'runner too noisy for percentiles: 68.0 % of the shots were sent on time, at least 70 % are needed',
    });
    expect(verdictOf({ measuring: 12, slice: () => ({ late: 160 }) }).outcome).toBe('inconclusive');
    const slowTail = slower((round) => 0.3 + chance(round));
    const slow = verdictOf({ measuring: 12, slice: (where) => ({ late: 160, ...slowTail(where) }) });
    expect(slow.outcome).toBe('inconclusive');
    expect(stateOf(slow, 'p99')).toBe('undecided');
  });

  it('does not pass a candidate that starves the generator, and judges its late shots too', () => {
    const slice = (where: Where) =>
      candidate(where) ? { late: 320, allP99: 30e6 * Math.exp(chance(where.round)) } : {};
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice });
    expect(verdict.outcome).toBe('regression');
    expect(row(verdict, 'p99')).toMatchObject({ state: 'regressed', view: 'all-shots' });
    const harmless = verdictOf({ measuring: 12, slice: (where) => (candidate(where) ? { late: 320 } : {}) });
    expect(harmless.outcome).toBe('inconclusive');
  });
});

describe('the same work', () => {
  it('stops when a status turns into another right one', () => {
    const slice = (where: Where) => (candidate(where) ? { statuses: { 204: 500 } } : {});
    const verdict = verdictOf({ measuring: 6, slice });
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.reason).toBe(
      "not the same work in `home`: status 200 was 100 % of the baseline's right answers and is 0 % of the candidate's",
    );
    expect(stateOf(verdict, 'p99')).toBe('invalid');
  });

  it('stops when the candidate has far fewer errors than the baseline', () => {
    const slice = (where: Where) =>
      candidate(where) ? {} : { failed: 50, errors: { 'status 500': 50 }, statuses: { 200: 450, 500: 50 } };
    expect(verdictOf({ measuring: 6, slice }).reason).toMatch(/answered 10 % more of the requests rightly/);
  });

  it('takes more errors for a finding, not for different work', () => {
    const slice = (where: Where) =>
      candidate(where) ? { failed: 50, errors: { 'status 500': 50 }, statuses: { 200: 450, 500: 50 } } : {};
    const verdict = verdictOf({ measuring: 9, confirming: 6, slice });
    expect(verdict.outcome).toBe('regression');
    expect(stateOf(verdict, 'errors')).toBe('regressed');
  });

  it.each([
    [
      'size',
      { bodyBytes: 1300 },
      'a body of the baseline has 1.17 KiB on average, one of the candidate 1.27 KiB',
    ],
    ['content', { checksum: 'b2' }, 'the bodies of the two sides differ in content'],
  ])('marks bodies of another %s and warns, or stops when told to', (_, body, sentence) => {
    const slice = (where: Where) => (candidate(where) ? body : {});
    const verdict = verdictOf({ measuring: 6, slice });
    expect(verdict.outcome).toBe('pass');
    expect(verdict.warnings).toMatchObject([{ code: 'different-body', message: `\`home\`: ${sentence}` }]);
    expect(row(verdict, 'p99').reason).toBe(sentence);
    const stopped = verdictOf({ measuring: 6, slice, evidence: { onDifferentBody: 'stop' } });
    expect(stopped.outcome).toBe('invalid');
    expect(stopped.reason).toBe(`not the same work in \`home\`: ${sentence}`);
  });

  it('does not mistake bodies that carry a time for a change', () => {
    const slice = (where: Where) => ({ checksum: `${where.side}-${where.round}-${where.pair}` });
    expect(verdictOf({ measuring: 6, slice }).warnings).toEqual([]);
  });

  it('shows a route that the baseline lacks as new, and judges the others', () => {
    const scenarios = [scenarioPlan('home'), scenarioPlan('fresh')];
    const missing = { failed: 500, errors: { 'status 404': 500 }, statuses: { 404: 500 } };
    const slice = (where: Where) => (where.scenario === 'fresh' && !candidate(where) ? missing : {});
    const verdict = verdictOf({ measuring: 6, scenarios, slice });
    expect(verdict.outcome).toBe('pass');
    expect(stateOf(verdict, 'p99', 'fresh')).toBe('new');
    expect(stateOf(verdict, 'p99', 'home')).toBe('unchanged');
    const alone = verdictOf({ measuring: 6, scenarios: [scenarioPlan('fresh')], slice });
    expect(alone.outcome).toBe('no-baseline');
  });
});

describe('eligibility and missing figures', () => {
  it('judges p95 in the place of p99 and says why', () => {
    const scenarios = [
      scenarioPlan('home', {
        sliceRequests: 100,
        tailPercentile: 'p95',
        judged: ['p50', 'p95', 'cpu', 'cpu-total', 'tail', 'errors'],
      }),
    ];
    const verdict = verdictOf({ measuring: 6, scenarios });
    expect(verdict.outcome).toBe('pass');
    expect(row(verdict, 'p99')).toMatchObject({
      state: 'not-eligible',
      judged: false,
      reason:
        'p99 needs 500 scheduled requests a slice and 2,000 a side and round; 100 and 400 are scheduled, so p95 is judged in its place',
    });
    expect(row(verdict, 'p95').tolerance.detect).toBe(0.2);
  });

  it('does not pass when CPU could not be read', () => {
    const verdict = verdictOf({ measuring: 12, slice: () => ({ cpu: null }) });
    expect(verdict.outcome).toBe('inconclusive');
    expect(row(verdict, 'cpu')).toMatchObject({
      state: 'undecided',
      baseline: null,
      reason: 'CPU per request could not be compared: the CPU time of the service could not be read',
    });
  });

  it('survives zero cost on either side without a ratio', () => {
    for (const side of ['baseline', 'candidate']) {
      const verdict = verdictOf({ measuring: 12, slice: (where) => (where.side === side ? { cpu: 0 } : {}) });
      expect(verdict.outcome).toBe('inconclusive');
      expect(row(verdict, 'cpu').change.kind).toBe('none');
    }
  });

  it('cannot pass or flag a metric that has values in too few rounds', () => {
    const verdict = verdictOf({
      measuring: 12,
      slice: (where) => (where.round % 2 === 0 ? { cpu: null } : {}),
    });
    expect(row(verdict, 'cpu')).toMatchObject({ state: 'undecided', rounds: { used: 6, dropped: 6 } });
    expect(row(verdict, 'cpu').reason).toBe('CPU per request has a value in only 6 of 12 rounds');
  });

  it('shows p90 and p95 for information', () => {
    const verdict = verdictOf({ measuring: 6 });
    expect(row(verdict, 'p95')).toMatchObject({ judged: false, state: 'unchanged' });
    expect(verdict.findings.slice(-2).every((finding) => !finding.judged)).toBe(true);
  });
});

describe('a change within its own spread', () => {
  // All rounds got worse, by anything from 2 % to a factor of 20: beyond chance, and no figure to believe.
  const lopsided = slower((round) => 0.02 * 1.7 ** (round % 10));
  const judgedP99 = (recipe: Recipe) => {
    const finding = row(verdictOf(recipe), 'p99');
    if (finding.change.kind !== 'ratio') throw new Error('no ratio');
    const { effect, spread, interval, p } = finding.change;
    expect(p).toBeLessThan(0.001);
    expect(interval![0]).toBeGreaterThan(0);
    expect(Math.log1p(effect)).toBeLessThan(spread!);
    return finding;
  };

  it('is no regression, whatever its p, and says so', () => {
    const plan = { confirm: false, confirmationRounds: 0 };
    const finding = judgedP99({ measuring: 12, slice: lopsided, plan });
    expect(finding.state).toBe('undecided');
    expect(finding.reason).toContain('within its spread');
  });

  it('is no pass either, however wide the tolerance', () => {
    const plan = { confirm: false, confirmationRounds: 0 };
    const judge = { ...settings, p99: { min: ratio(0.05), detect: ratio(99) } };
    const verdict = verdictOf({ measuring: 12, slice: lopsided, plan, evidence: { judge } });
    expect(verdict.outcome).toBe('inconclusive');
  });

  it('is not flagged: fresh rounds come only because it may be settled', () => {
    expect(progressOf({ measuring: 12, slice: lopsided })).toMatchObject({ purpose: 'settle' });
  });
});

/** That different work stops the comparison at the first look, and that the same work hardly ever does. */
import { describe, expect, it } from 'vitest';
import type { Side } from '../../src/kernel/words.ts';
import type { Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import { scenarioRounds } from '../../src/verdict/pairing.ts';
import { conditionOf } from '../../src/verdict/same-work.ts';
import type { Where } from './evidence-builder.ts';
import { evidenceOf, readPlain, scenarioPlan } from './evidence-builder.ts';

type Statuses = Readonly<Record<string, number>>;
type Mixes = Readonly<Record<Side, (round: number) => Statuses>>;

/** Statuses of every slice of a round. */
const slices =
  (mixes: Mixes) =>
  (where: Where): { statuses: Statuses } => ({ statuses: mixes[where.side](where.round) });

function verdictOf(mixes: Mixes, rounds: number, measuring = rounds): Verdict | 'goes on' {
  const evidence = evidenceOf({ measuring, rounds, slice: slices(mixes) });
  const progress = judge(evidence, { readSlice: readPlain });
  return progress.kind === 'decided' ? progress.verdict : 'goes on';
}

const always = (statuses: Statuses) => () => statuses;

describe('a shift of the whole status mix', () => {
  const shifts: readonly (readonly [string, Statuses, Statuses])[] = [
    ['two statuses and a stray third', { 200: 300, 201: 199, 204: 1 }, { 200: 499, 204: 1 }],
    ['three evenly used ones into one', { 200: 167, 201: 167, 202: 166 }, { 200: 500 }],
    ['three that turn in a ring', { 200: 300, 201: 150, 202: 50 }, { 200: 50, 201: 300, 202: 150 }],
    [
      'six, of which two change places',
      { 200: 200, 201: 100, 202: 50, 203: 50, 204: 50, 206: 50 },
      { 200: 100, 201: 200, 202: 50, 203: 50, 204: 50, 206: 50 },
    ],
    ['two, by four points', { 200: 480, 201: 20 }, { 200: 460, 201: 40 }],
  ];

  it.each(shifts)('is seen at the first look: %s', (_, baseline, candidate) => {
    for (const rounds of [6, 12, 15]) {
      const verdict = verdictOf({ baseline: always(baseline), candidate: always(candidate) }, rounds, 6);
      expect(verdict).toMatchObject({
        outcome: 'invalid',
        reason: expect.stringMatching(/^not the same work in `home`: status 20\d was/),
        rounds: { measured: 6 },
      });
    }
  });

  it('is seen beside two statuses that vary by themselves', () => {
    // 200 and 201 trade places by chance, up to 13 points; 202 turns into 203.
    const wild = [30, 80, 45, 95, 20, 60];
    const mix = (turned: boolean, round: number): Statuses => ({
      [turned ? 203 : 202]: 400,
      200: wild[round]!,
      201: 100 - wild[round]!,
    });
    const verdict = verdictOf(
      { baseline: (round) => mix(false, round), candidate: (round) => mix(true, 5 - round) },
      6,
    );
    expect(verdict).toMatchObject({
      outcome: 'invalid',
      reason: expect.stringContaining("status 202 was 80 % of the baseline's right answers and is 0 %"),
    });
  });

  it('is not made out of a stray status that comes and goes', () => {
    const stray = (one: number) => (round: number) => ({ 200: 499 - (round % 3), 204: one + (round % 3) });
    expect(verdictOf({ baseline: stray(1), candidate: stray(3) }, 12, 6)).toMatchObject({ outcome: 'pass' });
  });
});

describe('a shift that so few rounds cannot show', () => {
  const doubtful = /^p50 of `home`: status 20\d was .* which 6 rounds cannot tell from chance/;
  /** 200 and 201 trade places by 10 to 30 points either way; 15 of 500 become 204. */
  const masked = (shots: number) => {
    const part = [60, -80, 100, -150, 70, -90, 120, -60, 90, -110, 80, -70];
    return {
      baseline: () => ({ 200: 250, 201: 250 }),
      candidate: (round: number) => ({
        200: 250 - part[round % 12]!,
        201: 250 + part[round % 12]! - shots,
        204: shots,
      }),
    };
  };
  /** One round in six has the old mix. */
  const flapping = {
    baseline: always({ 200: 300, 201: 200 }),
    candidate: (round: number) => (round % 6 === 2 ? { 200: 300, 201: 200 } : { 200: 400, 201: 100 }),
  };

  it.each([
    ['under wilder ones', masked(15)],
    ['absent in one round', flapping],
  ])('does not pass at six rounds: %s', (_, mixes) => {
    expect(verdictOf(mixes, 12, 6)).toBe('goes on');
    expect(verdictOf(mixes, 6)).toMatchObject({
      outcome: 'inconclusive',
      reason: expect.stringMatching(doubtful),
    });
  });

  it('stops at the look that can show it', () => {
    expect(verdictOf(masked(15), 12, 9)).toMatchObject({
      outcome: 'invalid',
      reason: expect.stringContaining("status 204 was 0 % of the baseline's right answers and is 3 %"),
    });
    expect(verdictOf(flapping, 12)).toMatchObject({ outcome: 'invalid' });
  });

  it('stops there however many strays there are besides', () => {
    const strays = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [205 + index, 1]));
    const { baseline, candidate } = masked(15);
    const mixes = {
      baseline: () => ({ ...baseline(), ...strays }),
      candidate: (round: number) => ({ ...candidate(round), ...strays }),
    };
    expect(verdictOf(mixes, 12, 9)).toMatchObject({ outcome: 'invalid' });
  });

  it('is passed where it is below two points, as wild as the others are', () => {
    expect(verdictOf(masked(5), 12, 6)).toMatchObject({ outcome: 'pass' });
  });

  it('holds for wrong answers that were right only in most rounds', () => {
    const slice = (where: Where) =>
      where.side === 'candidate' || where.round === 2
        ? {}
        : { failed: 50, errors: { 'status 500': 50 }, statuses: { 200: 450, 500: 50 } };
    const progress = judge(evidenceOf({ measuring: 6, rounds: 6, slice }), { readSlice: readPlain });
    expect(progress).toMatchObject({
      verdict: {
        outcome: 'inconclusive',
        reason: expect.stringMatching(
          /answered 10 % more of the requests rightly.*, which 6 rounds cannot tell from chance/,
        ),
      },
    });
  });
});

describe('the same work', () => {
  /** The two mixes of every round, by its index; a coin says which side has which. */
  type Pairs = (round: number) => readonly [Statuses, Statuses];
  const plan = scenarioPlan('home');

  /** Share of all ways to swap the sides of the rounds that stop the comparison: exact, not sampled. */
  function stopped(pairs: Pairs, rounds: number): number {
    const both = ([0, 1] as const).map((own) => {
      const slice = (where: Where) => ({
        statuses: pairs(where.round)[where.side === 'candidate' ? own : 1 - own]!,
      });
      return scenarioRounds(evidenceOf({ measuring: rounds, slice }).rounds, plan, 'by-pairs').usable;
    });
    let stops = 0;
    for (let coins = 0; coins < 2 ** rounds; coins++) {
      const usable = Array.from({ length: rounds }, (_, round) => both[(coins >> round) & 1]![round]!);
      if (conditionOf(plan, usable, 'warn').kind === 'stop') stops++;
    }
    return stops / 2 ** rounds;
  }

  /** Shares of 500 that follow from the round alone, far apart and without a pattern. */
  const wildMix =
    (statuses: number): Pairs =>
    (round) => {
      const mix = (own: number): Statuses => {
        const weights = Array.from(
          { length: statuses },
          (_, index) => 1 + ((own * 7 + index * index * 5) % 11),
        );
        const all = weights.reduce((sum, weight) => sum + weight, 0);
        return Object.fromEntries(weights.map((weight, index) => [200 + index, (500 * weight) / all]));
      };
      return [mix(3 * round + 1), mix(5 * round * round + 2)];
    };

  it.each([
    [2, 6],
    [3, 6],
    [4, 6],
    [8, 6],
    [2, 9],
    [3, 9],
    [8, 9],
  ])(
    'stops at most one of twenty comparisons when %d statuses are mixed anew in each of %d rounds',
    (statuses, rounds) => {
      expect(stopped(wildMix(statuses), rounds)).toBeLessThanOrEqual(0.05);
    },
  );

  it('stops them as often as six rounds of one sign come up: two of 64', () => {
    expect(
      stopped(
        () => [
          { 200: 400, 201: 100 },
          { 200: 100, 201: 400 },
        ],
        6,
      ),
    ).toBe(2 / 64);
    expect(stopped(wildMix(3), 6)).toBe(2 / 64);
  });

  it('stops none in which no status moves by two points in most rounds', () => {
    expect(
      stopped(
        () => [
          { 200: 300, 201: 200 },
          { 200: 305, 201: 195 },
        ],
        9,
      ),
    ).toBe(0);
  });
});

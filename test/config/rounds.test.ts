/** Everything that is ordered is drawn by coin: balanced where it can be, fair where it is a coin. */
import { describe, expect, test } from 'vitest';
import type { JobPlan, RoundPlan } from '../../src/config/plan.ts';
import { planJob } from '../../src/config/planner.ts';
import { readConfig } from '../../src/config/read.ts';
import { planRound, sliceRandom, sliceSeed, worktreeNames } from '../../src/config/rounds.ts';
import { typicalAssumptions } from '../../src/config/timing.ts';
import { leastRounds, lookRounds } from '../../src/verdict/looks.ts';

const { config } = readConfig(
  'start: x\nrate: 600\nslices: 8\ntime-budget: 20m\nscenarios: [{ name: home }, { name: search }]',
  { source: 'test', overrides: {}, environment: {} },
);
const planWith = (seed: number): JobPlan =>
  planJob(config, seed, typicalAssumptions, { lookRounds, leastRounds });
const base = planWith(0);
const seeds = Array.from({ length: 1000 }, (_, seed) => seed);
const roundsOf = (seed: number, count: number): readonly RoundPlan[] =>
  Array.from({ length: count }, (_, index) => planRound({ ...base, seed }, index));

/** The sides of each quad in the order of the round: A for baseline, B for candidate. */
function quads(round: RoundPlan): readonly { readonly scenario: string; readonly order: string }[] {
  const found: { scenario: string; order: string }[] = [];
  for (let start = 0; start < round.slices.length; start += 4) {
    const four = round.slices.slice(start, start + 4);
    found.push({
      scenario: [...new Set(four.map((slice) => slice.scenario))].join('+'),
      order: four.map((slice) => (slice.side === 'baseline' ? 'A' : 'B')).join(''),
    });
  }
  return found;
}

describe('in every round', () => {
  test('each scenario has equally many ABBA and BAAB, and nothing else', () => {
    for (const round of seeds.slice(0, 200).flatMap((seed) => roundsOf(seed, 12))) {
      for (const scenario of ['home', 'search']) {
        const orders = quads(round).filter((quad) => quad.scenario === scenario);
        expect(orders.map((quad) => quad.order).sort()).toEqual(['ABBA', 'ABBA', 'BAAB', 'BAAB']);
      }
    }
  });

  test('the k-th slice of one side and the k-th of the other stand in the same quad', () => {
    for (const round of roundsOf(5, 12)) {
      const partners = new Map<string, number[]>();
      round.slices.forEach((slice, position) => {
        const name = `${slice.scenario}/${slice.pair}`;
        partners.set(name, [...(partners.get(name) ?? []), Math.floor(position / 4)]);
      });
      expect(partners.size).toBe(16);
      for (const [first, second, ...more] of partners.values()) {
        expect(first).toBe(second);
        expect(more).toEqual([]);
      }
      for (const side of ['baseline', 'candidate']) {
        const pairs = round.slices.filter((slice) => slice.side === side && slice.scenario === 'home');
        expect(pairs.map((slice) => slice.pair)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      }
    }
  });

  test('the scenarios take turns instead of following each other', () => {
    const first = roundsOf(0, 200).map((round) =>
      quads(round)
        .map((quad) => quad.scenario)
        .join(' '),
    );
    const apart = first.filter((order) => /^(home ){4}|^(search ){4}/.test(order));
    // Of the 70 orders of four and four, two keep the scenarios apart.
    expect(apart.length).toBeLessThan(20);
    expect(new Set(first).size).toBeGreaterThan(50);
  });
});

describe('over 1000 seeds', () => {
  const fair = (hits: readonly boolean[], what: string) => {
    const share = hits.filter(Boolean).length / hits.length;
    expect(share, what).toBeGreaterThanOrEqual(0.47);
    expect(share, what).toBeLessThanOrEqual(0.53);
  };
  const first = seeds.map((seed) => planRound({ ...base, seed }, 0));
  const all = seeds.flatMap((seed) => roundsOf(seed, 12));

  test('each slot of a round goes to the baseline in half of the rounds', () => {
    for (let slot = 0; slot < 32; slot++) {
      const isBaseline = (round: RoundPlan) => round.slices[slot]!.side === 'baseline';
      fair(first.map(isBaseline), `slot ${slot} of first rounds`);
      fair(all.map(isBaseline), `slot ${slot}`);
    }
  });

  test.each(['spawnFirst', 'probeFirst', 'warmFirst', 'lowerPort'] as const)(
    '%s goes to the baseline in half',
    (which) => {
      const isBaseline = (round: RoundPlan) => round[which] === 'baseline';
      fair(first.map(isBaseline), `${which} of first rounds`);
      fair(all.map(isBaseline), which);
    },
  );

  test('no coin follows another one, nor its own last throw', () => {
    const coins = ['spawnFirst', 'probeFirst', 'warmFirst', 'lowerPort'] as const;
    for (const one of coins) {
      for (const other of coins) {
        if (one < other)
          fair(
            all.map((round) => round[one] === round[other]),
            `${one} and ${other}`,
          );
      }
      fair(
        all.map((round) => round[one] === round.slices[0]!.side),
        `${one} and the first slice`,
      );
      fair(
        all.slice(1).map((round, index) => round[one] === all[index]![one]),
        `${one} and its last throw`,
      );
    }
  });

  test('each worktree name goes to the baseline in half of the jobs, and both are equally long', () => {
    const names = seeds.map(worktreeNames);
    fair(
      names.map((name) => name.baseline === 'tree-1'),
      'worktrees',
    );
    for (const { baseline, candidate } of names) {
      expect(baseline).not.toBe(candidate);
      expect(baseline.length).toBe(candidate.length);
    }
  });
});

describe('the seed', () => {
  test('gives the same rounds again, and each round its own', () => {
    expect(roundsOf(9, 12)).toEqual(roundsOf(9, 12));
    const orders = roundsOf(9, 12).map((round) => JSON.stringify({ ...round, index: 0 }));
    expect(new Set(orders).size).toBe(12);
  });

  test('gives both sides of a pair the same draws, and every other pair its own', () => {
    const draws = (round: number, scenario: string, pair: number) => {
      const random = sliceRandom(9, round, scenario, pair);
      return [random.next(), random.next()];
    };
    expect(draws(3, 'home', 2)).toEqual(draws(3, 'home', 2));
    const names = new Set<string>();
    for (const round of [0, 1, 10, 11]) {
      for (const scenario of ['home', 'search', '1']) {
        for (let pair = 0; pair < 12; pair++) names.add(sliceSeed(9, round, scenario, pair));
      }
    }
    expect(names.size).toBe(4 * 3 * 12);
  });

  test('measures only the scenarios that are asked for when a round confirms', () => {
    const round = planRound(base, 12, ['search']);
    expect(new Set(round.slices.map((slice) => slice.scenario))).toEqual(new Set(['search']));
    expect(round.slices.length).toBe(16);
  });
});

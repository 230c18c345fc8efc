import { describe, expect, it } from 'vitest';
import { type CapacityRound, judgeCapacity } from '../../src/verdict/capacity.ts';

/** Rounds around a capacity of 900/s whose candidate does `factor` of it, give or take these shares. */
const rounds = (factor: number, noise: readonly number[]): CapacityRound[] =>
  noise.map((share, index) => ({
    baseline: 900 + 7 * index,
    candidate: (900 + 7 * index) * factor * (1 + share),
  }));

const quiet = [0.01, -0.012, 0.005, -0.004, 0.015, -0.009, 0.002];
const loud = [0.2, -0.25, 0.3, -0.1, 0.28, -0.22, 0.05];

describe('judgeCapacity', () => {
  it('finds a fall that is larger than its spread: less capacity is worse', () => {
    const verdict = judgeCapacity(rounds(0.88, quiet));
    expect(verdict.state).toBe('regressed');
    expect(verdict.change!).toBeCloseTo(-0.12, 2);
    expect(verdict.interval![1]).toBeLessThan(-0.09);
    expect(verdict.p!.fall).toBe(2 ** -7);
  });

  it('finds a rise, and rules a fall out where nothing moved', () => {
    expect(judgeCapacity(rounds(1.12, quiet)).state).toBe('improved');
    expect(judgeCapacity(rounds(1, quiet)).state).toBe('unchanged');
  });

  it('takes a change below the tolerance for none', () => {
    const verdict = judgeCapacity(rounds(0.97, quiet));
    expect([verdict.state, verdict.p!.fall <= 0.025]).toEqual(['unchanged', true]);
  });

  it('is undecided in noise, with too few rounds and without any', () => {
    expect(judgeCapacity(rounds(0.95, loud)).state).toBe('undecided');
    const few = judgeCapacity(rounds(0.5, quiet.slice(0, 4)));
    expect([few.state, few.interval, few.spread]).toEqual(['undecided', null, null]);
    expect(judgeCapacity([])).toMatchObject({ state: 'undecided', change: null });
  });
});

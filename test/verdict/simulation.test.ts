/** That the simulated jobs of level and power are what they say: the model's sizes, and its short cut. */
import { describe, expect, it } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { ns } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { readSlice } from '../../src/verdict/slices.ts';
import { shareAtLeast, shareAtMost } from './binomial.ts';
import {
  arrivals,
  type Change,
  cpuFive,
  Machine,
  type Played,
  p99Twenty,
  type Runner,
  type RunnerName,
  runners,
} from './machine-model.ts';
import { planOf, runJob } from './simulated-jobs.ts';

describe('the model', () => {
  const calm: Runner = { processCpu: 0, processLatency: 0, sliceCpu: 0, drift: 0, wander: 0, stalls: [] };
  const due = arrivals(800, 500_000, seededRandom('arrivals'));
  const play = (change: Change): Played =>
    new Machine(calm, change, seededRandom('service')).slice('candidate', due, 0, false);
  const percentile = ({ responses }: Played, share: number): number =>
    responses.slice().sort()[Math.ceil(share * responses.length) - 1]!;
  const before = play({});

  it.each([
    ['CPU +5 %', cpuFive, 1.05, 1.1, 1.12],
    ['p99 +20 % alone', p99Twenty, 1, 1.2, 1.025],
  ] as const)('plants %s', (_, change, cpu, p99, mostP50) => {
    const after = play(change);
    expect(after.cpu / before.cpu).toBeCloseTo(cpu, 9);
    expect(Math.abs(percentile(after, 0.99) / percentile(before, 0.99) - p99)).toBeLessThan(0.01);
    expect(percentile(after, 0.5) / percentile(before, 0.5)).toBeLessThan(mostP50);
  });

  it('makes shots late and slow at once when the machine stalls', () => {
    const machine = new Machine(runners.noisy, {}, seededRandom('stalls'));
    let [lateShots, slowest, lateSlowest] = [0, 0, 0];
    for (let slice = 0; slice < 400; slice++) {
      const { responses, late, lateCount } = machine.slice('baseline', due.subarray(0, 530), 30, false);
      lateShots += lateCount;
      for (const [shot, response] of responses.entries()) {
        if (response < 40e6) continue;
        slowest++;
        lateSlowest += late[shot]!;
      }
    }
    expect(lateShots / 200_000).toBeGreaterThan(0.03);
    expect(lateShots / 200_000).toBeLessThan(0.1);
    expect(lateSlowest / slowest).toBeGreaterThan(0.5);
  });

  it('loads the first slice of a round, whoever it belongs to, by the bias of its slot', () => {
    const cpuOf = (isFirst: boolean): number =>
      new Machine({ ...calm, firstSlot: 1.2 }, {}, seededRandom('slot')).slice(
        'candidate',
        due.subarray(0, 530),
        30,
        isFirst,
      ).cpu;
    expect(cpuOf(true) / cpuOf(false)).toBeCloseTo(1.2, 9);
  });
});

describe('the short cut past the histograms', () => {
  const empty = new LatencyHistogram().encode();
  function record({ responses, late }: Played) {
    const [response, onTime] = [new LatencyHistogram(), new LatencyHistogram()];
    for (const [shot, value] of responses.entries()) {
      response.record(ns(value));
      if (late[shot] === 0) onTime.record(ns(value));
    }
    const text = { response: response.encode(), onTime: onTime.encode() };
    return { ...text, success: empty, service: empty, lateness: empty };
  }

  it.each([
    ['typical', {}],
    ['noisy', {}],
    ['heavy stalls', {}],
    ['typical', p99Twenty],
  ] as readonly (readonly [RunnerName, Change])[])(
    'changes nothing in the verdict: %s %o',
    (name, change) => {
      for (let job = 0; job < 6; job++) {
        const setting = { runner: runners[name], change, plan: planOf() };
        const quick = runJob(`short cut ${job}`, setting);
        const whole = runJob(`short cut ${job}`, { ...setting, keep: record, read: readSlice });
        expect(whole.verdict).toEqual(quick.verdict);
      }
    },
    60_000,
  );
});

it('bounds a share as the binomial distribution does', () => {
  // None of n: (1 − share)^n = 5 %.
  expect(shareAtMost(0, 60)).toBeCloseTo(1 - 0.05 ** (1 / 60), 9);
  expect(shareAtLeast(60, 60)).toBeCloseTo(0.05 ** (1 / 60), 9);
  expect(shareAtMost(5, 50)).toBeCloseTo(0.1991, 3);
  expect(shareAtLeast(5, 50)).toBeCloseTo(0.0402, 3);
});

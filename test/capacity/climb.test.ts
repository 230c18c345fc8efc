import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/capacity/step.ts';
import { tellRamp } from '../../src/commands/ramp-progress.ts';
import { type Nanoseconds, ns, perSecond, secondsToNs } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import type { SliceOrder, SliceResult } from '../../src/load/protocol.ts';
import { climb, type Findings, OutOfTime, type RampEvent } from '../../src/ramp-climb.ts';
import { type RampLoad, warmShots } from '../../src/ramp-steps.ts';
import { criteria, virtualSlice } from './virtual-queue.ts';

/** A service in virtual time behind the steps: a slice takes as long as its schedule. */
function virtualLoad(
  slices: (rate: number, shots: number, number: number) => SliceResult,
): RampLoad & { clock: { at: number } } {
  const clock = {
    at: 0,
    now: (): Nanoseconds => ns(clock.at),
    today: () => new Date(0),
    sleep: async (duration: Nanoseconds) => {
      clock.at += duration;
    },
  };
  const request = { method: 'GET', path: '/', headers: [], body: null, expected: [] };
  let number = 0;
  return {
    generator: {
      pid: 0,
      open: async ({ sockets }) => ({ opened: sockets, problem: null }),
      slice: async ({ schedule }: SliceOrder) => {
        const { due, leadIn } = schedule;
        const shots = due.length - leadIn;
        const span = due.at(-1)! - due[leadIn]!;
        clock.at += due.at(-1)!;
        return slices(perSecond(((shots - 1) * 1e9) / span), shots, number++);
      },
      closedLoop: () => Promise.reject(new Error('not here')),
      close: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    },
    target: { origin: 'http://127.0.0.1:1', host: null },
    shots: { first: request, weights: [1], draw: (schedule) => ({ requests: [request], schedule }) },
    arrivals: 'constant',
    timeout: secondsToNs(5),
    maxSockets: 16,
    maxInFlight: 10_000,
    criteria: criteria(9),
    hold: secondsToNs(1),
    patience: secondsToNs(10),
    random: seededRandom('climb'),
    clock,
    startedAt: ns(0),
    signal: new AbortController().signal,
    service: null,
    meter: null,
  };
}

const limits = { from: 200, most: 1000, mostIs: 'rate', repeats: 3, resolution: 1.05 } as const;
const nothing = (): Findings => ({ steps: [], end: { kind: 'open' }, recovery: null, death: null });

/** 10 ms a request beside the thread: above the objective at any rate. */
const slow = (rate: number, shots: number): SliceResult =>
  virtualSlice({ serviceTime: () => 1e5, beside: 10e6 }, { rate, shots, arrivals: 'constant', seed: 1 });

describe('the first step', () => {
  it.each([0, 1])('is said to miss the objective when %d runs before it were unsound', async (spoiled) => {
    const load = virtualLoad((rate, shots, number) => {
      const result = slow(rate, shots);
      return number < spoiled ? { ...result, generator: { ...result.generator, utilisation: 0.95 } } : result;
    });
    const told: RampEvent[] = [];
    const found = nothing();
    const job = {
      toFailure: false,
      timeBudget: secondsToNs(600),
      tell: (event: RampEvent) => told.push(event),
    };
    await climb(job, load, limits, found);
    expect(found.end.kind).toBe('missed-at-start');
    const missed = told.filter((event) => event.kind === 'missed-at-start');
    expect(missed.map(({ step }) => [step.rate, step.sound])).toEqual([[200, true]]);
    const before = told.slice(0, told.indexOf(missed[0]!)).filter((event) => event.kind === 'step');
    expect(before).toHaveLength(spoiled + 1);
  });

  it('is not begun when the time does not hold it', async () => {
    const job = { toFailure: false, timeBudget: secondsToNs(2), tell: () => undefined };
    await expect(climb(job, virtualLoad(slow), limits, nothing())).rejects.toThrow(OutOfTime);
  });
});

describe('what is said of it', () => {
  const said = (step: Pick<Step, 'misses' | 'successfulPerSecond'>): string => {
    const lines: string[] = [];
    const whole = { rate: 200, responseTimeMs: { p99: 12 }, errorShare: 0, offeredPerSecond: 200, ...step };
    tellRamp({ kind: 'missed-at-start', step: whole as Step }, { tell: (line) => lines.push(line) });
    return lines.join();
  };

  it('names how many succeed where that is what was missed', () => {
    expect(said({ misses: ['successful'], successfulPerSecond: 150 })).toContain(
      'at 200/s p99 is 12 ms, 0 fail, 150/s of 200/s succeed; it is run again',
    );
    expect(said({ misses: ['p99'], successfulPerSecond: 200 })).not.toContain('succeed');
  });
});

describe('the warm-up', () => {
  it.each([
    [0.5, 2],
    [1, 4],
    [20, 80],
    [40, 100],
    [400, 800],
    [5000, 2000],
  ])('at %d/s is %d requests, a few seconds at most', (rate, shots) => {
    expect(warmShots(rate)).toBe(shots);
    expect(shots / rate).toBeLessThanOrEqual(4);
  });
});

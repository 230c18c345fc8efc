import { describe, expect, test } from 'vitest';
import { msToNs, type Nanoseconds, ns, secondsToNs } from '../../src/kernel/units.ts';
import { ClosedLoop } from '../../src/load/closed.ts';
import { simulate } from './virtual-closed.ts';

const answers = (think: Nanoseconds = ns(0)) => ({ kind: 'on-answer', think }) as const;
const lasting = (seconds: number) => ({ kind: 'duration', duration: secondsToNs(seconds) }) as const;
const within = (value: number, wanted: number, share: number): void => {
  expect(value).toBeGreaterThan(wanted * (1 - share));
  expect(value).toBeLessThan(wanted * (1 + share));
};

describe('throughput of a D/D/1 service is min(N ÷ (R + Z), 1 ÷ D), within 5 %', () => {
  test.each([
    { workers: 1, thinkMs: 0 },
    { workers: 1, thinkMs: 40 },
    { workers: 3, thinkMs: 40 },
    { workers: 5, thinkMs: 40 },
    { workers: 8, thinkMs: 40 },
    { workers: 40, thinkMs: 40 },
    { workers: 40, thinkMs: 0 },
  ])('$workers workers, think time $thinkMs ms', ({ workers, thinkMs }) => {
    const serviceMs = 10;
    const shape = { workers, pace: answers(msToNs(thinkMs)), extent: lasting(60), leadIn: 100 };
    const { shots } = simulate(shape, { servers: 1, serviceMs });
    const rate = shots.filter(({ turn }) => turn.counted).length / 60;
    within(rate, Math.min((workers * 1000) / (serviceMs + thinkMs), 1000 / serviceMs), 0.05);
    // Little's law over workers that wait or think: N = X · (R + Z).
    const counted = shots.filter(({ turn }) => turn.counted);
    const held = counted.reduce((sum, shot) => sum + shot.done - shot.sent, 0) / counted.length;
    within((rate * (held + thinkMs)) / 1000, workers, 0.05);
  });
});

describe('turns', () => {
  test('never more of them than workers are on their way, and every answer makes another', () => {
    const shape = { workers: 4, pace: answers(), extent: lasting(1), leadIn: 0 };
    const { shots } = simulate(shape, { servers: 2, serviceMs: 10 });
    for (const { sent } of shots) {
      expect(shots.filter((one) => one.sent <= sent && one.done > sent).length).toBeLessThanOrEqual(4);
    }
    expect(shots).toHaveLength(202);
  });

  test('a number of requests is counted exactly, and as many stay on their way until the last of them ended', () => {
    const extent = { kind: 'count', requests: 100, longest: secondsToNs(60) } as const;
    const { shots } = simulate(
      { workers: 7, pace: answers(), extent, leadIn: 13 },
      { servers: 2, serviceMs: 5 },
    );
    const numbers = shots.filter(({ turn }) => turn.counted).map(({ turn }) => turn.shot);
    expect(numbers.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 13),
    );
    const last = shots.findLast(({ turn }) => turn.counted)!;
    expect(shots.filter((one) => one.sent <= last.done - 0.001 && one.done > last.done - 0.001)).toHaveLength(
      7,
    );
    expect(shots.length).toBeLessThanOrEqual(113 + 7);
  });

  test('an intended schedule is followed by a service that keeps up, workers evenly apart', () => {
    const pace = { kind: 'intended', gap: msToNs(20) } as const;
    const { shots, loop } = simulate(
      { workers: 10, pace, extent: lasting(1), leadIn: 20 },
      { servers: 100, serviceMs: 3 },
    );
    expect(shots).toHaveLength(520);
    expect(
      shots.every(({ turn, sent }, index) => turn.from === sent * 1e6 && Math.abs(sent - index * 2) < 1e-6),
    ).toBe(true);
    expect(loop.unsent(secondsToNs(2), new Set())).toEqual([]);
  });

  test('a stopped loop gives no more turns and knows what it did not send', () => {
    const pace = { kind: 'intended', gap: msToNs(10) } as const;
    const loop = new ClosedLoop({ workers: 2, pace, extent: lasting(1), leadIn: 0 }, ns(0));
    const turn = loop.take(ns(0))!;
    loop.stop();
    expect(loop.take(msToNs(500))).toBeNull();
    expect(loop.nextAt).toBe(Number.POSITIVE_INFINITY);
    // Worker 0 is on its way since 0; worker 1 meant to send at 5, 15 and 25.
    expect(loop.unsent(msToNs(30), new Set([turn.worker]))).toEqual([10, 20, 5, 15, 25].map(msToNs));
  });
});

test('one freeze of a second: a closed loop does not see it, one with intended times does', () => {
  // Ten at a time, 11.66 ms each: 857/s for ten workers in a closed loop.
  const service = { servers: 10, serviceMs: 11.66, frozen: [2500, 3500] } as const;
  const p99 = (times: readonly number[]): number =>
    [...times].sort((one, other) => one - other)[Math.ceil(0.99 * times.length) - 1]!;
  const closed = simulate({ workers: 10, pace: answers(), extent: lasting(6), leadIn: 0 }, service).shots;
  expect(closed.length).toBeGreaterThan(4200);
  expect(closed.length).toBeLessThan(4350);
  expect(p99(closed.map(({ sent, done }) => done - sent))).toBeLessThan(13);

  const pace = { kind: 'intended', gap: msToNs(20) } as const;
  const intended = simulate({ workers: 10, pace, extent: lasting(6), leadIn: 0 }, service).shots;
  expect(intended).toHaveLength(3000);
  // Worker and backlog: its k-th shot after the freeze waits 8.34 ms less than the one before; 3 a worker are 1 %.
  within(p99(intended.map(({ turn, done }) => done - turn.from / 1e6)), 987, 0.01);
});

import { describe, expect, test } from 'vitest';
import { TailgateError } from '../../src/kernel/errors.ts';
import { msToNs, ns, secondsToNs } from '../../src/kernel/units.ts';
import { type Clock, seededRandom } from '../../src/kernel/world.ts';
import type { ClosedOrder, ClosedResult, Generator } from '../../src/load/protocol.ts';
import { runSweep, type SweepJob } from '../../src/sweep.ts';
import { get } from '../load/slices.ts';
import { virtualResult } from '../load/virtual-closed.ts';

const job: SweepJob = {
  target: { origin: 'http://127.0.0.1:1', host: null },
  request: get,
  levels: [2, 4, 8, 16],
  requests: 50,
  repeats: 3,
  timeout: msToNs(100),
  knownLimit: null,
  budget: secondsToNs(600),
};
const quick = { servers: 8, serviceMs: 10 };
/** Gives every request up. */
const hung = { servers: 8, serviceMs: 1000, timeoutMs: 100 };

interface Asked {
  readonly workers: number;
  readonly requests: number;
  readonly timeoutMs: number;
  readonly longestMs: number;
}

/** A generator that only writes down what it was asked, and takes a second of a clock that jumps for each. */
function rig(answer: (asked: Asked, index: number) => ClosedResult) {
  const asked: Asked[] = [];
  const opening: number[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => ns(now),
    today: () => new Date(0),
    sleep: (duration) => {
      now += duration;
      return Promise.resolve();
    },
  };
  const generator: Generator = {
    pid: 1,
    open: ({ timeout }) => {
      opening.push(timeout / 1e6);
      return Promise.resolve({ opened: 1, problem: null });
    },
    slice: () => Promise.reject(new Error('a sweep sends no slices')),
    close: () => Promise.resolve(),
    closedLoop: ({ workers, extent, timeout }: ClosedOrder) => {
      now += 1e9;
      const one = {
        workers,
        requests: extent.kind === 'count' ? extent.requests : 0,
        timeoutMs: timeout / 1e6,
        longestMs: extent.kind === 'count' ? extent.longest / 1e6 : 0,
      };
      asked.push(one);
      return Promise.resolve(answer(one, asked.length - 1));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const told: number[] = [];
  const tools = {
    generator,
    clock,
    random: seededRandom('order'),
    signal: new AbortController().signal,
    onRun: ({ concurrency }: { readonly concurrency: number }) => told.push(concurrency),
  };
  return { asked, opening, told, tools };
}

const isProbe = (one: Asked): boolean => one.requests === 1;

describe('the order of a sweep', () => {
  test('is a warm-up, then every level and a single worker once a repeat, in an order of its own each time', async () => {
    const { asked, told, tools } = rig(({ workers, requests }) => virtualResult(workers, requests, quick));
    const outcome = await runSweep(job, tools);
    expect(asked[0]).toEqual({ workers: 2, requests: 50, timeoutMs: 100, longestMs: 60_000 });
    const rounds = [0, 1, 2].map((repeat) => asked.slice(1 + 5 * repeat, 6 + 5 * repeat));
    expect(asked).toHaveLength(16);
    for (const round of rounds) {
      expect(round.map((one) => one.workers).sort((one, other) => one - other)).toEqual([1, 2, 4, 8, 16]);
      expect(round.map((one) => one.requests)).toEqual(round.map((one) => (one.workers === 1 ? 40 : 50)));
    }
    expect(new Set(rounds.map((round) => JSON.stringify(round))).size).toBeGreaterThan(1);
    expect([outcome.runs.length, outcome.alone.length, told.length]).toEqual([12, 3, 12]);
    expect(outcome).toMatchObject({ partial: null, cutShort: [], unrecovered: [] });
  });

  test('has a single worker only once where that is a level', async () => {
    const { asked, tools } = rig(({ workers, requests }) => virtualResult(workers, requests, quick));
    const outcome = await runSweep({ ...job, levels: [1, 2, 4, 8] }, tools);
    expect(asked).toHaveLength(13);
    expect([outcome.runs.length, outcome.alone.length]).toEqual([12, 3]);
  });
});

describe('a service that still works at what was given up', () => {
  test('is asked one by one, with patience, until it answers as before', async () => {
    let slow = 0;
    const { asked, tools } = rig((one) => {
      if (isProbe(one)) return virtualResult(1, 1, { servers: 1, serviceMs: --slow > 0 ? 500 : 10 });
      if (one.workers < 16) return virtualResult(one.workers, one.requests, quick);
      slow = 3;
      return virtualResult(16, one.requests, hung);
    });
    const outcome = await runSweep(job, tools);
    const places = asked.flatMap((one, index) => (one.workers === 16 ? [index] : []));
    expect(places).toHaveLength(3);
    for (const place of places) {
      const probes = asked.slice(place + 1, place + 4);
      expect(probes.every(isProbe)).toBe(true);
      expect(probes.every((one) => one.timeoutMs > 1000)).toBe(true);
    }
    expect(asked.filter(isProbe)).toHaveLength(9);
    expect(outcome.unrecovered).toEqual([]);
  });

  test('and never answers as before is named, after a bounded wait', async () => {
    const { asked, tools } = rig((one) => {
      if (isProbe(one)) return virtualResult(1, 1, { servers: 1, serviceMs: 500 });
      return virtualResult(one.workers, one.requests, one.workers < 16 ? quick : hung);
    });
    const outcome = await runSweep(job, tools);
    expect(outcome.unrecovered).toEqual([16]);
    expect(asked.filter(isProbe).length).toBeLessThan(60);
  });
});

test('the time budget ends it, and what was measured until then is kept', async () => {
  const { tools } = rig(({ workers, requests }) => virtualResult(workers, requests, quick));
  const outcome = await runSweep({ ...job, budget: secondsToNs(8.5) }, tools);
  expect(outcome.partial).toBe('out-of-time');
  expect(outcome.runs.length + outcome.alone.length).toBe(8);
});

test('nothing is waited for longer than the budget: not a socket, not an answer, not a service to recover', async () => {
  const slow = { servers: 8, serviceMs: 100_000, timeoutMs: 1500 };
  const silent = rig(({ workers, requests }) => virtualResult(workers, requests, slow));
  const hasty = { ...job, timeout: secondsToNs(5), budget: secondsToNs(4.5) };
  await expect(runSweep(hasty, silent.tools)).rejects.toMatchObject({
    message: expect.stringContaining('no answer within 1.5 s'),
  });
  expect(silent.opening).toEqual([3000]);
  expect(silent.asked).toEqual([{ workers: 2, requests: 50, timeoutMs: 1500, longestMs: 3000 }]);

  const stuck = rig((one) =>
    virtualResult(one.workers, one.requests, stuck.asked.length === 1 ? quick : hung),
  );
  const outcome = await runSweep({ ...job, budget: secondsToNs(6) }, stuck.tools);
  expect(outcome.partial).toBe('out-of-time');
  expect(stuck.asked.filter(isProbe).map((one) => Math.ceil(one.timeoutMs / 1000))).toEqual([4, 3, 2, 1]);
  expect(outcome.unrecovered).toEqual([]);
});

test('a run whose time went by before it sent anything costs neither the other runs nor the reason', async () => {
  const unsent = new TailgateError({ code: 'invalid', message: 'ended before a counted request was sent' });
  const failing = (from: number) =>
    rig(({ workers, requests }, index) => {
      if (index >= from) throw unsent;
      return virtualResult(workers, requests, quick);
    });
  await expect(runSweep(job, failing(0).tools)).rejects.toMatchObject({
    code: 'service-failed',
    message: expect.stringContaining('answered nothing rightly in the warm-up'),
  });
  const outcome = await runSweep(job, failing(7).tools);
  expect(outcome.partial).toBe('out-of-time');
  expect(outcome.runs.length + outcome.alone.length).toBe(6);
});

test('a service that answers nothing rightly in the warm-up ends it with what was seen', async () => {
  const { tools } = rig(({ workers, requests }) => virtualResult(workers, requests, hung));
  await expect(runSweep(job, tools)).rejects.toMatchObject({
    code: 'service-failed',
    message: expect.stringContaining('no answer within 100 ms'),
  });
});

/** A closed loop against a service in virtual time. */
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { bytes, msToNs, type Nanoseconds, ns } from '../../src/kernel/units.ts';
import { ClosedLoop, type ClosedShape, type Turn } from '../../src/load/closed.ts';
import { ClosedTally } from '../../src/load/closed-tally.ts';
import type { ClosedResult, GeneratorHealth } from '../../src/load/protocol.ts';

/** What one shot was, in milliseconds. */
export interface VirtualShot {
  readonly turn: Turn;
  readonly sent: number;
  /** When its answer was in, or it was given up. */
  readonly done: number;
  readonly outcome: 'ok' | 'timedOut';
}

export interface VirtualService {
  /** Requests it works at; the others wait, first come first served. */
  readonly servers: number;
  readonly serviceMs: number | (() => number);
  /** Nothing is begun or goes on meanwhile. */
  readonly frozen?: readonly [fromMs: number, toMs: number];
  /** From the send; the service goes on with what was given up. */
  readonly timeoutMs?: number;
}

export function simulate(
  shape: ClosedShape,
  service: VirtualService,
): { readonly shots: readonly VirtualShot[]; readonly loop: ClosedLoop } {
  const loop = new ClosedLoop(shape, ns(0));
  const free = new Array<number>(service.servers).fill(0);
  const [frozenFrom, frozenTo] = service.frozen ?? [0, 0];
  const shots: VirtualShot[] = [];
  const pending: VirtualShot[] = [];
  let now = 0;
  for (let steps = 0; steps < 1_000_000; steps++) {
    for (let turn = loop.take(ns(now)); turn !== null; turn = loop.take(ns(now))) {
      const server = free.indexOf(Math.min(...free));
      const sent = now / 1e6;
      let begun = Math.max(sent, free[server]!);
      if (begun >= frozenFrom && begun < frozenTo) begun = frozenTo;
      const took = typeof service.serviceMs === 'number' ? service.serviceMs : service.serviceMs();
      let answered = begun + took;
      if (begun < frozenFrom && answered > frozenFrom) answered += frozenTo - frozenFrom;
      free[server] = answered;
      const deadline = sent + (service.timeoutMs ?? Number.POSITIVE_INFINITY);
      const outcome = answered > deadline ? 'timedOut' : 'ok';
      pending.push({ turn, sent, done: Math.min(answered, deadline), outcome });
      pending.sort((one, other) => other.done - one.done);
    }
    const next = pending.at(-1);
    const at = Math.min(next === undefined ? Number.POSITIVE_INFINITY : next.done * 1e6, loop.nextAt);
    if (!Number.isFinite(at)) return { shots, loop };
    now = at;
    if (next !== undefined && next.done * 1e6 <= now) {
      pending.pop();
      shots.push(next);
      loop.ended(next.turn, ns(now));
    }
  }
  throw new Error('the loop does not end');
}

/** The same as the generator process would report it: a number of requests counted, as many of them in flight. */
export function virtualResult(
  concurrency: number,
  requests: number,
  service: VirtualService,
  generator: GeneratorHealth = rested,
): ClosedResult {
  const extent = { kind: 'count', requests, longest: msToNs(1e9) } as const;
  const pace = { kind: 'on-answer', think: ns(0) } as const;
  const { shots } = simulate({ workers: concurrency, pace, extent, leadIn: concurrency }, service);
  const tally = new ClosedTally(msToNs(service.timeoutMs ?? 5000), () => new LatencyHistogram());
  for (const { turn, sent, done, outcome } of shots) {
    tally.sent(turn, msToNs(sent));
    tally.ended(turn, msToNs(sent), msToNs(done), outcome);
  }
  const first = shots.find(({ turn }) => turn.shot === concurrency)!;
  const after = shots.find(({ turn }) => turn.shot === concurrency + requests);
  const end = after?.sent ?? Math.max(...shots.map(({ done }) => done));
  return { ...tally.result(), window: msToNs(end - first.sent), generator, cutShort: false };
}

const none = { p50: ns(0), p99: ns(0), max: ns(0) };
export const rested: GeneratorHealth = {
  wall: msToNs(1000) as Nanoseconds,
  cpu: msToNs(50),
  utilisation: 0.05,
  eventLoopDelay: none,
  metronomeLateness: none,
  garbageCollection: { count: 0, total: ns(0), longest: ns(0) },
  peakMemory: bytes(50e6),
  poolQueued: 0,
  socketsOpened: 0,
};

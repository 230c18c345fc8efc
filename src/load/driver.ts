/** Walks the schedule and never awaits a reply; drops, times out and drains, so that every shot is accounted for. */
import { performance } from 'node:perf_hooks';
import type { LatencyHistogram } from '../evidence/histogram.ts';
import { TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { msToNs, ns, secondsToNs } from '../kernel/units.ts';
import type { ShotSink } from './flight.ts';
import { HealthWatch } from './health.ts';
import type { Metronome } from './metronome.ts';
import { deservesSpin, monotonicNow, pacing, planWakes } from './metronome.ts';
import type { OpenOrder, SliceOrder, SliceResult } from './protocol.ts';
import { ShotRows } from './rows.ts';
import type { WireRequest } from './sender.ts';
import { toWire } from './sender.ts';
import type { SocketPool } from './sockets.ts';
import { tallyRows } from './tally.ts';

/** Before the first due time: with 3 ms of it the first shots were 5 ms late. */
const notice = msToNs(30);
/** How long after the last due time a slice waits for what is still on its way. */
export const longestDrain = secondsToNs(5);
/** The same when it was stopped: somebody is waiting at a terminal. */
export const stoppedDrain = secondsToNs(1);
/** The coarse timer that catches what a lost wake-up would leave, and ends shots at their deadline. */
const guardMs = 10;
/** Shots sent in one go: beyond this, answers that have come are read first. */
const mostAtOnce = 32;

export interface SliceTools {
  readonly pool: SocketPool;
  readonly metronome: Metronome;
  readonly newHistogram: () => LatencyHistogram;
  /** Ends the slice early: what was sent until then is its result. */
  readonly stop?: AbortSignal;
}

/**
 * Runs one slice against an open pool. Resolves when every shot has ended: answered, failed, timed out from its due
 * time, dropped, or given up at the end of the drain, min(timeout, 5 s) after the last due time.
 * @throws TailgateError `invalid` when shots were lost count of.
 */
export async function runSlice(order: SliceOrder, tools: SliceTools): Promise<SliceResult> {
  if (order.schedule.due.length <= order.schedule.leadIn) {
    throw new TailgateError({
      code: 'invalid',
      message: `a slice of ${order.schedule.due.length} shots with a lead-in of ${order.schedule.leadIn} counts none`,
    });
  }
  // Between slices, never in one.
  globalThis.gc?.();
  const walk = new Walk(order, tools.pool);
  const wakes = planWakes(walk.rows.due);
  if (order.startAt !== undefined) await untilNearly(order.startAt, tools.stop);
  walk.begin();
  const stop = () => {
    walk.stop();
    tools.metronome.stop();
  };
  tools.stop?.addEventListener('abort', stop, { once: true });
  const queuedBefore = tools.pool.queued;
  const openedBefore = tools.pool.opened;
  const [lateness] = await Promise.all([tools.metronome.wakeAt(wakes, () => walk.release()), walk.ended]);
  tools.stop?.removeEventListener('abort', stop);
  const generator = walk.health.report({
    spun: walk.spun,
    metronome: lateness,
    poolQueued: tools.pool.queued - queuedBefore,
    socketsOpened: tools.pool.opened - openedBefore,
  });
  if (walk.rows.count <= walk.rows.leadIn) {
    throw new TailgateError({ code: 'cancelled', message: 'cancelled before a counted request was sent' });
  }
  return {
    ...tallyRows(walk.rows, order, tools.newHistogram),
    elapsed: ns(walk.endedAt - walk.rows.firstCountedDue),
    inFlight: { halfway: walk.halfway, atEnd: walk.atEnd, peak: walk.rows.peakInFlight },
    generator,
  };
}

/** Waits until the common start of several senders is as near as the start of one would be. */
async function untilNearly(startAt: Nanoseconds, stop: AbortSignal | undefined): Promise<void> {
  const left = startAt - notice - monotonicNow();
  if (left <= 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, left / 1e6);
    stop?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** One pass over a schedule. */
class Walk {
  readonly rows: ShotRows;
  health!: HealthWatch;
  readonly ended: Promise<void>;
  spun = ns(0);
  halfway = 0;
  atEnd = 0;
  endedAt = ns(0);
  readonly #order: SliceOrder;
  readonly #pool: SocketPool;
  readonly #wire: readonly WireRequest[];
  readonly #halfwayShot: number;
  #drainUntil: Nanoseconds;
  #guard: NodeJS.Timeout | undefined;
  #end: () => void = () => {};
  #next = 0;
  #continuing = false;

  constructor(order: SliceOrder, pool: SocketPool) {
    this.#order = order;
    this.#pool = pool;
    this.#wire = toWire(order.requests, order.target);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.rows = new ShotRows(order, order.startAt ?? ns(monotonicNow() + notice));
    this.#halfwayShot = this.rows.leadIn + ((this.rows.count - this.rows.leadIn) >> 1);
    this.#drainUntil = ns(this.rows.lastDue + Math.min(order.timeout, longestDrain));
  }

  /** From here on its health is watched: what was made ready before is no part of the slice. */
  begin(): void {
    this.health = new HealthWatch(performance.now());
    this.#guard = setInterval(() => this.#watch(), guardMs);
  }

  /** Sends no more: what was not due yet was never part of it. */
  stop(): void {
    if (this.#next >= this.rows.count) return;
    this.rows.cut(this.#next);
    this.atEnd = this.rows.inFlight;
    this.#drainUntil = ns(monotonicNow() + Math.min(this.#order.timeout, stoppedDrain));
    this.health.endOfLoad();
  }

  /** Hands over every shot that is due, and spins the last stretch towards one that is nearly. */
  release(): void {
    const { due } = this.rows;
    const last = due.length - 1;
    for (let sent = 0; this.#next <= last; sent++) {
      const shot = this.#next;
      const now = monotonicNow();
      if (now < due[shot]!) {
        if (due[shot]! - now > pacing.early || !deservesSpin(due, shot)) return;
        this.#spinUntil(due[shot]!, now);
      } else if (sent >= mostAtOnce) {
        this.#continueLater();
        return;
      }
      this.#next++;
      this.#handOver(shot);
      if (shot === this.#halfwayShot) this.halfway = this.rows.inFlight;
      if (shot === last) {
        this.atEnd = this.rows.inFlight;
        this.health.endOfLoad();
      }
    }
  }

  #spinUntil(due: number, from: Nanoseconds): void {
    let now = from;
    while (now < due) now = monotonicNow();
    this.spun = ns(this.spun + now - from);
  }

  #handOver(shot: number): void {
    const { rows } = this;
    const now = monotonicNow();
    if (now > this.#drainUntil) {
      // The driver itself came too late: nobody would wait for the answer any longer.
      rows.expire(shot, now);
      return;
    }
    if (rows.inFlight >= this.#order.maxInFlight) {
      rows.drop(shot, now);
      return;
    }
    rows.hand(shot, now);
    const wire = this.#wire[this.#order.schedule.sequence[shot]!]!;
    rows.attach(shot, this.#pool.send(rows, shot, wire, rows.isSampled(shot), this.#order.maxSockets));
  }

  #continueLater(): void {
    if (this.#continuing) return;
    this.#continuing = true;
    setImmediate(() => {
      this.#continuing = false;
      this.release();
    });
  }

  #watch(): void {
    this.release();
    const { rows } = this;
    const now = monotonicNow();
    rows.sweep(now);
    if (this.#next < rows.count) return;
    if (now >= this.#drainUntil) rows.giveUpRest(now);
    if (rows.settled < rows.count) return;
    clearInterval(this.#guard);
    this.endedAt = now;
    this.#end();
  }
}

/**
 * Opens sockets by as many concurrent requests, before any clock starts.
 * @returns how many are open afterwards, and what was wrong with the first request that did not go right.
 */
export async function openSockets(
  order: OpenOrder,
  pool: SocketPool,
): Promise<{ opened: number; problem: string | null }> {
  if (order.sockets < 1) return { opened: pool.connected, problem: null };
  const [wire] = toWire([order.request], order.target);
  const name = `${order.request.method} ${order.request.path}`;
  let problem: string | null = null;
  let left = order.sockets;
  let answered = 0;
  const flights = new Map<number, { abandon(): void }>();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      problem ??= `${name}: no answer within ${order.timeout / 1e6} ms`;
      for (const flight of flights.values()) flight.abandon();
      resolve();
    }, order.timeout / 1e6);
    const over = (shot: number) => {
      flights.delete(shot);
      left--;
      if (left > 0) return;
      clearTimeout(timer);
      resolve();
    };
    const sink: ShotSink = {
      onWritten: () => {},
      onAnswered: (shot, _at, status) => {
        answered++;
        if (!order.request.expected.some(({ from, to }) => status >= from && status <= to)) {
          problem ??= `${name}: status ${status}`;
        }
        over(shot);
      },
      onFailed: (shot, _at, cause) => {
        problem ??= `${name}: ${cause}`;
        over(shot);
      },
    };
    for (let shot = 0; shot < order.sockets; shot++) {
      flights.set(shot, pool.send(sink, shot, wire!, false, order.sockets));
    }
  });
  // Where none is kept, every answer had a socket of its own.
  return { opened: order.target.transport?.keepAlive === false ? answered : pool.connected, problem };
}

/** Runs a closed loop on the wire: takes turns, sends them, ends them at their deadline, and adds up what became of each. */
import { performance } from 'node:perf_hooks';
import { TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { msToNs, ns } from '../kernel/units.ts';
import type { Turn } from './closed.ts';
import { ClosedLoop } from './closed.ts';
import { type ClosedOutcome, ClosedTally } from './closed-tally.ts';
import type { SliceTools } from './driver.ts';
import { longestDrain, stoppedDrain } from './driver.ts';
import type { Flight, ShotSink } from './flight.ts';
import { HealthWatch } from './health.ts';
import { monotonicNow, pacing, planWakes } from './metronome.ts';
import type { ClosedOrder, ClosedResult } from './protocol.ts';
import type { WireRequest } from './sender.ts';
import { toWire } from './sender.ts';

const notice = msToNs(30);
/** The metronome's grid where no schedule says when to wake: it tells the machine's noise, and ends think times. */
const grid = msToNs(5);
/** At most so many wake-ups are planned; the guard timer is there beyond them. */
const mostWakes = 2_100_000;

/**
 * Resolves when every shot has ended and the service is no longer at work for any of them, or at the end of the drain,
 * min(timeout, 5 s) after the last counted moment.
 * @throws TailgateError `invalid` when shots were lost count of, `cancelled` when it was stopped before it counted any.
 */
export async function runClosedLoop(order: ClosedOrder, tools: SliceTools): Promise<ClosedResult> {
  globalThis.gc?.();
  const queuedBefore = tools.pool.queued;
  const openedBefore = tools.pool.opened;
  const run = new ClosedRun(order, tools);
  const stop = () => run.stop();
  tools.stop?.addEventListener('abort', stop, { once: true });
  const metronome = tools.metronome.wakeAt(wakesOf(order, run.start), () => run.wake());
  await run.ended;
  tools.metronome.stop();
  const lateness = await metronome;
  tools.stop?.removeEventListener('abort', stop);
  return run.result({
    spun: run.spun,
    metronome: lateness,
    poolQueued: tools.pool.queued - queuedBefore,
    socketsOpened: tools.pool.opened - openedBefore,
  });
}

function wakesOf({ pace, extent, workers, leadIn }: ClosedOrder, start: Nanoseconds): Float64Array {
  const scheduled = pace.kind === 'intended' && extent.kind === 'duration';
  const gap = scheduled ? pace.gap / workers : grid;
  const span = extent.kind === 'duration' ? extent.duration : extent.longest;
  const count = Math.min(mostWakes, Math.ceil(span / gap) + leadIn);
  const due = new Float64Array(count);
  for (let index = 0; index < count; index++) due[index] = start + index * gap;
  return scheduled ? planWakes(due) : due;
}

class ClosedRun implements ShotSink {
  readonly start: Nanoseconds;
  readonly ended: Promise<void>;
  spun = ns(0);
  readonly #order: ClosedOrder;
  readonly #tools: SliceTools;
  readonly #wire: readonly WireRequest[];
  readonly #loop: ClosedLoop;
  readonly #health: HealthWatch;
  readonly #guard: NodeJS.Timeout;
  readonly #spins: boolean;
  /** The shot of each worker; null when it has none on its way. */
  readonly #turns: (Turn | null)[];
  readonly #flights: (Flight | null)[];
  readonly #sent: Float64Array;
  readonly #written: Float64Array;
  /** Shots in the order they were sent, which is that of their deadlines. */
  #deadlines: { readonly worker: number; readonly turn: Turn }[] = [];
  #oldest = 0;
  #end: () => void = () => {};
  #pumping = false;
  #isOver = false;
  #inFlight = 0;
  #stoppedAt: Nanoseconds | null = null;
  #tooLong = false;
  /** When the first shot after the counted ones was sent. */
  #afterCounted: Nanoseconds | null = null;
  #lastEnd = ns(0);
  #drainUntil: number | null = null;
  readonly #tally: ClosedTally;

  constructor(order: ClosedOrder, tools: SliceTools) {
    this.#order = order;
    this.#tools = tools;
    this.#wire = toWire(order.requests, order.target);
    this.#turns = new Array<Turn | null>(order.workers).fill(null);
    this.#flights = new Array<Flight | null>(order.workers).fill(null);
    this.#sent = new Float64Array(order.workers);
    this.#written = new Float64Array(order.workers);
    this.#tally = new ClosedTally(order.timeout, tools.newHistogram);
    this.#spins = order.pace.kind === 'intended' && order.pace.gap / order.workers >= pacing.spinGap;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#health = new HealthWatch(performance.now());
    this.start = ns(monotonicNow() + notice);
    this.#loop = new ClosedLoop(order, this.start);
    // A deadline is kept within a hundredth of the time-out.
    this.#guard = setInterval(() => this.#watch(), Math.min(10, Math.max(1, order.timeout / 1e8)));
  }

  /** Sends no more; what is on its way is waited for a little. */
  stop(): void {
    if (this.#isOver || this.#stoppedAt !== null) return;
    this.#stoppedAt = monotonicNow();
    if (this.#drainUntil === null) this.#beginDrain(this.#stoppedAt, stoppedDrain);
  }

  wake(): void {
    if (this.#spins) {
      const until = this.#loop.nextAt;
      const from = monotonicNow();
      let now = from;
      if (until - now <= pacing.early) while (now < until) now = monotonicNow();
      this.spun = ns(this.spun + now - from);
    }
    this.#pump();
  }

  onWritten(worker: number, at: Nanoseconds): void {
    this.#written[worker] = at;
  }

  onAnswered(worker: number, at: Nanoseconds, status: number): void {
    const turn = this.#turns[worker];
    if (turn === null || turn === undefined) return;
    const sequence = this.#order.sequence;
    const { expected } = this.#order.requests[sequence[turn.shot % sequence.length]!]!;
    const right = expected.some(({ from, to }) => status >= from && status <= to);
    this.#tally.answered(turn, status, right, ns(at - this.#written[worker]!));
    this.#settle(worker, turn, at, right ? 'ok' : 'failed');
  }

  onFailed(worker: number, at: Nanoseconds, cause: string): void {
    const turn = this.#turns[worker];
    if (turn === null || turn === undefined) return;
    this.#tally.failed(turn, cause);
    this.#settle(worker, turn, at, 'failed');
  }

  result(figures: Parameters<HealthWatch['report']>[0]): ClosedResult {
    const generator = this.#health.report(figures);
    const first = this.#loop.firstCounted;
    if (first === null) {
      throw new TailgateError({
        code: this.#stoppedAt === null ? 'invalid' : 'cancelled',
        message: 'the closed loop ended before a counted request was sent',
        hint: 'The service answered too slowly, or not at all; try it with curl first.',
      });
    }
    const planned = this.#loop.end ?? this.#afterCounted ?? this.#lastEnd;
    return {
      ...this.#tally.result(),
      window: ns(Math.max(1, Math.min(planned, this.#stoppedAt ?? planned) - first)),
      generator,
      cutShort: this.#stoppedAt !== null || this.#tooLong,
    };
  }

  #pump(): void {
    this.#pumping = false;
    for (;;) {
      const now = monotonicNow();
      const turn = this.#loop.take(now);
      if (turn === null) return;
      this.#send(turn, now);
    }
  }

  #send(turn: Turn, now: Nanoseconds): void {
    const { worker, shot } = turn;
    const { sequence, workers, leadIn } = this.#order;
    this.#tally.sent(turn, now);
    if (!turn.counted && shot >= leadIn) this.#afterCounted ??= now;
    this.#turns[worker] = turn;
    this.#sent[worker] = now;
    this.#deadlines.push({ worker, turn });
    this.#inFlight++;
    const wire = this.#wire[sequence[shot % sequence.length]!]!;
    const flight = this.#tools.pool.send(this, worker, wire, false, workers);
    if (this.#turns[worker] === turn) this.#flights[worker] = flight;
  }

  #settle(worker: number, turn: Turn, at: Nanoseconds, outcome: ClosedOutcome): void {
    this.#turns[worker] = null;
    this.#flights[worker] = null;
    this.#inFlight--;
    this.#lastEnd = at;
    this.#tally.ended(turn, ns(this.#sent[worker]!), at, outcome);
    this.#loop.ended(turn, at);
    if (this.#pumping) return;
    this.#pumping = true;
    // Not from here: the answered shot's socket is only free once its client is done with it.
    queueMicrotask(() => this.#pump());
  }

  #watch(): void {
    if (this.#isOver) return;
    const now = monotonicNow();
    this.#endOverdue(now);
    this.#pump();
    const { extent } = this.#order;
    if (extent.kind === 'count' && this.#stoppedAt === null && now > this.start + extent.longest) {
      this.#tooLong = true;
      this.#loop.stop();
    }
    if (this.#drainUntil === null) {
      if (!this.#loop.isOver(now) || !this.#isCaughtUp(now)) return;
      this.#beginDrain(now, longestDrain);
    }
    if (now >= this.#drainUntil!) this.#giveUpRest(now);
    if (this.#inFlight > 0) return;
    this.#isOver = true;
    clearInterval(this.#guard);
    this.#end();
  }

  /** Whether what was scheduled has been sent: workers that fell behind may go on for as long as a drain lasts. */
  #isCaughtUp(now: Nanoseconds): boolean {
    const end = this.#loop.end;
    if (this.#order.pace.kind !== 'intended' || end === null) return true;
    if (now >= end + Math.min(this.#order.timeout, longestDrain)) return true;
    return this.#loop.unsent(now, this.#busy()).length === 0;
  }

  #beginDrain(now: Nanoseconds, longest: Nanoseconds): void {
    this.#loop.stop();
    this.#health.endOfLoad();
    this.#drainUntil = now + Math.min(this.#order.timeout, longest);
    for (const at of this.#loop.unsent(now, this.#busy())) this.#tally.unsent(ns(now - at));
  }

  #endOverdue(now: Nanoseconds): void {
    for (; this.#oldest < this.#deadlines.length; this.#oldest++) {
      const { worker, turn } = this.#deadlines[this.#oldest]!;
      if (this.#turns[worker] !== turn) continue;
      if (this.#sent[worker]! + this.#order.timeout > now) break;
      this.#giveUp(worker, turn, now, 'timedOut');
    }
    // Trimmed in bulk, as the pool does.
    if (this.#oldest * 2 > this.#deadlines.length + 1024) {
      this.#deadlines = this.#deadlines.slice(this.#oldest);
      this.#oldest = 0;
    }
  }

  #giveUpRest(now: Nanoseconds): void {
    this.#turns.forEach((turn, worker) => {
      if (turn !== null) this.#giveUp(worker, turn, now, 'unfinished');
    });
  }

  #giveUp(worker: number, turn: Turn, now: Nanoseconds, outcome: ClosedOutcome): void {
    const flight = this.#flights[worker];
    this.#settle(worker, turn, now, outcome);
    flight?.abandon();
  }

  #busy(): ReadonlySet<number> {
    return new Set(this.#turns.flatMap((turn, worker) => (turn === null ? [] : [worker])));
  }
}

/** Whose turn it is in a closed loop: a fixed number of workers, one request each on its way at most. Pure: time is an argument. */
import type { Nanoseconds } from '../kernel/units.ts';
import { ns } from '../kernel/units.ts';
import type { ClosedExtent, ClosedPace } from './protocol.ts';

export interface ClosedShape {
  readonly workers: number;
  readonly pace: ClosedPace;
  readonly extent: ClosedExtent;
  /** Sent first and not counted. */
  readonly leadIn: number;
}

/** One send of one worker. */
export interface Turn {
  readonly worker: number;
  /** Position among all sends, the lead-in included. */
  readonly shot: number;
  readonly counted: boolean;
  /** From when its latency counts: the send itself, or the intended time. */
  readonly from: Nanoseconds;
  /** From when it could have been sent: what is later than this is our own delay. */
  readonly ready: Nanoseconds;
}

interface Waiting {
  readonly worker: number;
  readonly ready: Nanoseconds;
  readonly intended: Nanoseconds;
}

/**
 * The turns of a closed loop. Ask `take` until it has none, tell `ended` of every shot that is over.
 *
 * On answer: a worker is ready when its answer is in and its think time is over. Intended: worker i of N means to send
 * at i/N, 1 + i/N, 2 + i/N … gaps, and is ready then or when its answer is in, whichever is later.
 */
export class ClosedLoop {
  readonly #shape: ClosedShape;
  readonly #start: Nanoseconds;
  /** Workers that wait for their moment, the next one last. */
  readonly #waiting: Waiting[] = [];
  readonly #intended: Float64Array;
  #taken = 0;
  #countedEnded = 0;
  #firstCounted: Nanoseconds | null = null;
  #stopped = false;

  /** @param start when the first workers may send. */
  constructor(shape: ClosedShape, start: Nanoseconds) {
    this.#shape = shape;
    this.#start = start;
    this.#intended = new Float64Array(shape.workers);
    for (let worker = shape.workers - 1; worker >= 0; worker--) {
      const offset = shape.pace.kind === 'intended' ? (worker * shape.pace.gap) / shape.workers : 0;
      const at = ns(start + offset);
      this.#intended[worker] = at;
      this.#waiting.push({ worker, ready: at, intended: at });
    }
  }

  /** When the next waiting worker is ready; Infinity when none is, or nothing is sent any more. */
  get nextAt(): number {
    return this.#over()
      ? Number.POSITIVE_INFINITY
      : (this.#waiting.at(-1)?.ready ?? Number.POSITIVE_INFINITY);
  }

  /** When the first counted shot was sent, or was meant to be; null before that. */
  get firstCounted(): Nanoseconds | null {
    return this.#firstCounted;
  }

  /** Whether nothing more will be sent at or after `now`. */
  isOver(now: Nanoseconds): boolean {
    return this.#over() || this.#isPastEnd(now);
  }

  /** The end of a duration; null while it is not known, and for a number of requests. */
  get end(): Nanoseconds | null {
    const { extent, pace, leadIn, workers } = this.#shape;
    if (extent.kind === 'count') return null;
    // The schedule says beforehand when the lead-in is over; a loop on answers only finds out.
    if (pace.kind === 'intended') return ns(this.#start + (leadIn * pace.gap) / workers + extent.duration);
    return this.#firstCounted === null ? null : ns(this.#firstCounted + extent.duration);
  }

  /** The next send at `now`; null when no worker is ready. */
  take(now: Nanoseconds): Turn | null {
    const next = this.#waiting.at(-1);
    if (next === undefined || next.ready > now || this.#over()) return null;
    const intended = this.#shape.pace.kind === 'intended';
    if (this.#isPastEnd(intended ? next.intended : now)) {
      // This worker is done; others may mean to send before the end.
      this.#waiting.pop();
      return this.take(now);
    }
    this.#waiting.pop();
    const { leadIn, extent } = this.#shape;
    const shot = this.#taken++;
    const from = intended ? next.intended : now;
    const counted = shot >= leadIn && (extent.kind === 'duration' || shot < leadIn + extent.requests);
    if (counted) this.#firstCounted ??= from;
    return { worker: next.worker, shot, counted, from, ready: next.ready };
  }

  /** A worker's shot is over, however it ended. */
  ended(turn: Pick<Turn, 'worker' | 'counted'>, at: Nanoseconds): void {
    if (turn.counted) this.#countedEnded++;
    const { pace } = this.#shape;
    const { worker } = turn;
    if (pace.kind === 'on-answer') {
      const ready = ns(at + pace.think);
      this.#insert({ worker, ready, intended: ready });
      return;
    }
    const intended = ns(this.#intended[worker]! + pace.gap);
    this.#intended[worker] = intended;
    this.#insert({ worker, ready: ns(Math.max(at, intended)), intended });
  }

  /** Nothing more is sent. */
  stop(): void {
    this.#stopped = true;
  }

  /**
   * Intended times before the end (or `now`, when that comes first) that no shot was sent for, once it is over.
   * @param busy the workers whose shot is still on its way: their next intended time is one gap later.
   */
  unsent(now: Nanoseconds, busy: ReadonlySet<number>): readonly Nanoseconds[] {
    const { pace, workers } = this.#shape;
    if (pace.kind !== 'intended') return [];
    const end = Math.min(this.end ?? now, now);
    const left: Nanoseconds[] = [];
    for (let worker = 0; worker < workers; worker++) {
      let at = this.#intended[worker]! + (busy.has(worker) ? pace.gap : 0);
      for (; at < end - 1; at += pace.gap) left.push(ns(at));
    }
    return left;
  }

  #over(): boolean {
    const { extent } = this.#shape;
    return this.#stopped || (extent.kind === 'count' && this.#countedEnded >= extent.requests);
  }

  #isPastEnd(at: number): boolean {
    const end = this.end;
    // Sums of fractions of nanoseconds must not add a shot at the very end.
    return end !== null && at >= end - 1;
  }

  #insert(one: Waiting): void {
    const list = this.#waiting;
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle]!.ready > one.ready) low = middle + 1;
      else high = middle;
    }
    list.splice(low, 0, one);
  }
}

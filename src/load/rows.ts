/** One row a shot, in arrays made before the first send: when it was due, handed, written and done, and how it ended. */
import type { Nanoseconds } from '../kernel/units.ts';
import { ns } from '../kernel/units.ts';
import type { AnswerContent } from './checks.ts';
import type { Flight, ShotSink } from './flight.ts';
import type { SliceOrder } from './protocol.ts';

/** How a shot stands. An `answered` one is right or wrong by its status, which is looked at after the slice. */
export const shotState = {
  scheduled: 0,
  inFlight: 1,
  answered: 2,
  failed: 3,
  timedOut: 4,
  dropped: 5,
  unfinished: 6,
} as const;

/** Shots on a position that is a multiple of this have their body hashed. */
const sampleEvery = 50;
/** At most about so many bodies a slice are hashed: the evidence file keeps every checksum. */
const sampledBodies = 400;
/** The same two for answers whose content is checked; they are kept until the slice is over. */
const checkEvery = 10;
const checkedAnswers = 400;
const checkedBytes = 16 * 1024 * 1024;
const mostCauses = 255;

export class ShotRows implements ShotSink {
  count: number;
  readonly leadIn: number;
  readonly timeout: Nanoseconds;
  /** On the monotonic clock, like the other three. */
  due: Float64Array;
  /** When the driver handed the shot to the client, or found that it had to keep it back. */
  readonly handed: Float64Array;
  readonly written: Float64Array;
  readonly done: Float64Array;
  readonly state: Uint8Array;
  readonly status: Uint16Array;
  readonly bytes: Uint32Array;
  /** Index into `causes`. */
  readonly cause: Uint8Array;
  readonly causes: string[] = [];
  readonly checksums = new Map<number, string>();
  /** What answers held that are to be checked. */
  readonly contents = new Map<number, AnswerContent>();
  inFlight = 0;
  peakInFlight = 0;
  settled = 0;
  readonly #flights: (Flight | null)[];
  readonly #sampleStride: number;
  readonly #checkStride: number;
  /** Requests whose answers are to be looked into. */
  readonly #checked: readonly boolean[];
  readonly #sequence: Uint16Array;
  #kept = 0;
  /** Every shot before this one is settled. */
  #oldest = 0;
  #released = 0;

  /** @param start the moment from which the schedule's offsets count. */
  constructor(
    order: Pick<SliceOrder, 'schedule' | 'timeout'> & Partial<Pick<SliceOrder, 'requests'>>,
    start: Nanoseconds,
  ) {
    const { due, leadIn } = order.schedule;
    this.count = due.length;
    this.leadIn = leadIn;
    this.timeout = order.timeout;
    this.due = due.map((offset) => start + offset);
    this.handed = new Float64Array(this.count);
    this.written = new Float64Array(this.count);
    this.done = new Float64Array(this.count);
    this.state = new Uint8Array(this.count);
    this.status = new Uint16Array(this.count);
    this.bytes = new Uint32Array(this.count);
    this.cause = new Uint8Array(this.count);
    this.#flights = new Array<Flight | null>(this.count).fill(null);
    this.#sampleStride = strideOf(sampleEvery, sampledBodies, this.count - leadIn);
    this.#checkStride = strideOf(checkEvery, checkedAnswers, this.count - leadIn);
    this.#checked = (order.requests ?? []).map(({ checks }) => (checks?.content ?? null) !== null);
    this.#sequence = order.schedule.sequence;
  }

  /** Leaves off the shots from this one on, none of which was handed over. */
  cut(shot: number): void {
    this.count = shot;
    this.due = this.due.subarray(0, shot);
  }

  get lastDue(): Nanoseconds {
    return ns(this.due[this.count - 1]!);
  }

  get firstCountedDue(): Nanoseconds {
    return ns(this.due[this.leadIn]!);
  }

  /** Whether what it is answered with is kept, for a checksum or for checks. */
  isSampled(shot: number): boolean {
    return this.#isHashed(shot) || this.#isChecked(shot);
  }

  #isHashed(shot: number): boolean {
    return shot >= this.leadIn && (shot - this.leadIn) % this.#sampleStride === 0;
  }

  #isChecked(shot: number): boolean {
    const inSample = shot >= this.leadIn && (shot - this.leadIn) % this.#checkStride === 0;
    return inSample && this.#checked[this.#sequence[shot]!] === true;
  }

  /** To be called before the client gets the shot: it may fail while it is being handed over. */
  hand(shot: number, at: Nanoseconds): void {
    this.handed[shot] = at;
    this.state[shot] = shotState.inFlight;
    this.#released = shot + 1;
    if (++this.inFlight > this.peakInFlight) this.peakInFlight = this.inFlight;
  }

  /** Remembers how to abandon a shot that was handed over. */
  attach(shot: number, flight: Flight): void {
    if (this.state[shot] === shotState.inFlight) this.#flights[shot] = flight;
  }

  /** A shot for which there was no room in flight: counted, never sent late in silence. */
  drop(shot: number, at: Nanoseconds): void {
    this.#keepBack(shot, at, shotState.dropped);
  }

  /** A shot that was reached after the end of the drain; its lateness tells that it was not released. */
  expire(shot: number, at: Nanoseconds): void {
    const pastDeadline = at - this.due[shot]! > this.timeout;
    this.#keepBack(shot, at, pastDeadline ? shotState.timedOut : shotState.unfinished);
  }

  onWritten(shot: number, at: Nanoseconds): void {
    this.written[shot] = at;
  }

  onAnswered(
    shot: number,
    at: Nanoseconds,
    status: number,
    bodyBytes: number,
    checksum: string | null,
    content: AnswerContent | null = null,
  ): void {
    if (this.state[shot] !== shotState.inFlight) return;
    this.status[shot] = status;
    this.bytes[shot] = bodyBytes;
    if (checksum !== null && this.#isHashed(shot)) this.checksums.set(shot, checksum);
    if (content !== null && this.#isChecked(shot) && this.#kept + bodyBytes <= checkedBytes) {
      this.#kept += bodyBytes;
      this.contents.set(shot, content);
    }
    // An answer after the deadline is none, also when it overtook the sweep.
    this.#settle(shot, at, at - this.due[shot]! > this.timeout ? shotState.timedOut : shotState.answered);
  }

  onFailed(shot: number, at: Nanoseconds, cause: string): void {
    if (this.state[shot] !== shotState.inFlight) return;
    this.cause[shot] = this.#causeIndex(cause);
    this.#settle(shot, at, at - this.due[shot]! > this.timeout ? shotState.timedOut : shotState.failed);
  }

  /** Ends every shot whose deadline, counted from its due time, has passed. Deadlines ascend like due times. */
  sweep(now: Nanoseconds): void {
    while (this.#oldest < this.#released && this.state[this.#oldest]! > shotState.inFlight) this.#oldest++;
    for (let shot = this.#oldest; shot < this.#released; shot++) {
      if (this.due[shot]! + this.timeout > now) return;
      if (this.state[shot] === shotState.inFlight) this.#giveUp(shot, now, shotState.timedOut);
    }
  }

  /** Ends every shot that is still on its way, at its present age. */
  giveUpRest(now: Nanoseconds): void {
    for (let shot = this.#oldest; shot < this.#released; shot++) {
      if (this.state[shot] === shotState.inFlight) this.#giveUp(shot, now, shotState.unfinished);
    }
  }

  #keepBack(shot: number, at: Nanoseconds, state: number): void {
    this.handed[shot] = at;
    this.done[shot] = at;
    this.state[shot] = state;
    this.#released = shot + 1;
    this.settled++;
  }

  #giveUp(shot: number, now: Nanoseconds, state: number): void {
    const flight = this.#flights[shot];
    this.#settle(shot, now, state);
    flight?.abandon();
  }

  #settle(shot: number, at: Nanoseconds, state: number): void {
    this.done[shot] = at;
    this.state[shot] = state;
    this.#flights[shot] = null;
    this.inFlight--;
    this.settled++;
  }

  #causeIndex(cause: string): number {
    const known = this.causes.indexOf(cause);
    if (known !== -1) return known;
    if (this.causes.length === mostCauses) return mostCauses - 1;
    return this.causes.push(cause) - 1;
  }
}

/** Every so many shots are in a sample of about `most` at most. */
function strideOf(every: number, most: number, shots: number): number {
  return Math.max(every, every * Math.ceil(shots / (every * most)));
}

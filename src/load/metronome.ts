/** The thread that sleeps precisely and wakes the sender: it only sleeps, so its own lateness is the machine's noise. */
import { Worker } from 'node:worker_threads';
import type { Nanoseconds } from '../kernel/units.ts';
import { ns } from '../kernel/units.ts';

export const pacing = {
  /** How long before a due time the sender is woken; it spins that last stretch. */
  early: ns(150_000),
  /** Wake-ups are at least this far apart: one a shot would starve the sender above some 5,000/s. */
  leastGap: ns(250_000),
  /** A shot that follows another more closely than this is not worth a spin of its own. */
  spinGap: ns(400_000),
} as const;

/**
 * Whether the sender spins for a shot: only when the shots are far enough apart that spinning leaves the core free
 * most of the time.
 */
export function deservesSpin(due: Float64Array, shot: number): boolean {
  return shot === 0 || due[shot]! - due[shot - 1]! >= pacing.spinGap;
}

/**
 * When to wake the sender, in the unit and origin of `due`. A shot that deserves a spin is announced `early`;
 * others are released by the first wake-up at or after they are due. Pure.
 */
export function planWakes(due: Float64Array): Float64Array {
  // Made whole at once: a list that grows to hundreds of thousands would leave its smaller selves as garbage.
  const wakes = new Float64Array(due.length);
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  let shot = 0;
  while (shot < due.length) {
    const spins = deservesSpin(due, shot);
    const wake = Math.max(spins ? due[shot]! - pacing.early : due[shot]!, last + pacing.leastGap);
    wakes[count++] = wake;
    last = wake;
    // One spin a wake-up: the shot after it has a wake-up of its own.
    if (spins) shot++;
    while (shot < due.length && due[shot]! <= wake) shot++;
  }
  return wakes.slice(0, count);
}

export interface WakeLateness {
  readonly p50: Nanoseconds;
  readonly p99: Nanoseconds;
  readonly max: Nanoseconds;
}

/** The one clock of both threads: each thread's `performance.timeOrigin` differs a little, this does not. */
export const monotonicNow = (): Nanoseconds => ns(Number(process.hrtime.bigint()));

export class Metronome {
  readonly #thread: Worker;
  /** 1 while a wake-up is on its way that the sender has not seen: no second one is posted meanwhile. */
  readonly #pending: Int32Array;
  /** 1 when the thread shall leave off the rest of its wake-ups; it sleeps on this cell. */
  readonly #stopped: Int32Array;
  #onWake: () => void = () => {};
  #finish: ((lateness: WakeLateness) => void) | null = null;
  #problem: Error | null = null;
  #fail: ((problem: Error) => void) | null = null;

  /** Resolves once the thread listens: the first wake-up is as punctual as the others. */
  static async start(): Promise<Metronome> {
    const metronome = new Metronome();
    await metronome.wakeAt(new Float64Array(0), () => {});
    return metronome;
  }

  private constructor() {
    this.#pending = new Int32Array(new SharedArrayBuffer(4));
    this.#stopped = new Int32Array(new SharedArrayBuffer(4));
    this.#thread = new Worker(threadSource, {
      eval: true,
      workerData: { pending: this.#pending, stopped: this.#stopped },
      // Neither loaders nor inspectors of the parent: the thread must do nothing but sleep.
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 },
    });
    this.#thread.on('message', (message: 0 | WakeLateness) => {
      if (message === 0) {
        Atomics.store(this.#pending, 0, 0);
        this.#onWake();
      } else {
        this.#finish?.(message);
        this.#finish = null;
      }
    });
    this.#thread.on('error', (problem: Error) => {
      this.#problem = problem;
      this.#fail?.(problem);
    });
  }

  /**
   * Calls `onWake` at each of the wake-up times, on `monotonicNow`'s clock; wake-ups that passed while one was on
   * its way are merged.
   * @returns how late the thread itself woke, once the last wake-up is over.
   */
  async wakeAt(wakes: Float64Array, onWake: () => void): Promise<WakeLateness> {
    if (this.#problem !== null) throw this.#problem;
    this.#onWake = onWake;
    const done = new Promise<WakeLateness>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    Atomics.store(this.#pending, 0, 0);
    Atomics.store(this.#stopped, 0, 0);
    this.#thread.postMessage(wakes);
    const lateness = await done;
    this.#onWake = () => {};
    return lateness;
  }

  /** Leaves off the wake-ups that are still to come; `wakeAt` resolves. */
  stop(): void {
    Atomics.store(this.#stopped, 0, 1);
    Atomics.notify(this.#stopped, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate();
  }
}

/** The two ports of the thread, as far as it uses them. */
interface ThreadPort {
  on(event: 'message', listener: (wakes: Float64Array) => void): void;
  postMessage(message: unknown): void;
}

/**
 * What runs in the thread. It travels as source text, so that it works from one bundled file as from the sources:
 * it must use nothing from outside its own body.
 */
function sleepAndWake(port: ThreadPort, pending: Int32Array, stopped: Int32Array): void {
  port.on('message', (wakes) => {
    const late = new Float64Array(wakes.length);
    let woken = 0;
    for (let next = 0; next < wakes.length && Atomics.load(stopped, 0) === 0; ) {
      const wake = wakes[next] as number;
      let now = Number(process.hrtime.bigint());
      while (now < wake && Atomics.load(stopped, 0) === 0) {
        // A fraction of a millisecond is honoured here, unlike in timers.
        Atomics.wait(stopped, 0, 0, (wake - now) / 1e6);
        now = Number(process.hrtime.bigint());
      }
      if (now < wake) break;
      late[woken++] = now - wake;
      if (Atomics.compareExchange(pending, 0, 0, 1) === 0) port.postMessage(0);
      while (next < wakes.length && (wakes[next] as number) <= now) next++;
    }
    const sorted = late.subarray(0, woken).sort();
    const rank = (share: number) => (woken === 0 ? 0 : (sorted[Math.ceil(share * woken) - 1] as number));
    port.postMessage({ p50: rank(0.5), p99: rank(0.99), max: rank(1) });
  });
}

const threadSource = `const { parentPort, workerData } = require('node:worker_threads');
(${sleepAndWake.toString()})(parentPort, workerData.pending, workerData.stopped);`;

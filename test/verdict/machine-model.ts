/**
 * A machine for simulated jobs: one service in an open-loop queue, on a runner that drifts, changes speed and stalls.
 * A stall freezes generator and service together, so that its shots are late and slow at once. The model and the
 * numbers of the runners are a guess at what shared runners do; the tests say what the judge makes of them.
 */
import type { Side } from '../../src/kernel/words.ts';
import type { Random } from '../../src/kernel/world.ts';

/** Stalls of one kind: how many a second, and how long, in milliseconds. */
export interface Stalls {
  readonly perSecond: number;
  readonly shortest: number;
  readonly longest: number;
  /** Exponent of a Pareto tail from `shortest` on, cut at `longest`; uniform when left out. */
  readonly tail?: number;
}

export interface Runner {
  /** Standard deviations, in logs: of a process's CPU, of its latency beyond that, and of a slice's CPU. */
  readonly processCpu: number;
  readonly processLatency: number;
  readonly sliceCpu: number;
  /** Change of speed a minute, and standard deviation of a speed that is forgotten in 15 s (AR(1)). */
  readonly drift: number;
  readonly wander: number;
  readonly stalls: readonly Stalls[];
  /** Share of the time, or of the processes, that is slower by a factor. */
  readonly slowTime?: { readonly share: number; readonly factor: number };
  readonly slowProcesses?: { readonly share: number; readonly factor: number };
  /** What the first slice of every round costs more, whoever it belongs to. */
  readonly firstSlot?: number;
}

/** What the candidate does differently. */
export interface Change {
  /** Its work a request, and with it its CPU. */
  readonly work?: number;
  /** Some requests wait, for a lock or an answer, without using CPU: their share, and the mean wait in milliseconds. */
  readonly waits?: { readonly share: number; readonly mean: number };
  /** It stops answering now and then; `holdsGenerator`: by taking the CPU that the generator needs. */
  readonly pauses?: Stalls & { readonly holdsGenerator: boolean };
}

/** CPU +5 %, and through the queue p99 +10 %. */
export const cpuFive: Change = { work: 1.05 };
/** p99 +20 % without CPU: one request of fifty waits, which p50 hardly notices. */
export const p99Twenty: Change = { waits: { share: 0.02, mean: 3.55 } };

const typical: Runner = {
  processCpu: 0.02,
  processLatency: 0.06,
  sliceCpu: 0.01,
  drift: 0.01,
  wander: 0.015,
  stalls: [
    { perSecond: 0.03, shortest: 50, longest: 300 },
    { perSecond: 0.3, shortest: 2, longest: 20 },
  ],
};

export const runners = {
  quiet: {
    processCpu: 0.01,
    processLatency: 0.03,
    sliceCpu: 0.005,
    drift: 0.003,
    wander: 0.005,
    stalls: [
      { perSecond: 0.005, shortest: 50, longest: 300 },
      { perSecond: 0.1, shortest: 2, longest: 20 },
    ],
  },
  typical,
  noisy: {
    processCpu: 0.03,
    processLatency: 0.1,
    sliceCpu: 0.02,
    drift: 0.03,
    wander: 0.03,
    stalls: [
      { perSecond: 0.12, shortest: 50, longest: 500 },
      { perSecond: 1.5, shortest: 2, longest: 20 },
    ],
    slowTime: { share: 0.2, factor: 1.15 },
  },
  bimodal: {
    ...typical,
    processCpu: 0.015,
    processLatency: 0.05,
    slowProcesses: { share: 0.25, factor: 1.06 },
  },
  drifting: { ...typical, drift: 0.05 },
  'slot bias': { ...typical, firstSlot: 1.2 },
  'heavy stalls': { ...typical, stalls: [{ perSecond: 0.5, shortest: 5, longest: 3_000, tail: 1.1 }] },
} satisfies Record<string, Runner>;
export type RunnerName = keyof typeof runners;

/** One slice as it went: response times in nanoseconds, in the order of the shots, and which of them were late. */
export interface Played {
  readonly responses: Float64Array;
  readonly late: Uint8Array;
  readonly lateCount: number;
  /** CPU nanoseconds a request. */
  readonly cpu: number;
}

/** Log-normal, sigma 0.6, mean 0.625 ms: half of the capacity at 800 requests a second. */
const meanService = 0.625;
const sigma = 0.6;
/** Lateness above which a shot is not on time, in milliseconds: docs/method.md. */
const onTime = 0.5;
/** The generator alone is late with this share of its shots, by up to 2 ms, however calm the machine. */
const strayLate = 0.02;
/** Stalls that hit the service and spare the generator, on its other core. */
const sparedGenerator = 0.15;
const forgetting = 15;
/** Mean length of a slow stretch of the machine, in seconds. */
const slowStretch = 4;

/** Quantiles of the unit exponential and of the service time: a table is several times faster than ln and exp. */
const tableSize = 2 ** 12;
const exponentials = Float64Array.from(
  { length: tableSize },
  (_, index) => -Math.log1p(-(index + 0.5) / tableSize),
);
const services = Float64Array.from(
  { length: tableSize },
  (_, index) => meanService * Math.exp(sigma * normalQuantile((index + 0.5) / tableSize) - sigma ** 2 / 2),
);

export class Machine {
  readonly #runner: Runner;
  readonly #change: Change;
  readonly #random: Random;
  #now = 0;
  #speed = 0;
  #slow = false;
  #process: Record<Side, { cpu: number; latency: number }>;

  constructor(runner: Runner, change: Change, random: Random) {
    this.#runner = runner;
    this.#change = change;
    this.#random = random;
    this.#speed = runner.wander * this.#normal();
    this.#process = { baseline: this.#spawn(), candidate: this.#spawn() };
  }

  /** Fresh processes, after the seconds that starting and warming them up takes. */
  beginRound(overhead: number): void {
    this.#pass(overhead);
    this.#process = { baseline: this.#spawn(), candidate: this.#spawn() };
  }

  /** @param due milliseconds since the start of the slice, the first `leadIn` of them not counted. */
  slice(side: Side, due: Float64Array, leadIn: number, isFirst: boolean): Played {
    const random = this.#random;
    const { work = 1, waits, pauses } = side === 'candidate' ? this.#change : {};
    const own = this.#process[side];
    const pace = this.#pace() * own.cpu * work * (isFirst ? (this.#runner.firstSlot ?? 1) : 1);
    const stalls = this.#stalls(due.at(-1)! + 50, pauses);
    const counted = due.length - leadIn;
    const responses = new Float64Array(counted);
    const late = new Uint8Array(counted);
    let lateCount = 0;
    let free = 0;
    let [holding, serving] = [0, 0];
    for (let shot = 0; shot < due.length; shot++) {
      const at = due[shot]!;
      while (holding < stalls.length && (stalls[holding]!.to <= at || !stalls[holding]!.holds)) holding++;
      let sent = at;
      // One draw is enough for two: which quantile, and where within it.
      const draw = random.next() * tableSize;
      const quantile = draw | 0;
      if (holding < stalls.length && stalls[holding]!.from <= at) sent = stalls[holding]!.to;
      else if (draw - quantile < strayLate) sent += 2 * random.next();
      let start = Math.max(sent, free);
      while (serving < stalls.length && stalls[serving]!.to <= start) serving++;
      if (serving < stalls.length && stalls[serving]!.from <= start) start = stalls[serving]!.to;
      let done = start + services[quantile]! * pace;
      for (let next = serving; next < stalls.length && stalls[next]!.from < done; next++) {
        if (stalls[next]!.from >= start) done += stalls[next]!.to - stalls[next]!.from;
      }
      free = done;
      if (waits !== undefined && random.next() < waits.share) {
        done += waits.mean * exponentials[(random.next() * tableSize) | 0]!;
      }
      if (shot < leadIn) continue;
      responses[shot - leadIn] = Math.max(1, Math.round((sent - at + (done - sent) * own.latency) * 1e6));
      if (sent - at > onTime) {
        late[shot - leadIn] = 1;
        lateCount++;
      }
    }
    this.#pass(due.at(-1)! / 1e3 + 0.05);
    const cpu = meanService * 1e6 * pace * Math.exp(this.#runner.sliceCpu * this.#normal());
    return { responses, late, lateCount, cpu };
  }

  #spawn(): { cpu: number; latency: number } {
    const { processCpu, processLatency, slowProcesses } = this.#runner;
    const slower =
      slowProcesses !== undefined && this.#random.next() < slowProcesses.share ? slowProcesses.factor : 1;
    return {
      cpu: slower * Math.exp(processCpu * this.#normal()),
      latency: Math.exp(processLatency * this.#normal()),
    };
  }

  #pace(): number {
    const slow = this.#slow ? this.#runner.slowTime!.factor : 1;
    return slow * Math.exp((this.#runner.drift * this.#now) / 60 + this.#speed);
  }

  /** Lets seconds pass: the speed forgets, and slow stretches begin and end (a two-state Markov chain). */
  #pass(seconds: number): void {
    this.#now += seconds;
    const kept = Math.exp(-seconds / forgetting);
    this.#speed = kept * this.#speed + Math.sqrt(1 - kept ** 2) * this.#runner.wander * this.#normal();
    const { slowTime } = this.#runner;
    if (slowTime === undefined) return;
    const same = Math.exp(-seconds / (slowStretch * (1 - slowTime.share)));
    this.#slow = this.#random.next() < slowTime.share * (1 - same) + (this.#slow ? same : 0);
  }

  /** Stalls of a slice in order, none within another. */
  #stalls(until: number, pauses: Change['pauses']): { from: number; to: number; holds: boolean }[] {
    const stalls: { from: number; to: number; holds: boolean }[] = [];
    const add = (kind: Stalls, holds: () => boolean): void => {
      let from = this.#gap(kind.perSecond);
      for (; from < until; from += this.#gap(kind.perSecond)) {
        stalls.push({ from, to: from + this.#length(kind), holds: holds() });
      }
    };
    for (const kind of this.#runner.stalls) add(kind, () => this.#random.next() >= sparedGenerator);
    if (pauses !== undefined) add(pauses, () => pauses.holdsGenerator);
    stalls.sort((one, other) => one.from - other.from);
    for (const [index, stall] of stalls.entries()) {
      const before = stalls[index - 1];
      if (before === undefined || before.to <= stall.from) continue;
      stall.to += before.to - stall.from;
      stall.from = before.to;
    }
    return stalls;
  }

  #gap(perSecond: number): number {
    return (1e3 / perSecond) * -Math.log1p(-this.#random.next());
  }

  #length({ shortest, longest, tail }: Stalls): number {
    const share = this.#random.next();
    if (tail === undefined) return shortest + share * (longest - shortest);
    return Math.min(longest, shortest * (1 - share) ** (-1 / tail));
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log1p(-this.#random.next())) * Math.cos(2 * Math.PI * this.#random.next());
  }
}

/** Poisson arrivals in milliseconds. */
export function arrivals(rate: number, shots: number, random: Random): Float64Array {
  const due = new Float64Array(shots);
  let at = 0;
  for (let shot = 0; shot < shots; shot++) {
    at += (1e3 / rate) * exponentials[(random.next() * tableSize) | 0]!;
    due[shot] = at;
  }
  return due;
}

/** By bisection of the cumulative distribution (Abramowitz & Stegun 26.2.17, error below 1e-7). */
function normalQuantile(p: number): number {
  let [low, high] = [-6, 6];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function normalShare(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return x < 0 ? above : 1 - above;
}

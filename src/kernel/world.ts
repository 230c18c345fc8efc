/** Time and chance: what tests must control, and the real ones. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Nanoseconds } from './units.ts';
import { ns } from './units.ts';

export interface Clock {
  /** Monotonic nanoseconds since an arbitrary origin of this process. */
  now(): Nanoseconds;
  /** The date, for file names and expiry; never for durations. */
  today(): Date;
  /** Resolves after `duration`; rejects with an AbortError when the signal fires. */
  sleep(duration: Nanoseconds, signal?: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
  now: () => ns(Number(process.hrtime.bigint())),
  today: () => new Date(),
  sleep: async (duration, signal) => {
    await delay(duration / 1e6, undefined, signal === undefined ? {} : { signal });
  },
};

/** A seeded source of chance. The same seed gives the same draws on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  below(below: number): number;
  coin(): boolean;
  /** A shuffled copy (Fisher–Yates). */
  shuffle<Item>(items: readonly Item[]): Item[];
  /** A source of its own for a named purpose: drawing from it does not move this one. */
  fork(label: string): Random;
}

/**
 * xoshiro128** (Blackman & Vigna 2018) seeded through splitmix32 from a FNV-1a hash of the seed's text.
 * @param seed any text or whole number.
 */
export function seededRandom(seed: string | number): Random {
  const text = String(seed);
  let mix = fnv1a(text);
  const split = (): number => {
    mix = (mix + 0x9e3779b9) | 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  let a = split();
  let b = split();
  let c = split();
  let d = split() | 1;
  const word = (): number => {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  };
  // 53 bits, so that fine gaps of a schedule are not quantised.
  const next = (): number => (word() * 2 ** 21 + (word() >>> 11)) / 2 ** 53;
  const random: Random = {
    next,
    below: (below) => Math.floor(next() * below),
    coin: () => (word() & 0x80000000) !== 0,
    shuffle: (items) => {
      const copy = [...items];
      for (let last = copy.length - 1; last > 0; last--) {
        const pick = random.below(last + 1);
        [copy[last], copy[pick]] = [copy[pick]!, copy[last]!];
      }
      return copy;
    },
    fork: (label) => seededRandom(`${text}/${label}`),
  };
  return random;
}

/** A seed for a job that was not given one: 31 bits, so that it is easy to read and to type. */
export function freshSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

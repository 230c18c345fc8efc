/** Attributes what a side used to slices: from the start of a slice to the start of the same side's next one. */
import type { Nanoseconds } from '../kernel/units.ts';
import { ns } from '../kernel/units.ts';
import type { CounterGrowth, Trial } from './trial.ts';

/** A value that only grows, or a sentence on why it is not known. */
type Grown =
  | { readonly kind: 'known'; readonly value: number }
  | { readonly kind: 'unknown'; readonly reason: string };

/** What a side has used, read at a moment of the monotonic clock. */
export interface CostReading {
  readonly at: Nanoseconds;
  /** CPU time in nanoseconds. */
  readonly cpu: Grown;
  /** Other counters by name. */
  readonly counters: Readonly<Record<string, Grown>>;
}

/** What a reading itself adds to what is read: a metrics page is rendered by the service. */
export interface ReadingCost {
  readonly cpu: Nanoseconds;
  readonly counters: Readonly<Record<string, number>>;
}

export const freeReading: ReadingCost = { cpu: ns(0), counters: {} };

/** What a slice's window grew by; `reason` says why `cost` is null. */
export interface WindowGrowth {
  readonly cost: Trial['cost'];
  readonly reason: string | null;
  readonly counters: Readonly<Record<string, CounterGrowth>>;
}

/**
 * Growth over each slice of one side of a round.
 * @param starts readings at the start of every slice, in order.
 * @param busy how long each slice kept the side under load.
 * @param end reading at the end of the round.
 * @param own what one reading costs: every window holds one, and it is taken off.
 * @returns one entry a slice: CPU time of its window and the part of the window without load; null where a
 * reading is missing or went backwards. Deferred work (collection, flushing) falls into the window of the slice that
 * caused it.
 */
export function attributeCost(
  starts: readonly CostReading[],
  busy: readonly Nanoseconds[],
  end: CostReading,
  own: ReadingCost = freeReading,
): readonly WindowGrowth[] {
  return starts.map((start, index) => {
    const next = starts[index + 1] ?? end;
    const cpu = growth(start.cpu, next.cpu, own.cpu);
    const counters = Object.entries(start.counters).map(([name, from]) => {
      const to = next.counters[name] ?? { kind: 'unknown', reason: 'it was not read again' };
      const grown = growth(from, to, own.counters[name] ?? 0);
      return [name, grown.kind === 'known' ? { by: grown.value } : { unknown: grown.reason }] as const;
    });
    return {
      ...(cpu.kind === 'unknown'
        ? { cost: null, reason: cpu.reason }
        : {
            cost: { cpu: ns(cpu.value), idle: ns(Math.max(0, next.at - start.at - (busy[index] ?? 0))) },
            reason: null,
          }),
      counters: Object.fromEntries(counters),
    };
  });
}

function growth(from: Grown, to: Grown, own: number): Grown {
  if (from.kind === 'unknown') return from;
  if (to.kind === 'unknown') return to;
  if (to.value < from.value) {
    return { kind: 'unknown', reason: 'the counter went back, as after a restart of what counts' };
  }
  return { kind: 'known', value: Math.max(0, to.value - from.value - own) };
}

/**
 * What one reading costs: the median growth between readings in quick succession, so that a collection or a tick in
 * between does not pass for the price of all of them.
 * @param readings with nothing but themselves in between; two at least, or nothing is known and nothing taken off.
 */
export function costOfReading(readings: readonly CostReading[]): ReadingCost {
  const typical = (of: (reading: CostReading) => Grown | undefined): number => {
    const steps = readings.slice(1).flatMap((reading, index) => {
      const [from, to] = [of(readings[index]!), of(reading)];
      return from?.kind === 'known' && to?.kind === 'known' && to.value >= from.value
        ? [to.value - from.value]
        : [];
    });
    return steps.sort((a, b) => a - b)[(steps.length - 1) >> 1] ?? 0;
  };
  const names = Object.keys(readings[0]?.counters ?? {});
  return {
    cpu: ns(typical((reading) => reading.cpu)),
    counters: Object.fromEntries(names.map((name) => [name, typical((reading) => reading.counters[name])])),
  };
}

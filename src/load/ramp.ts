/** A short climb of rates against one service: which to try next, and what the steps say about its capacity. Pure. */
import { type PerSecond, perSecond } from '../kernel/units.ts';

/** One rate that was offered for a moment. */
export interface RampStep {
  readonly rate: PerSecond;
  /** Whether the service answered nearly everything without an ever longer queue. */
  readonly held: boolean;
  /** Whether the generator could offer that rate: without it the step says nothing about the service. */
  readonly offered: boolean;
  /** Whether the service ended by itself meanwhile. */
  readonly ended: boolean;
  /** Cores that the service kept busy; null where CPU time cannot be read. */
  readonly busy: number | null;
  /** Share of the time in which somebody on this machine waited for a CPU; above 1 where only queues are known. */
  readonly crowded: number;
  /** Cores that the generator kept busy. */
  readonly generator: number;
}

export interface RampLimits {
  readonly first: PerSecond;
  readonly most: PerSecond;
  readonly steps: number;
}

const growth = 1.5;
const shrink = 4;
/** A bracket as narrow as this is close enough for a rate that is to lie at less than half of it. */
const narrow = 1.15;

/**
 * Up by half until a rate is not held, then between the two; down when the first is not held already.
 * @returns null when enough is known or the limits are reached.
 */
export function nextRate(steps: readonly RampStep[], limits: RampLimits): PerSecond | null {
  if (steps.length >= limits.steps || steps.some((step) => !step.offered || step.ended)) return null;
  const { held, failed } = bracketOf(steps);
  if (held === null && failed === null) return perSecond(Math.min(limits.first, limits.most));
  if (failed === null) return held! >= limits.most ? null : round(Math.min(held! * growth, limits.most));
  if (held === null) return failed <= 1 ? null : round(Math.max(1, failed / shrink));
  return failed / held <= narrow ? null : round(Math.sqrt(held * failed));
}

function bracketOf(steps: readonly RampStep[]): { held: number | null; failed: number | null } {
  const usable = steps.filter((step) => step.offered);
  const failures = usable.filter((step) => !step.held).map((step) => step.rate);
  const failed = failures.length === 0 ? null : Math.min(...failures);
  const holds = usable.filter((step) => step.held && (failed === null || step.rate < failed));
  return { held: holds.length === 0 ? null : Math.max(...holds.map((step) => step.rate)), failed };
}

const round = (rate: number): PerSecond =>
  perSecond(rate >= 20 ? Math.round(rate) : Math.round(rate * 10) / 10);

export type Bound =
  /** The service used up the CPU it can use. */
  | 'cpu'
  /** It stopped keeping up with CPU left: it waits for something else. */
  | 'not-cpu'
  /** It held whatever could be offered. */
  | 'not-reached'
  /** It did not get the CPU it wanted: others on this machine had it. */
  | 'crowded'
  /** It ended by itself. */
  | 'ended'
  /** CPU time cannot be read here. */
  | 'unknown';

export interface Capacity {
  /** The highest rate that was held; null when none was. */
  readonly held: PerSecond | null;
  /** The lowest that was not; null when none was reached. */
  readonly failed: PerSecond | null;
  readonly bound: Bound;
  /** Cores kept busy at the limit. */
  readonly busy: number | null;
}

/** One thread, or all CPUs together with the generator, are as good as used up from here on. */
const full = 0.85;
/** Waiting for CPUs for this share of the time, without having them, is others' doing. */
const crowd = 0.4;

/** @param cores how many CPUs service and generator share. */
export function capacityOf(steps: readonly RampStep[], cores: number): Capacity {
  const { held, failed } = bracketOf(steps);
  const at = (rate: number | null): RampStep | undefined => steps.find((step) => step.rate === rate);
  if (failed === null) {
    return { held: perSecondOrNull(held), failed: null, bound: 'not-reached', busy: at(held)?.busy ?? null };
  }
  const limit = at(failed)!;
  const busy = limit.busy === null ? null : Math.max(limit.busy, at(held)?.busy ?? 0);
  const usedUp = busy !== null && (busy >= full || busy + limit.generator >= full * cores);
  const bound = limit.ended ? 'ended' : busy === null ? 'unknown' : usedUp ? 'cpu' : boundBelow(limit);
  return { held: perSecondOrNull(held), failed: perSecond(failed), bound, busy };
}

const boundBelow = ({ crowded }: RampStep): Bound => (crowded >= crowd ? 'crowded' : 'not-cpu');

const perSecondOrNull = (rate: number | null): PerSecond | null => (rate === null ? null : perSecond(rate));

/** 40 % to 50 % of the capacity: enough to load it, too little for queues to decide what is measured. */
export function advisedRates(
  capacity: Capacity,
): { least: PerSecond; aim: PerSecond; most: PerSecond } | null {
  if (capacity.held === null) return null;
  const part = (share: number): PerSecond => perSecond(twoDigits(capacity.held! * share));
  return { least: part(0.4), aim: part(0.45), most: part(0.5) };
}

function twoDigits(value: number): number {
  return Math.max(0.1, Number(value.toPrecision(2)));
}

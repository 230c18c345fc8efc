/** A short search around a capacity that is roughly known: one of many, whose spread tells what they are worth. Pure. */
import { bracketOf, middleOf, openRate, roundedRate } from './search.ts';
import type { Step } from './step.ts';

export interface ShortLimits {
  /** Requests a second of the first step. */
  readonly start: number;
  /** Neither is crossed. */
  readonly least: number;
  readonly most: number;
  /** Between steps while only passes or only fails are known. */
  readonly factor: number;
  /** first fail ÷ last pass is at most this in the end. */
  readonly resolution: number;
}

/** So many steps are enough for any service that behaves. */
const mostSteps = 16;

/**
 * The next rate, upwards or downwards; null when the bracket is narrow enough or does not exist within the limits. A
 * rate at which the generator failed twice is not asked for again.
 */
export function nextInShort(steps: readonly Step[], limits: ShortLimits): number | null {
  if (steps.length === 0) return limits.start;
  if (steps.length >= mostSteps) return null;
  const open = openRate(steps);
  if (open !== null) return open;
  const next = nextUndecided(steps, limits);
  return steps.some((step) => step.rate === next) ? null : next;
}

function nextUndecided(steps: readonly Step[], limits: ShortLimits): number | null {
  const { lastPass, firstFail } = bracketOf(steps);
  if (firstFail === null)
    return lastPass === null ? null : towards(lastPass, lastPass * limits.factor, limits);
  if (lastPass === null) return towards(firstFail, firstFail / limits.factor, limits);
  const between = middleOf(lastPass, firstFail);
  const isDone = firstFail / lastPass <= limits.resolution || between <= lastPass || between >= firstFail;
  return isDone ? null : between;
}

/** The middle of the bracket on a log scale, in requests a second; null when either end is missing. */
export function capacityOf(steps: readonly Step[]): number | null {
  const { lastPass, firstFail } = bracketOf(steps);
  return lastPass === null || firstFail === null ? null : Math.sqrt(lastPass * firstFail);
}

/** Why a search has no bracket. Rates in requests a second. */
export type NoBracket =
  /** It passes; what keeps the search from going higher is the bound, the generator, or a service that never got quiet. */
  | { readonly kind: 'at-least'; readonly rate: number; readonly limit: 'bound' | 'generator' | 'service' }
  /** The lowest rate that was tried, or that may be, misses the objective. */
  | { readonly kind: 'missed'; readonly rate: number }
  /** The generator did not do its part at any rate. */
  | { readonly kind: 'unsound'; readonly rate: number }
  /** The first step decided nothing, and the service did not get quiet after it. */
  | { readonly kind: 'overrun'; readonly rate: number };

/** What a search without a capacity says all the same; for searches with at least one step. */
export function noBracketOf(steps: readonly Step[], { most }: Pick<ShortLimits, 'most'>): NoBracket {
  const { lastPass, firstFail } = bracketOf(steps);
  const last = steps.at(-1)!;
  if (lastPass !== null) {
    const limit = lastPass >= most ? 'bound' : last.sound ? 'service' : 'generator';
    return { kind: 'at-least', rate: lastPass, limit };
  }
  if (firstFail !== null) return { kind: 'missed', rate: firstFail };
  return { kind: steps.some((step) => step.sound) ? 'overrun' : 'unsound', rate: last.rate };
}

function towards(from: number, wanted: number, { least, most }: ShortLimits): number | null {
  const rate = roundedRate(Math.min(most, Math.max(least, wanted)));
  return rate === from ? null : rate;
}

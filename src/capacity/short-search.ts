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

/** The next rate, upwards or downwards; null when the bracket is narrow enough or does not exist within the limits. */
export function nextInShort(steps: readonly Step[], limits: ShortLimits): number | null {
  if (steps.length === 0) return limits.start;
  if (steps.length >= mostSteps) return null;
  const open = openRate(steps);
  if (open !== null) return open;
  const { lastPass, firstFail } = bracketOf(steps);
  if (firstFail === null)
    return lastPass === null ? null : towards(lastPass, lastPass * limits.factor, limits);
  if (lastPass === null) return towards(firstFail, firstFail / limits.factor, limits);
  const between = middleOf(lastPass, firstFail);
  const isDone = firstFail / lastPass <= limits.resolution || between <= lastPass || between >= firstFail;
  return isDone || steps.some((step) => step.rate === between) ? null : between;
}

/** The middle of the bracket on a log scale, in requests a second; null when either end is missing. */
export function capacityOf(steps: readonly Step[]): number | null {
  const { lastPass, firstFail } = bracketOf(steps);
  return lastPass === null || firstFail === null ? null : Math.sqrt(lastPass * firstFail);
}

function towards(from: number, wanted: number, { least, most }: ShortLimits): number | null {
  const rate = roundedRate(Math.min(most, Math.max(least, wanted)));
  return rate === from ? null : rate;
}

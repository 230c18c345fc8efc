/** When a fresh process is warm: blocks of requests, faster than the test rate, until the cost of a request settles. Pure. */
import type { Nanoseconds, PerSecond } from '../kernel/units.ts';
import { perSecond } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';

/** CPU per successful request of one block of a side, in nanoseconds; null when nothing succeeded. */
export type BlockCost = number | null;

/** Two blocks in a row agree when their costs differ by at most this share. */
const agreement = 0.05;
/** Warm-up load may keep one core of a service this busy: below saturation with room for a slower candidate. */
const busyShare = 0.6;
/** How much faster than the test rate warm-up goes when the service allows it. */
const speedUp = 3;
/** A block lasts about this long, so that a cap in seconds leaves room for several. */
const blockSeconds = 0.3;
const blockLimits = { least: 50, most: 1500 };

/**
 * Whether both sides are warm: the last two blocks of each agree within 5 %.
 * @param blocks costs of the blocks so far, in order, of each side.
 */
export function isSettled(blocks: Readonly<Record<Side, readonly BlockCost[]>>): boolean {
  return agrees(blocks.baseline) && agrees(blocks.candidate);
}

/**
 * Rate of the next block: three times the test rate, but never more than keeps one core 60 % busy at the
 * dearer side's last known cost. The first block goes at the test rate, since nothing is known yet.
 */
export function nextBlockRate(
  testRate: PerSecond,
  blocks: Readonly<Record<Side, readonly BlockCost[]>>,
): PerSecond {
  const dearest = Math.max(blocks.baseline.at(-1) ?? 0, blocks.candidate.at(-1) ?? 0);
  if (dearest === 0) return testRate;
  return perSecond(Math.max(testRate, Math.min(testRate * speedUp, (busyShare * 1e9) / dearest)));
}

/** Requests of one block at a rate. */
export function blockRequests(rate: PerSecond): number {
  return Math.round(Math.min(blockLimits.most, Math.max(blockLimits.least, rate * blockSeconds)));
}

/** Whether another pair of blocks fits before the cap. */
export function fitsBeforeCap(elapsed: Nanoseconds, cap: Nanoseconds, blocksSoFar: number): boolean {
  if (blocksSoFar === 0) return true;
  const perBlock = elapsed / blocksSoFar;
  return elapsed + perBlock <= cap;
}

function agrees(costs: readonly BlockCost[]): boolean {
  const last = costs.at(-1);
  const previous = costs.at(-2);
  if (last === undefined || previous === undefined || last === null || previous === null) return false;
  return Math.abs(last - previous) <= agreement * Math.max(last, previous);
}

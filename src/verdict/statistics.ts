/**
 * Exact tests, estimates and intervals on the log-ratios of rounds: numbers in, numbers out. The only door to
 * simple-statistics. Its `tTest`, `quantile` and rank sums are not used: see docs/method.md.
 *
 * Every test rests on one fact: when nothing changed, baseline and candidate of a round are exchangeable (all
 * that is ordered was drawn by coin), so each round's sign is a fair coin, whatever the distribution.
 */
import { median, medianAbsoluteDeviation } from 'simple-statistics';
import { studentQuantile } from './student.ts';

/** Mean of the middle two for an even count. @throws on an empty list. */
export const medianOf = (values: readonly number[]): number => median([...values]);

/**
 * The lower median v[(n − 1) >> 1]: what is shown of a side's slices. A stall fills one slice and stays there,
 * and the lower of the middle two never averages a stalled slice in. @throws RangeError on an empty list.
 */
export function lowerMedian(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('lowerMedian needs at least one value');
  return ascending(values)[(values.length - 1) >> 1]!;
}

/** All (dᵢ + dⱼ)/2 with i ≤ j, ascending: n(n + 1)/2 values (Walsh 1949). */
export function walsh(d: readonly number[]): Float64Array {
  const averages = new Float64Array((d.length * (d.length + 1)) / 2);
  let filled = 0;
  for (let i = 0; i < d.length; i++) {
    for (let j = i; j < d.length; j++) averages[filled++] = (d[i]! + d[j]!) / 2;
  }
  return averages.sort();
}

/** The median of the Walsh averages (Hodges & Lehmann 1963). @throws RangeError on an empty list. */
export function hodgesLehmann(d: readonly number[]): number {
  if (d.length === 0) throw new RangeError('hodgesLehmann needs at least one value');
  const averages = walsh(d);
  const upper = averages.length >> 1;
  return averages.length % 2 === 1 ? averages[upper]! : (averages[upper - 1]! + averages[upper]!) / 2;
}

/**
 * How far `after` lies above `before`: the median of all differences of one value of each (Hodges & Lehmann 1963). Up to
 * 29 % of the values may be anything, and it is far steadier than a difference of medians. Swapped samples give the
 * negative. @throws RangeError when a list is empty.
 */
export function shiftOf(before: readonly number[], after: readonly number[]): number {
  if (before.length === 0 || after.length === 0) throw new RangeError('shiftOf needs values on both sides');
  return medianOf(before.flatMap((low) => after.map((high) => high - low)));
}

/** Values that carry a sign: |d| is rounded to 12 decimals, so that float noise makes neither signs nor ranks. */
export const nonZeroCount = (d: readonly number[]): number => d.filter((x) => rounded(x) !== 0).length;

/** The smallest p that an exact sign-based test of these values can reach: 2^−n over the non-zero ones. */
export const smallestP = (d: readonly number[]): number => 2 ** -nonZeroCount(d);

/**
 * Exact one-sided p of Wilcoxon's signed rank test (Wilcoxon 1945), "the values lie above zero". Zeros leave,
 * ties take midranks, and the null distribution is counted for the ranks at hand, so ties are exact too.
 * @returns a multiple of 2^−n; 1 when nothing but zeros is left.
 */
export function signedRankP(d: readonly number[]): number {
  const signed = d.map(rounded).filter((x) => x !== 0);
  const ranks = doubledMidranks(signed.map(Math.abs));
  let positive = 0;
  for (const [index, value] of signed.entries()) if (value > 0) positive += ranks[index]!;
  return upperTail(ranks, positive);
}

/**
 * Exact one-sided p of the sign-flip (Fisher's randomisation) test on whole differences, "their sum is above
 * zero": the share of the 2^n sign choices whose sum is at least the one seen (Fisher 1935).
 * @returns a multiple of 2^−n; 1 when every difference is zero.
 */
export function signFlipP(differences: readonly number[]): number {
  const sizes: number[] = [];
  let positive = 0;
  for (const difference of differences) {
    if (!Number.isSafeInteger(difference))
      throw new RangeError(`signFlipP needs whole numbers, got ${difference}`);
    if (difference === 0) continue;
    sizes.push(Math.abs(difference));
    if (difference > 0) positive += difference;
  }
  return upperTail(sizes, positive);
}

/**
 * The largest k with P(W ≤ k) ≤ level for the signed rank sum W of `rounds` values without ties; −1 when even
 * k = 0 is too likely. Index of the Walsh average that bounds a one-sided interval at that level.
 */
export function kOf(rounds: number, level: number): number {
  const mass = subsetSumMass(Array.from({ length: rounds }, (_, index) => index + 1));
  let cumulative = 0;
  let k = -1;
  for (const share of mass) {
    cumulative += share;
    if (cumulative > level + 1e-12) break;
    k += 1;
  }
  return k;
}

/**
 * Interval for the shift by inverting the signed rank test (Tukey 1949; Hollander & Wolfe 1999, 3.3).
 * @param level one-sided: 0.025 gives a two-sided 95 % interval.
 * @returns infinite ends when there are too few values for the level.
 */
export function interval(d: readonly number[], level: number): readonly [low: number, high: number] {
  const k = kOf(d.length, level);
  const averages = walsh(d);
  return k < 0 ? [-Infinity, Infinity] : [averages[k]!, averages[averages.length - 1 - k]!];
}

/** One-sided upper bound of the shift at level `beta`; +∞ when there are too few values for it. */
export const upperBound = (d: readonly number[], beta: number): number => interval(d, beta)[1];

/** H, half the width of the two-sided 95 % interval: what a change must exceed. +∞ under six values. */
export function spreadOf(d: readonly number[]): number {
  const [low, high] = interval(d, 0.025);
  return (high - low) / 2;
}

/** 1.4826 MAD: what one run against one run would be off by; 1.4826 makes it the sd of a normal (Hampel 1974). */
export const singleRunSpread = (d: readonly number[]): number => 1.4826 * medianAbsoluteDeviation([...d]);

/** f_R = 1 + t(0.80, R − 1)/t(0.975, R − 1): from the half-width to an effect seen in 80 % of jobs. R ≥ 2. */
export function detectionFactor(rounds: number): number {
  return 1 + studentQuantile(0.8, rounds - 1) / studentQuantile(0.975, rounds - 1);
}

/** exp(H f_R) − 1, as a relative change: the smallest effect this job would have seen four times in five. */
export function smallestDetectable(d: readonly number[]): number {
  return d.length < 2 ? Infinity : Math.expm1(spreadOf(d) * detectionFactor(d.length));
}

/** Step-down adjusted p-values, in the order given (Holm 1979). */
export function holm(p: readonly number[]): number[] {
  const order = p.map((_, index) => index).sort((a, b) => p[a]! - p[b]!);
  const adjusted = new Array<number>(p.length).fill(1);
  let least = 0;
  for (const [step, index] of order.entries()) {
    least = Math.max(least, Math.min(1, (p.length - step) * p[index]!));
    adjusted[index] = least;
  }
  return adjusted;
}

/**
 * Holm over the hypotheses that can be rejected at all. The others leave first, by Tarone's rule: with K the
 * smallest number for which at most K hypotheses can attain p ≤ level / K, those K stay (Tarone 1990, Biometrics
 * 46). Who leaves depends on the absolute differences alone, so the level holds.
 * @returns adjusted p, null for one that left.
 */
export function holmWithTarone(
  hypotheses: readonly { readonly p: number; readonly smallestP: number }[],
  level: number,
): (number | null)[] {
  const ableAt = (size: number): boolean[] =>
    hypotheses.map((hypothesis) => hypothesis.smallestP <= level / size + 1e-12);
  let size = 1;
  while (ableAt(size).filter(Boolean).length > size) size += 1;
  const able = ableAt(size);
  const adjusted = holm(hypotheses.filter((_, index) => able[index]).map((hypothesis) => hypothesis.p));
  let next = 0;
  return able.map((isAble) => (isAble ? adjusted[next++]! : null));
}

const ascending = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();

const rounded = (value: number): number => Math.round(value * 1e12) / 1e12;

/** Twice the midrank of every size: whole numbers, so that ties can be counted exactly. */
function doubledMidranks(sizes: readonly number[]): number[] {
  const order = sizes.map((_, index) => index).sort((a, b) => sizes[a]! - sizes[b]!);
  const ranks = new Array<number>(sizes.length).fill(0);
  for (let first = 0; first < order.length; ) {
    let last = first;
    while (last + 1 < order.length && sizes[order[last + 1]!] === sizes[order[first]!]) last += 1;
    for (let place = first; place <= last; place++) ranks[order[place]!] = first + last + 2;
    first = last + 1;
  }
  return ranks;
}

/** P(sum of a random subset ≥ reached). */
function upperTail(sizes: readonly number[], reached: number): number {
  const mass = subsetSumMass(sizes);
  let p = 0;
  for (let sum = mass.length - 1; sum >= reached; sum--) p += mass[sum]!;
  return p;
}

/**
 * Probability of every sum of a subset in which each size is in or out by a fair coin; index = sum. Halving as
 * we go keeps every entry a multiple of 2^−n, exact in a double up to 53 sizes.
 */
function subsetSumMass(sizes: readonly number[]): Float64Array {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const mass = new Float64Array(total + 1);
  mass[0] = 1;
  let reached = 0;
  for (const size of sizes) {
    reached += size;
    for (let sum = reached; sum >= size; sum--) mass[sum] = (mass[sum]! + mass[sum - size]!) / 2;
    for (let sum = Math.min(size - 1, reached); sum >= 0; sum--) mass[sum] = mass[sum]! / 2;
  }
  return mass;
}

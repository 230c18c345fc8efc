/** Latencies as an HdrHistogram in nanoseconds, guarded, with nearest-rank percentiles and their intervals (the only door to hdr-histogram-js). */
import type { Histogram } from 'hdr-histogram-js';
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, JsHistogram } from 'hdr-histogram-js';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { ns, secondsToNs } from '../kernel/units.ts';

/** One range and resolution everywhere: adding histograms of different ranges corrupts their maximum. */
const config = Object.freeze({
  /** WebAssembly hides its buckets, 8 and 16 bits wrap. */
  bitBucketSize: 32,
  useWebAssembly: false,
  autoResize: false,
  lowestDiscernibleValue: 1,
  highestTrackableValue: 60e9,
  numberOfSignificantValueDigits: 3,
} as const);

/** The largest value that is told apart; longer ones are recorded as this and counted as clamped. */
export const longestLatency: Nanoseconds = secondsToNs(60);

/** Chance left outside an interval on either side: two-sided 95 %. */
const eitherSide = 0.025;

/**
 * A distribution of durations from 1 ns to 60 s with three significant digits (within 0.1 %).
 * Merge first, take percentiles afterwards: an average of percentiles is not one.
 */
export class LatencyHistogram {
  readonly #counts: JsHistogram;
  #clamped = 0;

  constructor(counts: JsHistogram = asJs(build(config))) {
    this.#counts = counts;
  }

  /**
   * Decodes what `encode` wrote, or any V2 compressed histogram of the same range and resolution. How many values
   * were clamped is not part of the format: `clamped` starts again at 0.
   * @throws TailgateError `usage` when the text is not such a histogram.
   */
  static decode(text: string): LatencyHistogram {
    let decoded: Histogram;
    try {
      decoded = decodeFromCompressedBase64(text, config.bitBucketSize, false);
    } catch (thrown) {
      throw undecodable(text, messageOf(thrown), thrown);
    }
    const counts = asJs(decoded);
    if (
      counts.lowestDiscernibleValue !== config.lowestDiscernibleValue ||
      counts.highestTrackableValue !== config.highestTrackableValue ||
      counts.numberOfSignificantValueDigits !== config.numberOfSignificantValueDigits
    ) {
      throw undecodable(
        text,
        `its range is ${counts.lowestDiscernibleValue}..${counts.highestTrackableValue} with ${counts.numberOfSignificantValueDigits} digits, wanted 1..60000000000 (ns) with 3`,
      );
    }
    return new LatencyHistogram(counts);
  }

  /** The sum of any number of histograms; the parts stay as they are. */
  static merged(parts: Iterable<LatencyHistogram>): LatencyHistogram {
    const total = new LatencyHistogram();
    for (const part of parts) total.add(part);
    return total;
  }

  /**
   * Records one duration, rounded to whole nanoseconds. Zero is recorded as 1 ns, the lowest value that is told
   * apart, so that the minimum of what was recorded is never "nothing". Above 60 s it is clamped and counted.
   * @throws TailgateError `invalid` for NaN, infinite and negative values: let in, a NaN makes every percentile read 0.
   */
  record(value: Nanoseconds): void {
    if (!Number.isFinite(value) || value < 0) {
      throw new TailgateError({
        code: 'invalid',
        message: `a duration of ${value} ns cannot be recorded: wanted a finite number of nanoseconds, 0 or more`,
        hint: 'This is a fault of Tailgate or of this machine’s clock; please report it.',
      });
    }
    if (value > longestLatency) {
      this.#clamped++;
      this.#counts.recordValue(longestLatency);
    } else {
      this.#counts.recordValue(Math.max(1, Math.round(value)));
    }
  }

  /**
   * Records one duration many times, as a bucket of a foreign histogram stands for it.
   * @throws TailgateError `invalid` as `record`.
   */
  recordMany(value: Nanoseconds, times: number): void {
    if (times < 1) return;
    this.record(value);
    const kept = Math.min(longestLatency, Math.max(1, Math.round(value)));
    if (times > 1) this.#counts.recordValueWithCount(kept, times - 1);
    if (value > longestLatency) this.#clamped += times - 1;
  }

  /** Adds every value of another histogram to this one. */
  add(other: LatencyHistogram): void {
    this.#counts.add(other.#counts);
    this.#clamped += other.#clamped;
  }

  get count(): number {
    return this.#counts.totalCount;
  }

  /** Values above 60 s that were recorded as 60 s. */
  get clamped(): number {
    return this.#clamped;
  }

  /** The largest value, within 0.1 %; null when nothing was recorded. */
  get max(): Nanoseconds | null {
    return this.count === 0 ? null : this.#upperEnd(this.#counts.maxValue);
  }

  /** The smallest value, within 0.1 %; null when nothing was recorded. */
  get min(): Nanoseconds | null {
    return this.count === 0 ? null : ns(this.#counts.minNonZeroValue);
  }

  /** Of the middles of the buckets; null when nothing was recorded. */
  get mean(): Nanoseconds | null {
    return this.count === 0 ? null : ns(this.#counts.mean);
  }

  /**
   * Nearest rank: the smallest recorded value that at least `share` of all values do not exceed, that is the value of
   * rank ceil(share · count), within 0.1 % (the upper end of its bucket).
   * @param share in (0, 1]: 0.99 is p99.
   * @returns null when nothing was recorded.
   */
  percentile(share: number): Nanoseconds | null {
    if (this.count === 0) return null;
    return this.#valueOfRank(nearestRank(share, this.count));
  }

  /**
   * Distribution-free two-sided 95 % interval of a percentile, from order statistics: the values of the ranks whose
   * binomial tails are at most 2.5 % each (Conover, Practical Nonparametric Statistics, section 3.2). Holds for
   * independent values.
   * @returns null when no finite interval exists: p50 needs 6 values, p90 36, p99 368, p99.9 3,688.
   */
  percentileInterval(share: number): readonly [low: Nanoseconds, high: Nanoseconds] | null {
    const ranks = intervalRanks(share, this.count);
    if (ranks === null) return null;
    return [this.#valueOfRank(ranks.low), this.#valueOfRank(ranks.high)];
  }

  /** How many values do not exceed `value`, within 0.1 % of it. */
  countUpTo(value: Nanoseconds): number {
    const last = Math.min(this.#counts.countsArrayIndex(Math.min(value, longestLatency)), this.#length - 1);
    let total = 0;
    for (let index = 0; index <= last; index++) total += this.#counts.getCountAtIndex(index);
    return total;
  }

  /** V2 compressed base64, the interchange format of the HdrHistogram family. */
  encode(): string {
    return encodeIntoCompressedBase64(this.#counts);
  }

  get #length(): number {
    return this.#counts.countsArrayLength;
  }

  /** The first bucket that holds anything: thousands of empty ones lie before it. Only foreign histograms hold zeros. */
  get #first(): number {
    return this.#counts.getCountAtIndex(0) > 0
      ? 0
      : this.#counts.countsArrayIndex(this.#counts.minNonZeroValue);
  }

  #valueOfRank(rank: number): Nanoseconds {
    let total = 0;
    for (let index = this.#first; index < this.#length; index++) {
      total += this.#counts.getCountAtIndex(index);
      if (total >= rank) {
        return this.#upperEnd(this.#counts.valueFromIndex(index));
      }
    }
    throw new Error(`a histogram of ${this.count} values has no rank ${rank}`);
  }

  /** Read at the upper end of the bucket, the exact maximum too: the format keeps buckets only, and a histogram must read the same before and after it was written. */
  #upperEnd(value: number): Nanoseconds {
    return ns(Math.min(this.#counts.highestEquivalentValue(value), longestLatency));
  }
}

/**
 * ceil(share · count), from 1 to count. A share like 0.999 is not exact in binary and must not push the rank of a
 * whole product up by one.
 */
export function nearestRank(share: number, count: number): number {
  if (!(share > 0 && share <= 1)) throw new Error(`a percentile's share is in (0, 1], not ${share}`);
  const product = share * count;
  return Math.min(count, Math.max(1, Math.ceil(product - product * 1e-12)));
}

/**
 * Ranks, counted from 1, between which the percentile lies with 95 %: the largest `low` with
 * P(B ≤ low − 1) ≤ 2.5 % and the smallest `high` with P(B ≥ high) ≤ 2.5 %, B binomial (count, share).
 * @returns null when either does not exist.
 */
export function intervalRanks(share: number, count: number): { low: number; high: number } | null {
  if (!(share > 0 && share < 1) || count < 1) return null;
  const below = tailBelow(share, count);
  // P(B ≥ high) is the lower tail of count − B, binomial with 1 − share.
  const above = tailBelow(1 - share, count);
  if (below === null || above === null) return null;
  return { low: below + 1, high: count - above };
}

/** The largest k with P(B ≤ k) ≤ 2.5 %; null when even P(B = 0) is more. */
function tailBelow(share: number, count: number): number | null {
  const mean = share * count;
  // Twelve standard deviations below the mean there is nothing left to add up.
  let k = Math.max(0, Math.floor(mean - 12 * Math.sqrt(mean * (1 - share)) - 12));
  const odds = Math.log(share) - Math.log1p(-share);
  let logTerm =
    logFactorial(count) -
    logFactorial(k) -
    logFactorial(count - k) +
    k * Math.log(share) +
    (count - k) * Math.log1p(-share);
  let total = Math.exp(logTerm);
  if (total > eitherSide) return null;
  for (;;) {
    logTerm += Math.log(count - k) - Math.log(k + 1) + odds;
    total += Math.exp(logTerm);
    if (total > eitherSide) return k;
    k++;
  }
}

/** ln n!: exact sums while small, Stirling's series (error below 1e-12) from 32 on. */
function logFactorial(n: number): number {
  if (n < 32) {
    let total = 0;
    for (let factor = 2; factor <= n; factor++) total += Math.log(factor);
    return total;
  }
  const x = n + 1;
  return (
    (x - 0.5) * Math.log(x) -
    x +
    0.5 * Math.log(2 * Math.PI) +
    1 / (12 * x) -
    1 / (360 * x ** 3) +
    1 / (1260 * x ** 5)
  );
}

function asJs(histogram: Histogram): JsHistogram {
  if (histogram instanceof JsHistogram) return histogram;
  throw new Error('a histogram without WebAssembly was asked for');
}

function undecodable(text: string, why: string, cause?: unknown): TailgateError {
  const start = text.length > 24 ? `${text.slice(0, 24)}…` : text;
  return new TailgateError({
    code: 'usage',
    message: `"${start}" is not a latency histogram (V2 compressed base64 of an HdrHistogram): ${why}`,
    hint: 'The file was cut short or written by another tool; measure again or give the file Tailgate wrote.',
    cause,
  });
}

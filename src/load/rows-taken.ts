/** Which row of a feed, and which count, each shot of a job gets: the same for both sides of a pair of slices. */
import type { FeedSettings } from '../config/settings.ts';
import { TailgateError } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';
import type { Random } from '../kernel/world.ts';
import type { Feed } from './feeds.ts';

/** Warm-up takes rows of its own, so that it uses up none that a counted shot needs. */
export type Purpose = 'measured' | 'warm-up';

/** Where a slice starts to count and to take rows. */
export interface Start {
  readonly counter: number;
  readonly row: number;
  /** How many different requests were made for it; null before its first side. */
  variants: number | null;
}

/** Hands out stretches of a job's shots: whoever names a slot again, as the other side does, gets the same one. */
export class Stretches {
  readonly #starts = new Map<string, Start>();
  readonly #next: Record<Purpose, { counter: number; row: number }>;

  /** @param most counted shots of a side in this job: warm-up counts on from there, so that no number comes twice. */
  constructor(most: number) {
    this.#next = { measured: { counter: 1, row: 0 }, 'warm-up': { counter: most + 1, row: 0 } };
  }

  /**
   * @param slot round, pair and purpose as one text, the same for both sides.
   * @param shots of the slice, and how many of them take a row.
   */
  take(slot: string, purpose: Purpose, shots: number, rows: number): Start {
    const known = this.#starts.get(slot);
    if (known !== undefined) return known;
    const next = this.#next[purpose];
    const start: Start = { ...next, variants: null };
    this.#starts.set(slot, start);
    next.counter += shots;
    next.row += rows;
    return start;
  }
}

/** Rows that are set aside for warm-up where none may come twice; it starts over when it has used them. */
const leastWarmUpRows = 500;

/** Draws row by row, in the order that was asked for. */
export class RowPicker {
  readonly #feed: Feed;
  readonly #settings: FeedSettings;
  /** Of `unique`: rows from here on are for warm-up. */
  readonly #measuredRows: number;
  /** Of `zipf`: the share of draws up to and with each row. */
  readonly #upTo: Float64Array;

  /**
   * @param needed rows that the counted shots of a side take at most in this job.
   * @throws TailgateError `usage` when rows must be unique and there are fewer than needed.
   */
  constructor(feed: Feed, settings: FeedSettings, needed: number) {
    this.#feed = feed;
    this.#settings = settings;
    this.#measuredRows = needed;
    if (settings.order === 'unique' && feed.rows.length < needed + leastWarmUpRows) {
      throw new TailgateError({
        code: 'usage',
        message: `the feed ${feed.file} has ${formatCount(feed.rows.length)} rows, and \`order: unique\` needs ${formatCount(needed + leastWarmUpRows)}: up to ${formatCount(needed)} for the shots of a side in this job, ${formatCount(leastWarmUpRows)} for warm-up`,
        hint: 'add rows, lower `slice-requests`, `rounds` or the weight of the requests that use it, or use `order: sequential`, which starts over',
      });
    }
    this.#upTo =
      settings.order === 'zipf' ? zipfShares(feed.rows.length, settings.exponent) : new Float64Array();
  }

  get unique(): boolean {
    return this.#settings.order === 'unique';
  }

  /**
   * @param position how many rows were taken before for this purpose.
   * @returns the index of the row.
   * @throws TailgateError `usage` when unique rows have run out.
   */
  pick(position: number, purpose: Purpose, random: Random): number {
    const count = this.#feed.rows.length;
    switch (this.#settings.order) {
      case 'sequential':
        return position % count;
      case 'random':
        return random.below(count);
      case 'zipf':
        return firstAbove(this.#upTo, random.next());
      case 'unique': {
        if (purpose === 'warm-up') {
          return this.#measuredRows + (position % (count - this.#measuredRows));
        }
        if (position < this.#measuredRows) return position;
        throw new TailgateError({
          code: 'usage',
          message: `the unique rows of the feed ${this.#feed.file} have run out: ${formatCount(this.#measuredRows)} were set aside for the shots of a side`,
          hint: 'use `order: sequential`, which starts over',
        });
      }
    }
  }
}

function zipfShares(count: number, exponent: number): Float64Array {
  const upTo = new Float64Array(count);
  let sum = 0;
  for (let rank = 1; rank <= count; rank++) {
    sum += rank ** -exponent;
    upTo[rank - 1] = sum;
  }
  for (let index = 0; index < count; index++) upTo[index] = upTo[index]! / sum;
  return upTo;
}

/** The first index whose value is above the draw; the last where rounding left none. */
function firstAbove(upTo: Float64Array, draw: number): number {
  let [low, high] = [0, upTo.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (upTo[middle]! > draw) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Rows that so many shots take at most, of which a share takes one each: the mean and six standard deviations of the
 * binomial distribution, never more than the shots.
 */
export function mostRowsTaken(shots: number, share: number): number {
  const mean = shots * share;
  return Math.min(shots, Math.ceil(mean + 6 * Math.sqrt(mean * (1 - share))));
}

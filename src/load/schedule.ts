/** Rate, arrivals and seed → due times and the sequence of requests, known before the first send. Pure. */
import type { Arrivals } from '../config/settings.ts';
import { assertNever, TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds, PerSecond } from '../kernel/units.ts';
import { nsToSeconds } from '../kernel/units.ts';
import type { Random } from '../kernel/world.ts';
import { dueTimes } from './arrivals.ts';
import type { Schedule } from './protocol.ts';

/** How many counted shots: said outright, or as long as a duration at the rate. */
export type Extent =
  | { readonly kind: 'count'; readonly shots: number }
  | { readonly kind: 'duration'; readonly duration: Nanoseconds };

export interface ScheduleShape {
  readonly rate: PerSecond;
  readonly extent: Extent;
  readonly arrivals: Arrivals;
  /** Shots sent first, at the same pace, and not counted: the first ones after a hand-over are late. */
  readonly leadIn: number;
  /** One weight a request; a request is drawn as often as its share of the sum says. */
  readonly weights: readonly number[];
}

/** Enough for the tail of the first shots after a hand-over to be over. */
export const defaultLeadIn = 32;

/** Rows are made beforehand, about 60 bytes a shot: beyond this the generator would not fit its memory. */
export const mostShots = 2_000_000;

const mostRequests = 65_536;

/**
 * Draws a schedule. The same shape and the same source of chance give the same due times and the same sequence;
 * due times and sequence are drawn from forks of their own, so that another mix does not move the due times.
 * @throws TailgateError `usage` when rate, extent or weights make no schedule.
 */
export function planSchedule(shape: ScheduleShape, random: Random): Schedule {
  const total = countShots(shape) + shape.leadIn;
  if (total > mostShots) {
    throw new TailgateError({
      code: 'usage',
      message: `${total} requests in one go are too many: at most ${mostShots} fit the generator's memory`,
      hint: 'Use a lower rate or a shorter duration.',
    });
  }
  return {
    due: dueTimes(shape.arrivals, shape.rate, total - shape.leadIn, shape.leadIn, random.fork('arrivals')),
    sequence: drawSequence(shape.weights, total, random.fork('requests')),
    leadIn: shape.leadIn,
  };
}

/** Counted shots of a shape, without the lead-in. */
export function countShots(shape: Pick<ScheduleShape, 'rate' | 'extent'>): number {
  if (!(Number.isFinite(shape.rate) && shape.rate > 0)) {
    throw new TailgateError({
      code: 'usage',
      message: `a rate of ${shape.rate} requests per second makes no schedule: wanted a number above 0`,
      hint: 'Give a rate such as 500.',
    });
  }
  const shots = extentShots(shape.rate, shape.extent);
  if (!(Number.isFinite(shots) && shots >= 1)) {
    throw new TailgateError({
      code: 'usage',
      message: `the schedule would hold ${shots} requests: wanted at least 1`,
      hint: 'Use a longer duration or a higher rate.',
    });
  }
  return shots;
}

function extentShots(rate: PerSecond, extent: Extent): number {
  switch (extent.kind) {
    case 'count':
      return Math.round(extent.shots);
    case 'duration':
      return Math.round(rate * nsToSeconds(extent.duration));
    default:
      return assertNever(extent);
  }
}

function drawSequence(weights: readonly number[], total: number, random: Random): Uint16Array {
  if (weights.length === 0 || weights.length > mostRequests) {
    throw new TailgateError({
      code: 'usage',
      message: `a scenario of ${weights.length} requests makes no sequence: wanted 1 to ${mostRequests}`,
    });
  }
  const upTo: number[] = [];
  let sum = 0;
  for (const weight of weights) {
    if (!(Number.isFinite(weight) && weight > 0)) {
      throw new TailgateError({
        code: 'usage',
        message: `a weight of ${weight} makes no share of the traffic: wanted a number above 0`,
        hint: 'Remove the request or give it a weight such as 1.',
      });
    }
    sum += weight;
    upTo.push(sum);
  }
  const sequence = new Uint16Array(total);
  if (weights.length === 1) return sequence;
  for (let shot = 0; shot < total; shot++) {
    const draw = random.next() * sum;
    const request = upTo.findIndex((bound) => draw < bound);
    // A draw that rounding put at the very end belongs to the last request.
    sequence[shot] = request === -1 ? weights.length - 1 : request;
  }
  return sequence;
}

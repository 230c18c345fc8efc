/** Conductor of the floor: a run's schedule, for a short while, against a responder that does nothing. */
import { sliceRandom } from './config/rounds.ts';
import type { Arrivals } from './config/settings.ts';
import type { Transport } from './config/transport.ts';
import { LatencyHistogram } from './evidence/histogram.ts';
import { isSaturated, unsoundReasons } from './evidence/soundness.ts';
import type { Floor } from './evidence/trial.ts';
import type { RoundJob } from './job.ts';
import { TailgateError } from './kernel/errors.ts';
import { builtFile } from './kernel/installation.ts';
import { type Nanoseconds, ns, nsToSeconds, perSecond, secondsToNs } from './kernel/units.ts';
import type { Random } from './kernel/world.ts';
import { type NullResponder, nullRequest, startNullResponder } from './load/floor.ts';
import type { Generator, SliceResult } from './load/protocol.ts';
import { planSchedule } from './load/schedule.ts';

/** Long enough for a median; the job should not wait for more. */
const seconds = 0.2;
const shotLimits = { least: 20, most: 500 };
/** Of a burst's period that is gone through as a whole. Of a longer one only the beginning is sent, which is the burst. */
const longestPeriod = 1;
const leadInLimits = { seconds: 0.1, most: 20 };
/** Below this rate the fewest shots and their lead-in take longer than half a second. */
const slowest = 50;
const longestWait = secondsToNs(2);
/** In a process that has just started the first requests cost many times what the later ones do. */
const warmUp = { rate: 1000, shots: 150 };
/** A stretch that a stall of the machine spoils is sent again. */
const tries = 2;

/** Counted shots of a floor. */
export function floorShots(rate: number, arrivals: Arrivals): number {
  const usual = Math.max(shotLimits.least, Math.min(shotLimits.most, Math.round(rate * seconds)));
  if (typeof arrivals === 'string' || arrivals.kind !== 'burst') return usual;
  const period = nsToSeconds(arrivals.every);
  return period > longestPeriod ? usual : Math.max(usual, Math.ceil(rate * period));
}

/**
 * What the generator itself costs in response time on this machine, before any service is blamed for it.
 * @returns p50 and p99 over all shots, a scenario.
 */
export async function measureFloor(job: RoundJob): Promise<readonly Floor[]> {
  await using responder = await startNullResponder(builtFile('responder.js'));
  const { arrivals, timeout, maxSockets, maxInFlight } = job.config;
  const shared = { timeout, maxSockets, maxInFlight, sockets: 4 };
  await warm(job.generator, responder, { ...shared, random: sliceRandom(job.plan.seed, -1, '', 0) });
  const floor: Floor[] = [];
  for (const { name, rate } of job.plan.scenarios) {
    const random = sliceRandom(job.plan.seed, -1, name, 0);
    // A scenario that asks seldom would keep the job waiting for a minute.
    const order = {
      ...shared,
      rate: perSecond(Math.max(rate, slowest)),
      arrivals,
      leadIn: leadInLimits.most,
      random,
    };
    const { p50, p99 } = percentilesOf(await send(job.generator, responder, order));
    floor.push({ scenario: name, p50, p99 });
  }
  await job.generator.close(responder.origin);
  return floor;
}

export type FloorTimes = Omit<Floor, 'scenario'>;

/** One run of an open loop, and how it reaches a service on this machine. */
export interface FlooredRun {
  /** Requests a second. */
  readonly rate: number;
  readonly arrivals: Arrivals;
  readonly random: Random;
  /** Opened before the first shot. */
  readonly sockets: number;
  readonly maxSockets: number;
  readonly timeout: Nanoseconds;
  readonly transport: Transport | undefined;
}

/**
 * The floor of one run.
 * @returns null where there is none that is like the run: below 50 requests a second it would take too long, the
 * responder speaks neither TLS nor HTTP/2 and listens on no Unix socket, and where it does not start or the schedule
 * could not be kept, what is read is no floor.
 * @throws TailgateError as the generator does: `cancelled`, `invalid`.
 */
export async function floorOf(generator: Generator, run: FlooredRun): Promise<FloorTimes | null> {
  const { rate, transport } = run;
  const { tls = null, http2 = null, socketPath = null } = transport ?? {};
  if (tls !== null || http2 !== null || socketPath !== null || rate < slowest) return null;
  await using responder = await startOrNull();
  if (responder === null) return null;
  const leadIn = Math.min(leadInLimits.most, Math.floor(rate * leadInLimits.seconds));
  const timeout = ns(Math.min(run.timeout, longestWait));
  const order = { ...run, timeout, leadIn, maxInFlight: 10_000 };
  await warm(generator, responder, order);
  let floor: FloorTimes | null = null;
  for (let turn = 0; turn < tries && floor === null; turn++) {
    const result = await send(generator, responder, { ...order, random: run.random.fork(`${turn}`) });
    if (isKept(result)) floor = percentilesOf(result);
  }
  await generator.close(responder.origin);
  return floor;
}

function isKept(result: SliceResult): boolean {
  const saturated = isSaturated(result);
  const answered = result.counts.ok >= 0.99 * result.counts.scheduled;
  return answered && !saturated && unsoundReasons(result, saturated).length === 0;
}

interface FloorOrder extends Omit<FlooredRun, 'transport'> {
  readonly transport?: Transport | undefined;
  readonly leadIn: number;
  readonly maxInFlight: number;
}

async function warm(
  generator: Generator,
  responder: NullResponder,
  order: Omit<FloorOrder, 'rate' | 'arrivals' | 'leadIn'>,
): Promise<void> {
  const { rate, shots } = warmUp;
  const random = order.random.fork('warm-up');
  await send(generator, responder, { ...order, random, rate, arrivals: 'constant', leadIn: 0 }, shots);
}

async function send(
  generator: Generator,
  { origin }: NullResponder,
  order: FloorOrder,
  shots = floorShots(order.rate, order.arrivals),
): Promise<SliceResult> {
  const { rate, arrivals, leadIn, random, sockets, timeout, maxSockets, maxInFlight, transport } = order;
  const target = { origin, host: null, ...(transport === undefined ? {} : { transport }) };
  const extent = { kind: 'count', shots } as const;
  const shape = { rate: perSecond(rate), extent, arrivals, leadIn, weights: [1] };
  await generator.open({ target, request: nullRequest, sockets, timeout });
  const schedule = planSchedule(shape, random);
  return generator.slice({ target, requests: [nullRequest], schedule, timeout, maxSockets, maxInFlight });
}

/** Nothing was recorded of no shots, and there is one at least. */
function percentilesOf({ histograms }: SliceResult): FloorTimes {
  const response = LatencyHistogram.decode(histograms.response);
  return { p50: response.percentile(0.5) ?? ns(0), p99: response.percentile(0.99) ?? ns(0) };
}

/** What a run can do without must not end it. */
async function startOrNull(): Promise<NullResponder | null> {
  try {
    return await startNullResponder(builtFile('responder.js'));
  } catch (problem) {
    if (problem instanceof TailgateError && problem.code === 'invalid') return null;
    throw problem;
  }
}

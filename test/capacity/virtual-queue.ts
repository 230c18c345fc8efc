/** A service of one thread in virtual time: due times and service times in, a slice's result out. No clock, no socket. */

import { type AboutStep, type Criteria, makeStep, type Phase, type Step } from '../../src/capacity/step.ts';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { isSaturated, unsoundReasons } from '../../src/evidence/soundness.ts';
import { ms, ns, perSecond, secondsToNs } from '../../src/kernel/units.ts';
import { type Random, seededRandom } from '../../src/kernel/world.ts';
import type { SliceResult } from '../../src/load/protocol.ts';
import { planSchedule } from '../../src/load/schedule.ts';

export interface VirtualService {
  /** Nanoseconds of the one thread that a request takes. */
  readonly serviceTime: (random: Random, queued: number) => number;
  /** Nanoseconds that a request waits beside the thread, e.g. for a disk. */
  readonly beside?: number;
  /** Answered at once with 429 while so many are inside. */
  readonly admits?: number;
}

export interface VirtualRun {
  readonly rate: number;
  readonly shots: number;
  readonly arrivals: 'constant' | 'poisson';
  readonly seed: number;
  readonly timeout?: number;
  /** Shots before the counted ones; long enough that the queue is in its steady state. */
  readonly leadIn?: number;
}

const shed = 1e6;

/** What a slice brought, and what a meter of the service's CPU would have read around it, as a ramp reads it. */
interface MeteredSlice {
  readonly result: SliceResult;
  readonly cost: NonNullable<AboutStep['cost']>;
}

/** Every shot of a schedule through the queue, first come first served. */
function throughQueue(service: VirtualService, run: VirtualRun): MeteredSlice {
  const { rate, shots, arrivals, seed, timeout = secondsToNs(5), leadIn = 32 } = run;
  const random = seededRandom(seed);
  const shape = {
    rate: perSecond(rate),
    extent: { kind: 'count', shots },
    arrivals,
    leadIn,
    weights: [1],
  } as const;
  const { due } = planSchedule(shape, random);
  const dones = new Float64Array(due.length);
  // When those that were let in are done, in order; before `left` they are.
  const inside: number[] = [];
  let left = 0;
  const histograms = { response: new LatencyHistogram(), success: new LatencyHistogram() };
  const at = { firstDue: due[leadIn]!, halfway: due[leadIn + (shots >> 1)]!, end: due.at(-1)! };
  const counts = { ok: 0, failed: 0, timedOut: 0 };
  let [free, busy] = [0, 0];
  for (const [shot, arrival] of due.entries()) {
    while (left < inside.length && inside[left]! <= arrival) left++;
    const queued = inside.length - left;
    const rejected = service.admits !== undefined && queued >= service.admits;
    let done = arrival + shed;
    if (!rejected) {
      const takes = service.serviceTime(random, queued);
      busy += takes;
      free = Math.max(free, arrival) + takes;
      done = free + (service.beside ?? 0);
      inside.push(done);
    }
    dones[shot] = done;
    if (shot < leadIn) continue;
    const took = done - arrival;
    if (rejected) counts.failed++;
    else if (took > timeout) counts.timedOut++;
    else counts.ok++;
    histograms.response.record(ns(rejected || took > timeout ? Math.max(timeout, 1) : took));
    if (!rejected && took <= timeout) histograms.success.record(ns(took));
  }
  const inFlightAt = (moment: number): number =>
    due.reduce((sum, arrival, shot) => sum + (arrival <= moment && dones[shot]! > moment ? 1 : 0), 0);
  const lateness = new LatencyHistogram();
  lateness.record(ns(1000));
  const quiet = { p50: ns(0), p99: ns(0), max: ns(0) };
  const response = histograms.response.encode();
  const last = dones.reduce((most, done) => Math.max(most, done), 0);
  const result: SliceResult = {
    counts: { scheduled: shots, dropped: 0, unfinished: 0, ...counts },
    released: shots,
    onTime: shots,
    fit: { distance: 0.001, plannedGapCv: 0, sentGapCv: 0.3 },
    span: ns(at.end - at.firstDue),
    elapsed: ns(last - at.firstDue),
    inFlight: { halfway: inFlightAt(at.halfway), atEnd: inFlightAt(at.end), peak: 0 },
    errors: counts.failed === 0 ? {} : { 'status 429': counts.failed },
    statuses: { 200: counts.ok, ...(counts.failed === 0 ? {} : { 429: counts.failed }) },
    bodies: { minBytes: 0, maxBytes: 0, totalBytes: 0, checksums: {} },
    histograms: {
      response,
      onTime: response,
      success: histograms.success.encode(),
      service: response,
      lateness: lateness.encode(),
    },
    generator: {
      wall: ns(at.end),
      cpu: ns(0),
      utilisation: 0.1,
      eventLoopDelay: quiet,
      metronomeLateness: quiet,
      garbageCollection: { count: 0, total: ns(0), longest: ns(0) },
      peakMemory: 0,
      poolQueued: 0,
      socketsOpened: 0,
    },
  };
  return { result, cost: { cpu: ns(Math.round(busy)), wall: ns(last - due[0]!), leadIn } };
}

export const virtualSlice = (service: VirtualService, run: VirtualRun): SliceResult =>
  throughQueue(service, run).result;

export const criteria = (objectiveMs: number): Criteria => ({
  objectiveMs: ms(objectiveMs),
  leastSuccessful: 0.98,
  errorBudget: 0.01,
});

/** A slice as a step of a ramp; its CPU is the time that the thread was busy, for the lead-in too. */
export function virtualStep(
  service: VirtualService,
  run: VirtualRun,
  objectiveMs: number,
  phase: Phase = 'bracket',
): Step {
  const { result, cost } = throughQueue(service, run);
  const saturated = isSaturated(result);
  return makeStep(result, criteria(objectiveMs), {
    phase,
    rate: run.rate,
    startedAt: ns(0),
    saturated,
    reasons: unsoundReasons(result, saturated),
    cost,
    memoryBytes: null,
    drainSeconds: 0,
  });
}

/** A step by hand, for the rules that read steps. */
export function step(rate: number, more: Partial<Step> = {}): Step {
  const successful = more.successfulPerSecond ?? rate;
  const time = { p50: 10, p90: 11, p99: 12, p999: 13, max: 14 };
  return {
    phase: 'bracket',
    rate,
    startedAtSeconds: 0,
    scheduled: 1000,
    ok: Math.round((1000 * successful) / rate),
    offeredPerSecond: rate,
    completedPerSecond: successful,
    successfulPerSecond: successful,
    responseTimeMs: time,
    responseTimeOf: 'on-time',
    successTimeMs: time,
    errorShare: 0,
    errors: {},
    latenessP99Ms: 0.1,
    onTimeShare: 1,
    generatorBusy: 0.1,
    inFlight: { halfway: 1, atEnd: 1, peak: 1 },
    cpu: null,
    memoryBytes: null,
    drainSeconds: 0,
    saturated: false,
    sound: true,
    reasons: [],
    passes: true,
    misses: [],
    ...more,
  };
}

/** Slice results as a generator would send them, for tests that judge them. */
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { msToNs, ns, secondsToNs } from '../../src/kernel/units.ts';
import type { ShotCounts, SliceResult } from '../../src/load/protocol.ts';

export interface SliceShape {
  readonly counts?: Partial<ShotCounts>;
  readonly released?: number;
  readonly onTime?: number;
  readonly inFlight?: Partial<SliceResult['inFlight']>;
  readonly errors?: Readonly<Record<string, number>>;
  readonly statuses?: Readonly<Record<string, number>>;
  readonly utilisation?: number;
  /** Response times in milliseconds; those of `ok` shots unless `success` says otherwise. */
  readonly response?: readonly number[];
  readonly success?: readonly number[];
}

export const encoded = (valuesMs: readonly number[]): string => {
  const histogram = new LatencyHistogram();
  for (const value of valuesMs) histogram.record(msToNs(value));
  return histogram.encode();
};

/** A thousand shots over one second, all answered in 1 ms, changed as told. */
export function sliceResult(shape: SliceShape = {}): SliceResult {
  const response = shape.response ?? Array.from({ length: 1000 }, () => 1);
  const still = { p50: ns(0), p99: ns(0), max: ns(0) };
  return {
    counts: {
      scheduled: 1000,
      ok: 1000,
      failed: 0,
      timedOut: 0,
      dropped: 0,
      unfinished: 0,
      ...shape.counts,
    },
    released: shape.released ?? 1000,
    onTime: shape.onTime ?? 1000,
    fit: { distance: 0.001, plannedGapCv: 0, sentGapCv: 0.3 },
    span: msToNs(999),
    elapsed: secondsToNs(1),
    inFlight: { halfway: 1, atEnd: 1, peak: 4, ...shape.inFlight },
    errors: shape.errors ?? {},
    statuses: shape.statuses ?? { 200: 1000 },
    bodies: { minBytes: 2, maxBytes: 2, totalBytes: 2000, checksums: {} },
    histograms: {
      response: encoded(response),
      onTime: encoded(response),
      success: encoded(shape.success ?? response),
      service: encoded(response),
      lateness: encoded(Array.from({ length: 1000 }, () => 0.01)),
    },
    generator: {
      wall: secondsToNs(1),
      cpu: msToNs(160),
      utilisation: shape.utilisation ?? 0.1,
      eventLoopDelay: still,
      metronomeLateness: still,
      garbageCollection: { count: 0, total: ns(0), longest: ns(0) },
      peakMemory: 100e6,
      poolQueued: 0,
      socketsOpened: 0,
    },
  };
}

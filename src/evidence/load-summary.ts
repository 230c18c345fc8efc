/** One open-loop run as the object behind `tailgate load --json`, and the lines that every load model shows. Pure. */
import { assertNever } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { formatCount, formatDuration, ms, msToNs, nsToMs, nsToSeconds } from '../kernel/units.ts';
import type { PercentileName } from '../kernel/words.ts';
import { percentileNames, percentileShare } from '../kernel/words.ts';
import type { Fit } from '../load/fit.ts';
import type { SliceResult } from '../load/protocol.ts';
import { LatencyHistogram } from './histogram.ts';
import { isSaturated } from './soundness.ts';
import type { Environment, UnsoundReason } from './trial.ts';

/** What a run's figures do not hold. */
export interface AboutRun {
  readonly seed: number;
  /** What `unsoundReasons` said. */
  readonly reasons: readonly UnsoundReason[];
  readonly environment: Environment;
  /** Stopped before all was sent. */
  readonly partial: boolean;
}

/** Milliseconds; null where nothing was recorded. */
export interface PercentilesMs {
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
  readonly max: number | null;
  readonly count: number;
}

export interface LoadSummary {
  readonly model: 'open';
  readonly scheduled: number;
  readonly ok: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly dropped: number;
  readonly unfinished: number;
  readonly offeredPerSecond: number;
  readonly releasedPerSecond: number;
  readonly completedPerSecond: number;
  readonly successfulPerSecond: number;
  /** All shots; failed, timed out and dropped ones at the time-out, unfinished ones at their age. */
  readonly responseTimeMs: PercentilesMs;
  /** The same over the shots that were sent within 0.5 ms of their due time. */
  readonly onTimeResponseTimeMs: PercentilesMs;
  /** From the write to the end of the response, of every answer. */
  readonly serviceTimeMs: PercentilesMs;
  readonly latenessMs: PercentilesMs;
  readonly onTimeShare: number;
  /** How the sends followed the plan: largest difference of shares sent by a moment, and the spread of the gaps. */
  readonly sends: Fit;
  readonly generator: {
    /** Of one core. */
    readonly cpuPercent: number;
    /** p99. */
    readonly eventLoopDelayMs: number;
    /** Share of the time that the sending thread was busy, spinning excluded. */
    readonly utilisation: number;
    readonly peakMemoryBytes: number;
    /** Requests that waited for a free socket, inside their response time. */
    readonly poolQueued: number;
  };
  readonly measuredFrom: 'intended';
  readonly sound: boolean;
  readonly reasons: readonly UnsoundReason[];
  /** The service could not keep up; its own doing, so the run is sound all the same. */
  readonly saturated: boolean;
  readonly errors: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** V2 compressed base64 of the response times of all shots, in nanoseconds. */
  readonly histogram: string;
  readonly histogramUnit: 'ns';
  readonly seed: number;
  readonly environment: Environment;
  /** Stopped before all was sent: the figures are of what was. */
  readonly partial: boolean;
}

/** Adds one slice up. */
export function summariseLoad(result: SliceResult, about: AboutRun): LoadSummary {
  const { histograms, generator, counts } = result;
  const rates = ratesOf(result);
  return {
    model: 'open',
    ...counts,
    offeredPerSecond: rounded(rates.offered),
    releasedPerSecond: rounded(rates.released),
    completedPerSecond: rounded(rates.completed),
    successfulPerSecond: rounded(rates.successful),
    responseTimeMs: percentilesMs(histograms.response),
    onTimeResponseTimeMs: percentilesMs(histograms.onTime),
    serviceTimeMs: percentilesMs(histograms.service),
    latenessMs: percentilesMs(histograms.lateness),
    onTimeShare: result.onTime / counts.scheduled,
    sends: result.fit,
    generator: {
      cpuPercent: rounded((100 * generator.cpu) / generator.wall),
      eventLoopDelayMs: nsToMs(generator.eventLoopDelay.p99),
      utilisation: rounded(generator.utilisation),
      peakMemoryBytes: generator.peakMemory,
      poolQueued: generator.poolQueued,
    },
    measuredFrom: 'intended',
    sound: about.reasons.length === 0,
    reasons: about.reasons,
    saturated: isSaturated(result),
    errors: result.errors,
    statuses: result.statuses,
    histogram: histograms.response,
    histogramUnit: 'ns',
    seed: about.seed,
    environment: about.environment,
    partial: about.partial,
  };
}

/** Why a run may not be used, as a sentence with its way out. */
export function sentenceOf(reason: UnsoundReason): string {
  switch (reason) {
    case 'released-too-few':
      return 'the generator could not send the requests at the rate asked for; lower the rate or free a core';
    case 'dropped-unsaturated':
      return 'requests were dropped because too many were in flight, although the service kept up; raise max-in-flight';
    case 'generator-busy':
      return 'the sending thread was busy more than 80 % of the time; lower the rate or free a core';
    case 'descriptors-exhausted':
      return 'no file descriptors were left for sockets; raise `ulimit -n` or lower max-sockets';
    case 'ports-exhausted':
      return 'no local ports were left; a service that closes every connection needs a lower rate';
    case 'not-conserved':
      return 'requests were lost count of, which is a fault of Tailgate; please report it';
    case 'generator-failed':
      return 'the load generator stopped working';
    default:
      return assertNever(reason);
  }
}

interface Rates {
  readonly offered: number;
  readonly released: number;
  readonly completed: number;
  readonly successful: number;
}

/**
 * Per second of the scheduled stretch, whose n shots span n − 1 gaps. Answers that came after it (the shots in
 * flight at its end, but for those that never ended) belong to the drain and are left out of both rates alike.
 */
function ratesOf({ counts, released, span, elapsed, inFlight, statuses }: SliceResult): Rates {
  const stretch = counts.scheduled > 1 ? (span * counts.scheduled) / (counts.scheduled - 1) : elapsed;
  const seconds = Math.max(nsToSeconds(stretch as Nanoseconds), 1e-9);
  const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const afterwards = Math.max(0, inFlight.atEnd - counts.timedOut - counts.unfinished);
  // One shot that was on its way when the last one was due is not a service that falls behind.
  const inTime =
    afterwards <= 0.01 * counts.scheduled ? 1 : Math.max(0, 1 - afterwards / Math.max(1, answered));
  return {
    offered: counts.scheduled / seconds,
    released: released / seconds,
    completed: (answered * inTime) / seconds,
    successful: (counts.ok * inTime) / seconds,
  };
}

export function percentilesMs(encoded: string): PercentilesMs {
  const histogram = LatencyHistogram.decode(encoded);
  const at = (share: number) => inMs(histogram.percentile(share));
  return {
    p50: at(percentileShare.p50),
    p90: at(percentileShare.p90),
    p95: at(percentileShare.p95),
    p99: at(percentileShare.p99),
    p999: at(percentileShare.p999),
    max: inMs(histogram.max),
    count: histogram.count,
  };
}

const inMs = (value: Nanoseconds | null): number | null => (value === null ? null : nsToMs(value));
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

const spoken = (name: PercentileName): string => (name === 'p999' ? 'p99.9' : name);
export const spokenMs = (value: number): string => formatDuration(msToNs(ms(value)));

export const partialLines = ({ partial }: { readonly partial: boolean }): readonly string[] =>
  partial ? ['partial: it was stopped before all was sent; these are the figures until then'] : [];

/** The response times of all shots, each percentile with its order-statistic interval. */
export function responseLines(
  { histogram, responseTimeMs }: Pick<LoadSummary, 'histogram' | 'responseTimeMs'>,
  from: string,
): readonly string[] {
  const response = LatencyHistogram.decode(histogram);
  if (responseTimeMs.max === null) return ['response time: nothing to show'];
  return [
    `response time of all ${formatCount(response.count)}, from ${from}`,
    ...percentileNames.map((name) => {
      const value = formatDuration(response.percentile(percentileShare[name])!).padStart(9);
      const interval = response.percentileInterval(percentileShare[name]);
      const bounds =
        interval === null
          ? 'too few for an interval'
          : `95 % interval ${formatDuration(interval[0])} to ${formatDuration(interval[1])}`;
      return `  ${spoken(name).padEnd(6)}${value}   ${bounds}`;
    }),
    `  max   ${spokenMs(responseTimeMs.max).padStart(9)}`,
  ];
}

export function percentileLine(title: string, percentiles: PercentilesMs): readonly string[] {
  if (percentiles.max === null) return [`${title}: nothing to show`];
  const values = percentileNames.map((name) => `${spoken(name)} ${spokenMs(percentiles[name]!)}`);
  return [
    `${title} (${formatCount(percentiles.count)}): ${values.join(', ')}, max ${spokenMs(percentiles.max)}`,
  ];
}

export function listed(counts: Readonly<Record<string, number>>, prefix: string): string {
  const parts = Object.entries(counts).map(([name, count]) => `${prefix}${name}: ${formatCount(count)}`);
  return parts.length === 0 ? '' : `  (${parts.join(', ')})`;
}

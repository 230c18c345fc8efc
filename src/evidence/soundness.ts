/** Whether a slice may be used: what the generator and the machine did wrong, and whether the service could keep up. */
import type { SliceResult } from '../load/protocol.ts';
import { LatencyHistogram } from './histogram.ts';
import type { UnsoundReason } from './trial.ts';

const limits = {
  released: 0.99,
  utilisation: 0.8,
  /** Of all shots so far, still on their way: below this a service that is a little slow would be called saturated. */
  backlog: 0.05,
  /** An ever longer queue is twice as long at the end as halfway. */
  growth: 1.5,
  /** When nearly this share never got an answer in time, the queue has already reached the time-out. */
  givenUp: 0.2,
} as const;

/**
 * Whether the service could not keep up with the rate: its queue grew through the whole slice, or the shots that
 * got no answer in time are many and the others were slow. A pause, however long, is not saturation: before and
 * after it shots are answered at once, so that a quarter of them at least are quick.
 */
export function isSaturated(result: SliceResult): boolean {
  return queueGrows(result) || queueIsAtTheTimeout(result);
}

function queueGrows({ counts, inFlight, histograms }: SliceResult): boolean {
  const halfway = counts.scheduled / 2;
  if (inFlight.halfway < limits.backlog * halfway || inFlight.atEnd < limits.backlog * counts.scheduled)
    return false;
  if (inFlight.atEnd < limits.growth * inFlight.halfway) return false;
  return waitsGrow(histograms.response) || counts.ok === 0;
}

/** In a queue that only grows, waits spread evenly from none to the longest; a merely slow service keeps one wait. */
function waitsGrow(response: string): boolean {
  const waits = LatencyHistogram.decode(response);
  const early = waits.percentile(0.1);
  const quarter = waits.percentile(0.25);
  const late = waits.percentile(0.9);
  const longest = waits.max;
  if (early === null || quarter === null || late === null || longest === null) return false;
  // A share of the longest, and a small one: a busy service may serve some sockets long before others.
  return quarter >= 0.02 * longest && late >= 2 * early;
}

function queueIsAtTheTimeout({ counts, histograms }: SliceResult): boolean {
  const givenUp = counts.timedOut + counts.dropped + counts.unfinished;
  if (givenUp < limits.givenUp * counts.scheduled) return false;
  const success = LatencyHistogram.decode(histograms.success).percentile(0.5);
  const longest = LatencyHistogram.decode(histograms.response).max;
  // Answers beside hanging requests are quick when the service is broken and slow when it is overrun.
  return success === null || longest === null || success >= 0.25 * longest;
}

/**
 * Why a slice may not be used; empty when it may. Lateness is not among the reasons: on a shared machine its p99 is
 * some milliseconds without any harm, and percentiles over on-time shots answer it.
 * @param saturated what `isSaturated` said of the same slice: then drops are the service's doing.
 */
export function unsoundReasons(result: SliceResult, saturated: boolean): UnsoundReason[] {
  const { counts, errors } = result;
  const reasons: UnsoundReason[] = [];
  const accounted = counts.ok + counts.failed + counts.timedOut + counts.dropped + counts.unfinished;
  if (accounted !== counts.scheduled) reasons.push('not-conserved');
  // Shots dropped at the cap were ready in time: what is missing beyond them was our own delay.
  if (result.released + counts.dropped < limits.released * counts.scheduled) reasons.push('released-too-few');
  if (counts.dropped > 0 && !saturated) reasons.push('dropped-unsaturated');
  if (result.generator.utilisation > limits.utilisation) reasons.push('generator-busy');
  if ((errors['descriptors exhausted'] ?? 0) > 0) reasons.push('descriptors-exhausted');
  if ((errors['ports exhausted'] ?? 0) > 0) reasons.push('ports-exhausted');
  return reasons;
}

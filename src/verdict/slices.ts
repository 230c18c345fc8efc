/** The percentiles of one slice, read from its histograms once however often a job looks at them. */
import { LatencyHistogram } from '../evidence/histogram.ts';
import type { PercentileName } from '../kernel/words.ts';
import { percentileShare } from '../kernel/words.ts';
import type { SliceHistograms } from '../load/protocol.ts';

/** Over every counted shot, or over those sent within 0.5 ms of their due time. */
export type View = 'on-time' | 'all-shots';
export const otherView = (view: View): View => (view === 'on-time' ? 'all-shots' : 'on-time');

/** Nanoseconds. */
export type SlicePercentiles = Readonly<Record<Exclude<PercentileName, 'p999'>, number>>;

/** @returns null when the slice has no shot in this view. */
export type ReadSlice = (histograms: SliceHistograms, view: View) => SlicePercentiles | null;

interface BothViews {
  readonly 'on-time': SlicePercentiles | null;
  readonly 'all-shots': SlicePercentiles | null;
}

// Keyed by the histograms themselves: a job looks at its rounds after each of them, and inflating thousands of
// histograms anew would take longer than judging them.
const read = new WeakMap<SliceHistograms, BothViews>();

export const readSlice: ReadSlice = (histograms, view) => {
  let views = read.get(histograms);
  if (views === undefined) {
    views = { 'on-time': percentilesOf(histograms.onTime), 'all-shots': percentilesOf(histograms.response) };
    read.set(histograms, views);
  }
  return views[view];
};

function percentilesOf(encoded: string): SlicePercentiles | null {
  const histogram = LatencyHistogram.decode(encoded);
  const values = {
    p50: histogram.percentile(percentileShare.p50),
    p90: histogram.percentile(percentileShare.p90),
    p95: histogram.percentile(percentileShare.p95),
    p99: histogram.percentile(percentileShare.p99),
  };
  return hasAll(values) ? values : null;
}

const hasAll = (
  values: Record<keyof SlicePercentiles, number | null>,
): values is SlicePercentiles & typeof values => Object.values(values).every((value) => value !== null);

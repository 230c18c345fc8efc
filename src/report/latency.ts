/** How response times of both sides were distributed: merged histograms → percentiles and their tiny bars. */
import { LatencyHistogram } from '../evidence/histogram.ts';
import type { Evidence, Round, Trial } from '../evidence/trial.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import type { PercentileName, Side } from '../kernel/words.ts';
import { percentileNames, percentileShare } from '../kernel/words.ts';
import type { SliceHistograms } from '../load/protocol.ts';
import { barText } from './figures.ts';

export interface LatencyPicture {
  readonly scenario: string;
  readonly view: 'on-time' | 'all-shots';
  /** `p50`, …, `p99.9`. */
  readonly labels: readonly string[];
  /** One value a label. */
  readonly baseline: readonly Nanoseconds[];
  readonly candidate: readonly Nanoseconds[];
  readonly counts: Readonly<Record<Side, number>>;
  /** Both drawn to the same scale. */
  readonly bars: Readonly<Record<Side, string>>;
}

export type LatencyPictures =
  | { readonly kind: 'pictures'; readonly pictures: readonly LatencyPicture[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Why the same percentile of one side has several values in a report. */
export const wholeJobMeaning =
  'The table: the median of the rounds, each the lower median of its slices. Here and in the lines of the rounds: all requests merged, stalls included.';

/** A percentile is drawn when this many shots lie beyond it: fewer and it is the luck of single shots. */
const leastBeyond = 50;

/**
 * One picture a scenario, in the order given, over all sound pairs of all rounds. Histograms are added first and
 * read afterwards; these percentiles are those of the whole job and differ a little from the typical slice's.
 */
export function latencyPictures(
  evidence: Evidence,
  scenarios: readonly string[],
  view: 'on-time' | 'all-shots',
): LatencyPictures {
  try {
    const pictures = scenarios.flatMap((scenario) => {
      const picture = pictureOf(evidence.rounds, scenario, view);
      return picture === null ? [] : [picture];
    });
    return { kind: 'pictures', pictures };
  } catch (thrown) {
    return { kind: 'unreadable', reason: messageOf(thrown) };
  }
}

function pictureOf(
  rounds: readonly Round[],
  scenario: string,
  view: 'on-time' | 'all-shots',
): LatencyPicture | null {
  const field = view === 'on-time' ? 'onTime' : 'response';
  const trials = rounds.flatMap((round) => soundTrials(round, scenario));
  const baseline = merged(trials, 'baseline', field);
  const candidate = merged(trials, 'candidate', field);
  const fewest = Math.min(baseline.count, candidate.count);
  const shown = percentileNames.filter((name) => fewest * (1 - percentileShare[name]) >= leastBeyond);
  if (shown.length === 0) return null;
  const values = { baseline: read(baseline, shown), candidate: read(candidate, shown) };
  const most = Math.max(...values.baseline, ...values.candidate);
  return {
    scenario,
    view,
    labels: shown.map(percentileLabel),
    ...values,
    counts: { baseline: baseline.count, candidate: candidate.count },
    bars: { baseline: barText(values.baseline, most), candidate: barText(values.candidate, most) },
  };
}

/** The sound slices of a scenario whose partner is sound too. */
export function soundTrials(round: Round, scenario: string): readonly Trial[] {
  const trials = round.trials.filter((trial) => trial.scenario === scenario);
  const spoilt = new Set(
    trials.filter((trial) => trial.unsound.length > 0).map((trial) => `${trial.pair} ${trial.replacement}`),
  );
  return trials.filter((trial) => !spoilt.has(`${trial.pair} ${trial.replacement}`));
}

/** Adds the histograms of one side. */
export function merged(trials: readonly Trial[], side: Side, field: keyof SliceHistograms): LatencyHistogram {
  return LatencyHistogram.merged(
    trials
      .filter((trial) => trial.side === side)
      .map((trial) => LatencyHistogram.decode(trial.load.histograms[field])),
  );
}

function read(histogram: LatencyHistogram, names: readonly PercentileName[]): Nanoseconds[] {
  return names.map((name) => histogram.percentile(percentileShare[name])).filter((value) => value !== null);
}

export const percentileLabel = (name: PercentileName): string => (name === 'p999' ? 'p99.9' : name);

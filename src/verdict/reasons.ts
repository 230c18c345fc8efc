/** Why a row is what it is, in one plain sentence with its figures. */
import type { ScenarioPlan } from '../config/plan.ts';
import {
  formatChange,
  formatCount,
  formatRate,
  formatRatio,
  formatSpread,
  type Ratio,
  ratio,
} from '../kernel/units.ts';
import type { MetricName, PercentileName } from '../kernel/words.ts';
import { percentileShare } from '../kernel/words.ts';
import type { Change } from './finding.ts';

type RatioChange = Extract<Change, { kind: 'ratio' }>;

/** Beyond this many rounds "more rounds" is no advice. */
const mostAdvised = 500;

export function metricWords(metric: MetricName): string {
  switch (metric) {
    case 'cpu':
      return 'CPU per request';
    case 'cpu-total':
      return 'total CPU per request';
    case 'tail':
      return 'the share of slow slices';
    case 'counter':
      return 'the counter';
    case 'errors':
      return 'the share of errors';
    default:
      return metric;
  }
}

/** Why a percentile above the highest eligible one is shown and not judged. */
export function ineligibleSentence(metric: PercentileName, plan: ScenarioPlan): string {
  const beyond = 1 - percentileShare[metric];
  const [slice, round] = [5 / beyond, 20 / beyond].map(formatCount);
  return `${metric} needs ${slice} scheduled requests a slice and ${round} a side and round; ${formatCount(plan.sliceRequests)} and ${formatCount(plan.slices * plan.sliceRequests)} are scheduled, so ${plan.tailPercentile} is judged in its place`;
}

export function saturationSentence(
  scenario: ScenarioPlan,
  candidate: number,
  baseline: number,
  of: number,
): string {
  return `saturated: the candidate could not hold ${formatRate(scenario.rate)} in ${formatCount(candidate)} of ${formatCount(of)} slices, the baseline could in ${formatCount(of - baseline)}`;
}

/**
 * More rounds after which a row like this would be settled: half-widths shrink with the root of the rounds.
 * @returns null when that is not known, or so many that it is no advice.
 */
export function roundsToSettle(
  change: Change,
  tolerance: { readonly min: number; readonly detect: number | null },
  rounds: number,
): number | null {
  if (change.kind !== 'ratio' || change.spread === null || tolerance.detect === null) return null;
  const effect = Math.log1p(change.effect);
  const toPass = Math.log1p(tolerance.detect) - effect;
  const toFail = effect >= Math.log1p(tolerance.min) ? effect : 0;
  const wanted = Math.max(toPass, toFail);
  if (wanted <= 0) return null;
  const more = Math.max(1, Math.ceil(rounds * (change.spread / wanted) ** 2) - rounds);
  return more <= mostAdvised ? more : null;
}

/** Neither shown worse nor shown unchanged. */
export function undecidedSentence(
  change: Change,
  tolerance: { readonly detect: number | null },
  more: number | null,
): string {
  switch (change.kind) {
    case 'none':
      return change.reason;
    case 'points':
      return `${inPoints(change.difference)} may be chance (p ${formatRatio(ratio(change.p))})`;
    default:
      return spreadSentence(change, tolerance.detect, more);
  }
}

function spreadSentence(change: RatioChange, detect: number | null, more: number | null): string {
  const single = `one run against one run here would be off by ${formatSpread(change.singleRunSpread)}`;
  if (change.spread === null || change.smallestDetectable === null) {
    return `too few rounds for an interval: six are needed (${single})`;
  }
  const visible = `the smallest effect visible is ${formatRatio(change.smallestDetectable)}`;
  const asked = detect === null ? '' : `, ${formatRatio(ratio(detect))} was asked for`;
  const settle =
    more === null
      ? ''
      : `; about ${formatCount(more)} more ${more === 1 ? 'round' : 'rounds'} would settle it`;
  return `the spread is ${formatSpread(change.spread)} (${single}): ${visible}${asked}${settle}`;
}

/** Worse in most rounds, but by less than they differ among themselves: neither a regression nor a pass. */
export function withinSpreadSentence(change: Change): string {
  const spread =
    change.kind === 'ratio' && change.spread !== null ? ` of ${formatSpread(change.spread)}` : '';
  return `it got worse by ${effectWords(change)}, which is within its spread${spread}: a quieter runner or more rounds would settle it`;
}

/** Worse over all shots: that blocks a pass, whatever the shots sent on time say. */
export const otherViewSentence = (all: Ratio, onTime: Ratio): string =>
  `over all shots it rose by ${formatRatio(all)}, hardly by chance (${formatChange(onTime)} over those sent on time), and a pass needs both views to hold`;

/** Flagged at a look, not beyond doubt in the fresh rounds. */
export function notConfirmedSentence(first: Change, pooled: Change, rounds: number): string {
  return `not confirmed: ${effectWords(first)} when it was flagged, ${effectWords(pooled)} over all ${formatCount(rounds)} rounds`;
}

export function effectWords(change: Change): string {
  switch (change.kind) {
    case 'ratio':
      return formatChange(change.effect);
    case 'points':
      return inPoints(change.difference);
    default:
      return 'no figure';
  }
}

/** A difference of shares: 0.05 is 5 points. */
const inPoints = (difference: Ratio): string => formatChange(difference).replace('%', 'points');

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
import { confirmationLevel } from './looks.ts';

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
  const { smallestDetectable: least, upper } = change;
  const near = detect !== null && least <= detect && upper !== null && upper > detect;
  // What was measured is too near to the limit, however sharp the run was.
  const visible = near
    ? `${effectWords(change)} was measured and up to ${formatChange(upper)} is not ruled out`
    : `the smallest effect visible is ${formatRatio(least)}`;
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
  `over all requests, those that were sent late included, it rose by ${formatRatio(all)}, hardly by chance (${formatChange(onTime)} over those sent on time), and a pass needs both to hold`;

/**
 * Flagged at a look, not beyond doubt in the fresh rounds.
 * @param worsening the pooled change with a rise as the worse direction.
 */
export function notConfirmedSentence(
  first: Change,
  pooled: Change,
  rounds: number,
  { min }: { readonly min: Ratio },
  worsening: Change = pooled,
): string {
  const figures = `${effectWords(first)} when it was flagged, ${effectWords(pooled)} over all ${formatCount(rounds)} rounds`;
  return `not confirmed: ${figures}, ${whyNotRed(worsening, min)}; a quieter runner or more rounds would settle it`;
}

function whyNotRed(worsening: Change, min: Ratio): string {
  if (worsening.kind === 'ratio') {
    if (worsening.effect < min) return `less than the ${formatRatio(min)} from which it counts`;
    if (worsening.spread !== null && Math.log1p(worsening.effect) <= worsening.spread)
      return `which is within the spread of ${formatSpread(worsening.spread)}`;
  }
  return `which may still be chance: a confirmation has to rule that out at ${formatRatio(ratio(confirmationLevel))} over all rows`;
}

/**
 * Why a row that moved by more than its spread, or a share by enough to count, is no more than unchanged; null where
 * nobody would ask.
 * @param worsening the change with a rise as the worse direction; `shown` as it stands in the table.
 */
export function beyondSpreadSentence(
  worsening: Change,
  tolerance: { readonly min: Ratio; readonly detect: Ratio | null },
  shown: Change = worsening,
): string | null {
  if (worsening.kind === 'points' && worsening.difference >= tolerance.min)
    return `${inPoints(worsening.difference)} would count, but may be chance (p ${formatRatio(ratio(worsening.p))})`;
  if (worsening.kind !== 'ratio' || worsening.spread === null || tolerance.detect === null) return null;
  const effect = Math.log1p(worsening.effect);
  const least = Math.log1p(tolerance.min);
  if (Math.abs(effect) <= worsening.spread) return null;
  const beyond = `${effectWords(shown)} is beyond its spread of ${formatSpread(worsening.spread)}`;
  if (effect >= least)
    return `${beyond}, but may be chance when all rows are tested together; more than ${formatRatio(tolerance.detect)} is ruled out`;
  if (effect > 0) return `${beyond}, but below the ${formatRatio(tolerance.min)} from which it counts`;
  return effect <= -least ? `${beyond}, but not surely enough to be called an improvement` : null;
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

/** One comparison in figures: estimate, spread, test and bound, free of NaN and infinities. */
import { assertNever } from '../kernel/errors.ts';
import { logRatio, ratio } from '../kernel/units.ts';
import type { Comparison } from './compare.ts';
import type { Change } from './finding.ts';
import type { Condition } from './same-work.ts';
import {
  hodgesLehmann,
  interval,
  signedRankP,
  signFlipP,
  singleRunSpread,
  smallestDetectable,
  smallestP,
  spreadOf,
  upperBound,
} from './statistics.ts';

/** A question that is tested with the others of the job: is the candidate worse in this respect? */
export interface Hypothesis {
  readonly p: number;
  readonly smallestP: number;
  /** The effect reaches the smallest change worth a red build. */
  readonly large: boolean;
  /** The effect exceeds H, half the width of its 95 % interval: lopsided rounds can be significant without that. */
  readonly beyondSpread: boolean;
  /** So plain that a look which may only pass sends it to confirmation. */
  readonly blatant: boolean;
  readonly reason: string | null;
}

/** Mirror of the fail level for information rows: `improved` never fails a job. */
const improvedLevel = 0.01;
/** The figures of a comparison, without NaN and infinities: what cannot be said is null. */
export function changeOf(comparison: Comparison, passLevel: number): Change {
  switch (comparison.kind) {
    case 'none':
      return { kind: 'none', reason: comparison.reason };
    case 'points':
      return {
        kind: 'points',
        difference: ratio(comparison.candidate - comparison.baseline),
        p: signFlipP(comparison.counts),
        adjustedP: null,
      };
    case 'ratio': {
      const d = comparison.perRound;
      const [low, high] = interval(d, 0.025);
      const upper = upperBound(d, passLevel);
      const spread = spreadOf(d);
      const detectable = smallestDetectable(d);
      return {
        kind: 'ratio',
        effect: ratio(Math.expm1(hodgesLehmann(d))),
        interval: Number.isFinite(spread) ? [ratio(Math.expm1(low)), ratio(Math.expm1(high))] : null,
        spread: Number.isFinite(spread) ? logRatio(spread) : null,
        p: signedRankP(d),
        adjustedP: null,
        upper: Number.isFinite(upper) ? ratio(Math.expm1(upper)) : null,
        singleRunSpread: logRatio(singleRunSpread(d)),
        smallestDetectable: Number.isFinite(detectable) ? ratio(detectable) : null,
      };
    }
    default:
      return assertNever(comparison);
  }
}

export function testOf(comparison: Comparison, min: number, condition: Condition): Hypothesis | null {
  switch (comparison.kind) {
    case 'none':
      return null;
    case 'points':
      return {
        p: signFlipP(comparison.counts),
        smallestP: smallestP(comparison.counts),
        large: comparison.candidate - comparison.baseline >= min,
        beyondSpread: true,
        blatant: condition.kind === 'candidate-fails',
        reason: condition.kind === 'candidate-fails' ? condition.reason : null,
      };
    case 'ratio':
      return ratioHypothesis(comparison.perRound, min);
    default:
      return assertNever(comparison);
  }
}

/** @param d ln(candidate / baseline) of each round, positive when the candidate is worse. */
export function ratioHypothesis(d: readonly number[], min: number): Hypothesis {
  const effect = hodgesLehmann(d);
  return {
    p: signedRankP(d),
    smallestP: smallestP(d),
    large: effect >= Math.log1p(min),
    beyondSpread: effect > spreadOf(d),
    blatant: false,
    reason: null,
  };
}

/** What may make a row red: significant at the level, large enough to matter, and beyond the measured spread. */
export const isRed = (hypothesis: Hypothesis, adjusted: number | null, level: number): boolean =>
  adjusted !== null && adjusted <= level && hypothesis.large && hypothesis.beyondSpread;

/** Worse by all but one measure: the effect lies within the spread, so it is neither a regression nor a pass. */
export const isWithinSpread = (hypothesis: Hypothesis, level: number): boolean =>
  hypothesis.p <= level && hypothesis.large && !hypothesis.beyondSpread;

/** In logs, so that swapping the sides turns a regression into an improvement of the same size. */
export function isImproved(comparison: Comparison, min: number): boolean {
  if (comparison.kind === 'none') return false;
  const level = Math.max(improvedLevel, 2 ** -comparison.perRound.length);
  if (comparison.kind === 'points') {
    const mirrored = signFlipP(comparison.counts.map((count) => -count));
    return mirrored <= level && comparison.baseline - comparison.candidate >= min;
  }
  const mirrored = signedRankP(comparison.perRound.map((d) => -d));
  return mirrored <= level && hodgesLehmann(comparison.perRound) <= -Math.log1p(min);
}

/** Counts have no bound. They pass unless they look worse by enough to matter, before any correction for many rows. */
const doubtLevel = 0.05;

/** @param tolerance `detect` is null for counts. */
export function isBounded(
  comparison: Comparison,
  tolerance: { readonly min: number; readonly detect: number | null },
  passLevel: number,
): boolean {
  const { min, detect } = tolerance;
  if (detect === null) {
    if (comparison.kind !== 'points') return false;
    return comparison.candidate - comparison.baseline < min || signFlipP(comparison.counts) > doubtLevel;
  }
  return comparison.kind === 'ratio' && upperBound(comparison.perRound, passLevel) <= Math.log1p(detect);
}

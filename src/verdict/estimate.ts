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
        blatant: condition.kind === 'candidate-fails',
        reason: condition.kind === 'candidate-fails' ? condition.reason : null,
      };
    case 'ratio':
      return {
        p: signedRankP(comparison.perRound),
        smallestP: smallestP(comparison.perRound),
        large: hodgesLehmann(comparison.perRound) >= Math.log1p(min),
        blatant: false,
        reason: null,
      };
    default:
      return assertNever(comparison);
  }
}

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

export function isBounded(comparison: Comparison, detect: number | null, passLevel: number): boolean {
  // Counts have no bound: they pass when their test does not reject.
  if (detect === null) return comparison.kind === 'points';
  return comparison.kind === 'ratio' && upperBound(comparison.perRound, passLevel) <= Math.log1p(detect);
}

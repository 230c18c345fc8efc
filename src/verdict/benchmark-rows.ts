/** One microbenchmark over the rounds of a look: estimate, test and bound, before anything is decided about it. */
import { type Ratio, ratio } from '../kernel/units.ts';
import { type Side, sides } from '../kernel/words.ts';
import type { BenchPlan, BenchResult, BenchSubject, SideResult } from '../microbench/evidence.ts';
import type { BenchFinding } from './benchmark-finding.ts';
import type { Comparison } from './compare.ts';
import {
  changeOf,
  type Hypothesis,
  isBounded,
  isImproved,
  isWithinSpread,
  ratioHypothesis,
} from './estimate.ts';
import type { Change } from './finding.ts';
import { effectWords } from './reasons.ts';
import { medianOf } from './statistics.ts';

/** A benchmark and what its rounds said, in the order they were measured. */
export interface Track {
  readonly subject: BenchSubject;
  readonly measuring: readonly BenchResult[];
  readonly confirming: readonly BenchResult[];
}

export interface BenchRow {
  readonly subject: BenchSubject;
  readonly used: number;
  readonly dropped: number;
  readonly baseline: number | null;
  readonly candidate: number | null;
  readonly perRound: readonly number[];
  /** As the reader sees it: the sign of the value. */
  readonly change: Change;
  /** The same with the sign of "worse", for the sentences about spread. */
  readonly worsening: Change;
  readonly cpu: BenchFinding['cpu'];
  /** Null when there is nothing to test. */
  readonly hypothesis: Hypothesis | null;
  readonly improved: boolean;
  readonly bounded: boolean;
  /** The ratio has an end: neither side was 0. */
  readonly fromZero: string | null;
  /** It moved beyond chance, and nothing tells whether that is better or worse; null where that is no matter. */
  readonly guess: string | null;
}

/** A step from or to 0 has no ratio; it counts as this one, far beyond any tolerance, so that its sign is tested. */
const farStep = Math.log(1e6);
/** Unadjusted: a benchmark that looks worse at this level does not pass early. */
const worseLevel = 0.05;

export function rowOf(
  subject: BenchSubject,
  results: readonly BenchResult[],
  tolerance: BenchPlan['tolerance'],
  passLevel: number,
): BenchRow {
  const pairs = results.flatMap(({ baseline, candidate }) =>
    baseline.kind === 'measured' && candidate.kind === 'measured' ? [{ baseline, candidate }] : [],
  );
  const perRound = pairs.map((pair) => logChange(pair.baseline.value, pair.candidate.value));
  const smaller = subject.direction === 'smaller-is-better';
  const worse = smaller ? perRound : perRound.map((d) => 0 - d);
  const missing = results.length - pairs.length;
  const baseline = pairs.length === 0 ? null : medianOf(pairs.map((pair) => pair.baseline.value));
  const candidate = pairs.length === 0 ? null : medianOf(pairs.map((pair) => pair.candidate.value));
  const comparison = comparisonOf(worse, baseline, candidate, missing);
  const worsening = changeOf(comparison, passLevel);
  const fromZero = pairs.some((pair) => (pair.baseline.value === 0) !== (pair.candidate.value === 0))
    ? `it went from ${baseline} to ${candidate} ${subject.unit.normalised}, so there is no ratio`
    : null;
  const guessed = subject.directionGuessed === true;
  const hypothesis = worse.length === 0 || guessed ? null : ratioHypothesis(worse, tolerance.min);
  const within = hypothesis !== null && isWithinSpread(hypothesis, worseLevel);
  const moved = guessed && eitherWay(worse).some((one) => isWorse(ratioHypothesis(one, tolerance.min)));
  const ends = guessed && comparison.kind === 'ratio' ? eitherWay(worse) : [worse];
  const isAtRest = (d: readonly number[]): boolean =>
    isBounded(
      comparison.kind === 'ratio' ? { ...comparison, perRound: d } : comparison,
      tolerance,
      passLevel,
    );
  return {
    subject,
    used: pairs.length,
    dropped: missing,
    baseline,
    candidate,
    perRound,
    change:
      fromZero === null ? (smaller ? worsening : mirrored(worsening)) : { kind: 'none', reason: fromZero },
    worsening,
    cpu: cpuOf(pairs, passLevel),
    hypothesis,
    improved: pairs.length > 0 && !guessed && isImproved(comparison, tolerance.min),
    bounded: pairs.length > 0 && !within && !moved && ends.every(isAtRest),
    fromZero,
    guess: moved ? guessSentence(subject, fromZero ?? `it moved by ${effectWords(worsening)}`) : null,
  };
}

const isWorse = ({ large, p }: Hypothesis): boolean => large && p <= worseLevel;

export const looksWorse = (row: BenchRow): boolean => row.hypothesis !== null && isWorse(row.hypothesis);

const eitherWay = (d: readonly number[]): readonly (readonly number[])[] =>
  d.length === 0 ? [] : [d, d.map((one) => 0 - one)];

function guessSentence({ unit }: BenchSubject, moved: string): string {
  const what =
    unit.text === '' ? 'its value has no unit' : `nothing tells whether more ${unit.text} is better or worse`;
  return `${moved}, but ${what}, so that decides nothing: name the direction with the format custom-bigger-is-better or custom-smaller-is-better (customBiggerIsBetter, customSmallerIsBetter), or give a unit that tells it, such as ms, bytes or ops/s`;
}

/** @returns ln(candidate / baseline); 0 for two zeros and two equal negatives. */
function logChange(baseline: number, candidate: number): number {
  if (baseline === candidate) return 0;
  if (baseline <= 0 || candidate <= 0) return candidate > baseline ? farStep : -farStep;
  return Math.log(candidate / baseline);
}

function comparisonOf(
  perRound: readonly number[],
  baseline: number | null,
  candidate: number | null,
  missing: number,
): Comparison {
  return baseline === null || candidate === null
    ? { kind: 'none', reason: 'no round has a value of both sides', missing }
    : { kind: 'ratio', perRound, baseline, candidate, missing };
}

/** The same change seen from its other end: a rate that fell by 10 % rather than a cost that rose. */
function mirrored(change: Change): Change {
  if (change.kind !== 'ratio') return change;
  const turn = (value: Ratio): Ratio => ratio(1 / (1 + value) - 1);
  return {
    ...change,
    effect: turn(change.effect),
    interval: change.interval === null ? null : [turn(change.interval[1]), turn(change.interval[0])],
    upper: change.upper === null ? null : turn(change.upper),
  };
}

type Measured = Extract<SideResult, { kind: 'measured' }>;

function cpuOf(pairs: readonly Readonly<Record<Side, Measured>>[], passLevel: number): BenchFinding['cpu'] {
  const known = pairs.flatMap(({ baseline, candidate }) =>
    baseline.cpu !== null && candidate.cpu !== null && baseline.cpu > 0 && candidate.cpu > 0
      ? [{ baseline: baseline.cpu, candidate: candidate.cpu }]
      : [],
  );
  if (known.length === 0) return null;
  const perRound = known.map((pair) => Math.log(pair.candidate / pair.baseline));
  const [baseline, candidate] = sides.map((side) => medianOf(known.map((pair) => pair[side])));
  const comparison = comparisonOf(perRound, baseline!, candidate!, pairs.length - known.length);
  return { baseline: baseline!, candidate: candidate!, change: changeOf(comparison, passLevel) };
}

/** States that follow from what happened, not from how values compare; null while there are values to compare. */
export function settledState(
  track: Track,
  plan: Pick<BenchPlan, 'onDifferentResult'>,
): { readonly state: 'new' | 'missing' | 'invalid'; readonly reason: string } | null {
  const { subject } = track;
  if (subject.problem !== null) return { state: 'invalid', reason: subject.problem };
  if (subject.presence === 'candidate') return { state: 'new', reason: 'only the candidate has it' };
  if (subject.presence === 'baseline') return { state: 'missing', reason: 'only the baseline has it' };
  const results = [...track.measuring, ...track.confirming];
  for (const [index, result] of results.entries()) {
    const failed = sides.filter((side) => result[side].kind === 'failed');
    if (failed.length === 0) continue;
    const failure = result[failed[0]!];
    const who = failed.length === 2 ? 'both sides' : failed[0];
    const why = failure.kind === 'failed' ? failure.reason : '';
    return { state: 'invalid', reason: `${who}, round ${index + 1}: ${why}` };
  }
  return plan.onDifferentResult === 'stop' && sameResult(track) === false
    ? { state: 'invalid', reason: 'the sides return different results, so they do not do the same work' }
    : null;
}

/** What a reader should know about the figures of a row that is judged, and of one that is settled without. */
export function remarkOf(track: Track, settled: boolean): string | null {
  const remarks = [track.subject.remark];
  if (!settled && sameResult(track) === false) {
    remarks.push('the sides return different results: the change may be the price of other work');
  }
  const told = remarks.filter((remark) => remark !== null);
  return told.length === 0 ? null : told.join('; ');
}

/**
 * Whether the sides return the same, where each of them does in all of its processes; null where that is not known:
 * of other tools, of what differs from call to call, and after one round alone, which may be chance.
 */
export function sameResult({ measuring, confirming }: Track): boolean | null {
  const results = [...measuring, ...confirming];
  const digestsOf = (side: Side): Set<string | null> =>
    new Set(results.flatMap((one) => (one[side].kind === 'measured' ? [one[side].digest] : [])));
  const [baseline, candidate] = [digestsOf('baseline'), digestsOf('candidate')];
  if (results.length < 2 || baseline.size !== 1 || candidate.size !== 1) return null;
  const [[one], [other]] = [[...baseline], [...candidate]];
  return one === null || other === null ? null : one === other;
}

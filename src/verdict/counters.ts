/** Rounds of one scenario and one counter of its service → one value a round: what a successful request adds to it. */
import type { Trial } from '../evidence/trial.ts';
import type { Side } from '../kernel/words.ts';
import { type Comparison, requestsOf } from './compare.ts';
import type { SlicePair, UsableRound } from './pairing.ts';
import { medianOf } from './statistics.ts';

/** A counter, and how many shots of every slice are sent before those that count. */
export interface CounterOf {
  readonly name: string;
  readonly leadIn: number;
}

/** A change from or to nothing has no ratio; it counts as this one, a thousandfold. */
const mostChange = Math.log(1000);

/**
 * Median over pairs of ln of the ratio of growth per successful request, as CPU is compared. A counter that stood still
 * in some slice is sparse (a collection now and then), and a median over pairs would see nothing of it: then the sums
 * of each round are compared, in every round alike. Nothing on both sides is no change. Shots of the lead-in were
 * counted by the service too, so they are among its requests here.
 */
export function compareCounter(rounds: readonly UsableRound[], counter: CounterOf): Comparison {
  const { name } = counter;
  const known = rounds.map((round) => ({ round, pairs: round.pairs.filter((pair) => isKnown(pair, name)) }));
  const usable = known.filter(({ round, pairs }) => pairs.length > 0 && pairs.length * 2 >= round.planned);
  const missing = rounds.length - usable.length;
  if (usable.length === 0) return { kind: 'none', reason: whyUnknown(rounds, name), missing };
  const sparse = usable.some(({ pairs }) =>
    pairs.some(
      (pair) =>
        perRequest([pair], 'baseline', counter) === 0 || perRequest([pair], 'candidate', counter) === 0,
    ),
  );
  const values = usable.map(({ pairs }) => {
    const parts = sparse ? [pairs] : pairs.map((pair) => [pair]);
    const both = parts.map((part) => ({
      baseline: perRequest(part, 'baseline', counter),
      candidate: perRequest(part, 'candidate', counter),
    }));
    return {
      baseline: medianOf(both.map((value) => value.baseline)),
      candidate: medianOf(both.map((value) => value.candidate)),
      d: medianOf(both.map((value) => lnRatio(value.baseline, value.candidate))),
    };
  });
  return {
    kind: 'ratio',
    perRound: values.map((value) => value.d),
    baseline: medianOf(values.map((value) => value.baseline)),
    candidate: medianOf(values.map((value) => value.candidate)),
    missing,
  };
}

function lnRatio(baseline: number, candidate: number): number {
  if (baseline === candidate) return 0;
  if (baseline === 0) return mostChange;
  if (candidate === 0) return -mostChange;
  return Math.max(-mostChange, Math.min(mostChange, Math.log(candidate / baseline)));
}

const isKnown = (pair: SlicePair, name: string): boolean =>
  [pair.baseline, pair.candidate].every(
    (trial) => growthOf(trial, name) !== null && trial.load.counts.ok > 0,
  );

function growthOf(trial: Trial, name: string): number | null {
  const growth = trial.counters?.[name];
  return growth !== undefined && 'by' in growth ? growth.by : null;
}

function perRequest(pairs: readonly SlicePair[], side: Side, { name, leadIn }: CounterOf): number {
  const grown = pairs.reduce((sum, pair) => sum + (growthOf(pair[side], name) ?? 0), 0);
  const requests = pairs.reduce((sum, pair) => sum + requestsOf(pair[side], leadIn), 0);
  return grown / requests;
}

/** The reason of most slices stands for all. */
function whyUnknown(rounds: readonly UsableRound[], name: string): string {
  const times = new Map<string, number>();
  for (const { pairs } of rounds) {
    for (const pair of pairs) {
      for (const trial of [pair.baseline, pair.candidate]) {
        const growth = trial.counters?.[name];
        if (growth !== undefined && 'unknown' in growth) {
          times.set(growth.unknown, (times.get(growth.unknown) ?? 0) + 1);
        }
      }
    }
  }
  const [most] = [...times].sort(([, a], [, b]) => b - a);
  return most === undefined ? 'too few slices have both a value and right answers' : most[0];
}

/** The search for the capacity: bracket upwards, bisect on a log scale, repeat both ends in turns. Pure. */
import { assertNever } from '../kernel/errors.ts';
import { byRate, type Phase, type Step } from './step.ts';

export interface SearchLimits {
  /** Requests a second of the first step. */
  readonly from: number;
  /** Requests a second that are never exceeded: the user's bound, or what the generator reaches here. */
  readonly most: number;
  /** Whose bound `most` is. */
  readonly mostIs: 'rate' | 'generator';
  /** How many times each end of the bracket is run in all. */
  readonly repeats: number;
  /** first fail ÷ last pass is at most this in the end. */
  readonly resolution: number;
}

export type SearchEnd =
  /** Both ends are known and repeated. */
  | { readonly kind: 'bracketed' }
  /** Not even the first step meets the objective. */
  | { readonly kind: 'missed-at-start' }
  /** Everything passed up to the highest rate that could be sent. */
  | { readonly kind: 'at-least'; readonly limit: 'rate' | 'generator' }
  /** Not one step had a sound generator. */
  | { readonly kind: 'unsound' };

export type SearchNext =
  | { readonly kind: 'measure'; readonly rate: number; readonly phase: Phase }
  | { readonly kind: 'done'; readonly end: SearchEnd };

/** Requests a second; null where there is none. */
export interface Bracket {
  readonly lastPass: number | null;
  readonly firstFail: number | null;
}

/** How far the next step goes while everything passes: less far once latency has begun to rise. */
const growth = { calm: 2, rising: 1.5, risen: 1.3 } as const;
/** So often in a row the generator may fail at a rate before that rate is out of its reach. */
const unsoundRuns = 2;
/** A rate that is open after so many runs fails. */
const mostRuns = 5;
/** How finely the last sound rate is looked for below one that the generator did not reach. */
const reachResolution = 1.25;

type RateState = 'passes' | 'fails' | 'unsound' | 'open';

/**
 * What several runs at one rate say: the majority of the sound ones. Open is what another run must decide: a draw, and
 * a single run in which everything succeeded and only p99 was missed, as a stall of the machine does it.
 */
function stateOf(runs: readonly Step[]): RateState {
  const sound = runs.filter((run) => run.sound);
  if (sound.length === 0) return runs.length >= unsoundRuns ? 'unsound' : 'open';
  const passed = sound.filter((run) => run.passes).length;
  if (2 * passed > sound.length) return 'passes';
  const isDoubtful = sound.length === 1 && !sound[0]!.saturated && sound[0]!.misses.join() === 'p99';
  const isDraw = 2 * passed === sound.length;
  return (isDoubtful || isDraw) && runs.length < mostRuns ? 'open' : 'fails';
}

/** The lowest rate that another run must decide; null when there is none. */
export const openRate = (steps: readonly Step[]): number | null =>
  byRate(steps)
    .find((runs) => stateOf(runs) === 'open')
    ?.at(0)?.rate ?? null;

const soundRuns = (runs: readonly Step[]): number => runs.filter((run) => run.sound).length;

/** The lowest rate that fails, and the highest below it that passes. Rates at which the generator failed say nothing. */
export function bracketOf(steps: readonly Step[]): Bracket {
  let lastPass: number | null = null;
  for (const runs of byRate(steps.filter((step) => step.phase !== 'failure'))) {
    const state = stateOf(runs);
    if (state === 'fails') return { lastPass, firstFail: runs[0]!.rate };
    if (state === 'passes') lastPass = runs[0]!.rate;
  }
  return { lastPass, firstFail: null };
}

/**
 * What to measure next, from what has been measured so far; the same steps always give the same answer. A first fail
 * that two further runs do not confirm passes, and the search goes on above it.
 */
export function nextInSearch(steps: readonly Step[], limits: SearchLimits): SearchNext {
  const groups = byRate(steps);
  const runsAt = (rate: number | null): readonly Step[] =>
    groups.find((runs) => runs[0]!.rate === rate) ?? [];
  const measure = (rate: number, phase: Phase): SearchNext => ({ kind: 'measure', rate, phase });
  if (steps.length === 0) return measure(limits.from, 'bracket');
  const open = openRate(steps);
  if (open !== null) return measure(open, 'repeat');
  const { lastPass, firstFail } = bracketOf(steps);
  if (lastPass === null) return belowEverything(runsAt(firstFail), limits);
  if (firstFail === null) return upwards(groups, lastPass, limits);
  const between = middleOf(lastPass, firstFail);
  if (firstFail / lastPass > limits.resolution && isBetween(between, lastPass, firstFail)) {
    if (stateOf(runsAt(between)) !== 'unsound') return measure(between, 'bisect');
  }
  const [low, high] = [soundRuns(runsAt(lastPass)), soundRuns(runsAt(firstFail))];
  const fewer = high <= low ? { rate: firstFail, runs: high } : { rate: lastPass, runs: low };
  // A rate at which the generator fails now and then is not asked for ever.
  if (fewer.runs < limits.repeats && runsAt(fewer.rate).length < 2 * limits.repeats)
    return measure(fewer.rate, 'repeat');
  return { kind: 'done', end: { kind: 'bracketed' } };
}

function belowEverything(failing: readonly Step[], limits: SearchLimits): SearchNext {
  if (failing.length === 0) return { kind: 'done', end: { kind: 'unsound' } };
  // Two of three decide: it has been said at once, and is made sure of.
  const fails = failing.filter((run) => run.sound && !run.passes).length;
  if (fails < 2 && failing.length < limits.repeats)
    return { kind: 'measure', rate: failing[0]!.rate, phase: 'repeat' };
  return { kind: 'done', end: { kind: 'missed-at-start' } };
}

function upwards(groups: readonly (readonly Step[])[], lastPass: number, limits: SearchLimits): SearchNext {
  const unreached = groups
    .find((runs) => runs[0]!.rate > lastPass && stateOf(runs) === 'unsound')
    ?.at(0)?.rate;
  if (unreached !== undefined) {
    const between = middleOf(lastPass, unreached);
    if (unreached / lastPass > reachResolution && isBetween(between, lastPass, unreached))
      return { kind: 'measure', rate: between, phase: 'bisect' };
    return { kind: 'done', end: { kind: 'at-least', limit: 'generator' } };
  }
  if (lastPass >= limits.most) return { kind: 'done', end: { kind: 'at-least', limit: limits.mostIs } };
  const rate = Math.min(limits.most, roundedRate(lastPass * growthAfter(groups, lastPass)));
  return { kind: 'measure', rate, phase: 'bracket' };
}

function growthAfter(groups: readonly (readonly Step[])[], lastPass: number): number {
  const first = groups[0]![0]!.successTimeMs.p50;
  const last = groups.find((runs) => runs[0]!.rate === lastPass)![0]!.successTimeMs.p50;
  if (first === null || last === null || last <= growth.risen * first) return growth.calm;
  return growth.rising;
}

/** The geometric middle, as a rate that a person would write. */
export const middleOf = (low: number, high: number): number => roundedRate(Math.sqrt(low * high));

const isBetween = (rate: number, low: number, high: number): boolean => rate > low && rate < high;

/** Four significant digits. */
export const roundedRate = (rate: number): number => Number(rate.toPrecision(4));

/** Whether a search ended with an answer about the service. */
export function isAnswer(end: SearchEnd): boolean {
  switch (end.kind) {
    case 'bracketed':
    case 'at-least':
    case 'missed-at-start':
      return true;
    case 'unsound':
      return false;
    default:
      return assertNever(end);
  }
}

/**
 * Whether both sides did the same work: whether they answered at all, with the same statuses and bodies, and
 * could hold the rate. A comparison of different work is stopped rather than judged.
 */
import type { ScenarioPlan } from '../config/plan.ts';
import type { Trial } from '../evidence/trial.ts';
import {
  formatBytes,
  formatRate,
  formatRatio,
  bytes as inBytes,
  type PerSecond,
  perSecond,
  ratio,
} from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import { sides } from '../kernel/words.ts';
import { saturatedSlices, successShares, sustainedRate } from './compare.ts';
import type { UsableRound } from './pairing.ts';
import { medianOf, signedRankP, smallestP } from './statistics.ts';
import { furtherFailures, newRouteHint } from './wrong-answers.ts';

/** What kind of comparison a scenario allows. */
export type Condition =
  /** `bodies`: what differs; `doubt`: why no row may pass, since the answers may have shifted. Null when nothing does. */
  | { readonly kind: 'comparable'; readonly bodies: string | null; readonly doubt: string | null }
  /** The baseline has no such route. */
  | { readonly kind: 'new'; readonly reason: string }
  /** Hardly anything of the candidate succeeds: errors are judged, times mean nothing. */
  | { readonly kind: 'candidate-fails'; readonly reason: string }
  /** The whole comparison has to stop. */
  | { readonly kind: 'stop'; readonly reason: string };

/** Below this share of right answers the times of a side say nothing. */
const leastSuccess = 0.5;
/** Above this share of its slices a side does not hold the rate. */
export const saturatedShare = 0.5;
/** What to offer instead of a rate that saturates: this share of what was sustained. */
const restfulShare = 0.7;
/** Points by which a status mix has to move: less is chance or a flaky answer. */
const mixPoints = 0.02;
/** Two-sided, over all statuses of a scenario. */
const mixLevel = 0.05;
/** What of it the steadiest status has for itself: six rounds of one sign have p = 2 · 2^−6 = 3.1 %. */
const steadiestLevel = 0.035;
const bodySize = 0.01;
const bodyLevel = 0.025;

/**
 * A problem so plain that measuring on is a waste: after two rounds in which the baseline answered hardly
 * anything rightly, or neither side held the rate. Null when there is none.
 */
export function earlyStop(scenario: ScenarioPlan, rounds: readonly UsableRound[]): string | null {
  if (rounds.length < 2) return null;
  if (bothSaturated(rounds, rounds.length)) return saturationReason(scenario, rounds);
  const broken = rounds.every((round) => {
    const shares = successShares([round]);
    return shares !== null && shares.baseline < leastSuccess && !isNewRoute([round]);
  });
  return broken ? failureReason(scenario, rounds, 'baseline') : null;
}

/** The condition of a scenario over the rounds of a look. */
export function conditionOf(
  scenario: ScenarioPlan,
  rounds: readonly UsableRound[],
  onDifferentBody: 'warn' | 'stop',
): Condition {
  const shares = successShares(rounds);
  if (shares === null) return { kind: 'comparable', bodies: null, doubt: null };
  if (bothSaturated(rounds, rounds.length / 2)) {
    return { kind: 'stop', reason: saturationReason(scenario, rounds) };
  }
  if (shares.baseline < leastSuccess) {
    return isNewRoute(rounds)
      ? { kind: 'new', reason: 'the baseline does not have this route' }
      : { kind: 'stop', reason: failureReason(scenario, rounds, 'baseline') };
  }
  if (shares.candidate < leastSuccess) {
    return { kind: 'candidate-fails', reason: failureReason(scenario, rounds, 'candidate') };
  }
  const shift = answersShift(rounds);
  const bodies = bodyDifference(rounds);
  const different = shift?.shown ? shift.sentence : onDifferentBody === 'stop' ? bodies : null;
  if (different !== null) {
    const hint = newRouteHint(rounds);
    return { kind: 'stop', reason: `not the same work in \`${scenario.name}\`: ${different}${hint}` };
  }
  const doubt =
    shift === null ? null : `${shift.sentence}, which ${rounds.length} rounds cannot tell from chance`;
  return { kind: 'comparable', bodies, doubt };
}

function bothSaturated(rounds: readonly UsableRound[], least: number): boolean {
  const saturated = saturatedSlices(rounds).filter(
    (round) => round.baseline >= saturatedShare * round.of && round.candidate >= saturatedShare * round.of,
  ).length;
  return saturated > 0 && saturated >= least;
}

function saturationReason(scenario: ScenarioPlan, rounds: readonly UsableRound[]): string {
  const wanted = restfulRate(rounds);
  const offer = wanted === null ? '' : `; about ${formatRate(wanted)} would do`;
  return `neither side could hold ${formatRate(scenario.rate)} in \`${scenario.name}\`${offer}`;
}

function restfulRate(rounds: readonly UsableRound[]): PerSecond | null {
  const wanted = sustainedRate(rounds) * restfulShare;
  return wanted >= 1 ? perSecond(twoDigits(wanted)) : null;
}

/** Where neither side held the rate: the one that would have done, `none` when that is below 1/s; null where it was held. */
export function rateInstead(rounds: readonly UsableRound[]): PerSecond | 'none' | null {
  return bothSaturated(rounds, rounds.length / 2) ? (restfulRate(rounds) ?? 'none') : null;
}

function failureReason(scenario: ScenarioPlan, rounds: readonly UsableRound[], side: Side): string {
  const share = successShares(rounds)?.[side] ?? 0;
  const errors = [...tally(rounds, side, (trial) => trial.load.errors)].sort((a, b) => b[1] - a[1]);
  const most = errors[0] === undefined ? '' : ` (mostly ${errors[0][0]})`;
  return `the ${side} answered only ${formatRatio(ratio(share))} of the requests of \`${scenario.name}\` rightly${most}, so its times say nothing${side === 'baseline' ? newRouteHint(rounds) : ''}`;
}

/** The route is missing when the baseline says so itself and the candidate answers. */
function isNewRoute(rounds: readonly UsableRound[]): boolean {
  const shares = successShares(rounds);
  if (shares === null || shares.candidate < leastSuccess) return false;
  const statuses = tally(rounds, 'baseline', (trial) => trial.load.statuses);
  const all = total(statuses);
  return all > 0 && ((statuses.get('404') ?? 0) + (statuses.get('405') ?? 0)) / all > 0.9;
}

/** A share of the answers that moved: shown by a test, or as plain as so few rounds allow and not shown. */
interface Shift {
  readonly sentence: string;
  readonly shown: boolean;
}

/** A shift of the mix of right answers, or fewer wrong ones. More errors are none: they are a finding of their own. */
function answersShift(rounds: readonly UsableRound[]): Shift | null {
  const shifts = [...statusShifts(rounds), ...fewerErrors(rounds)];
  return shifts.find((shift) => shift.shown) ?? shifts[0] ?? null;
}

/**
 * Exact signed rank on the shares of the rounds, either direction, and at least two points in the median.
 *
 * When nothing changed, one coin swaps the sides of a round and turns the differences of all statuses around at once.
 * What is chosen by the sizes of the differences alone does not hang on the coins, so the tests stay exact (as Tarone
 * 1990 argues): a status of less than two points in the median size could not shift whatever the coins, and is not
 * counted. The one that moved furthest in the round in which it moved least has 3.5 % for itself, which six rounds of
 * one sign reach however many statuses there are; the others share what is left of 5 % (Bonferroni).
 */
function statusShifts(rounds: readonly UsableRound[]): Shift[] {
  const mixes = rounds.map((round) => ({
    baseline: rightStatuses(round, 'baseline'),
    candidate: rightStatuses(round, 'candidate'),
  }));
  const names = new Set(mixes.flatMap((mix) => [...mix.baseline.keys(), ...mix.candidate.keys()]));
  const able = [...names].sort().flatMap((name) => {
    const differences = mixes.map((mix) => shareOf(mix.candidate, name) - shareOf(mix.baseline, name));
    const sizes = differences.map(Math.abs);
    return medianOf(sizes) < mixPoints ? [] : [{ name, differences, least: Math.min(...sizes) }];
  });
  const furthest = Math.max(...able.map((status) => status.least));
  const steadiest = able.find((status) => status.least === furthest);
  return able.flatMap((status) => {
    const level =
      status === steadiest ? steadiestLevel : (mixLevel - steadiestLevel) / Math.max(1, able.length - 1);
    const moved = moveOf(status.differences, level);
    if (moved === null) return [];
    const [from, to] = sides.map((side) =>
      formatRatio(ratio(medianOf(mixes.map((mix) => shareOf(mix[side], status.name))))),
    );
    const sentence = `status ${status.name} was ${from} of the baseline's right answers and is ${to} of the candidate's`;
    return [{ sentence, shown: moved.shown }];
  });
}

function fewerErrors(rounds: readonly UsableRound[]): Shift[] {
  const shares = rounds.map((round) => successShares([round]) ?? { baseline: 0, candidate: 0 });
  const moved = moveOf(
    shares.map(({ baseline, candidate }) => candidate - baseline),
    mixLevel,
  );
  if (moved === null || moved.points < 0) return [];
  const sentence = `the candidate answered ${formatRatio(ratio(moved.points))} more of the requests rightly${furtherFailures(rounds, 'baseline')}`;
  return [{ sentence, shown: moved.shown }];
}

/**
 * The median shift of a share, and whether it is shown at a two-sided level. Not shown is one that went in a single
 * direction wherever it moved, when even that has a p above the level. Null: nothing speaks for a shift.
 */
function moveOf(
  differences: readonly number[],
  level: number,
): { readonly points: number; readonly shown: boolean } | null {
  const p = 2 * Math.min(signedRankP(differences), signedRankP(differences.map((d) => -d)));
  const points = medianOf(differences);
  if (Math.abs(points) < mixPoints) return null;
  if (p <= level) return { points, shown: true };
  return p <= 2 * smallestP(differences) ? { points, shown: false } : null;
}

/** Answers by status, without those that the scenario counts as wrong (`status 503` among the errors). */
function rightStatuses(round: UsableRound, side: Side): Map<string, number> {
  const statuses = tally([round], side, (trial) => trial.load.statuses);
  const wrong = tally([round], side, (trial) => trial.load.errors);
  for (const [name, count] of statuses) {
    const right = count - (wrong.get(`status ${name}`) ?? 0);
    if (right > 0) statuses.set(name, right);
    else statuses.delete(name);
  }
  return statuses;
}

/** A sentence on bodies that differ in content or size; null when they do not, or vary on each side by themselves. */
function bodyDifference(rounds: readonly UsableRound[]): string | null {
  const sizes = rounds.map((round) => ({
    baseline: meanBody(round, 'baseline'),
    candidate: meanBody(round, 'candidate'),
  }));
  const known = sizes.filter((size) => size.baseline !== null && size.candidate !== null) as {
    baseline: number;
    candidate: number;
  }[];
  const growth = known.map((size) => Math.log((size.candidate + 1) / (size.baseline + 1)));
  const p = Math.min(signedRankP(growth), signedRankP(growth.map((d) => -d)));
  if (growth.length > 0 && p <= bodyLevel && Math.abs(medianOf(growth)) >= Math.log1p(bodySize)) {
    const [from, to] = sides.map((side) => formatBytes(inBytes(medianOf(known.map((size) => size[side])))));
    return `a body of the baseline has ${from} on average, one of the candidate ${to}`;
  }
  return checksumsDiffer(rounds) ? 'the bodies of the two sides differ in content' : null;
}

/**
 * Bodies are compared shot by shot: both sides got the same requests. Where the baseline itself does not repeat
 * its bodies from round to round they carry a time or an id, and differ without a change.
 */
function checksumsDiffer(rounds: readonly UsableRound[]): boolean {
  const seenIn = new Map<string, Set<number>>();
  const compared: { readonly baseline: string; readonly candidate: string }[] = [];
  for (const round of rounds) {
    for (const pair of round.pairs) {
      const others = pair.candidate.load.bodies.checksums;
      for (const [position, baseline] of Object.entries(pair.baseline.load.bodies.checksums)) {
        seenIn.set(baseline, (seenIn.get(baseline) ?? new Set()).add(round.index));
        const candidate = others[position];
        if (candidate !== undefined) compared.push({ baseline, candidate });
      }
    }
  }
  const repeated = compared.filter((body) => seenIn.get(body.baseline)!.size > 1).length;
  if (repeated * 2 < compared.length) return false;
  // A body that the baseline sends too, now and then, is not a change.
  const different = compared.filter(
    (body) => body.candidate !== body.baseline && !seenIn.has(body.candidate),
  );
  return different.length > compared.length / 100;
}

function meanBody(round: UsableRound, side: Side): number | null {
  let bytes = 0;
  let answers = 0;
  for (const pair of round.pairs) {
    bytes += pair[side].load.bodies.totalBytes;
    answers += pair[side].load.counts.ok;
  }
  return answers > 0 ? bytes / answers : null;
}

function tally(
  rounds: readonly UsableRound[],
  side: Side,
  countsOf: (trial: Trial) => Readonly<Record<string, number>>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pair of rounds.flatMap((round) => round.pairs)) {
    for (const [name, count] of Object.entries(countsOf(pair[side]))) {
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
  }
  return counts;
}

const total = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((a, b) => a + b, 0);

function shareOf(counts: ReadonlyMap<string, number>, name: string): number {
  const all = total(counts);
  return all === 0 ? 0 : (counts.get(name) ?? 0) / all;
}

/** Rounded down to two significant digits: an offer, not a measurement. */
function twoDigits(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.floor(value / step) * step;
}

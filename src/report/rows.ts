/** Findings → rows of text, worst first, with everything about a row decided here once. */
import type { Ratio } from '../kernel/units.ts';
import { formatCount, ratio } from '../kernel/units.ts';
import type { RowState } from '../kernel/words.ts';
import type { Change, Finding } from '../verdict/finding.ts';
import {
  changeText,
  intervalText,
  isWide,
  metricLabel,
  none,
  roundBars,
  roundsText,
  sizeText,
  spreadOf,
  spreadText,
  stateWord,
  toleranceText,
  valueText,
} from './figures.ts';
import type { Phrase } from './phrase.ts';
import { name, say } from './phrase.ts';

export interface ReportRow {
  /** For charts, which need the numbers. */
  readonly finding: Finding;
  /** As it was configured: foreign text. */
  readonly scenario: string;
  readonly metric: string;
  /** A microbenchmark or counter is called by its name alone. */
  readonly hasOwnName: boolean;
  readonly state: string;
  /** How the state is to be shown: as bad, good, open, or plain. */
  readonly tone: Tone;
  readonly judged: boolean;
  readonly baseline: string;
  readonly candidate: string;
  readonly change: string;
  /** `+12 % to +24 %`, or empty. */
  readonly interval: string;
  readonly spread: string;
  readonly tolerance: string;
  readonly wideTolerance: boolean;
  readonly smallestDetectable: string;
  /** What one run against one run on this machine would be off by. */
  readonly singleRun: string;
  /** `on time`, `all shots`, or empty for what is no percentile. */
  readonly view: string;
  /** The change over the other shots: `all shots +22 %`; empty when there is none. */
  readonly otherView: string;
  readonly rounds: string;
  /** One bar a round, in the order of measuring; empty when there are none. */
  readonly bars: string;
  /** `11 of 12 rounds higher`. */
  readonly barsMeaning: string;
  /** A sentence of the verdict, with foreign names in it; null when the state is plain. */
  readonly reason: string | null;
}

export type Tone = 'bad' | 'good' | 'open' | 'plain';

/** The worst state first; what nobody needs to look at last. */
const severity: Readonly<Record<RowState, number>> = {
  regressed: 0,
  invalid: 1,
  missing: 2,
  undecided: 3,
  accepted: 4,
  improved: 5,
  new: 6,
  unchanged: 7,
  'not-eligible': 8,
};

/**
 * Judged rows before information, the worst state first, and within a state the largest change for the worse
 * first, of regressions the one farthest beyond its spread: the first row is the one that decides, and what a size
 * budget cuts off is the least of it.
 */
export function worstFirst(findings: readonly Finding[]): readonly Finding[] {
  return findings
    .map((finding) => ({ finding, size: badness(finding) }))
    .sort(
      (a, b) =>
        Number(b.finding.judged) - Number(a.finding.judged) ||
        severity[a.finding.state] - severity[b.finding.state] ||
        b.size - a.size,
    )
    .map(({ finding }) => finding);
}

/** The change in its tolerances, so that percentages and points can be ranked together; rows at rest stay put. */
function badness(finding: Finding): number {
  if (severity[finding.state] >= severity.new) return 0;
  if (finding.state === 'regressed') return certainty(finding);
  const change = sizeOf(finding.change);
  const unit = finding.tolerance.min > 0 ? finding.tolerance.min : 1;
  const size = change === null ? 0 : change / unit;
  const worse = finding.direction === 'bigger-is-better' ? -size : size;
  return finding.state === 'improved' ? -worse : worse;
}

/** A side that cannot keep up has percentages without meaning; the verdict room opens its reason with this word. */
const isSaturated = (finding: Finding): boolean => /^saturated: /.test(finding.reason ?? '');

/**
 * How surely a row got worse: ln(1 + effect) in its spreads, for the largest percentage is often the least certain
 * one. Before all of them a side that cannot keep up and failures, after them shares of slices, which have no spread.
 */
function certainty(finding: Finding): number {
  const { change, metric } = finding;
  if (isSaturated(finding)) return beyondAll * 2 + (change.kind === 'ratio' ? spreads(change) : 0);
  if (change.kind === 'ratio') return spreads(change);
  const size = change.kind === 'points' ? Math.min(1, Math.abs(change.difference)) : 0;
  return metric === 'errors' ? beyondAll + size : size - 1;
}

const beyondAll = 1e9;

function spreads({ effect, spread }: Extract<Change, { kind: 'ratio' }>): number {
  const size = Math.abs(Math.log1p(effect));
  if (Number.isNaN(size) || spread === null || Number.isNaN(spread)) return 0;
  return Math.min(beyondAll - 1, size / Math.max(spread, 1e-9));
}

/** The change as one number for the worst-first order; null when there is none. */
export function sizeOf(change: Change): number | null {
  const size = change.kind === 'ratio' ? change.effect : change.kind === 'points' ? change.difference : null;
  return size === null || !Number.isFinite(size) ? null : size;
}

/** Whether a row belongs into the table that everybody sees. */
export function isShown(finding: Finding): boolean {
  if (finding.judged) return finding.state !== 'not-eligible';
  switch (finding.state) {
    case 'regressed':
    case 'improved':
    case 'accepted':
    case 'missing':
    case 'invalid':
      return true;
    default:
      return false;
  }
}

export function rowOf(finding: Finding): ReportRow {
  const { change, metric, unit } = finding;
  return {
    finding,
    scenario: finding.scenario,
    metric: isWholeScenario(finding) ? 'every metric' : metricLabel(metric),
    hasOwnName: hasOwnName(finding),
    state: shownState(finding),
    tone: toneOf(finding.state),
    judged: finding.judged,
    baseline: valueText(unit, finding.baseline),
    candidate: valueText(unit, finding.candidate),
    change: changeText(change),
    interval: intervalText(change),
    spread: spreadOf(change),
    tolerance: toleranceText(metric, finding.tolerance),
    wideTolerance: isWide(metric, finding.tolerance),
    smallestDetectable: change.kind === 'ratio' ? sizeText(change.smallestDetectable) : none,
    singleRun: change.kind === 'ratio' ? spreadText(change.singleRunSpread) : none,
    view: finding.view === null ? '' : viewWord(finding.view),
    otherView: otherViewText(finding.otherView),
    rounds: roundsUsed(finding),
    bars: roundBars(finding.perRound),
    barsMeaning: roundsText(finding.perRound),
    reason: reasonOf(finding),
  };
}

/** Information is never decided: where its whole interval lies on one side, that side says more than `undecided`. */
function shownState({ judged, state, change }: Finding): string {
  if (judged || state !== 'undecided' || change.kind !== 'ratio' || change.interval === null)
    return stateWord(state);
  const [low, high] = change.interval;
  return low > 0 ? 'higher' : high < 0 ? 'lower' : stateWord(state);
}

/** `p99 of checkout`; without the scenario when the job has only the one that nobody named. */
export function subject(finding: Finding, alone: boolean): Phrase {
  if (isWholeScenario(finding)) return say`scenario ${name(finding.scenario)}`;
  const label = metricLabel(finding.metric);
  if (hasOwnName(finding)) return say`${label} ${name(finding.scenario)}`;
  return alone ? say`${label}` : say`${label} of ${name(finding.scenario)}`;
}

/** Whether all findings belong to the scenario that a job without a configuration file has. */
export function isAlone(findings: readonly Finding[]): boolean {
  return findings.every((finding) => hasOwnName(finding) || finding.scenario === 'default');
}

/** Load that is missing is missing as a whole: no metric of it was measured. */
const isWholeScenario = (finding: Finding): boolean => finding.state === 'missing' && !hasOwnName(finding);

export const isBenchmark = (finding: Finding): boolean => finding.metric === 'microbenchmark';
export const hasOwnName = (finding: Finding): boolean => isBenchmark(finding) || finding.metric === 'counter';

export const viewWord = (view: 'on-time' | 'all-shots'): string =>
  view === 'on-time' ? 'on time' : 'all shots';

function toneOf(state: RowState): Tone {
  switch (state) {
    case 'regressed':
    case 'invalid':
    case 'missing':
      return 'bad';
    case 'improved':
      return 'good';
    case 'undecided':
    case 'accepted':
      return 'open';
    default:
      return 'plain';
  }
}

function otherViewText(other: Finding['otherView']): string {
  if (other === null || other.change.kind === 'none') return '';
  const interval = intervalText(other.change);
  return `${viewWord(other.view)} ${changeText(other.change)}${interval === '' ? '' : ` (${interval})`}`;
}

function roundsUsed(finding: Finding): string {
  const { used, dropped } = finding.rounds;
  return dropped > 0 ? `${formatCount(used)} (${formatCount(dropped)} dropped)` : formatCount(used);
}

/** A row without a figure says why; one with a figure says why only when its state is not plain. */
function reasonOf(finding: Finding): string | null {
  // Nobody waits for information to be settled: what would settle it says nothing.
  if (!finding.judged && finding.state === 'undecided' && finding.change.kind !== 'none') return null;
  if (finding.reason !== null && finding.reason !== '') return finding.reason;
  return finding.change.kind === 'none' && finding.change.reason !== '' ? finding.change.reason : null;
}

/** The worst judged change of the tail percentile, whichever is judged, and of CPU per request. */
export function worstChange(findings: readonly Finding[], of: (finding: Finding) => boolean): Ratio | null {
  const [worst] = judgedRatios(findings, of);
  return worst === undefined || sizeOf(worst.change) === null ? null : ratio(sizeOf(worst.change)!);
}

/** Judged rows of a kind that have a ratio, the largest rise first. */
export function judgedRatios(
  findings: readonly Finding[],
  of: (finding: Finding) => boolean,
): readonly Finding[] {
  return findings
    .filter((finding) => finding.judged && finding.change.kind === 'ratio' && of(finding))
    .filter((finding) => sizeOf(finding.change) !== null)
    .sort((a, b) => sizeOf(b.change)! - sizeOf(a.change)!);
}

export const isCpu = (finding: Finding): boolean => finding.metric === 'cpu';
export const isTailPercentile = (finding: Finding): boolean =>
  finding.metric === 'p99' || finding.metric === 'p95' || finding.metric === 'p90';

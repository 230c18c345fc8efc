/** The capacity of two builds as text, for the terminal and as Markdown. Pure. */
import { assertNever } from '../kernel/errors.ts';
import {
  formatChange,
  formatCount,
  formatRate,
  formatRatio,
  formatSpread,
  logRatio,
  perSecond,
  ratio,
} from '../kernel/units.ts';
import type { CapacityVerdict } from '../verdict/capacity.ts';
import { tableLines, wrapped } from './columns.ts';
import { markdownText, visible } from './escape.ts';
import { msText } from './ramp-view.ts';

/** What the verdict does not hold. */
export interface PairFacts {
  readonly verdict: CapacityVerdict;
  readonly objectiveMs: number;
  readonly lost: number;
  readonly stopped: 'signal' | 'time-budget' | 'failure' | null;
  /** What stopped it, where that was a failure. */
  readonly failure: string | null;
  readonly seed: number;
  readonly revisions: Readonly<
    Record<'baseline' | 'candidate', { readonly sha: string; readonly ref: string }>
  >;
  readonly relative: boolean;
}

/** One sentence: the verdict on the capacity. */
export function pairHeadline({ verdict, objectiveMs }: PairFacts): string {
  const at = `at p99 ≤ ${msText(objectiveMs)}`;
  const { change, interval, spread, rounds } = verdict;
  if (change === null) return `Capacity ${at}: not one round has a bracket on both sides.`;
  const size = formatChange(ratio(change));
  const between =
    interval === null ? '' : ` (${formatChange(ratio(interval[0]))} to ${formatChange(ratio(interval[1]))})`;
  const beside = spread === null ? '' : `, spread ${formatSpread(logRatio(Math.log1p(spread)))}`;
  const counted = `${formatCount(rounds.length)} ${rounds.length === 1 ? 'round' : 'rounds'}`;
  switch (verdict.state) {
    case 'regressed':
      return `Regression: capacity ${at} fell, ${size}${between}${beside}, ${counted}.`;
    case 'improved':
      return `Capacity ${at} rose, ${size}${between}${beside}, ${counted}.`;
    case 'unchanged':
      return `Capacity ${at} is unchanged: ${size}${between}${beside}, ${counted}; a fall of ${formatRatio(ratio(verdict.tolerance.detect))} is ruled out.`;
    case 'undecided':
      return `Undecided: capacity ${at} moved by ${size}${between}${beside}, ${counted}; more rounds or a quieter machine would tell.`;
    default:
      return assertNever(verdict.state);
  }
}

export function pairTerminal(facts: PairFacts, width: number): string {
  const { columns, cells } = roundTable(facts.verdict);
  return [
    ...wrapped(visible(pairHeadline(facts), 600), width),
    '',
    ...tableLines(columns, cells, width),
    '',
    ...notes(facts).flatMap((line) => wrapped(visible(line, 600), width)),
  ].join('\n');
}

export function pairMarkdown(facts: PairFacts): string {
  const { columns, cells } = roundTable(facts.verdict);
  const row = (parts: readonly string[]): string => `| ${parts.join(' | ')} |`;
  return [
    '### Tailgate: capacity of two builds',
    '',
    `**${markdownText(pairHeadline(facts), 600)}**`,
    '',
    row(columns.map(({ title }) => title)),
    row(columns.map(() => '---:')),
    ...cells.map((parts) => row(parts.map((part) => markdownText(part)))),
    '',
    ...notes(facts).map((line) => `- ${markdownText(line, 600)}`),
    '',
  ].join('\n');
}

function roundTable({ rounds }: CapacityVerdict) {
  const columns = ['round', 'baseline', 'candidate', 'change'].map(
    (title) => ({ title, align: 'right' }) as const,
  );
  const cells = rounds.map(({ baseline, candidate }, index) => [
    String(index + 1),
    formatRate(perSecond(baseline)),
    formatRate(perSecond(candidate)),
    formatChange(ratio(candidate / baseline - 1)),
  ]);
  return { columns, cells };
}

function notes(facts: PairFacts): readonly string[] {
  const { lost, revisions, relative, verdict, seed } = facts;
  const { baseline, candidate } = revisions;
  return [
    ...stoppedWords(facts),
    `Baseline ${baseline.ref} (${baseline.sha.slice(0, 12)}), candidate ${candidate.ref} (${candidate.sha.slice(0, 12)}); a fresh process a side and round, in turns by coin.`,
    `Each figure is the middle of a bracket of 5 %. A change counts from ${formatRatio(ratio(verdict.tolerance.min))}.`,
    ...(lost === 0
      ? []
      : [`${formatCount(lost)} further rounds had no bracket on one side and are not counted.`]),
    ...(relative
      ? ['Generator and service share the CPUs of this machine: the change holds, the rates are relative.']
      : []),
    `Seed ${seed}.`,
  ];
}

function stoppedWords({ stopped, failure }: PairFacts): readonly string[] {
  switch (stopped) {
    case null:
      return [];
    case 'signal':
      return ['Partial: it was stopped before its end.'];
    case 'time-budget':
      return ['Partial: the time budget was used up before its end.'];
    case 'failure':
      return [`Partial: ${failure ?? 'the service of one side failed'}.`];
    default:
      return assertNever(stopped);
  }
}

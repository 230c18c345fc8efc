/** A verdict on microbenchmarks as a terminal and a job summary show it: one sentence, one table, what is not plain, how to repeat it. */
import { assertNever } from '../kernel/errors.ts';
import {
  formatChange,
  formatDuration,
  formatRatio,
  formatSpread,
  type Nanoseconds,
} from '../kernel/units.ts';
import type { BenchEvidence } from '../microbench/evidence.ts';
import { formatsText } from '../microbench/readings.ts';
import { wrapped } from '../report/columns.ts';
import { markdownName, markdownText, visible } from '../report/escape.ts';
import { quantityText } from '../report/figures.ts';
import type { BenchFinding, BenchVerdict } from '../verdict/benchmark-finding.ts';
import type { Change } from '../verdict/finding.ts';
import { table } from './figures.ts';

export interface ShownBench {
  readonly verdict: BenchVerdict;
  readonly evidence: BenchEvidence;
  /** Of the whole command, or of the rounds where they are stored. */
  readonly elapsed: Nanoseconds;
}

const legend =
  'The change compares the sides round by round, so it is not the ratio of the two columns. Spread: what a change had to exceed in this run to count.';

const columns = [
  { title: 'benchmark', align: 'left', flexible: true },
  { title: 'baseline', align: 'right' },
  { title: 'candidate', align: 'right' },
  { title: 'change', align: 'right' },
  { title: 'spread', align: 'right' },
  { title: 'CPU', align: 'right' },
  { title: 'state', align: 'left' },
] as const;

export function benchText(shown: ShownBench, exitCode: number): string {
  const remarks = remarksOf(shown.verdict).map((remark) => visible(remark, 600));
  return [
    visible(headline(shown), 900),
    '',
    table(columns, shown.verdict.findings.map(cellsOf)),
    '',
    ...remarks.flatMap((remark) => wrapped(remark, 100)),
    ...(remarks.length === 0 ? [] : ['']),
    ...footer(shown),
    `exit code ${exitCode}`,
  ].join('\n');
}

/** The same for a job summary. */
export function benchMarkdown(shown: ShownBench): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `**${markdownText(headline(shown), 900)}**`,
    '',
    line(columns.map((column) => column.title)),
    line(columns.map((column) => (column.align === 'right' ? '---:' : '---'))),
    ...shown.verdict.findings.map((finding) =>
      line([
        markdownName(finding.name),
        ...cellsOf(finding)
          .slice(1)
          .map((cell) => markdownText(cell)),
      ]),
    ),
    '',
    ...remarksOf(shown.verdict).map((remark) => `- ${markdownText(remark, 900)}`),
    '',
    `<sub>${footer(shown)
      .map((one) => markdownText(one, 600))
      .join(' · ')}</sub>`,
  ].join('\n');
}

/** Foreign text, to be escaped by whoever shows it. */
const remarksOf = (verdict: BenchVerdict): readonly string[] => [
  ...(verdict.findings.some((finding) => finding.change.kind === 'ratio') ? [legend] : []),
  ...verdict.findings.flatMap((finding) =>
    finding.reason === null ? [] : [`${finding.name}: ${finding.reason}`],
  ),
  ...verdict.warnings.map(({ message, hint }) => (hint === undefined ? message : `${message}; ${hint}`)),
];

function footer({ verdict, evidence, elapsed }: ShownBench): readonly string[] {
  const { baseline, candidate } = evidence.revisions;
  const { measured, confirming } = verdict.rounds;
  const rounds = `${measured} ${measured === 1 ? 'round' : 'rounds'}${confirming === 0 ? '' : ` and ${confirming} to confirm`}`;
  return [
    `${rounds} in fresh processes, ${formatDuration(elapsed)}, seed ${evidence.seed}`,
    ...(evidence.suites ?? []).map((one) => `${visible(one.name, 200)}: read as ${formatsText(one)}`),
    `baseline ${baseline.sha.slice(0, 7)} (${visible(baseline.how, 200)}), candidate ${candidate.sha.slice(0, 7)}`,
  ];
}

/** Foreign text too. */
function headline({ verdict, evidence }: Pick<ShownBench, 'verdict' | 'evidence'>): string {
  const of = (state: BenchFinding['state']): readonly BenchFinding[] =>
    verdict.findings.filter((finding) => finding.state === state);
  const many = (count: number): string => `${count} ${count === 1 ? 'benchmark' : 'benchmarks'}`;
  switch (verdict.outcome) {
    case 'regression': {
      const regressed = of('regressed');
      const more = regressed.length === 1 ? '' : `, and ${many(regressed.length - 1)} more`;
      return `Regression: ${regressed[0]!.name} became worse: ${changeWords(regressed[0]!.change)}${more}.`;
    }
    case 'pass': {
      const better = of('improved').length;
      const improved = better === 0 ? '' : `; ${many(better)} became better`;
      const accepted = of('accepted').length;
      if (accepted === 0)
        return `Pass: none of ${many(verdict.findings.length)} became worse by as much as its tolerance${improved}.`;
      const others = verdict.findings.length - accepted;
      const rest =
        others === 0
          ? ''
          : `: none of ${others} ${others === 1 ? 'other' : 'others'} became worse by as much as its tolerance`;
      return `Pass with ${accepted === 1 ? 'an accepted change' : `${accepted} accepted changes`}${rest}${improved}.`;
    }
    case 'invalid':
      return `Invalid: ${verdict.reason ?? ''}.`;
    case 'inconclusive':
      return inconclusive(of('undecided'), evidence);
    case 'no-baseline':
      return `Nothing to compare: ${verdict.reason ?? ''}.`;
    default:
      return assertNever(verdict.outcome);
  }
}

/** Figures and advice stand below the table, in the row's own reason. */
function inconclusive(open: readonly BenchFinding[], { plan, rounds }: BenchEvidence): string {
  const short =
    plan.outOfTime?.ended === 'too-short'
      ? `: the time budget held ${rounds.length} of ${plan.rounds} rounds, too few to decide`
      : '';
  const { name, change, tolerance } = open[0]!;
  const seen = change.kind === 'ratio' ? change.smallestDetectable : null;
  const asked = tolerance.detect === null ? '' : ` by ${formatRatio(tolerance.detect)}`;
  const could =
    seen === null
      ? ''
      : tolerance.detect !== null && seen > tolerance.detect
        ? `; ${formatRatio(seen)} would have been seen`
        : `; it moved by ${changeWords(change)}`;
  const more =
    open.length === 1 ? '' : ` ${open.length - 1} more ${open.length === 2 ? 'is' : 'are'} undecided.`;
  return `Inconclusive: cannot tell whether ${name} became worse${asked}${short === '' ? could : short}.${more}`;
}

function changeWords(change: Change): string {
  if (change.kind !== 'ratio')
    return change.kind === 'none' ? change.reason : formatChange(change.difference);
  const spread = change.spread === null ? '' : ` (spread ${formatSpread(change.spread)})`;
  return `${formatChange(change.effect)}${spread}`;
}

function cellsOf(finding: BenchFinding): readonly string[] {
  const { change, unit } = finding;
  const value = (one: number | null): string => (one === null ? '–' : quantityText(one, unit));
  const cpu = finding.cpu?.change;
  return [
    visible(finding.name),
    value(finding.baseline),
    value(finding.candidate),
    change.kind === 'ratio' ? `${formatChange(change.effect)}${intervalWords(change)}` : 'n/a',
    change.kind === 'ratio' && change.spread !== null ? formatSpread(change.spread) : '–',
    cpu?.kind === 'ratio' ? formatChange(cpu.effect) : '–',
    finding.sameResult === false ? `${finding.state}, other result` : finding.state,
  ];
}

function intervalWords(change: Extract<Change, { kind: 'ratio' }>): string {
  if (change.interval === null) return '';
  const [low, high] = change.interval;
  return ` [${formatChange(low)}, ${formatChange(high)}]`;
}

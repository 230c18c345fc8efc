/** A verdict on microbenchmarks as a terminal shows it: one sentence, one table, what is not plain, how to repeat it. */
import { assertNever } from '../kernel/errors.ts';
import { formatChange, formatDuration, formatRatio, type Nanoseconds, toChange } from '../kernel/units.ts';
import type { BenchEvidence } from '../microbench/evidence.ts';
import { wrapped } from '../report/columns.ts';
import { visible } from '../report/escape.ts';
import { quantityText } from '../report/figures.ts';
import type { BenchFinding, BenchVerdict } from '../verdict/benchmark-finding.ts';
import type { Change } from '../verdict/finding.ts';
import { table } from './figures.ts';

export interface ShownBench {
  readonly verdict: BenchVerdict;
  readonly evidence: BenchEvidence;
  readonly elapsed: Nanoseconds;
}

export function benchText({ verdict, evidence, elapsed }: ShownBench, exitCode: number): string {
  const { baseline, candidate } = evidence.revisions;
  const remarks = [
    ...verdict.findings.flatMap((finding) =>
      finding.reason === null ? [] : [`${visible(finding.name)}: ${visible(finding.reason, 600)}`],
    ),
    ...verdict.warnings.map((warning) => visible(warning.message, 600)),
  ];
  const { measured, confirming } = verdict.rounds;
  const rounds = `${measured} rounds${confirming === 0 ? '' : ` and ${confirming} to confirm`}`;
  return [
    headline(verdict),
    '',
    table(
      [
        { title: 'benchmark', align: 'left', flexible: true },
        { title: 'baseline', align: 'right' },
        { title: 'candidate', align: 'right' },
        { title: 'change', align: 'right' },
        { title: 'spread', align: 'right' },
        { title: 'CPU', align: 'right' },
        { title: 'state', align: 'left' },
      ],
      verdict.findings.map(cellsOf),
    ),
    '',
    ...remarks.flatMap((remark) => wrapped(remark, 100)),
    ...(remarks.length === 0 ? [] : ['']),
    `${rounds} in fresh processes, ${formatDuration(elapsed)}, seed ${evidence.seed}`,
    `baseline ${baseline.sha.slice(0, 7)} (${visible(baseline.how, 200)}), candidate ${candidate.sha.slice(0, 7)}`,
    `exit code ${exitCode}`,
  ].join('\n');
}

function headline(verdict: BenchVerdict): string {
  const of = (state: BenchFinding['state']): readonly BenchFinding[] =>
    verdict.findings.filter((finding) => finding.state === state);
  const many = (count: number): string => `${count} ${count === 1 ? 'benchmark' : 'benchmarks'}`;
  switch (verdict.outcome) {
    case 'regression': {
      const regressed = of('regressed');
      const more = regressed.length === 1 ? '' : `, and ${many(regressed.length - 1)} more`;
      return `Regression: ${visible(regressed[0]!.name)} became worse: ${changeWords(regressed[0]!.change)}${more}.`;
    }
    case 'pass': {
      const better = of('improved').length;
      const improved = better === 0 ? '' : `; ${many(better)} became better`;
      return `Pass: none of ${many(verdict.findings.length)} became worse by as much as its tolerance${improved}.`;
    }
    case 'invalid':
      return `Invalid: ${visible(verdict.reason ?? '', 600)}.`;
    case 'inconclusive':
      return `Inconclusive: ${visible(verdict.reason ?? '', 600)}.`;
    case 'no-baseline':
      return `Nothing to compare: ${visible(verdict.reason ?? '', 600)}.`;
    default:
      return assertNever(verdict.outcome);
  }
}

function changeWords(change: Change): string {
  if (change.kind !== 'ratio')
    return change.kind === 'none' ? change.reason : formatChange(change.difference);
  const spread = change.spread === null ? '' : ` (spread ±${formatRatio(toChange(change.spread))})`;
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
    change.kind === 'ratio' && change.spread !== null ? `±${formatRatio(toChange(change.spread))}` : '–',
    cpu?.kind === 'ratio' ? formatChange(cpu.effect) : '–',
    finding.state,
  ];
}

function intervalWords(change: Extract<Change, { kind: 'ratio' }>): string {
  if (change.interval === null) return '';
  const [low, high] = change.interval;
  return ` [${formatChange(low)}, ${formatChange(high)}]`;
}

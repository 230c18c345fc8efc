/** Series → Markdown, and → lines for the terminal: figures only, what they mean is written by hand below them. Pure. */
import { attainableLevel, type ChoiceRow, currentRule } from './round-values.ts';
import type { JobLine, MetricSummary, Quartiles, SeriesSummary } from './summary.ts';
import { clopperPearsonUpper } from './summary.ts';
import type { WhatIf } from './what-if.ts';

/** What a series was, kept in `series.json`. */
export interface Series {
  readonly createdAt: string;
  readonly commit: string;
  /** SHA-256 of the command line's bundle that was run, its first twelve digits. */
  readonly bundle: string;
  readonly timeBudget: string;
  /** Every planned round was measured, whatever an early look said. */
  readonly full: boolean;
  readonly slow: { readonly asked: string; readonly planted: string } | null;
  /** The tailgate.yml that was used. */
  readonly config: string;
}

export interface Machine {
  readonly cpuModel: string;
  readonly cpus: number;
  readonly memory: number;
  readonly kernel: string;
  readonly node: string;
  readonly tailgate: string;
}

export interface ChoiceTable {
  /** Rounds of every job that were used: its first ones. */
  readonly depth: number;
  readonly rows: readonly ChoiceRow[];
}

export interface SeriesReport {
  readonly series: Series;
  readonly machine: Machine | null;
  /** One sentence: the plan of the jobs. */
  readonly plan: string | null;
  readonly lines: readonly JobLine[];
  readonly summary: SeriesSummary;
  readonly choices: readonly ChoiceTable[];
  readonly whatIf: WhatIf | null;
}

/** What stands below this line of an earlier page stays. */
export const handMark = '<!-- Below this line: written by hand, kept by `npm run aa`. -->';

export function renderPage(reports: readonly SeriesReport[], earlier: string | null): string {
  const hand = earlier === null ? -1 : earlier.indexOf(handMark);
  const kept = hand < 0 ? '\n' : earlier!.slice(hand + handMark.length);
  return `${[
    '# Level and power on a real machine',
    '',
    'Written by `npm run aa -- --report DIR --page docs/aa.md` from stored evidence; every figure was measured. A job is a',
    'whole gate on the demo service: real commits, worktrees, processes, load. In an A/A series the candidate differs from',
    'its baseline in a comment, so whatever is flagged is a false alarm. Verdicts are those of the rules as they were when',
    'this page was written, on the stored evidence. Bounds are one-sided 95 % (Clopper and Pearson).',
    ...reports.flatMap((report) => ['', ...renderSeries(report)]),
    '',
    handMark,
  ].join('\n')}${kept}`;
}

export function renderSeries(report: SeriesReport): string[] {
  const { series, summary } = report;
  const title =
    series.slow === null
      ? `A/A: ${summary.jobs} jobs, nothing changed`
      : `A/B: ${summary.jobs} jobs, planted ${series.slow.asked}`;
  return [
    `## ${title}`,
    '',
    ...facts(report),
    '',
    ...(series.slow === null ? alarms(summary) : power(summary)),
    '',
    ...metricTable(summary.metrics),
    ...report.choices.flatMap((table) => ['', ...choiceTable(table, series.slow !== null)]),
    ...(report.whatIf === null ? [] : ['', ...whatIfText(report.whatIf)]),
    '',
    ...notGreen(report.lines, series.slow !== null),
  ];
}

function facts({ series, machine, plan, summary, lines }: SeriesReport): string[] {
  const days = summary.first === null ? 'no job yet' : `${minute(summary.first)} to ${minute(summary.last!)}`;
  const on =
    machine === null
      ? 'unknown machine'
      : `${machine.cpuModel}, ${machine.cpus} CPUs, ${(machine.memory / 2 ** 30).toFixed(1)} GiB, Linux ${machine.kernel}, Node ${machine.node}`;
  const known = lines.filter((line) => line.onTime !== null);
  const mean = (pick: (line: JobLine) => number | null): string => {
    const values = lines.map(pick).filter((value) => value !== null);
    return values.length === 0
      ? 'unknown'
      : percent(values.reduce((sum, value) => sum + value, 0) / values.length);
  };
  return [
    `- **When and where**: ${days} (UTC); ${on.replace('Linux Linux', 'Linux')}.`,
    `- **What**: commit \`${series.commit}\`, bundle \`${series.bundle}\`; time budget ${series.timeBudget}${series.full ? ', every planned round measured' : ''}. ${plan ?? ''}`,
    ...(series.slow === null ? [] : [`- **Planted**: ${series.slow.planted}.`]),
    `- **Time**: ${quartileText(summary.seconds, seconds)} a job; rounds until the decision ${quartileText(summary.rounds, String)}.`,
    `- **The machine meanwhile**: ${mean((line) => line.onTime)} of the shots on time (${known.length} jobs), ${mean((line) => line.steal)} stolen, ${mean((line) => line.pressure)} of the time some task waited for a CPU.`,
    `- **Late shots**: the sides differed in them, so that all shots were judged, in ${summary.allShots.jobs} of ${summary.allShots.of} jobs; two one-sided tests at 5 % say so in up to 10 % when nothing changed.`,
  ];
}

function alarms(summary: SeriesSummary): string[] {
  const { jobs, metrics } = summary;
  const rows = metrics.reduce((sum, metric) => sum + metric.judged, 0);
  const flaggedRows = metrics.reduce((sum, metric) => sum + metric.flagged, 0);
  const regressedRows = metrics.reduce((sum, metric) => sum + metric.regressed, 0);
  return [
    '| | seen | rate | bound |',
    '|:--|--:|--:|--:|',
    rateRow('**false alarms: red with `regression`**', summary.regressions, jobs),
    rateRow('judged rows `regressed`', regressedRows, rows),
    rateRow('jobs with a flagged row (then confirmed or not)', summary.flagged, jobs),
    rateRow('judged rows flagged', flaggedRows, rows),
    ...outcomeRows(summary),
  ];
}

function power(summary: SeriesSummary): string[] {
  const { jobs, regressions } = summary;
  return [
    '| | seen | rate | bound |',
    '|:--|--:|--:|--:|',
    rateRow('**caught: red with `regression`**', regressions, jobs, 'lower'),
    rateRow('jobs with a flagged row (then confirmed or not)', summary.flagged, jobs, 'lower'),
    ...outcomeRows(summary),
  ];
}

/** `pass`, `inconclusive` and `invalid` always, others when they came up. */
function outcomeRows(summary: SeriesSummary): string[] {
  const names = [...new Set(['pass', 'inconclusive', 'invalid', ...Object.keys(summary.outcomes)])];
  return names
    .filter((name) => name !== 'regression')
    .map((name) => rateRow(`\`${name}\``, summary.outcomes[name] ?? 0, summary.jobs));
}

function rateRow(name: string, seen: number, of: number, bound: 'upper' | 'lower' = 'upper'): string {
  if (of === 0) return `| ${name} | 0 of 0 | – | – |`;
  const text =
    bound === 'upper'
      ? `≤ ${percent(clopperPearsonUpper(seen, of))}`
      : `≥ ${percent(1 - clopperPearsonUpper(of - seen, of))}`;
  return `| ${name} | ${seen} of ${of} | ${percent(seen / of)} | ${text} |`;
}

function metricTable(metrics: readonly MetricSummary[]): string[] {
  return [
    'Spread H and smallest detectable change of a job: median [quartiles], worst.',
    '',
    '| metric | judged rows | flagged | regressed | improved | undecided | median effect | spread H | smallest detectable change |',
    '|:--|--:|--:|--:|--:|--:|--:|:--|:--|',
    ...metrics.map(
      (row) =>
        `| ${row.metric} | ${row.judged} | ${row.flagged} | ${row.regressed} | ${row.improved} | ${row.undecided} | ` +
        `${row.effect === null ? '–' : signed(row.effect.median)} | ${quartileText(row.spread, percent)} | ${quartileText(row.smallestDetectable, percent)} |`,
    ),
  ];
}

function choiceTable({ depth, rows }: ChoiceTable, planted: boolean): string[] {
  const jobs = Math.max(0, ...rows.map((row) => row.jobs));
  const exact = percent(attainableLevel(depth));
  return [
    `### Round value of a percentile, first ${depth} rounds of ${jobs} jobs`,
    '',
    planted
      ? 'Found: one-sided exact p ≤ 5 %, without Holm, tolerance or confirmation. The rule of the product is marked.'
      : `p ≤ 5 % in the direction of a slower and of a faster candidate; the exact test with ${depth} rounds rejects ${exact} in each. The rule of the product is marked.`,
    '',
    `| percentile, shots | round value | ${planted ? 'found' : 'p ≤ 5 % slower'} | ${planted ? 'p ≤ 5 % faster' : 'faster'} | median effect | spread H | smallest detectable change |`,
    '|:--|:--|--:|--:|--:|:--|:--|',
    ...rows.map(
      (row) =>
        `| ${row.percentile}, ${row.view === 'on-time' ? 'on time' : 'all shots'} | ${row.rule === currentRule ? `**${row.rule}**` : row.rule} | ` +
        `${row.worse} of ${row.jobs} (${percent(row.worse / row.jobs)}) | ${row.better} | ${signed(row.effect.median)} | ` +
        `${quartileText(row.spread, percent)} | ${quartileText(row.smallestDetectable, percent)} |`,
    ),
  ];
}

function whatIfText(result: WhatIf): string[] {
  const names = [...new Set([...Object.keys(result.before), ...Object.keys(result.after)])];
  return [
    `### If ${result.metric} joined the judged metrics`,
    '',
    `The same evidence of ${result.jobs} jobs decided again, ${result.metric} with the tolerance of p99. It was flagged in ${result.flagged} jobs, in ${result.flaggedAlone} of them alone (not confirmed: no further rounds can come); ${result.lostPasses} passes became inconclusive for it alone.`,
    '',
    `| outcome | as it is | with ${result.metric} |`,
    '|:--|--:|--:|',
    ...names.map((name) => `| \`${name}\` | ${result.before[name] ?? 0} | ${result.after[name] ?? 0} |`),
  ];
}

/** Every job that deserves a look, with its reason: the list is short when all is well. */
function notGreen(lines: readonly JobLine[], planted: boolean): string[] {
  const odd = lines.filter((line) =>
    planted
      ? line.outcome !== 'regression'
      : line.exitCode !== 0 || line.rows.some((row) => row.flagged) || line.outcome === 'error',
  );
  if (odd.length === 0) return [planted ? 'No job missed it.' : 'No job was red, and no row was flagged.'];
  return [
    planted ? 'Jobs that missed it:' : 'Jobs that were red or had a flagged row:',
    '',
    ...odd.map((line) => {
      const flagged = line.rows.filter((row) => row.flagged).map((row) => row.metric);
      const rows = flagged.length === 0 ? '' : `; flagged: ${flagged.join(', ')}`;
      return `- job ${line.job}: \`${line.outcome}\`${line.reason === null ? '' : `, ${line.reason}`}${rows}`;
    }),
  ];
}

function quartileText(figures: Quartiles | null, format: (value: number) => string): string {
  if (figures === null) return '–';
  return `${format(figures.median)} [${format(figures.low)}, ${format(figures.high)}], ${format(figures.worst)}`;
}

/** Two significant digits below 10 %, whole percents above: what so few jobs can carry. */
function percent(value: number): string {
  if (!Number.isFinite(value)) return 'unbounded';
  const hundred = value * 100;
  const size = Math.abs(hundred);
  if (size === 0) return '0 %';
  return `${size >= 10 ? hundred.toFixed(0) : size >= 1 ? hundred.toFixed(1) : hundred.toPrecision(2)} %`;
}

const signed = (value: number): string =>
  value > 0 ? `+${percent(value)}` : percent(value).replace('-', '−');
const seconds = (value: number): string => `${value.toFixed(0)} s`;
const minute = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** `tailgate compare A B`: two stored result files side by side, and what they cannot show. */
import { resolve } from 'node:path';
import { assertNever } from '../kernel/errors.ts';
import { formatChange, formatRatio } from '../kernel/units.ts';
import { readResultFile } from '../microbench/result-file.ts';
import type { ReadResult } from '../microbench/samples.ts';
import { wrapped } from '../report/columns.ts';
import { visible } from '../report/escape.ts';
import { quantityText } from '../report/figures.ts';
import {
  compareStored,
  type StoredComparison,
  type StoredRow,
  type StoredSide,
} from '../verdict/stored-results.ts';
import type { Command } from './command.ts';
import { directionWords, table, widthOf } from './figures.ts';
import { formatFlag, formatOf } from './formats.ts';
import { reasonLines, tellWarnings } from './read.ts';

/** Formats of load: what is compared is a service, not a function. */
const ofLoad: ReadonlySet<string> = new Set([
  'k6',
  'autocannon',
  'wrk',
  'wrk2',
  'oha',
  'vegeta',
  'hdr-histogram-log',
]);

/** As rows of the evidence of a job are named. */
const responseTimes = / p50 \((baseline|candidate)\)$/;

function wayOut({ format, rows }: ReadResult): string {
  const load = ofLoad.has(format) || rows.some((row) => responseTimes.test(row.name));
  const command = load ? 'gate' : 'bench';
  return `\`tailgate ${command}\` runs both sides in turns, in fresh processes each round, and decides from the measured spread.`;
}

export const compare: Command = {
  name: 'compare',
  usage: 'compare BASELINE CANDIDATE [--format auto|NAME] [--json]',
  summary: 'Sets two stored result files of any benchmark tool side by side; shows changes, decides nothing.',
  flags: { format: formatFlag, json: { type: 'boolean', help: 'print the rows as JSON' } },
  positionals: { least: 2, most: 2 },
  run: async (flags, files, terminal) => {
    const format = formatOf(compare, flags);
    const [baseline, candidate] = files.map((file) =>
      readResultFile(resolve(terminal.directory, file), file, format),
    );
    tellWarnings(terminal, baseline!);
    tellWarnings(terminal, candidate!);
    const comparison = compareStored(baseline!, candidate!);
    const sources = [
      { file: files[0]!, format: baseline!.format },
      { file: files[1]!, format: candidate!.format },
    ] as const;
    terminal.print(
      flags['json'] === true
        ? asJson(sources, comparison)
        : asText(sources, comparison, wayOut(candidate!), widthOf(terminal.environment)),
    );
    return 0;
  },
};

type Sources = readonly [baseline: Source, candidate: Source];
interface Source {
  readonly file: string;
  readonly format: string;
}

function asJson([baseline, candidate]: Sources, { rows, limits }: StoredComparison): string {
  const side = (one: StoredSide | null) => (one === null ? null : { ...one, unit: one.unit.normalised });
  const shown = rows.map((row) => ({
    ...row,
    baseline: side(row.baseline),
    candidate: side(row.candidate),
  }));
  return JSON.stringify({ verdict: null, limits, baseline, candidate, rows: shown }, null, 2);
}

function asText(
  [baseline, candidate]: Sources,
  comparison: StoredComparison,
  advice: string,
  width: number,
): string {
  return [
    `baseline   ${visible(baseline.file)} (${baseline.format})`,
    `candidate  ${visible(candidate.file)} (${candidate.format})`,
    '',
    table(
      [
        { title: 'benchmark', align: 'left', flexible: true },
        { title: 'better', align: 'left' },
        { title: 'baseline', align: 'right' },
        { title: 'candidate', align: 'right' },
        { title: 'change', align: 'right' },
        { title: 'note', align: 'left' },
      ],
      comparison.rows.map(cellsOf),
      width,
    ),
    ...reasonLines(comparison.rows.map((row) => [row.name, reasonOf(row)])),
    '',
    'No verdict:',
    ...comparison.limits.flatMap((limit) =>
      wrapped(limit, 100, '  ').map((line, index) => (index === 0 ? line.replace('  ', '- ') : line)),
    ),
    ...wrapped(advice, 100),
  ].join('\n');
}

function cellsOf(row: StoredRow): readonly string[] {
  const { change, note } = words(row);
  return [
    visible(row.name),
    directionWords(row.direction),
    shownSide(row.baseline),
    shownSide(row.candidate),
    change,
    note,
  ];
}

function shownSide(side: StoredSide | null): string {
  if (side === null) return '–';
  if (side.value === null) return 'missing';
  const within = side.within === null ? '' : ` ±${formatRatio(side.within)} in ${side.samples}`;
  return `${quantityText(side.value, side.unit)}${within}`;
}

function reasonOf({ change }: StoredRow): string | null {
  if (change.kind === 'none') return change.reason;
  return change.kind === 'invalid' ? `invalid: ${change.reason}` : null;
}

function words({ change }: StoredRow): { readonly change: string; readonly note: string } {
  switch (change.kind) {
    case 'ratio':
      return {
        change: formatChange(change.change),
        note: change.withinSpread ? 'within the spread' : change.moved,
      };
    case 'same':
      return { change: '±0 %', note: 'same' };
    case 'none':
      return { change: 'n/a', note: 'no ratio' };
    case 'invalid':
      return { change: 'n/a', note: 'invalid' };
    case 'new':
      return { change: 'n/a', note: 'new: only in the candidate' };
    case 'missing':
      return { change: 'n/a', note: 'missing: only in the baseline' };
    default:
      return assertNever(change);
  }
}

/** `tailgate read FILE`: what would be read from a file of benchmark results. */
import { resolve } from 'node:path';
import { readResultFile } from '../microbench/result-file.ts';
import type { BenchRow, ReadResult } from '../microbench/samples.ts';
import { wrapped } from '../report/columns.ts';
import { visible } from '../report/escape.ts';
import { quantityText } from '../report/figures.ts';
import type { Command, Terminal } from './command.ts';
import { directionWords, table, widthOf } from './figures.ts';
import { formatFlag, formatOf } from './formats.ts';

export const read: Command = {
  name: 'read',
  usage: 'read FILE [--format auto|NAME] [--json]',
  summary: 'Shows what is read from a result file of any benchmark tool: one row a benchmark.',
  flags: { format: formatFlag, json: { type: 'boolean', help: 'print the rows as JSON' } },
  positionals: { least: 1, most: 1 },
  run: async (flags, [file], terminal) => {
    const format = formatOf(read, flags);
    const result = readResultFile(resolve(terminal.directory, file!), file!, format);
    tellWarnings(terminal, result);
    terminal.print(
      flags['json'] === true ? asJson(result) : asText(file!, result, widthOf(terminal.environment)),
    );
    return 0;
  },
};

/** Problems that leave rows usable go to standard error, so that JSON stays JSON. */
export function tellWarnings(terminal: Terminal, result: ReadResult): void {
  for (const { message, hint } of result.warnings) {
    terminal.tell(`warning: ${message}${hint === undefined ? '' : ` (${hint})`}`);
  }
}

function asJson(result: ReadResult): string {
  const rows = result.rows.map(({ name, unit, direction, value, samples, problem }) => ({
    name,
    unit: unit.normalised,
    direction,
    value,
    samples,
    problem,
  }));
  return JSON.stringify({ format: result.format, rows }, null, 2);
}

function asText(file: string, result: ReadResult, width: number): string {
  const count = result.rows.length;
  const missing = result.rows.filter((row) => row.value === null).length;
  const without = missing === 0 ? '' : `, ${missing} of them without a value`;
  return [
    `${visible(file)}: ${result.title}, format ${result.format}; ${count} ${count === 1 ? 'row' : 'rows'}${without}`,
    '',
    table(
      [
        { title: 'benchmark', align: 'left', flexible: true },
        { title: 'unit', align: 'left' },
        { title: 'better', align: 'left' },
        { title: 'value', align: 'right' },
        { title: 'samples', align: 'right' },
      ],
      result.rows.map(cellsOf),
      width,
    ),
    ...reasonLines(result.rows.map((row) => [row.name, row.problem])),
  ].join('\n');
}

/** Below a table: the reasons of rows that have one, each with the whole name. */
export function reasonLines(reasons: readonly (readonly [name: string, reason: string | null])[]): string[] {
  const lines = reasons.flatMap(([name, reason]) =>
    reason === null ? [] : wrapped(`${visible(name)}: ${visible(reason, 400)}`, 100),
  );
  return lines.length === 0 ? [] : ['', ...lines];
}

const cellsOf = (row: BenchRow): readonly string[] => [
  visible(row.name),
  visible(row.unit.normalised, 40),
  directionWords(row.direction),
  row.value === null ? 'missing' : quantityText(row.value, { ...row.unit, normalised: '' }),
  String(row.samples.length),
];

/** Figures of benchmarks as a terminal shows them: value with unit, direction, and the tables they stand in. */
import { assertNever } from '../kernel/errors.ts';
import { bytes, formatBytes, formatDuration, ns } from '../kernel/units.ts';
import type { BenchUnit, Direction } from '../microbench/samples.ts';
import { type Column, tableLines } from '../report/columns.ts';

/** `1.2 ms`, `12,300 operations/s`, `1.5 KiB`, `3 cycles`. */
export function figure(value: number, unit: Pick<BenchUnit, 'kind' | 'normalised'>): string {
  switch (unit.kind) {
    case 'time':
      return formatDuration(ns(value));
    case 'bytes':
      return formatBytes(bytes(value));
    case 'rate':
    case 'count':
    case 'custom':
      return `${plainNumber(value)} ${unit.normalised}`.trim();
    default:
      return assertNever(unit.kind);
  }
}

export function directionWords(direction: Direction): string {
  return direction === 'smaller-is-better' ? 'smaller' : 'bigger';
}

/** Three significant digits, and no exponent where a person would write none. */
function plainNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** As wide as reports are. */
const width = 110;

export function table(columns: readonly Column[], cells: readonly (readonly string[])[]): string {
  return tableLines(columns, cells, width).join('\n');
}

/** Words and tables of benchmarks as a terminal shows them. */
import type { Direction } from '../kernel/words.ts';
import { type Column, tableLines } from '../report/columns.ts';

export function directionWords(direction: Direction): string {
  return direction === 'smaller-is-better' ? 'smaller' : 'bigger';
}

/** As wide as reports are. */
const width = 110;

export function table(columns: readonly Column[], cells: readonly (readonly string[])[]): string {
  return tableLines(columns, cells, width).join('\n');
}

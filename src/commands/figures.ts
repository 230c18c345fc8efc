/** Words and tables of benchmarks as a terminal shows them. */
import type { Direction } from '../kernel/words.ts';
import { type Column, displayWidth, tableLines } from '../report/columns.ts';

export function directionWords(direction: Direction): string {
  return direction === 'smaller-is-better' ? 'smaller' : 'bigger';
}

/** As wide as reports are. */
const reportWidth = 110;
/** A name keeps at least so many columns, and as many as tell it apart from the others. */
const leastName = 40;
const nameStep = 4;
const gap = 2;

/** Columns that `COLUMNS` or the terminal gives; as many as a report where neither is known. */
export function widthOf(environment: Readonly<Record<string, string | undefined>>): number {
  const named = Number(environment['COLUMNS']);
  if (Number.isSafeInteger(named) && named > 0) return named;
  return process.stdout.isTTY ? process.stdout.columns : reportWidth;
}

/**
 * A table whose first column has the names. It is wider than `width` where names could not be told apart otherwise.
 * @param cells one list a row, as many as there are columns; printable text only.
 */
export function table(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  width: number = reportWidth,
): string {
  const sizes = columns.map((column, index) =>
    Math.max(...[column.title, ...cells.map((row) => row[index]!)].map(displayWidth)),
  );
  const others = sizes.slice(1).reduce((sum, size) => sum + gap + size, 0);
  const names = cells.map((row) => [row[0]!]);
  const different = new Set(names.flat()).size;
  const areDistinct = (room: number): boolean =>
    new Set(tableLines(columns.slice(0, 1), names, room).slice(1)).size === different;
  let room = Math.max(leastName, width - others);
  while (room < sizes[0]! && !areDistinct(room)) room += nameStep;
  return tableLines(columns, cells, others + room).join('\n');
}

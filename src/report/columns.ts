/** Tables of fixed-width text: columns sized to their content, names cut where the line would be too long. */

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** May be cut when the table is too wide; others never are. */
  readonly flexible?: boolean;
}

const gap = '  ';
/** A flexible column stays at least this wide. */
const narrowest = 12;

/**
 * Lines of a table, its header first, no line longer than `width` columns as long as the flexible ones can give.
 * @param cells one list a row, as many as there are columns; printable text only.
 */
export function tableLines(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const rows = [columns.map((column) => column.title), ...cells];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => displayWidth(row[index] ?? ''))));
  let excess = widths.reduce((total, size) => total + size, 0) + gap.length * (columns.length - 1) - width;
  columns.forEach((column, index) => {
    if (column.flexible !== true || excess <= 0) return;
    const given = Math.min(excess, Math.max(0, widths[index]! - narrowest));
    widths[index] = widths[index]! - given;
    excess -= given;
  });
  return rows.map((row) =>
    columns
      .map((column, index) => padded(cut(row[index] ?? '', widths[index]!), widths[index]!, column.align))
      .join(gap)
      .trimEnd(),
  );
}

export function padded(text: string, width: number, align: 'left' | 'right'): string {
  const missing = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + missing : missing + text;
}

/** Breaks at spaces, so that no line is longer than `width`, except by one word that is longer by itself. */
export function wrapped(text: string, width: number, indent = ''): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(indent + longer) > width) {
      lines.push(indent + line);
      line = word;
    } else line = longer;
  }
  return [...lines, indent + line];
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  // The end tells long names apart: what is cut by length carries its hash there.
  const characters = Array.from(text);
  const tail: string[] = [];
  let used = 1;
  for (const character of characters.slice(-Math.max(0, Math.floor(width / 2) - 1)).reverse()) {
    if (used + displayWidth(character) > width / 2) break;
    tail.unshift(character);
    used += displayWidth(character);
  }
  // A tail that begins in the middle of `… > name` would end one name like this and the next like that.
  while (tail.length > 1 && !/[\p{L}\p{N}]/u.test(tail[0]!)) used -= displayWidth(tail.shift()!);
  const head: string[] = [];
  for (const character of characters) {
    if (used + displayWidth(character) > width) break;
    head.push(character);
    used += displayWidth(character);
  }
  return `${head.join('')}…${tail.join('')}`;
}

// East Asian wide and fullwidth blocks and the emoji planes (Unicode Standard Annex 11, in coarse ranges).
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const zero = /\p{M}/u;

/** How many columns a terminal gives a text. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += zero.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

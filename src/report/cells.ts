/** The smallest parts of a Markdown report: phrases and the cells of its tables. */
import { assertNever } from '../kernel/errors.ts';
import { markdownName, markdownText } from './escape.ts';
import type { Phrase } from './phrase.ts';
import type { ReportRow } from './rows.ts';

export function markdownPhrase(phrase: Phrase): string {
  return phrase
    .map((piece) => {
      switch (piece.kind) {
        case 'text':
          return piece.text;
        case 'name':
          return markdownName(piece.text);
        case 'quote':
          return markdownText(piece.text);
        case 'strong':
          return `**${markdownPhrase(piece.pieces)}**`;
        default:
          return assertNever(piece);
      }
    })
    .join('');
}

/** The metric, with its scenario unless there is only the one that nobody named. */
export function rowName(row: ReportRow, alone: boolean): string {
  if (row.hasOwnName) return markdownName(row.scenario);
  return alone ? row.metric : `${row.metric} of ${markdownName(row.scenario)}`;
}

export const changeCell = (row: ReportRow): string =>
  row.interval === '' ? row.change : `${row.change} [${row.interval}]`;

export function stateCell(row: ReportRow): string {
  const note = row.judged ? '' : ' (not judged)';
  return row.tone === 'plain' ? `${row.state}${note}` : `**${row.state}**${note}`;
}

/** ReportView → Markdown for a pull-request comment and a job summary, each within its size. */
import { assertNever } from '../kernel/errors.ts';
import type { Bytes } from '../kernel/units.ts';
import { bytes, formatCount } from '../kernel/units.ts';
import { changeCell, markdownPhrase, rowName, stateCell } from './cells.ts';
import { details } from './details.ts';
import { markdownBlock, markdownLink, markdownName } from './escape.ts';
import type { Note } from './notes.ts';
import type { ReportRow } from './rows.ts';
import type { ReportView } from './view.ts';

/** GitHub refuses a comment of 65,536 characters; bytes are never fewer than characters. */
export const commentLimit: Bytes = bytes(60_000);
/** Above 1 MiB GitHub drops a summary as a whole. */
export const summaryLimit: Bytes = bytes(900 * 1024);

/** The forms in which the same report is written, from the longest to the shortest. */
export type Form = 'full' | 'judged' | 'verdict';

const mostNotes = 12;
const mostAlone = 10;

/** The comment, from the longest form that fits to the shortest; each carries the hidden marker as its last line. */
export function commentForms(view: ReportView): readonly string[] {
  return forms(view, commentLimit, view.marker);
}

export function renderComment(view: ReportView): string {
  return commentForms(view)[0]!;
}

/** The job summary, from the longest form that fits to the shortest. */
export function summaryForms(view: ReportView): readonly string[] {
  return forms(view, summaryLimit, null);
}

export function renderSummary(view: ReportView): string {
  return summaryForms(view)[0]!;
}

/** Size in bytes as UTF-8, which is never less than in characters. */
export const sizeOfText = (text: string): number => new TextEncoder().encode(text).length;

function forms(view: ReportView, limit: Bytes, marker: string | null): readonly string[] {
  const written = [
    render(view, 'full', view.rows.length, marker),
    withMostRows(view, limit, marker),
    render(view, 'verdict', 0, marker),
  ];
  const fitting = written.filter((text) => sizeOfText(text) < limit);
  return fitting.filter((text, index) => fitting.indexOf(text) === index);
}

/** Judged rows only, and of them as many of the worst as fit. */
function withMostRows(view: ReportView, limit: Bytes, marker: string | null): string {
  const rows = view.rows.filter((row) => row.judged).length;
  const fits = (count: number): boolean => sizeOfText(render(view, 'judged', count, marker)) < limit;
  if (fits(rows)) return render(view, 'judged', rows, marker);
  let [most, tooMany] = [0, rows];
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1;
    if (fits(middle)) most = middle;
    else tooMany = middle;
  }
  return render(view, 'judged', most, marker);
}

function render(view: ReportView, form: Form, rows: number, marker: string | null): string {
  const sections = sectionsOf(view, form, rows);
  if (marker !== null) sections.push(marker);
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function sectionsOf(view: ReportView, form: Form, rows: number): string[] {
  const headline = markdownPhrase(view.headline);
  const head = [headline, ...explanation(view), ...log(view)];
  switch (form) {
    case 'full':
      return [
        ...head,
        ...table(view.rows, view),
        ...measuredAlone(view),
        ...notes(view.notes),
        footer(view),
        ...details(view),
      ];
    case 'judged':
      return [...head, ...cutTable(view, rows), ...notes(view.notes), footer(view)];
    case 'verdict':
      return [headline, `Everything else is in ${summaryLink(view)} and in the evidence file.`, footer(view)];
    default:
      return assertNever(form);
  }
}

const summaryLink = (view: ReportView): string =>
  markdownLink('the job summary', view.links.summary ?? view.links.run);

function explanation(view: ReportView): string[] {
  return view.explanation.length === 0 ? [] : [view.explanation.map(markdownPhrase).join(' ')];
}

function log(view: ReportView): string[] {
  if (view.log === null) return [];
  const whose = view.log.side === null ? 'Last lines' : `Last lines of the ${view.log.side}`;
  return [`${whose}:\n\n${markdownBlock(view.log.lines)}`];
}

function measuredAlone(view: ReportView): string[] {
  return view.measuredAlone
    .slice(0, mostAlone)
    .map(
      ({ scenario, lines }) => `${markdownName(scenario)}, the candidate alone:\n\n${markdownBlock(lines)}`,
    );
}

function table(rows: readonly ReportRow[], view: ReportView): string[] {
  if (rows.length === 0) return [];
  const compared = rows.some((row) => row.finding.change.kind !== 'none' || row.finding.baseline !== null);
  const lines = compared
    ? [
        '| metric | baseline | candidate | change | spread | verdict |',
        '|:--|--:|--:|:--|--:|:--|',
        ...rows.map(
          (row) =>
            `| ${rowName(row, view.alone)} | ${row.baseline} | ${row.candidate} | ${changeCell(row)} | ${row.spread} | ${stateCell(row)} |`,
        ),
      ]
    : [
        '| metric | candidate | verdict |',
        '|:--|--:|:--|',
        ...rows.map((row) => `| ${rowName(row, view.alone)} | ${row.candidate} | ${stateCell(row)} |`),
      ];
  const legend =
    compared && view.legend.length > 0
      ? [`<sub>In brackets: the 95 % interval of the change. ${markdownPhrase(view.legend)}</sub>`]
      : [];
  return [lines.join('\n'), ...legend];
}

function cutTable(view: ReportView, count: number): string[] {
  const judged = view.rows.filter((row) => row.judged);
  const shown = table(judged.slice(0, count), view);
  if (count >= judged.length && judged.length === view.rows.length) return shown;
  const where = summaryLink(view);
  const said =
    count < judged.length
      ? `The ${formatCount(count)} worst of ${formatCount(view.allRows.length)} rows; all of them are in ${where} and in the evidence file.`
      : `Judged rows only; all ${formatCount(view.allRows.length)} are in ${where} and in the evidence file.`;
  return [...shown, said];
}

function notes(all: readonly Note[]): string[] {
  if (all.length === 0) return [];
  const shown = all
    .slice(0, mostNotes)
    .map(
      (note) =>
        `> - ${markdownPhrase(note.message)}${note.hint === null ? '' : ` ${markdownPhrase(note.hint)}`}`,
    );
  const left = all.length - shown.length;
  if (left > 0) shown.push(`> - … and ${formatCount(left)} more.`);
  return [['> **Please note**', ...shown].join('\n')];
}

function footer(view: ReportView): string {
  const links = [
    view.links.run === null ? '' : markdownLink('run', view.links.run),
    view.links.evidence === null ? '' : markdownLink('evidence', view.links.evidence),
  ].filter((link) => link.startsWith('['));
  const gate =
    view.gate === 'default' || view.gate === '' ? 'Tailgate' : `Tailgate ${markdownName(view.gate)}`;
  const parts = [gate, markdownPhrase(view.footer), ...links].filter((part) => part !== '');
  return `<sub>${parts.join(' · ')}</sub>`;
}

/** A ramp as text: for the terminal, and as Markdown for the summary of a job. Pure. */
import { tableLines, wrapped } from './columns.ts';
import { markdownBlock, markdownName, markdownText, visible } from './escape.ts';
import {
  curveTable,
  environmentText,
  type RampView,
  rampFindings,
  rampHeadline,
  subjectText,
} from './ramp-view.ts';

const legend =
  'Response times count from the moment a request was due; failed requests stand in them at the time-out. ' +
  'CPU: time a request · cores in use.';

/** The sentence first, then the curve, then what it says. */
export function rampTerminal(view: RampView, width: number): string {
  const { columns, cells } = curveTable(view);
  return [
    ...wrapped(visible(rampHeadline(view), 600), width),
    '',
    ...tableLines(columns, cells, Math.max(width, 132)),
    '',
    ...rampFindings(view).flatMap((line) => wrapped(visible(line, 600), width)),
    '',
    ...lastWords(view).map((line) => `  | ${visible(line, 400)}`),
    ...wrapped(`Seed ${view.result.seed}. ${legend}`, width),
  ].join('\n');
}

export function rampMarkdown(view: RampView): string {
  const { configHash, environmentHash, createdAt, seed } = view.result;
  const words = lastWords(view);
  const { columns, cells } = curveTable(view);
  const row = (parts: readonly string[]): string => `| ${parts.join(' | ')} |`;
  return [
    `### Tailgate: ramp`,
    '',
    `**${markdownText(rampHeadline(view), 600)}**`,
    '',
    ...(cells.length === 0
      ? ['Not one step was measured.']
      : [
          row(columns.map(({ title }) => title)),
          row(columns.map(({ align }) => (align === 'right' ? '---:' : ':---'))),
        ]),
    ...cells.map((parts) => row(parts.map((part) => markdownText(part)))),
    '',
    ...rampFindings(view).map((line) => `- ${markdownText(line, 600)}`),
    '',
    ...(words.length === 0 ? [] : ['Last words of the service:', '', markdownBlock(words), '']),
    `<sub>${legend}</sub>`,
    '',
    `<sub>${markdownText(subjectText(view))}. Configuration ${markdownName(configHash.slice(0, 16))}, environment ${markdownName(environmentHash.slice(0, 16))}: ${markdownText(environmentText(view))}. ${markdownText(createdAt)}, seed ${seed}.</sub>`,
    '',
  ].join('\n');
}

const lastWords = ({ result }: RampView): readonly string[] => result.death?.lastWords ?? [];

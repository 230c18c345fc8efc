/** ReportView → plain text for a terminal, about a hundred columns wide, in colour when asked. */
import { assertNever } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';
import type { Column } from './columns.ts';
import { tableLines, wrapped } from './columns.ts';
import type { Fact } from './diagnostics.ts';
import { boundedLines, visible } from './escape.ts';
import { wholeJobMeaning } from './latency.ts';
import type { Phrase } from './phrase.ts';
import { barLines } from './pictures.ts';
import type { ReportRow, Tone } from './rows.ts';
import { viewWord } from './rows.ts';
import type { ReportView } from './view.ts';

export interface TerminalOptions {
  readonly colour: boolean;
  /** Columns; 100 is wide enough for every table but long names. */
  readonly width: number;
  /** Everything a folded Markdown report holds, or the verdict with its table. */
  readonly detail: 'full' | 'short';
}

export const terminalDefaults: TerminalOptions = { colour: false, width: 100, detail: 'full' };

const mostRows = 200;
const mostNotes = 12;
const mostReasons = 8;
const mostBars = 30;

/** The whole report, ending in a newline. */
export function renderTerminal(view: ReportView, options: TerminalOptions = terminalDefaults): string {
  const write = writer(options);
  const sections: (readonly string[])[] = [
    [
      ...write.text(view.headline, { bold: true, tone: view.tone }),
      ...view.explanation.flatMap((it) => write.text(it)),
    ],
    log(view),
    rows(view, options),
    reasons(view, write),
    ...view.measuredAlone.map(({ scenario, lines }) => [
      `${visible(scenario)}, the candidate alone:`,
      ...boundedLines(lines).map((line) => `  ${line}`),
    ]),
    view.notes
      .slice(0, mostNotes)
      .flatMap((note) =>
        write.item(note.hint === null ? note.message : [...note.message, space, ...note.hint]),
      ),
    view.notes.length > mostNotes ? [`… and ${formatCount(view.notes.length - mostNotes)} more notes`] : [],
  ];
  if (options.detail === 'full') {
    sections.push(
      meanings(view, options),
      ...latency(view, options),
      bars(view, options),
      facts('How it was measured', view.jobFacts, options),
    );
    sections.push(
      sideFacts(view, options),
      facts('Environment', view.environment, options),
      accepting(view, options),
      view.doubt.length > 0 ? write.text(view.doubt) : [],
    );
  }
  sections.push(command('Reproduce locally:', view.reproduce), command('Decide again:', view.judge));
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** Why rows are what they are; the one of the headline is not said twice. */
function reasons(view: ReportView, write: ReturnType<typeof writer>): readonly string[] {
  const told = [view.headline, ...view.explanation].map(plainPhrase).join(' ').toLowerCase();
  const rest = view.reasons.filter((reason) => {
    const [, ...why] = plainPhrase(reason).toLowerCase().split(': ');
    return !told.includes(why.join(': ').replace(/\.$/, ''));
  });
  const left = rest.length - mostReasons;
  return [
    ...rest.slice(0, mostReasons).flatMap((reason) => write.item(reason)),
    ...(left > 0 ? [`… and ${formatCount(left)} more reasons`] : []),
  ];
}

/** A phrase without any markup; names stand in backticks as they do in prose. */
export function plainPhrase(phrase: Phrase): string {
  return phrase
    .map((piece) => {
      switch (piece.kind) {
        case 'text':
          return piece.text;
        case 'name':
          return `\`${visible(piece.text)}\``;
        case 'quote':
          return visible(piece.text, 600);
        case 'strong':
          return plainPhrase(piece.pieces);
        default:
          return assertNever(piece);
      }
    })
    .join('');
}

const space = { kind: 'text', text: ' ' } as const;

interface Writer {
  text(phrase: Phrase, look?: { bold: boolean; tone: Tone }): readonly string[];
  item(phrase: Phrase): readonly string[];
}

function writer(options: TerminalOptions): Writer {
  return {
    text: (phrase, look) =>
      wrapped(plainPhrase(phrase), options.width).map((line) =>
        look === undefined ? line : painted(line, look.tone, options.colour, look.bold),
      ),
    item: (phrase) => {
      const [first, ...rest] = wrapped(plainPhrase(phrase), options.width, '  ');
      return [`- ${first?.slice(2) ?? ''}`, ...rest];
    },
  };
}

function painted(text: string, tone: Tone, colour: boolean, bold = false): string {
  if (!colour) return text;
  const codes = [...(bold ? ['1'] : []), ...toneCodes(tone)];
  return codes.length === 0 ? text : `\u001b[${codes.join(';')}m${text}\u001b[0m`;
}

function toneCodes(tone: Tone): readonly string[] {
  switch (tone) {
    case 'bad':
      return ['31'];
    case 'good':
      return ['32'];
    case 'open':
      return ['33'];
    case 'plain':
      return [];
    default:
      return assertNever(tone);
  }
}

const columns: readonly Column[] = [
  { title: 'metric', align: 'left', flexible: true },
  { title: 'baseline', align: 'right' },
  { title: 'candidate', align: 'right' },
  { title: 'change', align: 'right' },
  { title: '95 % interval', align: 'left' },
  { title: 'spread', align: 'right' },
  { title: 'verdict', align: 'left' },
];

function rows(view: ReportView, options: TerminalOptions): readonly string[] {
  const all = options.detail === 'full' ? view.allRows : view.rows;
  if (all.length === 0) return [];
  const shown = all.slice(0, mostRows);
  const scenario = onlyScenario(view);
  const [header, ...lines] = tableLines(
    columns,
    shown.map((row) => cells(row, scenario !== null)),
    options.width,
  );
  const left = all.length - shown.length;
  return [
    ...(scenario === null || view.alone ? [] : [`Scenario ${visible(scenario)}`]),
    header!,
    ...lines.map((line, index) => painted(line, shown[index]!.tone, options.colour)),
    ...(left > 0 ? [`… and ${formatCount(left)} more rows, none of them worse`] : []),
    ...wrapped(plainPhrase(legendOf(view, shown)), options.width),
  ];
}

/** Rows of one scenario need not repeat its name; null when there are several. */
function onlyScenario(view: ReportView): string | null {
  const names = new Set(view.allRows.filter((row) => !row.hasOwnName).map((row) => row.scenario));
  return names.size === 1 ? [...names][0]! : null;
}

function legendOf(view: ReportView, shown: readonly ReportRow[]): Phrase {
  const unjudged = shown.some((row) => !row.judged);
  return unjudged
    ? [...view.legend, { kind: 'text', text: ' A verdict in parentheses is information.' }]
    : view.legend;
}

function cells(row: ReportRow, alone: boolean): readonly string[] {
  return [
    row.hasOwnName ? visible(row.scenario) : alone ? row.metric : `${row.metric} of ${visible(row.scenario)}`,
    row.baseline,
    row.candidate,
    row.change,
    row.interval,
    row.spread,
    row.judged ? row.state : `(${row.state})`,
  ];
}

function log(view: ReportView): readonly string[] {
  if (view.log === null) return [];
  const whose = view.log.side === null ? 'Last lines:' : `Last lines of the ${view.log.side}:`;
  return [whose, ...boundedLines(view.log.lines).map((line) => `  ${line}`)];
}

function meanings(view: ReportView, options: TerminalOptions): readonly string[] {
  return view.meanings.flatMap(({ metric, meaning }) => wrapped(`${metric}: ${meaning}`, options.width));
}

function latency(view: ReportView, options: TerminalOptions): (readonly string[])[] {
  return view.latency.map((picture, index) => {
    const whose = view.alone ? 'Response times' : `Response times of ${visible(picture.scenario)}`;
    return [
      `${whose}, ${viewWord(picture.view)}, the whole job`,
      ...barLines(picture).flatMap((line) => wrapped(line, options.width, '  ')),
      ...(index === view.latency.length - 1 ? wrapped(wholeJobMeaning, options.width, '  ') : []),
    ];
  });
}

function bars(view: ReportView, options: TerminalOptions): readonly string[] {
  const judged = view.allRows.filter((row) => row.judged && row.bars !== '').slice(0, mostBars);
  if (judged.length === 0) return [];
  const barColumns: readonly Column[] = [
    { title: 'metric', align: 'left', flexible: true },
    { title: 'round by round', align: 'left' },
    { title: '', align: 'left' },
    { title: 'one run against one run', align: 'right' },
  ];
  return tableLines(
    barColumns,
    judged.map((row) => [
      cells(row, onlyScenario(view) !== null)[0]!,
      row.bars,
      row.barsMeaning,
      row.singleRun,
    ]),
    options.width,
  );
}

function facts(title: string, all: readonly Fact[], options: TerminalOptions): readonly string[] {
  if (all.length === 0) return [];
  return [
    title,
    ...all.flatMap(({ label, value }) => wrapped(`${label}: ${plainPhrase(value)}`, options.width, '  ')),
  ];
}

function sideFacts(view: ReportView, options: TerminalOptions): readonly string[] {
  if (view.sideFacts.length === 0) return [];
  return tableLines(
    [
      { title: '', align: 'left' },
      { title: 'baseline', align: 'right' },
      { title: 'candidate', align: 'right' },
    ],
    view.sideFacts.map(({ label, baseline, candidate }) => [label, baseline, candidate]),
    options.width,
  );
}

function accepting(view: ReportView, options: TerminalOptions): readonly string[] {
  if (view.accepting === null) return [];
  const { ways, after } = view.accepting;
  return [
    ...ways.flatMap(({ before, lines }) => [
      ...wrapped(plainPhrase(before), options.width),
      ...boundedLines(lines).map((line) => `  ${line}`),
    ]),
    ...wrapped(plainPhrase(after), options.width),
  ];
}

/** Never wrapped: it is there to be copied. */
function command(title: string, line: string | null): readonly string[] {
  return line === null ? [] : [title, ...boundedLines([line]).map((text) => `  ${text}`)];
}

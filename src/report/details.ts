/** The folded part of a Markdown report: everything that a reader who doubts the first sentence may ask for. */
import { formatCount } from '../kernel/units.ts';
import { changeCell, markdownPhrase, rowName, stateCell } from './cells.ts';
import type { Fact, SideFact } from './diagnostics.ts';
import { markdownBlock, markdownName } from './escape.ts';
import type { LatencyPicture } from './latency.ts';
import { wholeJobMeaning } from './latency.ts';
import { barLines, mermaidChart } from './pictures.ts';
import type { ReportRow } from './rows.ts';
import { viewWord } from './rows.ts';
import type { ReportView } from './view.ts';

/** Charts are tall: beyond a few the tiny bars have to do. */
const mostCharts = 3;
const mostBars = 100;

/** One folded block each; those without content are left out. */
export function details(view: ReportView): readonly string[] {
  return [
    folded('All metrics', allMetrics(view)),
    folded('Response times', [
      ...view.latency.map((picture, index) => latency(picture, view.alone, index)),
      ...(view.latency.length === 0 ? [] : [wholeJobMeaning]),
    ]),
    folded('Every round', everyRound(view)),
    folded('How it was measured', [...facts(view.jobFacts), ...sideFacts(view.sideFacts)]),
    folded('Environment', facts(view.environment)),
    folded('Last results', history(view)),
    folded('Reproduce locally', reproduce(view)),
    folded('How to accept this', accepting(view)),
  ].filter((block) => block !== '');
}

function folded(title: string, sections: readonly string[]): string {
  if (sections.length === 0) return '';
  return `<details><summary>${title}</summary>\n\n${sections.join('\n\n')}\n\n</details>`;
}

function allMetrics(view: ReportView): string[] {
  if (view.allRows.length === 0) return [];
  const lines = [
    '| metric | baseline | candidate | change | spread | could detect | tolerance | other requests | rounds | verdict |',
    '|:--|--:|--:|:--|--:|--:|:--|:--|--:|:--|',
    ...view.allRows.map(
      (row) =>
        `| ${rowName(row, view.alone)}${shots(row)} | ${row.baseline} | ${row.candidate} | ${changeCell(row)} | ${row.spread} | ${row.smallestDetectable} | ${row.tolerance} | ${row.otherView} | ${row.rounds} | ${stateCell(row)} |`,
    ),
  ];
  const meanings = view.meanings.map(({ metric, meaning }) => `- ${metric}: ${meaning}`);
  meanings.push(
    '- could detect: the smallest change that a run with this spread finds four times out of five',
    '- on time, all shots: a shot is one scheduled request; it is on time when it was sent within 0.5 ms of its due time',
  );
  const reasons = view.reasons.map((reason) => `- ${markdownPhrase(reason)}`);
  return [
    lines.join('\n'),
    meanings.join('\n'),
    ...(reasons.length > 0 ? [`Reasons:\n\n${reasons.join('\n')}`] : []),
  ];
}

const shots = (row: ReportRow): string => (row.view === '' ? '' : `, ${row.view}`);

function latency(picture: LatencyPicture, alone: boolean, index: number): string {
  const whose = alone ? 'Response times' : markdownName(picture.scenario);
  const { baseline, candidate } = picture.counts;
  const counts = `baseline ${formatCount(baseline)} and candidate ${formatCount(candidate)} requests`;
  const sections = [
    `${whose}, ${viewWord(picture.view)}, the whole job (${counts}):`,
    markdownBlock(barLines(picture)),
  ];
  if (index < mostCharts) sections.push(mermaidChart(picture));
  return sections.join('\n\n');
}

function everyRound(view: ReportView): string[] {
  const rows = view.allRows.filter((row) => row.judged && row.bars !== '').slice(0, mostBars);
  if (rows.length === 0) return [];
  const lines = rows.map(
    (row) => `| ${rowName(row, view.alone)} | ${row.bars} | ${row.barsMeaning} | ${row.singleRun} |`,
  );
  return [
    'The change of each round in order: a bar above the middle is a candidate that needed more. The last column says by how much a single run of each side would be off.',
    ['| metric | round by round | | one run against one run |', '|:--|:--|:--|--:|', ...lines].join('\n'),
  ];
}

function facts(all: readonly Fact[]): string[] {
  return all.length === 0
    ? []
    : [all.map(({ label, value }) => `- ${label}: ${markdownPhrase(value)}`).join('\n')];
}

function sideFacts(all: readonly SideFact[]): string[] {
  if (all.length === 0) return [];
  const lines = all.map(({ label, baseline, candidate }) => `| ${label} | ${baseline} | ${candidate} |`);
  return [['| | baseline | candidate |', '|:--|--:|--:|', ...lines].join('\n')];
}

function history(view: ReportView): string[] {
  if (view.history.length < 2) return [];
  const lines = [...view.history].reverse().map((past) => {
    const commit = past.sha === '' ? '' : markdownName(past.sha);
    return `| ${commit}${past.current ? ' (this one)' : ''} | ${past.outcome} | ${past.tail} | ${past.cpu} |`;
  });
  return [
    ['| candidate | verdict | tail percentile | CPU per request |', '|:--|:--|--:|--:|', ...lines].join('\n'),
  ];
}

function reproduce(view: ReportView): string[] {
  const sections: string[] = view.doubt.length === 0 ? [] : [markdownPhrase(view.doubt)];
  if (view.reproduce !== null) {
    sections.push(
      'In a clone of this repository, with the candidate checked out:',
      markdownBlock([view.reproduce]),
    );
  }
  if (view.judge !== null) {
    sections.push('Decide again from the evidence file, without measuring:', markdownBlock([view.judge]));
  }
  return sections;
}

function accepting(view: ReportView): string[] {
  if (view.accepting === null) return [];
  const { ways, after } = view.accepting;
  return [
    ...ways.flatMap(({ before, lines }) => [markdownPhrase(before), markdownBlock(lines)]),
    markdownPhrase(after),
  ];
}

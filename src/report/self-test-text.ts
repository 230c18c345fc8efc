/** The result of a self-test as text for a terminal and as Markdown for a job's summary. */
import { formatDuration, formatRatio } from '../kernel/units.ts';
import type { Check, Planting, Sizes } from '../verdict/self-test.ts';
import { wrapped } from './columns.ts';
import { boundedLines, markdownText, visible } from './escape.ts';

const width = 110;

export interface SelfTestReport {
  readonly checks: readonly Check[];
  readonly sizes: Sizes;
  readonly exitCode: number;
}

/** What is planted, e.g. `34 µs of CPU burnt in each request (+15 %)`. */
export function plantingText(planting: Planting, sizes: Sizes): string {
  if (planting === 'cpu' && sizes.cpu !== null) {
    const { burnt, rise } = sizes.cpu;
    return `${formatDuration(burnt)} of CPU burnt in each request (+${formatRatio(rise)})`;
  }
  if (planting === 'latency' && sizes.latency !== null) {
    const { delay, delayed, rise, metric } = sizes.latency;
    return `${formatRatio(delayed)} of the requests held back for ${formatDuration(delay)} (${metric} +${formatRatio(rise)} or more)`;
  }
  return planting === 'nothing' ? 'nothing planted' : `${planting}: not planted`;
}

/** Lines for a terminal. */
export function selfTestText(report: SelfTestReport): string {
  const lines = [headline(report), ''];
  for (const check of report.checks) {
    const mark = check.result === 'shown' ? 'ok    ' : 'failed';
    lines.push(`${mark}  ${plantingText(check.planting, report.sizes)}`);
    lines.push(...wrapped(visible(check.reason, 600), width, '        '));
    const tail = boundedLines(check.verdict?.failure?.tail ?? []).slice(-12);
    lines.push(...tail.map((line) => `        | ${line}`));
    if (check.hint !== null)
      lines.push(...wrapped(`way out: ${visible(check.hint, 600)}`, width, '        '));
  }
  return [...lines, '', ...wrapped(note, width)].join('\n');
}

/** Markdown for the summary of a job. */
export function selfTestMarkdown(report: SelfTestReport): string {
  const rows = report.checks.map((check) => {
    const hint = check.hint === null ? '' : ` <br>Way out: ${markdownText(check.hint)}`;
    const cells = [
      check.result === 'shown' ? 'ok' : '**failed**',
      markdownText(plantingText(check.planting, report.sizes)),
      check.verdict?.outcome ?? 'not run',
      `${markdownText(check.reason)}${hint}`,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `**${headline(report)}**`,
    '',
    '| | planted on the candidate’s side | verdict | what the gate said |',
    '|:--|:--|:--|:--|',
    ...rows,
    '',
    `<sub>${note}</sub>`,
  ].join('\n');
}

function headline({ checks, exitCode }: SelfTestReport): string {
  if (exitCode === 0) {
    return 'Self-test passed: a CPU and a latency slowdown are caught on this service, and no change is not.';
  }
  const failed = checks.filter((check) => check.result !== 'shown').length;
  return `Self-test failed: ${failed} of ${checks.length} jobs did not end as they must (exit code ${exitCode}).`;
}

const note =
  'Baseline and candidate were the same commit, each behind the same small proxy, which is where the slowdown was planted: figures are those of service and proxy together, so CPU per request is higher here than in the gate.';

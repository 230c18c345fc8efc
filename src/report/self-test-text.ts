/** The result of a self-test as text for a terminal and as Markdown for a job's summary. */
import { formatDuration, formatRatio } from '../kernel/units.ts';
import type { Check } from '../verdict/self-test.ts';
import type { Planting, Sizes } from '../verdict/self-test-sizes.ts';
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

/** A job that never ran did not fail: the one before it left nothing to plant. */
const markOf = ({ result, verdict }: Check): string =>
  result === 'shown' ? 'ok' : verdict === null ? 'not run' : 'failed';

/** Lines for a terminal. */
export function selfTestText(report: SelfTestReport): string {
  const lines = [headline(report), ''];
  for (const check of report.checks) {
    const mark = markOf(check);
    lines.push(`${mark.padEnd(7)} ${plantingText(check.planting, report.sizes)}`);
    for (const text of saidOf(check, report.sizes))
      lines.push(...wrapped(visible(text, 600), width, '        '));
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
      check.result === 'shown' ? 'ok' : `**${markOf(check)}**`,
      markdownText(plantingText(check.planting, report.sizes)),
      check.verdict?.outcome ?? 'not run',
      `${saidOf(check, report.sizes)
        .map((text) => markdownText(text))
        .join(' <br>')}${hint}`,
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

/** The reason; of several scenarios one line each instead; and what a size too large for a real change does not show. */
function saidOf({ planting, reason, scenarios, result }: Check, sizes: Sizes): readonly string[] {
  const rises = planting === 'nothing' ? [] : (sizes[planting]?.rises ?? []);
  const unlike = rises.filter(({ unrealistic }) => unrealistic);
  const several = scenarios.length > 1 && result !== 'wrong-metric';
  const lines = several ? scenarios.map((one) => `${one.scenario}: ${one.result}: ${one.reason}`) : [reason];
  if (scenarios.length === 0 || unlike.length === 0) return lines;
  const what = unlike.map(
    ({ scenario, rise }) => `+${formatRatio(rise)}${rises.length > 1 ? ` in ${scenario}` : ''}`,
  );
  return [...lines, `planted ${what.join(', ')}: more than a doubling, so it says little about real changes`];
}

function headline({ checks, exitCode }: SelfTestReport): string {
  if (exitCode === 0) {
    const scenarios = Math.max(...checks.map((check) => check.scenarios.length));
    const where = scenarios > 1 ? `in each of its ${scenarios} scenarios` : 'on this service';
    return `Self-test passed: a CPU and a latency slowdown are caught ${where}, and no change is not.`;
  }
  const failed = checks.filter((check) => check.result !== 'shown').length;
  return `Self-test failed: ${failed} of ${checks.length} jobs did not end as they must (exit code ${exitCode}).`;
}

const note =
  'Baseline and candidate were the same commit, each behind the same small proxy, which is where the slowdown was planted: figures are those of service and proxy together, so CPU per request is higher here than in the gate.';

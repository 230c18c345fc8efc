/** A ramp as one HTML file that needs nothing beside it: no script, no font, no address it would load from. Pure. */
import type { Step } from '../capacity/step.ts';
import { boundedLines, visible } from './escape.ts';
import { achievedPicture, latencyPicture } from './ramp-svg.ts';
import {
  curveTable,
  environmentText,
  msText,
  type RampView,
  rampFindings,
  rampHeadline,
  rateText,
  secondsText,
  shareText,
  subjectText,
} from './ramp-view.ts';

const style = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2430; --soft: #5b6675; --rule: #dde2e8; --first: #0b6bcb; --second: #c2410c; --mark: #7c3aed; --limit: #15803d; }
@media (prefers-color-scheme: dark) { :root { --paper: #12161c; --ink: #e6eaf0; --soft: #9aa7b6; --rule: #2c3540; --first: #63b3ff; --second: #ff9f66; --mark: #c4a3ff; --limit: #6ee7a0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.25rem; line-height: 1.35; } h2 { font-size: 1.05rem; margin-top: 2rem; }
figure { margin: 1.5rem 0; } figcaption, .soft { color: var(--soft); font-size: .875rem; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font: 13px system-ui, sans-serif; }
svg .grid { stroke: var(--rule); stroke-width: 1; } svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .curve { fill: none; stroke-width: 2; } svg .p50 { stroke: var(--first); } svg .p99 { stroke: var(--second); }
svg .dot { stroke: none; } svg .dot.p50 { fill: var(--first); } svg .dot.p99 { fill: var(--second); }
svg .knee { stroke: var(--mark); stroke-dasharray: 5 4; } svg text.knee { fill: var(--mark); stroke: none; }
svg .objective { stroke: var(--limit); stroke-dasharray: 2 4; } svg text.objective { fill: var(--limit); stroke: none; }
svg .diagonal { stroke: var(--soft); stroke-dasharray: 2 4; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th.left, td.left { text-align: left; } li { margin: .35rem 0; } code { overflow-wrap: anywhere; }
`.trim();

/** @param version of Tailgate, as it is printed. */
export function rampHtml(view: RampView, version: string): string {
  const { result } = view;
  const { columns, cells } = curveTable(view);
  const headline = escaped(rampHeadline(view));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${headline}</title>
<style>
${style}
</style>
</head>
<body>
<h1>${headline}</h1>
<ul>
${rampFindings(view)
  .map((line) => `<li>${escaped(line)}</li>`)
  .join('\n')}
</ul>
${lastWords(view)}
<div class="pictures">
${figure(latencyPicture(view), 'Response time over offered load, both axes logarithmic. The dashed line is the knee, the dotted one the objective.')}
${figure(achievedPicture(view), 'Successful over offered requests a second. On the dotted diagonal nothing is lost.')}
</div>
<h2>Curve</h2>
<div class="scroll">${table(
    columns.map(({ title, align }) => ({ title, left: align === 'left' })),
    cells,
  )}</div>
<p class="soft">One row a rate, the middle one of its runs. Response times count from the moment a request was due; failed requests stand in them at the time-out. CPU: time a request · cores in use.</p>
${recoveryTable(view)}
<h2>Every step, in order</h2>
<div class="scroll">${table(stepColumns, result.steps.map(stepCells))}</div>
<h2>Measured with</h2>
<p class="soft">${escaped(subjectText(view))}. Configuration <code>${escaped(result.configHash.slice(0, 16))}</code>, environment <code>${escaped(result.environmentHash.slice(0, 16))}</code>: ${escaped(environmentText(view))}. ${escaped(result.createdAt)}, ${escaped(secondsText(result.durationSeconds))}, seed ${result.seed}, Tailgate ${escaped(version)}.</p>
</body>
</html>
`;
}

const stepColumns = [
  'step',
  'why',
  'offered',
  'successful',
  'p50',
  'p99',
  'p99 of successful',
  'errors',
  'drain',
  'objective',
].map((title) => ({ title, left: title === 'why' || title === 'objective' }));

function stepCells(step: Step, index: number): readonly string[] {
  return [
    String(index + 1),
    step.phase,
    rateText(step.rate),
    rateText(step.successfulPerSecond),
    msText(step.responseTimeMs.p50),
    msText(step.responseTimeMs.p99),
    msText(step.successTimeMs.p99),
    shareText(step.errorShare),
    step.drainSeconds === null ? 'never' : secondsText(step.drainSeconds),
    !step.sound
      ? `unsound: ${step.reasons.join(', ')}`
      : step.passes
        ? 'met'
        : `missed: ${step.misses.join(', ')}`,
  ];
}

function lastWords({ result }: RampView): string {
  const lines = boundedLines(result.death?.lastWords ?? []);
  if (lines.length === 0) return '';
  return `<h2>Last words of the service</h2>\n<pre class="scroll">${lines.map(entities).join('\n')}</pre>`;
}

function recoveryTable({ result }: RampView): string {
  if (result.recovery === null || result.recovery.windows.length === 0) return '';
  const rows = result.recovery.windows.map((window) => [
    secondsText(window.fromSeconds),
    msText(window.p99Ms),
    shareText(window.errorShare),
  ]);
  return `<h2>Recovery at ${escaped(rateText(result.recovery.rate))}</h2>
<div class="scroll">${table(
    ['after', 'p99', 'errors'].map((title) => ({ title, left: false })),
    rows,
  )}</div>`;
}

const figure = (svg: string, caption: string): string =>
  svg === '' ? '' : `<figure>${svg}<figcaption>${caption}</figcaption></figure>`;

function table(
  columns: readonly { readonly title: string; readonly left: boolean }[],
  rows: readonly (readonly string[])[],
): string {
  const cell = (tag: string, text: string, left: boolean): string =>
    `<${tag}${left ? ' class="left"' : ''}>${escaped(text)}</${tag}>`;
  return [
    '<table><thead><tr>',
    ...columns.map(({ title, left }) => cell('th', title, left)),
    '</tr></thead><tbody>',
    ...rows.map(
      (row) => `<tr>${row.map((text, index) => cell('td', text, columns[index]!.left)).join('')}</tr>`,
    ),
    '</tbody></table>',
  ].join('\n');
}

/** Foreign text in HTML: visible characters only, none of them markup. */
const escaped = (text: string): string => entities(visible(text, 600));
const entities = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

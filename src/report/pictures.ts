/** Pictures that GitHub draws from text, and the same in text for readers of e-mail. */
import { nsToMs } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import { sides } from '../kernel/words.ts';
import { durationText } from './figures.ts';
import type { LatencyPicture } from './latency.ts';

/** A Mermaid chart, bars for the baseline and a line for the candidate; nothing in it is foreign. */
export function mermaidChart(picture: LatencyPicture): string {
  const values = { baseline: picture.baseline.map(nsToMs), candidate: picture.candidate.map(nsToMs) };
  const most = Math.max(...values.baseline, ...values.candidate);
  const labels = picture.labels.map((label) => `"${label}"`).join(', ');
  return [
    '```mermaid',
    'xychart-beta',
    '  title "Response time: bars baseline, line candidate"',
    `  x-axis [${labels}]`,
    `  y-axis "ms" 0 --> ${plainNumber(most * 1.05)}`,
    `  bar [${values.baseline.map(plainNumber).join(', ')}]`,
    `  line [${values.candidate.map(plainNumber).join(', ')}]`,
    '```',
  ].join('\n');
}

/** One line a side: `baseline   ▁▁▂▃█  p50 1.2 ms · p99 4.7 ms`. */
export function barLines(picture: LatencyPicture): readonly string[] {
  return sides.map((side) => `${side.padEnd(9)}  ${picture.bars[side]}  ${figures(picture, side)}`);
}

function figures(picture: LatencyPicture, side: Side): string {
  return picture.labels
    .map((label, index) => `${label} ${durationText(picture[side][index] ?? null)}`)
    .join(' · ');
}

/** Four significant digits, never in powers of ten, which Mermaid does not read. */
function plainNumber(value: number): string {
  if (!Number.isFinite(value) || value <= 0) return '0';
  const digits = Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(value))));
  return value.toFixed(digits);
}

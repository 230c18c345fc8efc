/** A sweep as a terminal and a job summary show it: one sentence, one table, what it cannot tell. */
import type { SweepFindings, SweepLevel } from '../capacity/sweep.ts';
import { closedSentenceOf } from '../evidence/closed-summary.ts';
import { formatDuration, formatRatio, msToNs, ratio } from '../kernel/units.ts';
import type { SweepOutcome } from '../sweep.ts';
import { table } from './figures.ts';

export interface ShownSweep {
  readonly findings: SweepFindings;
  readonly outcome: Pick<SweepOutcome, 'partial' | 'cutShort' | 'unrecovered'>;
  readonly repeats: number;
  readonly requests: number;
  readonly timeoutMs: number;
  readonly seed: number;
}

/** The sentence a reader takes away. */
export function sweepHeadline({ findings, outcome }: ShownSweep): string {
  const first = outcome.partial === null ? '' : 'Partial: ';
  const { tooNoisy, qps, p95 } = findings.noise;
  if (tooNoisy)
    return `${first}Too noisy to tell where the knee lies: repeats of one level differ by up to ${percent(qps!)} in QPS and ${percent(p95!)} in p95.`;
  return `${first}${kneeSentence(findings)}`;
}

function kneeSentence({ levels, knee, kneeBetween, inferredLimit, limit }: SweepFindings): string {
  const last = levels.at(-1)!;
  if (knee === null || kneeBetween === null) {
    if (levels.length < 2) return 'One level alone tells no knee.';
    const served =
      limit.kind === 'at-least' ? `; at least ${limit.value.toFixed(1)} requests are served at a time` : '';
    return `In a closed loop successful QPS still grew by ${percent(last.growth ?? 0)} at concurrency ${last.concurrency} (${rate(last.successfulQps)}): the knee lies above it${served}.`;
  }
  const at = levels.find((level) => level.concurrency === knee)!;
  const served =
    inferredLimit === null
      ? ''
      : `; the service serves about ${inferredLimit} ${inferredLimit === 1 ? 'request' : 'requests'} at a time`;
  const where =
    kneeBetween[0] === 0
      ? `at or below concurrency ${knee}`
      : `between concurrency ${kneeBetween[0]} and ${knee}`;
  return `In a closed loop the knee lies ${where}: ${rate(at.successfulQps)} successful, p95 ${time(at.p95Ms)}${served}.`;
}

export function sweepText(shown: ShownSweep): string {
  return [sweepHeadline(shown), '', table(columns, cells(shown)), '', ...remarks(shown)].join('\n');
}

export function sweepMarkdown(shown: ShownSweep): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `**${sweepHeadline(shown)}**`,
    '',
    line(columns.map((column) => column.title)),
    line(columns.map((column) => (column.align === 'right' ? '---:' : '---'))),
    ...cells(shown).map(line),
    '',
    ...remarks(shown).map((remark) => `- ${remark}`),
  ].join('\n');
}

const columns = [
  { title: 'concurrency', align: 'right' },
  { title: 'attempted', align: 'right' },
  { title: 'successful', align: 'right' },
  { title: 'growth', align: 'right' },
  { title: 'p50', align: 'right' },
  { title: 'p95', align: 'right' },
  { title: 'p99', align: 'right' },
  { title: 'errors', align: 'right' },
  { title: 'X·R', align: 'right' },
  { title: 'QPS ±', align: 'right' },
  { title: 'p95 ±', align: 'right' },
  { title: 'knee', align: 'left' },
] as const;

const cellsOf = (level: SweepLevel, tooNoisy: boolean): readonly string[] => [
  String(level.concurrency),
  rate(level.attemptedQps),
  rate(level.successfulQps),
  level.growth === null ? '' : level.growth === Number.MAX_VALUE ? 'from 0' : percent(level.growth),
  time(level.p50Ms),
  time(level.p95Ms),
  time(level.p99Ms),
  formatRatio(ratio(level.errorRate)),
  `${level.littlesLaw.inFlight.toFixed(1)}${level.littlesLaw.holds ? '' : ' !'}`,
  level.noise === null ? '?' : formatRatio(ratio(level.noise.qps)),
  level.noise === null ? '?' : formatRatio(ratio(level.noise.p95)),
  tooNoisy ? '?' : level.pastKnee ? 'past' : '',
];

const cells = ({ findings }: ShownSweep): readonly (readonly string[])[] =>
  findings.levels.map((level) => cellsOf(level, findings.noise.tooNoisy));

function remarks({ findings, outcome, repeats, requests, timeoutMs, seed }: ShownSweep): readonly string[] {
  const { levels, noise, theory, serviceTimeMs, collapsesAt } = findings;
  const lines = [
    `closed loop, ${requests} requests a level, ${repeats} times in random order (seed ${seed}), time-out ${formatDuration(msToNs(timeoutMs))}; its latencies do not meet open-loop numbers`,
  ];
  if (outcome.partial === 'stopped') lines.push('it was stopped: what is missing was not measured');
  if (outcome.partial === 'out-of-time')
    lines.push('the time budget was used up: raise --time-budget, or lower --requests');
  if (noise.tooNoisy) {
    lines.push(
      `too noisy: repeats of a level lie up to ${percent(noise.qps!)} in QPS (wanted ${percent(noise.limits.qps)}) and ${percent(noise.p95!)} in p95 (wanted ${percent(noise.limits.p95)}) from their median; free the machine, or raise --requests`,
    );
  } else if (noise.qps !== null && noise.p95 !== null) {
    lines.push(
      `noise: repeats of a level lie within ${percent(noise.qps)} of their median in QPS and ${percent(noise.p95)} in p95`,
    );
  } else lines.push('noise: no level was repeated, so it is not known');
  // An inferred limit rests on the plateau behind the knee.
  if (theory !== null && serviceTimeMs !== null && !(noise.tooNoisy && theory.from === 'inferred')) {
    lines.push(
      `theory: ${theory.limit} at a time (${theory.from}) ÷ ${time(serviceTimeMs)} alone = ${rate(theory.qps)}; the best measured is ${percent(theory.share)} of it`,
    );
  }
  for (const { concurrency, littlesLaw } of levels.filter((level) => !level.littlesLaw.holds)) {
    lines.push(
      `Little's law is off at concurrency ${concurrency}: X·R is ${littlesLaw.inFlight.toFixed(1)}, more than 5 % from it; workers were idle between requests, or the run was too short`,
    );
  }
  for (const { concurrency, successfulQps, theoryQps } of levels.filter((level) => level.aboveTheory)) {
    lines.push(
      `above theory at concurrency ${concurrency}: ${rate(successfulQps)} measured, at most ${rate(theoryQps!)} possible by the time of a request alone; do not believe the generator before this is explained (answers that get cheaper under load, such as cached or batched ones, look like this too)`,
    );
  }
  const lying = levels.filter((level) => level.errorRate >= 0.1);
  for (const { concurrency, attemptedQps, successfulQps } of lying) {
    lines.push(
      `at concurrency ${concurrency} it attempts ${rate(attemptedQps)} and succeeds with ${rate(successfulQps)}: attempts alone would look like capacity`,
    );
  }
  // The same repeats that hide a knee make a collapse.
  if (collapsesAt !== null && !noise.tooNoisy)
    lines.push(
      `beyond the knee it collapses: at concurrency ${collapsesAt} successful QPS falls below 80 % of the best`,
    );
  for (const level of outcome.cutShort)
    lines.push(`a run at concurrency ${level} took too long and counts fewer requests`);
  for (const level of outcome.unrecovered)
    lines.push(
      `after concurrency ${level} the service did not answer as before within 15 s; levels after it may have felt that`,
    );
  for (const { concurrency, reasons } of findings.unsound) {
    for (const reason of reasons)
      lines.push(`unsound at concurrency ${concurrency}: ${closedSentenceOf(reason)}`);
  }
  return lines;
}

const rate = (value: number): string => `${value >= 100 ? value.toFixed(0) : value.toFixed(1)}/s`;
const time = (value: number | null): string => (value === null ? '–' : formatDuration(msToNs(value)));
const percent = (share: number): string => `${share < 0 ? '−' : ''}${formatRatio(ratio(Math.abs(share)))}`;

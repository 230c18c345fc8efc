/** One closed-loop run as the object behind `tailgate load --model closed --json` and as lines for the terminal. Pure. */
import { assertNever } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import {
  formatCount,
  formatDuration,
  formatRate,
  formatRatio,
  nsToSeconds,
  perSecond,
  ratio,
} from '../kernel/units.ts';
import type { ClosedPace, ClosedResult } from '../load/protocol.ts';
import { LatencyHistogram } from './histogram.ts';
import type { PercentilesMs } from './load-summary.ts';
import {
  listed,
  partialLines,
  percentileLine,
  percentilesMs,
  responseLines,
  sentenceOf,
} from './load-summary.ts';
import type { Environment, UnsoundReason } from './trial.ts';

/** What a run's figures do not hold. */
export interface AboutClosedRun {
  readonly workers: number;
  readonly pace: ClosedPace;
  readonly environment: Environment;
}

export interface ClosedSummary {
  readonly model: 'closed' | 'closed-intended';
  readonly concurrency: number;
  /**
   * Intended: what the schedule holds. Closed: what the workers would have sent had every answer taken the median.
   * Of the stretch that was measured.
   */
  readonly planned: number;
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly unfinished: number;
  readonly unsent: number;
  readonly durationSeconds: number;
  readonly attemptedPerSecond: number;
  readonly completedPerSecond: number;
  readonly successfulPerSecond: number;
  /** From `measuredFrom`; failed and timed-out requests at no less than the time-out. */
  readonly responseTimeMs: PercentilesMs;
  readonly serviceTimeMs: PercentilesMs;
  readonly measuredFrom: 'send' | 'intended';
  /** A closed loop waits with the service: its percentiles never stand beside those of an open one. */
  readonly comparableWithOpenLoop: false;
  readonly generator: {
    readonly cpuPercent: number;
    readonly utilisation: number;
    readonly peakMemoryBytes: number;
  };
  readonly sound: boolean;
  readonly reasons: readonly UnsoundReason[];
  readonly errors: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** V2 compressed base64 of the response times, in nanoseconds. */
  readonly histogram: string;
  readonly histogramUnit: 'ns';
  readonly environment: Environment;
  readonly partial: boolean;
}

/** Beyond this the sending thread, not the service, may be what the loop waits for. */
const busiest = 0.8;

/** Why a closed loop may not be used. In one without a schedule nothing is released late or dropped. */
export function closedUnsoundReasons({ generator, errors }: ClosedResult): UnsoundReason[] {
  const reasons: UnsoundReason[] = [];
  if (generator.utilisation > busiest) reasons.push('generator-busy');
  if ((errors['descriptors exhausted'] ?? 0) > 0) reasons.push('descriptors-exhausted');
  if ((errors['ports exhausted'] ?? 0) > 0) reasons.push('ports-exhausted');
  return reasons;
}

export function summariseClosed(result: ClosedResult, about: AboutClosedRun): ClosedSummary {
  const { counts, generator, histograms } = result;
  const seconds = nsToSeconds(result.window);
  const reasons = closedUnsoundReasons(result);
  const answered = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  return {
    model: about.pace.kind === 'intended' ? 'closed-intended' : 'closed',
    concurrency: about.workers,
    planned: plannedSends(result, about),
    ...counts,
    durationSeconds: rounded(seconds),
    attemptedPerSecond: rounded(counts.sent / seconds),
    completedPerSecond: rounded(answered / seconds),
    successfulPerSecond: rounded(counts.ok / seconds),
    responseTimeMs: percentilesMs(histograms.response),
    serviceTimeMs: percentilesMs(histograms.service),
    measuredFrom: about.pace.kind === 'intended' ? 'intended' : 'send',
    comparableWithOpenLoop: false,
    generator: {
      cpuPercent: rounded((100 * generator.cpu) / generator.wall),
      utilisation: rounded(generator.utilisation),
      peakMemoryBytes: generator.peakMemory,
    },
    sound: reasons.length === 0,
    reasons,
    errors: result.errors,
    statuses: result.statuses,
    histogram: histograms.response,
    histogramUnit: 'ns',
    environment: about.environment,
    partial: result.cutShort,
  };
}

/** Lines for the terminal; the model first, and last what these latencies may not be used for. */
export function describeClosed(summary: ClosedSummary): readonly string[] {
  const { generator } = summary;
  const rate = (value: number): string => formatRate(perSecond(value));
  return [
    `model       ${modelWords(summary)}`,
    ...partialLines(summary),
    `sent        ${rate(summary.attemptedPerSecond)}  (${formatCount(summary.sent)} requests in ${summary.durationSeconds.toFixed(1)} s)`,
    `planned     ${plannedWords(summary)}`,
    `completed   ${rate(summary.completedPerSecond)}${listed(summary.statuses, 'status ')}`,
    `successful  ${rate(summary.successfulPerSecond)}`,
    ...lossLines(summary),
    '',
    ...responseLines(
      summary,
      summary.measuredFrom === 'intended' ? 'its intended time' : 'the moment each was sent',
    ),
    ...percentileLine('service time', summary.serviceTimeMs),
    '',
    `generator: CPU ${formatRatio(ratio(generator.cpuPercent / 100))} of a core, sending thread ` +
      `${formatRatio(ratio(generator.utilisation))} busy`,
    ...(summary.sound ? ['sound'] : summary.reasons.map((reason) => `unsound: ${closedSentenceOf(reason)}`)),
    'closed loop: it sends less while the service is slow, so these latencies do not meet open-loop numbers;',
    'do not compare them. What users would feel: --model open',
  ];
}

function modelWords({ model, concurrency }: ClosedSummary): string {
  const workers = concurrency === 1 ? '1 worker' : `${formatCount(concurrency)} workers`;
  switch (model) {
    case 'closed':
      return `closed loop: ${workers}, each sends its next request when the answer is in; latency from the send`;
    case 'closed-intended':
      return `closed loop with intended times: ${workers}, each on a schedule of its own; latency from the intended time`;
    default:
      return assertNever(model);
  }
}

function plannedWords({ model, planned, sent, responseTimeMs }: ClosedSummary): string {
  const missing = Math.max(0, planned - sent);
  if (model === 'closed-intended') {
    return `${formatCount(planned)} requests${missing === 0 ? '' : `: ${formatCount(missing)} were never sent, and count at their age`}`;
  }
  if (responseTimeMs.p50 === null) return 'nothing to show';
  const median = formatDuration((responseTimeMs.p50 * 1e6) as Nanoseconds);
  const never =
    missing === 0 ? '' : `; ${formatCount(missing)} were never sent, and no percentile knows of them`;
  return `${formatCount(planned)} requests, had every answer taken the median, ${median}${never}`;
}

/** The same words as of an open loop, but what must be lowered is the number of workers. */
export function closedSentenceOf(reason: UnsoundReason): string {
  if (reason === 'generator-busy') {
    return 'the sending thread was busy more than 80 % of the time, so it may be what was measured; use fewer workers or free a core';
  }
  if (reason === 'descriptors-exhausted') {
    return 'no file descriptors were left for sockets; raise `ulimit -n` or use fewer workers';
  }
  return sentenceOf(reason);
}

function plannedSends(
  { counts, window, histograms }: ClosedResult,
  { workers, pace }: AboutClosedRun,
): number {
  if (pace.kind === 'intended') return counts.sent + counts.unsent;
  const median = LatencyHistogram.decode(histograms.held).percentile(0.5);
  return median === null ? counts.sent : Math.round((workers * window) / (median + pace.think));
}

function lossLines({ errors, ...counts }: ClosedSummary): readonly string[] {
  const losses = [
    [counts.failed, `failed${listed(errors, '')}`],
    [counts.timedOut, 'timed out'],
    [counts.unfinished, 'unfinished at the end of the drain'],
  ] as const;
  return losses
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${formatCount(count).padStart(10)}  ${what}`);
}

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/** One open-loop run as lines for the terminal, the sentence that matters first. Pure. */
import { formatCount, formatRate, formatRatio, perSecond, ratio } from '../kernel/units.ts';
import type { Fit } from '../load/fit.ts';
import type { LoadSummary } from './load-summary.ts';
import { listed, partialLines, percentileLine, responseLines, sentenceOf, spokenMs } from './load-summary.ts';

/** The sentence a reader takes away: whether it kept up, whether it may be used, and the percentile to quote. */
export function loadHeadline(summary: LoadSummary): string {
  const rates = `${formatRate(perSecond(summary.successfulPerSecond))} of ${formatRate(perSecond(summary.offeredPerSecond))} offered succeeded`;
  const part = summary.partial ? 'Partial: ' : '';
  const lost = summary.scheduled - summary.ok;
  if (summary.saturated) {
    const givenUp = summary.timedOut + summary.dropped + summary.unfinished;
    // From the median on, what stands there is how long was waited, not how long an answer took.
    const timeouts = givenUp >= summary.scheduled / 2 ? '; the percentiles are time-outs' : '';
    return `${part}Saturated: ${rates}${timeouts}.`;
  }
  if (!summary.sound) return `${part}Not usable: ${sentenceOf(summary.reasons[0]!)}.`;
  const { p50, p99 } = summary.responseTimeMs;
  const times = p50 === null || p99 === null ? '' : `, p50 ${spokenMs(p50)}, p99 ${spokenMs(p99)}`;
  if (lost > 0) {
    return `${part}${formatCount(lost)} of ${formatCount(summary.scheduled)} requests failed: ${rates}${times}.`;
  }
  const late =
    summary.onTimeShare >= leastOnTime
      ? ''
      : `; only ${formatRatio(ratio(summary.onTimeShare))} were sent on time, so the percentiles are also those of this machine`;
  return `${part}Kept up: ${rates}${times}${late}.`;
}

/** Below it a gate would call the runner too noisy for percentiles. */
const leastOnTime = 0.7;

/** Lines for the terminal: a sentence, the four rates, percentiles with counts and 95 % intervals, lateness, soundness. */
export function describeLoad(summary: LoadSummary): readonly string[] {
  const { generator } = summary;
  return [
    loadHeadline(summary),
    '',
    `model       open loop: every request is sent when it is due, whether or not answers return`,
    ...partialLines(summary),
    `offered     ${formatRate(perSecond(summary.offeredPerSecond))}  (${formatCount(summary.scheduled)} requests, seed ${summary.seed})`,
    `released    ${formatRate(perSecond(summary.releasedPerSecond))}`,
    `completed   ${formatRate(perSecond(summary.completedPerSecond))}${listed(summary.statuses, 'status ')}`,
    `successful  ${formatRate(perSecond(summary.successfulPerSecond))}`,
    ...lossLines(summary),
    '',
    ...responseLines(summary, 'the moment each was due'),
    ...percentileLine('on-time shots only', summary.onTimeResponseTimeMs),
    ...percentileLine('service time', summary.serviceTimeMs),
    ...percentileLine('lateness', summary.latenessMs),
    `${formatRatio(ratio(summary.onTimeShare))} of the requests were sent within 0.5 ms of their due time`,
    sendsLine(summary.sends),
    '',
    `generator: CPU ${formatRatio(ratio(generator.cpuPercent / 100))} of a core, sending thread ` +
      `${formatRatio(ratio(generator.utilisation))} busy, ${formatCount(generator.poolQueued)} requests waited for a socket`,
    ...(summary.saturated
      ? [
          'saturated: the service could not keep up with this rate; lower it, or find what it holds: `tailgate ramp`',
        ]
      : []),
    ...(summary.sound
      ? [soundWords(summary)]
      : summary.reasons.map((reason) => `unsound: ${sentenceOf(reason)}`)),
  ];
}

/** Soundness is about the generator alone, and that it sent does not make a service's answers good. */
const soundWords = ({ saturated, onTimeShare }: LoadSummary): string =>
  onTimeShare < leastOnTime
    ? `sound, but noisy: ${formatRatio(ratio(onTimeShare))} were sent on time; the time since each was due is counted all the same`
    : saturated
      ? 'sound: the generator sent what was asked for'
      : 'sound';

function sendsLine({ distance, plannedGapCv, sentGapCv }: Fit): string {
  const gaps =
    plannedGapCv === null || sentGapCv === null
      ? ''
      : `; gaps between sends vary by ${formatRatio(ratio(sentGapCv))} of their mean (planned ${formatRatio(ratio(plannedGapCv))})`;
  return `sends against the plan: at most ${formatRatio(ratio(distance))} off at any moment${gaps}`;
}

function lossLines({ errors, ...counts }: LoadSummary): readonly string[] {
  const losses = [
    [counts.failed, `failed${listed(errors, '')}`],
    [counts.timedOut, 'timed out'],
    [counts.dropped, 'dropped: too many were in flight'],
    [counts.unfinished, 'unfinished at the end of the drain'],
  ] as const;
  return losses
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${formatCount(count).padStart(10)}  ${what}`);
}

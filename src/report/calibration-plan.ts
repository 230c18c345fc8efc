/** What a calibration will do, in words, printed before it: rounds that decide nothing, and no confirmation. */
import type { JobPlan } from '../config/plan.ts';
import { formatCount, formatDuration, formatRate, ns } from '../kernel/units.ts';
import { wrapped } from './columns.ts';
import { visible } from './escape.ts';
import { metricLabel } from './figures.ts';
import { sentence } from './phrase.ts';
import { plainPhrase } from './terminal.ts';

const mostScenarios = 20;

/**
 * @param plan the gate's: a calibration measures the rounds of that plan, all of them, and leaves out its confirmation.
 * @returns lines of at most `width` columns.
 */
export function calibrationPlan(plan: JobPlan, width = 100): readonly string[] {
  const { rounds, roundTime, totalTime, confirmationRounds, scenarios } = plan;
  const most = ns(Math.max(0, totalTime - confirmationRounds * roundTime));
  const texts = [
    `seed ${plan.seed}; the same seed repeats the same order, schedule and requests`,
    `${formatCount(rounds)} rounds of the commit that is checked out against itself, each with fresh processes of both sides; all of them are measured, and no tolerance ends them early`,
    `time: about ${formatDuration(roundTime)} a round, ${formatDuration(most)} in all; set-up, and the climb of rates afterwards, excluded`,
    ...scenarios.slice(0, mostScenarios).map(({ name, rate, slices, sliceRequests, judged }) => {
      const requests = `${slices} slices of ${formatCount(sliceRequests)} requests a side and round`;
      return `${visible(name)}: ${formatRate(rate)}, ${requests}; spread of: ${judged.map(metricLabel).join(', ')}`;
    }),
    ...(scenarios.length > mostScenarios
      ? [`… and ${formatCount(scenarios.length - mostScenarios)} more`]
      : []),
    ...plan.notes.map(({ message, hint }) => {
      const way = hint === undefined ? '' : ` ${plainPhrase(sentence(hint))}`;
      return `please note: ${plainPhrase(sentence(message))}${way}`;
    }),
  ];
  return ['Calibration', ...texts.flatMap((text) => wrapped(text, width, '  '))];
}

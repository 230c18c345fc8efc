/** The result of a calibration whose load was more than the service could take: only a rate follows from it. */
import { formatRate, formatRatio, ratio } from '../kernel/units.ts';
import type { Advice, RateAdvice } from './calibration-text.ts';
import { wrapped } from './columns.ts';
import { visible } from './escape.ts';

/** Whether the service did not keep up in any scenario: all of them ran in the same processes. */
export const isOverrun = ({ rates }: Pick<Advice, 'rates'>): boolean =>
  rates.some(({ overrun }) => overrun !== null);

/**
 * @param rateLines what the climb says of each scenario.
 * @param pasted the fragment; null where not even a rate follows.
 */
export function overrunText(
  { rates }: Pick<Advice, 'rates'>,
  rateLines: readonly string[],
  pasted: string | null,
  width: number,
): string {
  const reasons = rates.flatMap((one) => wrapped(reasonOf(one), width, '  '));
  const consequence =
    'At that load queues decide what is measured. So no spread, no rounds and minutes and no tolerances are given: they would not hold at a rate that the service can take.';
  const settings =
    pasted === null
      ? wrapped('No settings: no rate was held; calibrate again at a much lower one.', width)
      : [
          'For tailgate.yml:',
          ...wrapped(
            'The rate, with the rounds and minutes as configured or as it needs them. Calibrate again with it.',
            width,
            '  ',
          ),
          '',
          pasted,
        ];
  return [
    'The service did not keep up',
    ...reasons,
    ...wrapped(consequence, width, '  '),
    '',
    'Rate',
    ...rateLines,
    '',
    ...settings,
  ].join('\n');
}

function reasonOf({ scenario, rate, capacity, overrun }: RateAdvice): string {
  if (overrun === null) return '';
  const name = `${visible(scenario)}: `;
  if (overrun.kind === 'saturated') {
    return `${name}in ${formatRatio(overrun.share)} of the slices of a side the queue only grew at the configured ${formatRate(rate)}. If the climb held that rate, something else disturbed the rounds: calibrate on a quieter machine.`;
  }
  const { held, failed } = capacity;
  if (held === null) {
    return `${name}the rounds offered the configured ${formatRate(rate)}, and in the climb after them not even ${formatRate(failed!)} was held.`;
  }
  const limit = rate > held ? 'more than it can take' : 'its limit';
  return `${name}the rounds offered the configured ${formatRate(rate)}, ${formatRatio(ratio(rate / held))} of the ${formatRate(held)} that it held in the climb after them: ${limit}.`;
}

/** The fragment of tailgate.yml that follows from a calibration. */
import { formatRate, type Ratio } from '../kernel/units.ts';
import type { Advice, RateAdvice } from './calibration-text.ts';
import { visible } from './escape.ts';

/** Keys of tailgate.yml, ready to be pasted: every line is valid by itself. */
export function fragment(advice: Advice): string {
  const [only] = advice.rates;
  const { rounds, least, most, timeBudget, raisedFrom, withRates, keptSlices } = advice;
  const rates =
    advice.rates.length === 1 && only !== undefined
      ? rateLines(only)
      : [
          ...advice.rates.flatMap(({ scenario, rate, advised, fits }) =>
            advised === null ? [] : [`# rate of ${visible(scenario, 60)}: ${fits ? rate : advised.aim}`],
          ),
          ...(withRates === null ? [] : [`# time-budget with these rates: ${withRates}`]),
        ];
  const raised = raisedFrom === null ? '' : ` # ${raisedFrom} does not hold these rounds`;
  return [
    '# In place of the keys of the same names:',
    ...rates,
    `time-budget: ${timeBudget}${raised}`,
    `rounds: { aim: ${rounds}, least: ${least}, most: ${most} }`,
    ...(keptSlices === null
      ? []
      : [`slices: ${keptSlices} # as measured: the spread is that of rounds of so many`]),
    ...(advice.tolerances.length === 0 ? [] : ['judge:']),
    ...advice.tolerances.map(
      ({ key, min, detect }) => `  ${key}: { min: ${percent(min)}, detect: ${percent(detect)} }`,
    ),
  ].join('\n');
}

function rateLines({ scenario, rate, advised, fits, capacity }: RateAdvice): readonly string[] {
  if (advised === null || capacity.held === null) return [];
  // A scenario with a rate of its own does not look at the one of the file.
  const own =
    scenario === 'default'
      ? []
      : [`# and in place of the rate of ${visible(scenario, 60)} itself, if it has one:`];
  return fits
    ? [...own, `rate: ${rate}`]
    : [...own, `rate: ${advised.aim} # about 45 % of ${formatRate(capacity.held)}; calibrate again with it`];
}

const percent = (value: Ratio): string => `${Number((value * 100).toFixed(2))}%`;

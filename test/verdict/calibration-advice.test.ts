import { expect, it } from 'vitest';
import { adviseFrom } from '../../src/calibration-advice.ts';
import { readConfig } from '../../src/config/read.ts';
import { perSecond } from '../../src/kernel/units.ts';
import { changed, evidence, finding, verdict } from '../report/verdicts.ts';

const { config } = readConfig('start: node server.js\nrate: 300\n', {
  ...{ source: 'a test', overrides: {}, environment: {} },
});
const measured = evidence(['checkout']);
const calibration = (outcome: 'pass' | 'invalid', rows = [finding({ change: changed(0, 0.06) })]) => ({
  verdict: verdict(outcome, rows),
  evidence: measured,
  capacities: [
    {
      ...{ scenario: 'checkout', rate: perSecond(300), steps: [] },
      capacity: {
        ...{ held: perSecond(390), failed: perSecond(431) },
        ...({ bound: 'cpu', busy: 1 } as const),
      },
    },
  ],
  cores: 2,
});

it('gives neither rounds for a change nor tolerances from an invalid job, but a rate to calibrate again at', () => {
  const advice = adviseFrom(calibration('invalid'), config, new Map())!;
  expect(advice.strays).toHaveLength(1);
  expect(advice).toMatchObject({ wanted: [], tolerances: [], tooWide: [] });
  const [rate] = advice.rates;
  // Its rounds were not saturated, so nothing contradicts the climb, and its 45 % are the only advice.
  expect(rate).toMatchObject({ contradicted: false, instead: rate!.advised!.aim });
  expect(adviseFrom(calibration('pass'), config, new Map())!.rates[0]!.instead).toBeNull();
});

it('gives no tolerance that is of no use, and names its key', () => {
  const wide = calibration('pass', [finding({ change: changed(0, 0.9) })]);
  expect(adviseFrom(wide, config, new Map())).toMatchObject({ tolerances: [], tooWide: ['p99'] });
  const narrow = adviseFrom(calibration('pass'), config, new Map())!;
  expect(narrow.tooWide).toEqual([]);
  expect(narrow.tolerances.map(({ key }) => key)).toEqual(['p99']);
});

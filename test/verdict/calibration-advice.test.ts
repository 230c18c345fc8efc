import { expect, it } from 'vitest';
import { adviseFrom } from '../../src/calibration-advice.ts';
import { readConfig } from '../../src/config/read.ts';
import { perSecond } from '../../src/kernel/units.ts';
import { changed, evidence, finding, verdict } from '../report/verdicts.ts';
import { evidenceOf } from './evidence-builder.ts';

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

it('advises the one rate that the verdict names where the climb held what the rounds could not', () => {
  const disturbed = (saturated: boolean, held: number) => {
    const given = calibration('invalid');
    const [climbed] = given.capacities;
    const capacity = { ...climbed!.capacity, held: perSecond(held), failed: perSecond(held * 1.1) };
    const capacities = [{ ...climbed!, scenario: 'home', rate: perSecond(800), capacity }];
    const saturatedEvidence = evidenceOf({ measuring: 2, slice: () => ({ saturated }) });
    const advice = adviseFrom({ ...given, evidence: saturatedEvidence, capacities }, config, new Map());
    return advice!.rates[0];
  };
  // 45 % of 2,000/s would be 900/s; "about 550/s would do" is what the verdict of these rounds says.
  expect(disturbed(true, 2000)).toMatchObject({ contradicted: true, instead: 550 });
  expect(disturbed(true, 600)).toMatchObject({ contradicted: false, instead: 270 });
  expect(disturbed(false, 2000)).toMatchObject({ contradicted: false, instead: null });
});

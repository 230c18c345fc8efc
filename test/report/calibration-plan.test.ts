import { expect, it } from 'vitest';
import { ns } from '../../src/kernel/units.ts';
import { calibrationPlan } from '../../src/report/calibration-plan.ts';
import { evidence } from './verdicts.ts';

const { plan } = evidence(['checkout']);
const planned = {
  ...plan,
  ...{
    rounds: 12,
    looks: [6, 9, 12],
    confirm: true,
    confirmationRounds: 6,
    roundTime: ns(10e9),
    totalTime: ns(180e9),
  },
  notes: [{ code: 'short', message: 'few requests', hint: 'raise `time-budget`' }],
};

it('tells the rounds of a calibration and their time, and nothing that only a gate does', () => {
  const text = calibrationPlan(planned).join('\n').replace(/\s+/g, ' ');
  expect(text).toContain('12 rounds of the commit that is checked out against itself');
  expect(text).toContain('about 10 s a round, 2 min in all');
  expect(text).toContain('checkout: ');
  expect(text).toContain('few requests');
  for (const words of ['regression', 'confirm', 'fails', 'decided after']) expect(text).not.toContain(words);
  for (const line of calibrationPlan(planned)) expect(line.length).toBeLessThanOrEqual(100);
});

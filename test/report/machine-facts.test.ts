import { expect, test } from 'vitest';
import type { Trial } from '../../src/evidence/trial.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { pressure, sleeperLate, stolen } from '../../src/report/machine-facts.ts';
import { trialOf } from '../verdict/evidence-builder.ts';

const trialWith = (machine: Trial['machine'], lateMs: number): Trial => {
  const trial = trialOf({ scenario: 'home', side: 'baseline', round: 0, pair: 0, attempt: 0 });
  const metronomeLateness = { p50: msToNs(0), p99: msToNs(lateMs), max: msToNs(lateMs) };
  const generator = { ...trial.load.generator, metronomeLateness };
  return { ...trial, machine, load: { ...trial.load, generator } };
};

test('the noise of the machine is shown for the middle slice and the worst', () => {
  const trials = [0.01, 0.3, 0.05].map((share, index) =>
    trialWith({ steal: share, pressure: share }, [0.1, 7, 0.4][index]!),
  );
  expect(pressure(trials)).toBe('5 % / 30 %');
  expect(sleeperLate(trials)).toBe('400 µs / 7 ms');
  expect(stolen(trials)).toBe('12 %');
});

test('what the system does not tell is not shown as nothing', () => {
  expect(pressure([trialWith({ steal: null, pressure: null }, 1)])).toBe('not told');
  expect(stolen([trialWith({ steal: null, pressure: null }, 1)])).toBe('not told');
  expect(pressure([trialWith({ steal: null, pressure: 1.5 }, 1)])).toBe('1.5 tasks / 1.5 tasks');
});

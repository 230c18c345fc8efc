/** How the generator and the machine fared, over slices: figures that say whom to blame for a stall. Pure. */
import type { Trial } from '../evidence/trial.ts';
import { formatRatio, ns, ratio } from '../kernel/units.ts';
import { durationText, none } from './figures.ts';

/** Of the generator. */
export const eventLoop = (trials: readonly Trial[]): string =>
  typicalAndWorst(
    trials.map((trial) => trial.load.generator.eventLoopDelay.p99),
    (value) => durationText(ns(value)),
  );

/** Of one core. */
export function generatorCpu(trials: readonly Trial[]): string {
  const wall = sum(trials.map((trial) => trial.load.generator.wall));
  return wall > 0 ? formatRatio(ratio(sum(trials.map((trial) => trial.load.generator.cpu)) / wall)) : none;
}

/** By the hypervisor. */
export function stolen(trials: readonly Trial[]): string {
  const told = trials
    .map((trial) => trial.machine.steal)
    .filter((steal) => steal !== null && Number.isFinite(steal)) as number[];
  return told.length === 0 ? 'not told' : formatRatio(ratio(sum(told) / told.length));
}

/** PSI as a share of the time; without it, tasks beyond the CPUs. */
export const pressure = (trials: readonly Trial[]): string =>
  typicalAndWorst(
    trials.map((trial) => trial.machine.pressure).filter((one) => one !== null),
    (value) => (value > 1 ? `${value.toFixed(1)} tasks` : formatRatio(ratio(value))),
    'not told',
  );

/** The metronome does nothing but sleep: what it is late by is the machine's doing. */
export const sleeperLate = (trials: readonly Trial[]): string =>
  typicalAndWorst(
    trials.map((trial) => trial.load.generator.metronomeLateness.p99),
    (value) => durationText(ns(value)),
  );

/** Of slices: the middle one and the worst. */
export function typicalAndWorst(
  values: readonly number[],
  text: (value: number) => string,
  otherwise = none,
): string {
  return values.length === 0 ? otherwise : `${text(middle(values))} / ${text(Math.max(...values))}`;
}

/** The lower one of two in the middle. */
export function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

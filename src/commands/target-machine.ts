/** What is to be known of the machine before load is sent at a service that runs on it as well. */
import type { Warning } from '../kernel/errors.ts';
import type { Target } from '../load/protocol.ts';
import { progressLine } from '../report/progress.ts';
import { isOnThisMachine, usableCpus } from '../service/machine.ts';
import { placementWarnings, planPlacement } from '../service/placement.ts';
import type { Terminal } from './command.ts';

/** Whether a target is on this machine. */
export const isHere = (target: Target): boolean => isOnThisMachine(target);

/**
 * Of a machine that is too small, or whose CPUs generator and service share; nothing of a target elsewhere.
 * @param cpus that this process may use: affinity and the limits of its cgroups.
 * @param senders processes that send.
 */
export function machineNotes(target: Target, cpus: number, senders = 1): readonly Warning[] {
  if (!isHere(target)) return [];
  const unfit = placementWarnings(cpus).map(({ code, message }) => ({
    code,
    message,
    hint: 'use a machine with 2 CPUs or more, or raise the CPU limit of the container; only a service on other CPUs than these is spared that',
  }));
  if (unfit.length > 0 || planPlacement(cpus, senders).kind === 'apart') return unfit;
  const several = `${Math.floor(cpus * 10) / 10} CPUs`;
  return [
    {
      code: 'shared-cpus',
      message: `generator and service share ${several}: these figures are fit for comparing, not as absolute ones`,
    },
  ];
}

/** Tells on standard error what is unfit as a warning, and what is only good to know as a note. */
export function tellOfMachine(target: Target, terminal: Terminal, senders = 1): void {
  for (const warning of machineNotes(target, usableCpus(), senders)) {
    terminal.tell(
      warning.code === 'shared-cpus'
        ? `note: ${warning.message}`
        : progressLine({ kind: 'warning', warning }).text,
    );
  }
}

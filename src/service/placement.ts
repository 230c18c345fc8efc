/** Who runs on which CPU: with four or more, generator and services are pinned apart. */
import { runCommand } from '../kernel/command.ts';
import type { Warning } from '../kernel/errors.ts';
import { secondsToNs } from '../kernel/units.ts';
import { allowedCpus, usableCpus } from './machine.ts';

export type Placement =
  /** Generator and services share the CPUs: the figures hold for comparing, not as absolute ones. */
  | { readonly kind: 'shared'; readonly cpus: number }
  /** Lists as `taskset` takes them. */
  | { readonly kind: 'apart'; readonly generator: string; readonly services: string };

const fewestToPin = 4;

/**
 * Every sender gets a CPU, the services all others.
 * @param cpus that may be used at a time.
 * @param allowed their numbers: a container may have been given others than the first; null where nobody knows.
 */
export function planPlacement(
  cpus: number,
  senders = 1,
  allowed: readonly number[] | null = allowedCpus(),
): Placement {
  const whole = Math.floor(cpus);
  if (whole < fewestToPin || senders >= whole || process.platform !== 'linux')
    return { kind: 'shared', cpus };
  const numbers = (allowed ?? Array.from({ length: whole }, (_, index) => index)).slice(0, whole);
  return {
    kind: 'apart',
    generator: numbers.slice(0, senders).join(','),
    services: numbers.slice(senders).join(','),
  };
}

/** What a machine is too small for, by name. */
export function placementWarnings(cpus: number): readonly Warning[] {
  if (cpus >= 2) return [];
  const text = `${Math.floor(cpus * 10) / 10} CPU${cpus === 1 ? '' : 's'}`;
  return [
    {
      code: 'too-few-cpus',
      message: `this machine lets the job use ${text}: generator and services take turns on it, so that response times hold the generator's own work and more slices are unsound`,
      hint: 'use a runner with 2 CPUs or more, or raise the CPU limit of the container; CPU per request can still be compared',
    },
  ];
}

/** Pins the generator's process; does nothing where CPUs are shared. */
export const pinGenerator = (
  pid: number,
  placement: Placement = planPlacement(usableCpus()),
): Promise<boolean> => (placement.kind === 'apart' ? pin(pid, placement.generator) : Promise.resolve(false));

/** Pins a service right after its start: what it starts later inherits the list. */
export const pinService = (
  pid: number,
  placement: Placement = planPlacement(usableCpus()),
): Promise<boolean> => (placement.kind === 'apart' ? pin(pid, placement.services) : Promise.resolve(false));

/** @returns false when it could not be pinned: a container may forbid it, and then the CPUs are shared as before. */
export async function pin(pid: number, list: string): Promise<boolean> {
  if (pid <= 0) return false;
  const result = await runCommand({
    command: ['taskset', '-a', '-c', '-p', list, String(pid)],
    cwd: '/',
    env: process.env,
    timeout: secondsToNs(5),
  });
  return result.exit.kind === 'exited' && result.exit.code === 0;
}

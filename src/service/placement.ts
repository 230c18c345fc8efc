/** Who runs on which CPU: with four or more, generator and services are pinned apart. */
import { runCommand } from '../kernel/command.ts';
import { secondsToNs } from '../kernel/units.ts';
import { usableCpus } from './machine.ts';

export type Placement =
  /** Generator and services share the CPUs: the figures hold for comparing, not as absolute ones. */
  | { readonly kind: 'shared'; readonly cpus: number }
  /** Lists as `taskset` takes them. */
  | { readonly kind: 'apart'; readonly generator: string; readonly services: string };

const fewestToPin = 4;

/** The generator gets the first CPU, the services all others. */
export function planPlacement(cpus: number): Placement {
  const whole = Math.floor(cpus);
  if (whole < fewestToPin || process.platform !== 'linux') return { kind: 'shared', cpus };
  return { kind: 'apart', generator: '0', services: `1-${whole - 1}` };
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

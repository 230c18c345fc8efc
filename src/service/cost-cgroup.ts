/** CPU time and memory of a cgroup (version 2) → what a service in a container has used so far. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../kernel/errors.ts';
import type { Bytes, Nanoseconds } from '../kernel/units.ts';
import { bytes, ns } from '../kernel/units.ts';

/** A CPU time read at one moment, or a sentence on why it could not be. */
export type CpuReading =
  | { readonly kind: 'read'; readonly cpu: Nanoseconds }
  | { readonly kind: 'unread'; readonly reason: string };

/** @param directory of the cgroup, e.g. `/sys/fs/cgroup/system.slice/app.service`. */
export function readCgroupCpu(directory: string): CpuReading {
  let text: string;
  try {
    text = readFileSync(`${directory}/cpu.stat`, 'latin1');
  } catch (error) {
    return { kind: 'unread', reason: `the cgroup could not be read: ${messageOf(error)}` };
  }
  const usage = /^usage_usec (\d+)$/m.exec(text);
  if (usage === null) {
    return {
      kind: 'unread',
      reason: `${directory}/cpu.stat has no usage_usec: it is not a cgroup of version 2`,
    };
  }
  return { kind: 'read', cpu: ns(Number(usage[1]) * 1000) };
}

/** The most that the cgroup held at once where the kernel tells, else what it holds now; null without its controller. */
export function readCgroupMemory(directory: string): Bytes | null {
  for (const file of ['memory.peak', 'memory.current']) {
    try {
      const value = Number(readFileSync(`${directory}/${file}`, 'latin1'));
      if (Number.isFinite(value)) return bytes(value);
    } catch {
      // Without the memory controller there is no such file.
    }
  }
  return null;
}

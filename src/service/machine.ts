/** What the machine is and what else it was doing: CPUs that may be used, time stolen, tasks that had to wait. */
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, hostname, networkInterfaces, release, totalmem } from 'node:os';
import { join } from 'node:path/posix';
import type { Bytes } from '../kernel/units.ts';
import { bytes } from '../kernel/units.ts';
import { version } from '../kernel/version.ts';
import { realClock } from '../kernel/world.ts';

/** Contents of a file, null when there is none. */
export type ReadText = (path: string) => string | null;

const readText: ReadText = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** Counters of the machine at one moment; null where the system does not tell. */
export interface MachineReading {
  /** Monotonic nanoseconds. */
  readonly at: number;
  /** Ticks since boot over all CPUs. */
  readonly ticks: { readonly stolen: number; readonly total: number } | null;
  /** Microseconds since boot in which some task waited for a CPU. */
  readonly waited: number | null;
  /** Tasks that ran or wanted to, right now. */
  readonly runnable: number | null;
  readonly cpus: number;
}

/** What the machine did meanwhile; null where the system does not tell. */
export interface Noise {
  readonly steal: number | null;
  /** Share of the time in which some task waited for a CPU (PSI); without PSI, tasks beyond the CPUs. */
  readonly pressure: number | null;
}

export function readMachine(read: ReadText = readText, now: number = realClock.now()): MachineReading {
  const stat = read('/proc/stat');
  const pressure = read('/proc/pressure/cpu');
  return {
    at: now,
    ticks: stat === null ? null : parseTicks(stat),
    waited: numberAfter(pressure, /^some .*\btotal=(\d+)/m),
    runnable: numberAfter(stat, /^procs_running (\d+)/m),
    cpus: availableParallelism(),
  };
}

export function noiseBetween(before: MachineReading, after: MachineReading): Noise {
  return { steal: stealBetween(before, after), pressure: pressureBetween(before, after) };
}

/** CPUs that this process may use: affinity and the limits of every cgroup above it; 1.5 is possible. */
export function usableCpus(read: ReadText = readText, affinity: number = availableParallelism()): number {
  let least = affinity;
  const limit = (quota: number | undefined, period: number | undefined): void => {
    // Without a limit, version 2 says `max` and version 1 says -1.
    if (quota !== undefined && period !== undefined && quota > 0 && period > 0) {
      least = Math.min(least, quota / period);
    }
  };
  for (const folder of ownGroups(read)) {
    const [quota, period] = (read(join(folder, 'cpu.max')) ?? '').trim().split(' ').map(Number);
    limit(quota, period);
  }
  for (const folder of ownGroups(read, 'cpu')) {
    const number = (name: string) => Number.parseInt(read(join(folder, name)) ?? '', 10);
    limit(number('cpu.cfs_quota_us'), number('cpu.cfs_period_us'));
  }
  return least;
}

/** The CPUs this process may run on, by number, ascending; null where the system does not tell. */
export function allowedCpus(read: ReadText = readText): readonly number[] | null {
  const list = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(read('/proc/self/status') ?? '')?.[1];
  if (list === undefined) return null;
  return list.split(',').flatMap((range) => {
    const [from, to] = range.split('-').map(Number);
    return Array.from({ length: (to ?? from!) - from! + 1 }, (_, index) => from! + index);
  });
}

/** Memory that this process may use: that of the machine, or the least limit of the cgroups above it. */
export function usableMemory(read: ReadText = readText, installed: number = totalmem()): Bytes {
  let least = installed;
  const files = [
    ...ownGroups(read).map((folder) => join(folder, 'memory.max')),
    ...ownGroups(read, 'memory').map((folder) => join(folder, 'memory.limit_in_bytes')),
  ];
  for (const file of files) {
    const limit = Number.parseInt(read(file) ?? '', 10);
    if (limit > 0) least = Math.min(least, limit);
  }
  return bytes(least);
}

const loopback = /^(127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]|(.+\.)?localhost)$/;

/** By which hosts of a URL this machine is reached beside loopback: its name, its addresses, and every address there is. */
const ownHosts = (): readonly string[] => [
  '0.0.0.0',
  '[::]',
  hostname().toLowerCase(),
  ...Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => (address.includes(':') ? `[${address}]` : address)),
];

/** Whether what is sent there stays on this machine: a Unix socket, loopback, or a name or an address of its own. */
export function isOnThisMachine(
  target: {
    readonly origin: string;
    readonly transport?: { readonly socketPath: string | null };
  },
  own: readonly string[] = ownHosts(),
): boolean {
  if ((target.transport?.socketPath ?? null) !== null) return true;
  const host = new URL(target.origin).hostname;
  return loopback.test(host) || own.includes(host);
}

/** What a reader needs to know of the machine that measured. */
export interface MachineFacts {
  readonly tailgate: string;
  readonly node: string;
  readonly platform: string;
  readonly kernel: string;
  readonly cpuModel: string;
  readonly cpus: number;
  readonly memory: Bytes;
  /** Runner image and version in GitHub Actions, else null. */
  readonly runner: string | null;
}

export function readEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): MachineFacts {
  const image = [env['ImageOS'], env['ImageVersion']].filter((part) => part !== undefined && part !== '');
  return {
    tailgate: version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    kernel: release(),
    cpuModel: cpus()[0]?.model.trim() || 'unknown',
    cpus: usableCpus(),
    memory: usableMemory(),
    runner: image.length === 0 ? null : image.join(' '),
  };
}

function stealBetween(before: MachineReading, after: MachineReading): number | null {
  if (before.ticks === null || after.ticks === null) return null;
  const total = after.ticks.total - before.ticks.total;
  const stolen = after.ticks.stolen - before.ticks.stolen;
  // The kernel's counters may step back by a tick; less than one tick has passed when total is 0.
  return total <= 0 ? null : Math.min(1, Math.max(0, stolen / total));
}

function pressureBetween(before: MachineReading, after: MachineReading): number | null {
  const elapsed = (after.at - before.at) / 1000;
  if (before.waited !== null && after.waited !== null) {
    return elapsed <= 0 ? null : Math.min(1, Math.max(0, (after.waited - before.waited) / elapsed));
  }
  if (before.runnable === null || after.runnable === null) return null;
  const beyond = (reading: MachineReading): number => Math.max(0, (reading.runnable ?? 0) - reading.cpus);
  return (beyond(before) + beyond(after)) / 2;
}

/** proc_stat(5): `cpu user nice system idle iowait irq softirq steal guest guest_nice`; guests are in user already. */
function parseTicks(stat: string): MachineReading['ticks'] {
  const fields = /^cpu +(.+)$/m.exec(stat)?.[1]?.trim().split(/\s+/).map(Number);
  if (fields === undefined || fields.length < 8) return null;
  return { stolen: fields[7]!, total: fields.slice(0, 8).reduce((sum, field) => sum + field, 0) };
}

/**
 * Folders of our own cgroup and of those above it, up to the root.
 * @param controller of version 1; without it those of version 2.
 */
function ownGroups(read: ReadText, controller?: string): readonly string[] {
  const groups = read('/proc/self/cgroup') ?? '';
  const root = join('/sys/fs/cgroup', controller ?? '');
  const pattern =
    controller === undefined
      ? /^0::(\/.*)$/m
      : new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(/.*)$`, 'm');
  const path = pattern.exec(groups)?.[1];
  if (path === undefined) return [];
  const folders: string[] = [];
  for (let at = join(root, path); at.startsWith(root); at = join(at, '..')) folders.push(at);
  return folders;
}

function numberAfter(text: string | null, pattern: RegExp): number | null {
  const found = text === null ? undefined : pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

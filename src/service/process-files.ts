/** Reads what the Linux kernel tells about the CPU time of one process and its threads. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Bytes, Nanoseconds } from '../kernel/units.ts';
import { bytes, ns } from '../kernel/units.ts';

/** `/proc/<pid>/stat`, as far as cost needs it. */
export interface ProcessTimes {
  readonly parent: number;
  readonly start: number;
  /** utime + stime of all threads, those that ended included; in whole ticks of 10 ms, rounded down. */
  readonly own: Nanoseconds;
  /** cutime + cstime: children that ended and were waited for, with theirs; whole ticks, rounded down. */
  readonly reaped: Nanoseconds;
  readonly memory: Bytes;
  /** Ended, but nobody has waited for it yet: its times still count, it runs no more. */
  readonly zombie: boolean;
}

const auxiliary = readAuxiliaryVector();
const tick = 1e9 / (auxiliary.get(17) ?? 100);
const pageSize = auxiliary.get(6) ?? 4096;

/** null when there is no such process. */
export function readTimes(pid: number): ProcessTimes | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // proc_pid_stat(5): the name may hold spaces and brackets; the third field, the state, is at index 0 here.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (index: number): number => Number(fields[index]);
  return {
    parent: field(1),
    start: field(19),
    own: ns((field(11) + field(12)) * tick),
    reaped: ns((field(13) + field(14)) * tick),
    memory: bytes(field(21) * pageSize),
    zombie: fields[0] === 'Z' || fields[0] === 'X',
  };
}

/** Thread ids of a process; empty when it is gone. */
export function listThreads(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Time on a CPU of one thread, exact; null when the thread is gone or the kernel was built without it. */
export function readThreadTime(pid: number, thread: string): Nanoseconds | null {
  try {
    return ns(Number.parseInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1'), 10));
  } catch {
    return null;
  }
}

/** Children of one thread; null where the kernel was built without the list, or the thread is gone. */
export function readChildren(pid: number, thread: string): readonly number[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return null;
  }
}

/**
 * The number given to the newest thread or process of the machine. While it stands still nobody has forked, and
 * lists of threads and children need not be read again.
 */
export function readNewestPid(): string {
  try {
    return readFileSync('/proc/loadavg', 'latin1').split(' ')[4]?.trim() ?? '';
  } catch {
    return '';
  }
}

/** Whether this kernel counts the time of threads in nanoseconds. */
export function hasThreadTimes(): boolean {
  const [thread] = listThreads(process.pid);
  const time = thread === undefined ? null : readThreadTime(process.pid, thread);
  return time !== null && time > 0;
}

/** getauxval(3): 6 is the page size, 17 the clock ticks a second. Pairs of words, 64-bit on every machine we run on. */
function readAuxiliaryVector(): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  try {
    const data = readFileSync('/proc/self/auxv');
    for (let at = 0; at + 16 <= data.length; at += 16) {
      const key = Number(data.readBigUInt64LE(at));
      if (key === 6 || key === 17) found.set(key, Number(data.readBigUInt64LE(at + 8)));
    }
  } catch {
    // Not Linux.
  }
  return found;
}

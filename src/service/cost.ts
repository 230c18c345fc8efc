/** CPU time and memory of a process tree → CostSample, cumulative and never going backwards. */
import { execFileSync } from 'node:child_process';
import type { GroupIdentity, ProcessEntry } from '../kernel/processes.ts';
import { findMembers } from '../kernel/processes.ts';
import type { Bytes, Nanoseconds } from '../kernel/units.ts';
import { bytes, msToNs, ns, secondsToNs } from '../kernel/units.ts';
import type { Clock } from '../kernel/world.ts';
import type { ProcessTimes } from './process-files.ts';
import {
  hasThreadTimes,
  listThreads,
  readChildren,
  readNewestPid,
  readThreadTime,
  readTimes,
} from './process-files.ts';

export interface CostSample {
  /** Since the start of the tree, everything that has ended included. */
  readonly cpu: Nanoseconds;
  /** Resident memory, summed over live processes: shared pages count once a process. */
  readonly memory: Bytes;
  /** True when live threads are read in nanoseconds, false when only ticks could be read. */
  readonly precise: boolean;
  /** Live processes. */
  readonly processes: number;
}

export interface CostMeter {
  /** null where this system does not tell; `whyUnknown` says why. */
  sample(): CostSample | null;
  /** The highest `memory` of all samples; null before the first. */
  peakMemory(): Bytes | null;
  readonly whyUnknown: string | null;
}

/** How old the list of members may grow while somebody on the machine forks: daemons leave the parent chain. */
const relistAfter = secondsToNs(5);
/** The same where the kernel has no list of children and every new process needs the whole list. */
const relistAtLeast = msToNs(250);

/**
 * Measures the process tree of one service. Keep one meter for its whole life: what ended between two samples is
 * remembered here.
 */
export function meterFor(identity: GroupIdentity, clock: Clock): CostMeter {
  const source = sourceFor(identity, clock);
  let highest: CostSample | null = null;
  let peak: Bytes | null = null;
  return {
    whyUnknown: source === null ? `CPU time of a process tree cannot be read on ${process.platform}` : null,
    peakMemory: () => peak,
    sample: () => {
      const sample = source === null ? null : source();
      if (sample === null) return null;
      peak = bytes(Math.max(peak ?? 0, sample.memory));
      // Each part is a lower bound of something that only grows; so is the greatest sum seen.
      highest = { ...sample, cpu: ns(Math.max(sample.cpu, highest?.cpu ?? 0)) };
      return highest;
    },
  };
}

function sourceFor(identity: GroupIdentity, clock: Clock): (() => CostSample | null) | null {
  switch (process.platform) {
    case 'linux': {
      const tree = new ProcessTree(identity, clock);
      return () => tree.sample();
    }
    case 'darwin':
      return () => sampleWithPs(identity);
    default:
      return null;
  }
}

/** What is known of one process of the tree. */
interface Tracked {
  readonly pid: number;
  readonly start: number;
  parent: number;
  times: ProcessTimes;
  /** Last reading of each live thread. */
  readonly threads: Map<string, number>;
  /** What `ownTime` gave last. */
  own: number;
  /** Of threads that ended, at least: see `ownTime`. */
  ended: number;
  /** Of children that ended, at least: what was seen of them, or what the kernel credited on waiting. */
  children: number;
}

class ProcessTree {
  readonly #identity: GroupIdentity;
  readonly #clock: Clock;
  readonly #precise = hasThreadTimes();
  readonly #hasChildren = readChildren(process.pid, String(process.pid)) !== null;
  readonly #tracked = new Map<number, Tracked>();
  /** Of processes that ended when no parent of theirs was in the tree any more. */
  #gone = 0;
  #newestPid = '';
  #forkedSinceListing = true;
  #listedAt: Nanoseconds | null = null;

  constructor(identity: GroupIdentity, clock: Clock) {
    this.#identity = identity;
    this.#clock = clock;
  }

  sample(): CostSample {
    const newestPid = readNewestPid();
    const somebodyForked = newestPid === '' || newestPid !== this.#newestPid;
    this.#newestPid = newestPid;
    const now = this.#clock.now();
    const since = this.#listedAt === null ? Number.POSITIVE_INFINITY : now - this.#listedAt;
    this.#forkedSinceListing ||= somebodyForked;
    const due = this.#forkedSinceListing && since > (this.#hasChildren ? relistAfter : relistAtLeast);
    if (due) this.#listEverybody(now);
    this.#readAll();
    if (somebodyForked && !due) this.#followChildren();
    let cpu = this.#gone;
    let memory = 0;
    let processes = 0;
    for (const one of this.#tracked.values()) {
      one.own = this.#ownTime(one, somebodyForked);
      cpu += one.own + one.children;
      memory += one.times.memory;
      if (!one.times.zombie) processes++;
    }
    return { cpu: ns(cpu), memory: bytes(memory), precise: this.#precise, processes };
  }

  #listEverybody(now: Nanoseconds): void {
    this.#listedAt = now;
    this.#forkedSinceListing = false;
    const members = [...findMembers(this.#identity, this.#entries())];
    // Parents are older than their children; `readAll` wants them first.
    for (const member of members.sort((one, other) => one.start - other.start)) this.#track(member.pid);
  }

  /** The tree downwards from what is known. A Map visits what is added meanwhile, so grandchildren are followed too. */
  #followChildren(): void {
    for (const one of this.#tracked.values()) {
      for (const thread of listThreads(one.pid)) {
        for (const child of readChildren(one.pid, thread) ?? []) this.#track(child);
      }
    }
  }

  #track(pid: number): void {
    if (this.#tracked.has(pid)) return;
    const times = readTimes(pid);
    if (times === null) return;
    const { start, parent } = times;
    this.#tracked.set(pid, {
      pid,
      start,
      parent,
      times,
      threads: new Map(),
      own: 0,
      ended: 0,
      children: times.reaped,
    });
  }

  /**
   * Reads every process before any thread, parents first: a child that is waited for in between is then counted
   * with the parent next time, never in both places at once.
   */
  #readAll(): void {
    const lost: Tracked[] = [];
    for (const one of this.#tracked.values()) {
      const times = readTimes(one.pid);
      if (times === null || times.start !== one.start) {
        lost.push(one);
        continue;
      }
      one.times = times;
      one.parent = times.parent;
    }
    // Descendants first, so that the time of a whole branch climbs to whoever is left of it.
    for (const one of lost.reverse()) {
      const total = one.own + one.children;
      this.#tracked.delete(one.pid);
      const parent = this.#tracked.get(one.parent);
      if (parent === undefined) this.#gone += total;
      else parent.children += total;
    }
    for (const one of this.#tracked.values()) one.children = Math.max(one.children, one.times.reaped);
  }

  /**
   * CPU time of one process: nanoseconds of its live threads, and what its ended threads had used. The latter is
   * `utime + stime` less the time of live threads; because ticks are rounded down, and were read first, that
   * difference never exceeds the truth, and so the greatest one seen is the best: it stands still while no thread
   * ends, where the plain difference would flicker by a tick a thread.
   */
  #ownTime(one: Tracked, somebodyForked: boolean): number {
    if (!this.#precise) return one.times.own;
    if (somebodyForked || one.threads.size === 0) {
      for (const thread of listThreads(one.pid)) if (!one.threads.has(thread)) one.threads.set(thread, 0);
    }
    for (const [thread, before] of one.threads) {
      const time = readThreadTime(one.pid, thread);
      if (time === null || time < before) one.ended += before;
      if (time === null) one.threads.delete(thread);
      else one.threads.set(thread, time);
    }
    const live = sum(one.threads.values());
    one.ended = Math.max(one.ended, one.times.own - live);
    return live + one.ended;
  }

  *#entries(): Generator<ProcessEntry> {
    for (const { pid, start, parent } of this.#tracked.values()) {
      yield { pid, start, parent, group: 0, zombie: false };
    }
  }
}

/** `ps` on macOS: hundredths of a second of live processes only. */
function sampleWithPs(identity: GroupIdentity): CostSample | null {
  const pids = new Set(findMembers(identity).map((member) => member.pid));
  let text: string;
  try {
    text = execFileSync('ps', ['-A', '-o', 'pid=,time=,rss='], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
  } catch {
    return null;
  }
  let cpu = 0;
  let memory = 0;
  for (const line of text.split('\n')) {
    const [pid, time, rss] = line.trim().split(/\s+/);
    if (!pids.has(Number(pid)) || time === undefined) continue;
    // [[hours:]minutes:]seconds.hundredths
    cpu += time.split(':').reduce((total, part) => total * 60 + Number(part), 0) * 1e9;
    memory += Number(rss) * 1024;
  }
  return { cpu: ns(cpu), memory: bytes(memory), precise: false, processes: pids.size };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

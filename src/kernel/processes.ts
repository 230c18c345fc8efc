/** Who belongs to a command we started, and how all of them are ended: process groups, their descendants, and strays. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Nanoseconds } from './units.ts';
import { msToNs, ns } from './units.ts';
import type { Clock } from './world.ts';

/**
 * Every command gets this variable. A daemon that left both the group and the parent chain still carries it,
 * so that it is found by its environment.
 */
export const markVariable = 'TAILGATE_MARK';

/** The environment of a command and the mark in it. Marks nest: a Tailgate inside a Tailgate keeps the outer one. */
export function markedEnvironment(env: Readonly<Record<string, string | undefined>>): {
  readonly mark: string;
  readonly env: Record<string, string>;
} {
  const mark = randomUUID();
  const marked: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) marked[name] = value;
  const outer = marked[markVariable];
  marked[markVariable] = outer === undefined || outer === '' ? mark : `${outer}:${mark}`;
  return { mark, env: marked };
}

/** One process as the system lists it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Together with the pid it names one process for ever; ticks since boot on Linux. */
  readonly start: number;
  /** Dead, but its parent has not asked yet: it runs nothing and cannot be ended. */
  readonly zombie: boolean;
}

/** How a command is told from everything else on the machine. */
export interface GroupIdentity {
  readonly group: number;
  /** `ProcessEntry.start` of the process the group is named after; null when it could not be read. */
  readonly leaderStart: number | null;
  readonly mark: string | null;
}

/** One process, or null when there is none with this number (or the system cannot tell). */
export function readProcess(pid: number): ProcessEntry | null {
  if (process.platform !== 'linux') return listProcesses().find((entry) => entry.pid === pid) ?? null;
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

/** All processes of the machine; empty where the system does not tell. */
export function listProcesses(): readonly ProcessEntry[] {
  if (process.platform === 'linux') return listLinux();
  if (process.platform === 'win32') return [];
  return listWithPs();
}

/**
 * Live processes of a command: members of its group, whoever carries its mark, whoever is in `known`, and the
 * descendants of all of these. Never this process, its ancestors or pid 1.
 */
export function findMembers(
  identity: GroupIdentity,
  known: Iterable<ProcessEntry> = [],
): readonly ProcessEntry[] {
  const all = listProcesses();
  const byPid = new Map(all.map((entry) => [entry.pid, entry]));
  const untouchable = ownAncestry(byPid);
  const leader = byPid.get(identity.group);
  const groupIsOurs =
    identity.group > 1 &&
    identity.group !== byPid.get(process.pid)?.group &&
    (leader === undefined || identity.leaderStart === null || leader.start === identity.leaderStart);
  const members = new Map<number, ProcessEntry>();
  const admit = (entry: ProcessEntry): void => {
    if (!untouchable.has(entry.pid)) members.set(entry.pid, entry);
  };
  for (const entry of known) if (byPid.get(entry.pid)?.start === entry.start) admit(byPid.get(entry.pid)!);
  for (const entry of all) {
    const inGroup = groupIsOurs && entry.group === identity.group;
    // Only what started after the leader can have inherited the mark: most of the machine need not be read.
    const mayCarry = identity.mark !== null && entry.start >= (identity.leaderStart ?? 0);
    if (inGroup || (mayCarry && carriesMark(entry.pid, identity.mark))) admit(entry);
  }
  for (let grew = true; grew; ) {
    const before = members.size;
    for (const entry of all) if (members.has(entry.parent)) admit(entry);
    grew = members.size > before;
  }
  return [...members.values()].filter((entry) => !entry.zombie);
}

export interface EndOptions {
  readonly signal: NodeJS.Signals;
  /** How long members may take before they are killed. */
  readonly grace: Nanoseconds;
  readonly clock: Clock;
  readonly leaderStart?: number | null;
  readonly mark?: string | null;
  /** Members seen earlier: they are ended too when nothing else connects them to the group any more. */
  readonly known?: readonly ProcessEntry[];
}

export interface EndReport {
  /** `already-gone`: nobody was there. `signal`: all left in time. `killed`: some had to be killed. */
  readonly how: 'already-gone' | 'signal' | 'killed';
  readonly killed: readonly number[];
  /** Still alive although killed, e.g. stuck in the kernel; empty in any normal run. */
  readonly left: readonly number[];
  readonly duration: Nanoseconds;
}

const killPatience = msToNs(5000);

/**
 * Ends a process group and everything that descends from it: `signal`, then up to `grace`, then KILL, until no
 * member is left. Descendants that moved to a group of their own are remembered before the first signal, because
 * once their parent is gone nothing else tells whose they were.
 *
 * @param group the id of the group; our own group is never signalled.
 */
export async function endGroup(group: number, options: EndOptions): Promise<EndReport> {
  const { clock } = options;
  const begun = clock.now();
  if (process.platform === 'win32') return endOnWindows(group, begun, clock);
  const identity = { group, leaderStart: options.leaderStart ?? null, mark: options.mark ?? null };
  let members = findMembers(identity, options.known);
  if (members.length === 0) return { how: 'already-gone', killed: [], left: [], duration: ns(0) };
  const asked = new Set<number>();
  const known = new Map<number, ProcessEntry>();
  const killed = new Set<number>();
  const killAt = begun + options.grace;
  let pause = msToNs(4);
  while (members.length > 0) {
    const now = clock.now();
    if (now > killAt + killPatience) break;
    const killing = now >= killAt;
    for (const member of members) known.set(member.pid, member);
    const unasked = members.filter((member) => !asked.has(member.pid));
    if (killing) {
      signalAll(group, members, ['SIGKILL']);
      for (const member of members) killed.add(member.pid);
    } else if (unasked.length > 0) {
      // A stopped process would keep the signal pending until the grace is over.
      signalAll(asked.size === 0 ? group : null, unasked, [options.signal, 'SIGCONT']);
      for (const member of unasked) asked.add(member.pid);
    }
    await clock.sleep(pause);
    pause = ns(Math.min(pause * 1.5, 50e6));
    members = findMembers(identity, known.values());
  }
  return {
    how: killed.size > 0 ? 'killed' : 'signal',
    killed: [...killed],
    left: members.map((member) => member.pid),
    duration: ns(clock.now() - begun),
  };
}

/** Kills a command at once, without waiting for anyone: the last resort of a process that is itself ending. */
export function killGroupNow(identity: GroupIdentity): void {
  if (process.platform === 'win32') {
    taskkill(identity.group);
    return;
  }
  for (const member of findMembers(identity)) signalProcess(member, 'SIGKILL');
}

/** The same for all that this process has started and not waited for, and what descends from it. */
export function killChildrenNow(): void {
  const children = listProcesses().filter((entry) => entry.parent === process.pid);
  for (const member of findMembers({ group: 0, leaderStart: null, mark: null }, children)) {
    signalProcess(member, 'SIGKILL');
  }
}

/** Signals the group in one stroke, so that nobody forks between two signals; then those who left it. */
function signalAll(
  group: number | null,
  members: readonly ProcessEntry[],
  signals: readonly NodeJS.Signals[],
): void {
  const whole = group !== null && group > 1 && group !== readProcess(process.pid)?.group;
  for (const signal of signals) {
    if (whole && members.some((member) => member.group === group)) {
      try {
        process.kill(-group, signal);
      } catch {
        // Its last member left in between.
      }
    }
    for (const member of members) if (!whole || member.group !== group) signalProcess(member, signal);
  }
}

function signalProcess(entry: ProcessEntry, signal: NodeJS.Signals): void {
  // The number may have gone to someone else since the listing.
  if (process.platform === 'linux' && readProcess(entry.pid)?.start !== entry.start) return;
  try {
    process.kill(entry.pid, signal);
  } catch {
    // Gone already, or not ours to end: the next listing tells.
  }
}

function ownAncestry(byPid: ReadonlyMap<number, ProcessEntry>): ReadonlySet<number> {
  const ancestry = new Set([0, 1, process.pid]);
  for (let pid = process.ppid; pid > 1 && !ancestry.has(pid); pid = byPid.get(pid)?.parent ?? 0) {
    ancestry.add(pid);
  }
  return ancestry;
}

function carriesMark(pid: number, mark: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
  } catch {
    return false;
  }
}

function listLinux(): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const entry = readProcess(pid);
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

/** `pid (name) state ppid pgrp session …` as proc_pid_stat(5) has it; the name may hold spaces and brackets. */
function parseStat(pid: number, text: string): ProcessEntry | null {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 20) return null;
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    start: Number(fields[19]),
    zombie: fields[0] === 'Z' || fields[0] === 'X',
  };
}

function listWithPs(): readonly ProcessEntry[] {
  let text: string;
  try {
    text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, LC_ALL: 'C' },
    });
  } catch {
    return [];
  }
  const entries: ProcessEntry[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line);
    if (match === null) continue;
    entries.push({
      pid: Number(match[1]),
      parent: Number(match[2]),
      group: Number(match[3]),
      start: Date.parse(match[5]!),
      zombie: match[4]!.startsWith('Z'),
    });
  }
  return entries;
}

function taskkill(pid: number): void {
  // 0 and 4 are the system's own.
  if (pid <= 4) return;
  try {
    execFileSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
  } catch {
    // Not running any more.
  }
}

function endOnWindows(group: number, begun: Nanoseconds, clock: Clock): EndReport {
  taskkill(group);
  return { how: 'killed', killed: [group], left: [], duration: ns(clock.now() - begun) };
}

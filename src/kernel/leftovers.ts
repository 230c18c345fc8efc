/** A ledger of what is alive, on disk, so that whoever comes after a crash can end and remove it. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { runCommand } from './command.ts';
import { assertNever, messageOf } from './errors.ts';
import { onDisk } from './folders.ts';
import type { GroupIdentity } from './processes.ts';
import { endGroup, killGroupNow, readProcess } from './processes.ts';
import { msToNs, secondsToNs } from './units.ts';
import { forgetWorktree } from './worktree-records.ts';
import { realClock } from './world.ts';

/** One thing that must not outlive the job. */
export type Leftover =
  | ({ readonly kind: 'group' } & GroupIdentity)
  /** A git worktree of `repository`, both as absolute paths. */
  | { readonly kind: 'worktree'; readonly repository: string; readonly path: string }
  | { readonly kind: 'directory'; readonly path: string };

/** Runs git with these arguments in this directory; resolves when it succeeded, rejects otherwise. */
export type RunGit = (args: readonly string[], cwd: string) => Promise<unknown>;

export interface Ledger {
  readonly path: string;
  /**
   * On disk before it returns, so that a kill in the next instant loses nothing.
   * @throws TailgateError `usage` when the disk refuses; a group is killed then.
   */
  add(entry: Leftover): void;
  /** Takes back an entry with the same contents; the file goes with the last one. On a full disk the entry stays. */
  remove(entry: Leftover): void;
}

export interface SweepReport {
  /** What was still there and is gone now. */
  readonly ended: readonly Leftover[];
  /** What is still there, and why; it stays in the ledger. */
  readonly failed: readonly { readonly entry: Leftover; readonly why: string }[];
}

/** Opens or continues a ledger; entries of an earlier, unswept run stay in it. */
export function openLedger(path: string): Ledger {
  const alive = new Map(readLedger(path).map((entry) => [keyOf(entry), entry]));
  const write = (line: object): void => {
    onDisk(dirname(path), () => {
      mkdirSync(dirname(path), { recursive: true });
      // The leading line end closes a line that a crash may have torn.
      appendFileSync(path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 });
    });
  };
  return {
    path,
    add: (entry) => {
      alive.set(keyOf(entry), entry);
      try {
        write({ add: entry });
      } catch (error) {
        // Nobody would know of it: a process that cannot be written down must not run on.
        if (entry.kind === 'group') killGroupNow(provenGroup(entry));
        throw error;
      }
    },
    remove: (entry) => {
      if (!alive.delete(keyOf(entry))) return;
      try {
        if (alive.size === 0) rmSync(path, { force: true });
        else write({ remove: entry });
      } catch {
        // Whoever sweeps finds that it is gone already.
      }
    },
  };
}

/**
 * What a ledger file says is alive, oldest first. A missing file is empty; a line that is torn or not ours is
 * passed over, because the rest must still be ended.
 */
export function readLedger(path: string): readonly Leftover[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  const alive = new Map<string, Leftover>();
  for (const line of text.split('\n')) {
    const parsed = parseLine(line);
    if (parsed === null) continue;
    if (parsed.add) alive.set(keyOf(parsed.entry), parsed.entry);
    else alive.delete(keyOf(parsed.entry));
  }
  return [...alive.values()];
}

/**
 * Ends and removes whatever the ledger names: process groups first (TERM, 2 s, KILL), then worktrees, then
 * directories. Safe to call again, and on a file that is missing or broken. Never throws.
 */
export async function sweep(path: string, options: { readonly runGit?: RunGit } = {}): Promise<SweepReport> {
  const ended: Leftover[] = [];
  const failed: { entry: Leftover; why: string }[] = [];
  for (const entry of inSafeOrder(readLedger(path))) {
    try {
      await end(entry, options.runGit ?? plainGit);
      ended.push(entry);
    } catch (error) {
      failed.push({ entry, why: messageOf(error) });
    }
  }
  rewrite(path, failed);
  return { ended, failed };
}

/**
 * The same without waiting, for the `exit` event of our own process: groups are killed at once, worktrees and
 * directories removed, and what git notes about the worktrees is dropped without git.
 */
export function sweepNow(path: string): void {
  const rest: { entry: Leftover }[] = [];
  for (const entry of inSafeOrder(readLedger(path))) {
    try {
      if (entry.kind === 'group') killGroupNow(provenGroup(entry));
      else removeDirectory(entry.path);
      if (entry.kind === 'worktree') forgetWorktree(entry.repository, entry.path);
    } catch {
      rest.push({ entry });
    }
  }
  rewrite(path, rest);
}

async function end(entry: Leftover, runGit: RunGit): Promise<void> {
  switch (entry.kind) {
    case 'group': {
      const { group, leaderStart, mark } = provenGroup(entry);
      const options = { signal: 'SIGTERM', grace: secondsToNs(2), clock: realClock } as const;
      const report = await endGroup(group, { ...options, leaderStart, mark });
      if (report.left.length > 0) throw new Error(`processes ${report.left.join(', ')} are still alive`);
      return;
    }
    case 'worktree':
      return endWorktree(entry, runGit);
    case 'directory':
      return removeDirectory(entry.path);
    default:
      return assertNever(entry);
  }
}

/**
 * The number of a group without its leader may belong to strangers by now; then only the mark counts, and 0 is the
 * group of nobody.
 */
function provenGroup(entry: GroupIdentity): GroupIdentity {
  const leader = readProcess(entry.group);
  const proven = leader !== null && leader.start === entry.leaderStart;
  return proven ? entry : { ...entry, group: 0 };
}

async function endWorktree(entry: { repository: string; path: string }, runGit: RunGit): Promise<void> {
  const remove = (): Promise<unknown> =>
    // Twice: once for changed files, once for a locked worktree.
    runGit(['worktree', 'remove', '--force', '--force', entry.path], entry.repository);
  const refused = await remove().then(
    () => false,
    () => true,
  );
  removeDirectory(entry.path);
  // A damaged worktree is refused, a missing one is only forgotten.
  if (refused) await remove().catch(() => undefined);
  forgetWorktree(entry.repository, entry.path);
}

function removeDirectory(path: string): void {
  const why = whyNotRemovable(path);
  if (why !== null) throw new Error(`${path} is not removed: ${why}`);
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}

/** A ledger may be damaged: nothing that holds us, the user's home or the root is ever removed. */
function whyNotRemovable(path: string): string | null {
  if (!isAbsolute(path)) return 'the path is not absolute';
  const place = resolve(path);
  if (place.split(sep).filter((part) => part !== '').length < 2) return 'it is at the top of the file system';
  for (const kept of [process.cwd(), homedir()]) {
    const inside = relative(place, kept);
    if (inside === '' || !(inside.startsWith('..') || isAbsolute(inside))) return `it holds ${kept}`;
  }
  return null;
}

const plainGit: RunGit = async (args, cwd) => {
  const { exit } = await runCommand({
    command: ['git', ...args],
    cwd,
    env: process.env,
    timeout: secondsToNs(30),
    grace: msToNs(1000),
  });
  if (exit.kind !== 'exited' || exit.code !== 0) throw new Error(`git ${args[0]}: ${JSON.stringify(exit)}`);
};

function rewrite(path: string, rest: readonly { readonly entry: Leftover }[]): void {
  try {
    if (rest.length === 0) rmSync(path, { force: true });
    else writeFileSync(path, rest.map(({ entry }) => `${JSON.stringify({ add: entry })}\n`).join(''));
  } catch {
    // An unwritable ledger only means that the next sweep looks again.
  }
}

function inSafeOrder(entries: readonly Leftover[]): readonly Leftover[] {
  const order: readonly Leftover['kind'][] = ['group', 'worktree', 'directory'];
  return order.flatMap((kind) => entries.filter((entry) => entry.kind === kind));
}

function keyOf(entry: Leftover): string {
  switch (entry.kind) {
    case 'group':
      return `group ${entry.group} ${entry.leaderStart} ${entry.mark}`;
    case 'worktree':
      return `worktree ${entry.repository} ${entry.path}`;
    case 'directory':
      return `directory ${entry.path}`;
    default:
      return assertNever(entry);
  }
}

function parseLine(line: string): { readonly add: boolean; readonly entry: Leftover } | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  const add = 'add' in value;
  const entry = add ? value['add'] : value['remove'];
  return isLeftover(entry) ? { add, entry } : null;
}

function isLeftover(value: unknown): value is Leftover {
  if (!isRecord(value)) return false;
  switch (value['kind']) {
    case 'group':
      return (
        Number.isSafeInteger(value['group']) &&
        (value['leaderStart'] === null || typeof value['leaderStart'] === 'number') &&
        (value['mark'] === null || (typeof value['mark'] === 'string' && value['mark'].length > 8))
      );
    case 'worktree':
      return typeof value['repository'] === 'string' && typeof value['path'] === 'string';
    case 'directory':
      return typeof value['path'] === 'string';
    default:
      return false;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Two sibling worktrees of equal path length, one a side, that cannot be left behind. */
import { rmSync } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, TailgateError, type Warning } from '../kernel/errors.ts';
import { makeTemporaryFolder } from '../kernel/folders.ts';
import { secondsToNs } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import { sides } from '../kernel/words.ts';
import { forgetDeadWorktrees, worktreeFolderPrefix } from '../kernel/worktree-records.ts';
import type { Git } from './git.ts';
import { gitFailed } from './git.ts';

/** What a ledger on disk remembers for whoever comes after a crash. */
export type WorktreeEntry =
  | { readonly kind: 'worktree'; readonly repository: string; readonly path: string }
  | { readonly kind: 'directory'; readonly path: string };

export interface WorktreeLedger {
  add(entry: WorktreeEntry): void;
  remove(entry: WorktreeEntry): void;
}

export interface WorktreeOptions {
  /** In the root of the repository, from `openRepository`. */
  readonly git: Git;
  /** Commits that are in the clone. */
  readonly revisions: Readonly<Record<Side, { readonly sha: string }>>;
  /** Folder names, drawn by the caller's coin so that no side always has the same one: different, equally long. */
  readonly names: Readonly<Record<Side, string>>;
  /** Where the folder of both goes; the system's temporary folder unless told. */
  readonly parentDirectory?: string;
  readonly ledger?: WorktreeLedger;
  readonly submodules: boolean;
  readonly lfs: boolean;
  /** What could not be removed; it stays in the ledger. */
  readonly onProblem?: (warning: Warning) => void;
}

/** Both worktrees, as absolute paths; disposing removes them, git's notes about them and their folder. Never throws. */
export interface Worktrees extends AsyncDisposable {
  readonly root: string;
  readonly baseline: string;
  readonly candidate: string;
}

const patience = { checkout: secondsToNs(600), remove: secondsToNs(60), fetch: secondsToNs(900) };

/**
 * Checks both revisions out, each detached in a worktree of its own beside the other.
 * Paths have the same length because the length of a path reaches stacks and caches of what runs there.
 * @throws TailgateError `usage` when a checkout fails, the disk refuses or git-lfs is missing, `cancelled`; nothing is left behind then.
 */
export async function createWorktrees(options: WorktreeOptions): Promise<Worktrees> {
  const { git, names, ledger } = options;
  checkNames(names);
  if (options.lfs) await requireLfs(git);
  forgetDeadWorktrees(git.directory);
  const root = makeTemporaryFolder(worktreeFolderPrefix, options.parentDirectory);
  try {
    ledger?.add({ kind: 'directory', path: root });
  } catch (error) {
    rmSync(root, { recursive: true, force: true });
    throw error;
  }
  const paths = { baseline: join(root, names.baseline), candidate: join(root, names.candidate) };
  const dispose = once(() => removeAll(options, root, Object.values(paths)));
  try {
    // By name, like everything that is ordered: the coin that drew the names decides who is first.
    const inOrder = [...sides].sort((one, other) => (names[one] < names[other] ? -1 : 1));
    for (const side of inOrder) await checkOut(options, side, paths[side]);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { root, ...paths, [Symbol.asyncDispose]: dispose };
}

async function checkOut(options: WorktreeOptions, side: Side, path: string): Promise<void> {
  const { git, ledger } = options;
  ledger?.add({ kind: 'worktree', repository: git.directory, path });
  const add = ['worktree', 'add', '--detach', path, options.revisions[side].sha];
  const added = await git.ask(add, { timeout: patience.checkout });
  if (!added.ok) throw gitFailed(add, added, `the ${side} could not be checked out; is the disk full?`);
  const inside = git.at(path);
  if (options.submodules) {
    const update = ['submodule', 'update', '--init', '--recursive'];
    const updated = await inside.ask(update, { timeout: patience.fetch });
    if (!updated.ok) {
      throw gitFailed(
        update,
        updated,
        `the submodules of the ${side} could not be fetched; private ones need \`submodules: recursive\` and a token at the checkout step, or set submodules: false`,
      );
    }
  }
  if (options.lfs) {
    const pull = ['lfs', 'pull'];
    const pulled = await inside.ask(pull, { timeout: patience.fetch });
    if (!pulled.ok) throw gitFailed(pull, pulled, `the large files of the ${side} could not be fetched`);
  }
}

async function requireLfs(git: Git): Promise<void> {
  if ((await git.ask(['lfs', 'version'])).ok) return;
  throw new TailgateError({
    code: 'usage',
    message: 'lfs: true is set, but git-lfs is not installed',
    hint: 'install git-lfs (https://git-lfs.com), or set lfs: false',
  });
}

async function removeAll(options: WorktreeOptions, root: string, paths: readonly string[]): Promise<void> {
  const git = options.git.unstoppable();
  const { ledger } = options;
  const problems: string[] = [];
  const attempt = async (work: Promise<void>, entry: WorktreeEntry): Promise<void> => {
    try {
      await work;
      ledger?.remove(entry);
    } catch (error) {
      problems.push(messageOf(error));
    }
  };
  for (const path of paths) {
    await attempt(removeWorktree(git, path), { kind: 'worktree', repository: git.directory, path });
  }
  await attempt(removeFolder(root), { kind: 'directory', path: root });
  if (problems.length > 0) {
    options.onProblem?.({
      code: 'worktree-left',
      message: `not everything in ${root} could be removed: ${problems.join('; ')}`,
      hint: 'remove the folder, then run: git worktree prune',
    });
  }
}

async function removeWorktree(git: Git, path: string): Promise<void> {
  // Twice: once for changed files, once for a locked worktree.
  const remove = ['worktree', 'remove', '--force', '--force', path];
  if ((await git.ask(remove, { timeout: patience.remove })).ok) return;
  await removeFolder(path);
  // Git refuses a damaged worktree but forgets a missing one; what it never knew is not listed.
  if ((await git.ask(remove, { timeout: patience.remove })).ok) return;
  const listed = await git.run(['worktree', 'list', '--porcelain']);
  if (listed.split('\n').includes(`worktree ${path}`))
    throw new Error(`git still lists the worktree ${path}`);
}

async function removeFolder(path: string): Promise<void> {
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 });
  try {
    await remove();
  } catch {
    // Package caches are often written without the right to write.
    await makeWritable(path);
    await remove();
  }
}

async function makeWritable(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(path, entry.name));
  }
}

function checkNames(names: WorktreeOptions['names']): void {
  const { baseline, candidate } = names;
  const plain = /^[a-z0-9][a-z0-9-]*$/;
  const good =
    plain.test(baseline) &&
    plain.test(candidate) &&
    baseline !== candidate &&
    baseline.length === candidate.length;
  if (!good) {
    throw new Error(`worktree names must be two plain words of equal length, not ${JSON.stringify(names)}`);
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= work();
    return done;
  };
}

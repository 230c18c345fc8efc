/** What git notes in a repository about its linked worktrees, and how notes about worktrees of ours that are gone are dropped. */
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Begins the name of every folder that holds the worktrees of a job; chance adds six characters. */
export const worktreeFolderPrefix = 'tailgate-';
const worktreeFolder = new RegExp(`^${worktreeFolderPrefix}[A-Za-z0-9]{6}$`);

/** A folder below `.git/worktrees`, and the folder of the worktree that it is about; both absolute. */
interface WorktreeRecord {
  readonly place: string;
  readonly worktree: string;
}

/**
 * Drops what git notes about one worktree of ours, without git and at once. Nothing happens while its folder is there.
 * @param repository its working tree, from which the worktree was made.
 */
export function forgetWorktree(repository: string, worktree: string): void {
  drop(repository, (record) => record.worktree === worktree && !existsSync(worktree));
}

/**
 * Drops what git notes about worktrees of jobs that were killed: detached ones in a folder by a name of ours, which is
 * gone while the folder around it is there. Whatever somebody else made, locked or put on a branch stays.
 * @param repository its working tree.
 */
export function forgetDeadWorktrees(repository: string): void {
  drop(repository, ({ place, worktree }) => {
    const folder = dirname(worktree);
    const ours = worktreeFolder.test(basename(folder)) && isDetached(place) && !isLockedByUser(place);
    return ours && !existsSync(folder) && existsSync(dirname(folder));
  });
}

function drop(repository: string, isDead: (record: WorktreeRecord) => boolean): void {
  const all = recordsFolder(repository);
  if (all === null) return;
  try {
    for (const name of readdirSync(all)) {
      const place = join(all, name);
      const worktree = worktreeOf(place);
      if (worktree !== null && isDead({ place, worktree })) rmSync(place, { recursive: true, force: true });
    }
    // As git itself does; refused while others are in it.
    rmdirSync(all);
  } catch {
    // A note that stays only makes a line in `git worktree list`.
  }
}

/** `.git/worktrees`, also seen from a linked worktree or a submodule; null when that cannot be read. */
function recordsFolder(repository: string): string | null {
  const dot = join(repository, '.git');
  const link = firstLine(dot);
  if (link === null) return existsSync(dot) ? join(dot, 'worktrees') : null;
  if (!link.startsWith('gitdir: ')) return null;
  const own = resolve(repository, link.slice('gitdir: '.length));
  return join(resolve(own, firstLine(join(own, 'commondir')) ?? '.'), 'worktrees');
}

/** `gitdir` names the `.git` file of the worktree, from here on where it is relative. */
function worktreeOf(place: string): string | null {
  const file = firstLine(join(place, 'gitdir'));
  return file === null || basename(file) !== '.git' ? null : dirname(resolve(place, file));
}

/** HEAD is a commit; a file that was never written is that of a worktree that was never finished. */
const isDetached = (place: string): boolean => !(firstLine(join(place, 'HEAD')) ?? '').startsWith('ref:');

/** Git itself locks a worktree while it makes it. */
const isLockedByUser = (place: string): boolean =>
  existsSync(join(place, 'locked')) && firstLine(join(place, 'locked')) !== 'initializing';

/** Null for what is no file or cannot be read. */
function firstLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]!.trimEnd();
  } catch {
    return null;
  }
}

/** Folders for what a job keeps on disk while it runs; a disk that refuses is the user's to free, and no defect. */
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, TailgateError } from './errors.ts';

/**
 * A new and empty folder, by its real name.
 * @param prefix of its name; chance adds six characters.
 * @param parent the folder for temporary files unless given; made when it is not there.
 * @throws TailgateError `usage` naming the parent and what stands in the way.
 */
export function makeTemporaryFolder(prefix: string, parent?: string): string {
  const place = parent ?? tmpdir();
  return onDisk(place, () => {
    if (parent !== undefined) mkdirSync(place, { recursive: true });
    // Without symbolic links: git, a service and we must all call it by the same name.
    return mkdtempSync(join(realpathSync(place), prefix));
  });
}

/**
 * Runs work on the disk.
 * @param place the folder that a refusal names.
 * @throws TailgateError `usage` when the disk is full, refuses or has no such folder; anything else as it was thrown.
 */
export function onDisk<Result>(place: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const reason = diskReason(error);
    if (reason === null) throw error;
    throw new TailgateError({
      code: 'usage',
      message: `${place} cannot hold the files of a job: ${reason}`,
      hint: isOutOfFiles(error)
        ? outOfFilesHint
        : 'free space there, or set TMPDIR (on a runner RUNNER_TEMP) to a folder that exists, may be written and has space',
      cause: error,
    });
  }
}

export const outOfFilesHint =
  'raise the limit of open files, e.g. ulimit -n 4096, or end what else holds many open';

/** The process, or the whole machine, has no file descriptor left. */
export function isOutOfFiles(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'EMFILE' || code === 'ENFILE';
}

/** Why the disk refused, in words; null when the error is none of the disk's. */
export function diskReason(error: unknown): string | null {
  switch ((error as NodeJS.ErrnoException | null)?.code) {
    case 'ENOSPC':
      return 'the disk is full';
    case 'EDQUOT':
      return 'the quota is used up';
    case 'EROFS':
      return 'the file system is read-only';
    case 'EACCES':
    case 'EPERM':
      return 'permission is denied';
    case 'ENOENT':
      return 'there is no such folder';
    case 'ENOTDIR':
      return 'it is no folder';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open';
    case 'EIO':
      return `the disk does not answer (${messageOf(error)})`;
    default:
      return null;
  }
}

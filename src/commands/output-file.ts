/** The files a command writes: what cannot be written is refused before the work, not after it. */
import type { Stats } from 'node:fs';
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { TailgateError } from '../kernel/errors.ts';
import { outOfFilesHint } from '../kernel/folders.ts';
import type { Terminal } from './command.ts';

export interface OutputFile {
  /** @throws TailgateError `usage` when the disk refuses what was promised, e.g. because it is full. */
  write(content: string): void;
}

/**
 * A file that will be written later.
 * @param flag as the user gives it, without dashes.
 * @param file relative to the terminal's folder.
 * @throws TailgateError `usage` naming the flag, the file and what stands in the way.
 */
export function outputFile(terminal: Terminal, flag: string, file: string): OutputFile {
  const path = resolve(terminal.directory, file);
  const problem = problemWith(path);
  if (problem !== null) throw unwritable(flag, file, problem);
  return {
    write: (content) => {
      try {
        writeFileSync(path, content);
      } catch (error) {
        throw unwritable(flag, file, reasonOf(error), error);
      }
    },
  };
}

/**
 * What stands in the way of writing there; null when nothing does. What is there already is left as it is; where
 * nothing is, a file is made, written to and removed again: only that shows a folder that takes none, or a full disk.
 */
function problemWith(path: string): string | null {
  try {
    const known = statSync(path, { throwIfNoEntry: false });
    if (known?.isDirectory() === true) return 'it is a folder';
    const parent = dirname(path);
    if (known !== undefined) return tryOpen(path, known);
    const place = statSync(parent, { throwIfNoEntry: false });
    if (place?.isDirectory() !== true) return `there is no folder ${parent}`;
    tryNew(path);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function tryOpen(path: string, known: Stats): string | null {
  accessSync(path, constants.W_OK);
  // A pipe would wait for its reader.
  if (!known.isFile() && !known.isCharacterDevice()) return null;
  const file = openSync(path, constants.O_WRONLY | constants.O_NOCTTY);
  try {
    // Of no bytes: a device that is always full refuses even these.
    writeSync(file, new Uint8Array(0));
    if (!known.isFile()) return null;
    const { bavail, blocks } = statfsSync(path);
    return blocks > 0 && bavail === 0 ? 'the disk is full' : null;
  } finally {
    closeSync(file);
  }
}

function tryNew(path: string): void {
  const file = openSync(path, 'wx');
  try {
    writeSync(file, '{}');
    fsyncSync(file);
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EACCES' || code === 'EPERM') return 'permission is denied';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EDQUOT') return 'the quota is used up';
  if (code === 'ENOENT') return 'no file can be made there';
  if (code === 'ENOTDIR') return 'a part of its path is no folder';
  if (code === 'EMFILE' || code === 'ENFILE') return `too many files are open; ${outOfFilesHint}`;
  return code ?? String(error);
}

function unwritable(flag: string, file: string, reason: string, cause?: unknown): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `--${flag} is "${file}", which cannot be written: ${reason}`,
    hint: `--${flag} wants a file in a folder that exists and may be written`,
    ...(cause === undefined ? {} : { cause }),
  });
}

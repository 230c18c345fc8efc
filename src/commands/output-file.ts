/** The files a command writes: what cannot be written is refused before the work, not after it. */
import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { TailgateError } from '../kernel/errors.ts';
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

/** What stands in the way of writing there; null when nothing does. Touches nothing. */
function problemWith(path: string): string | null {
  const known = statSync(path, { throwIfNoEntry: false });
  if (known?.isDirectory() === true) return 'it is a folder';
  const parent = dirname(path);
  if (known === undefined && statSync(parent, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return `there is no folder ${parent}`;
  }
  try {
    accessSync(known === undefined ? parent : path, constants.W_OK);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EACCES' || code === 'EPERM') return 'permission is denied';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'ENOSPC') return 'the disk is full';
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

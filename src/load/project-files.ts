/** Files of the project that are sent or read as feeds: bounded, and inside the project. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import { type Bytes, bytes, formatBytes } from '../kernel/units.ts';

/**
 * @param directory of the project; nothing outside of it is read, also not through a link.
 * @param what the file is for, as the sentence needs it: `the body-file`, `the feed`.
 * @throws TailgateError `usage` naming the file and what is wrong with it.
 */
export function readProjectFile(directory: string, file: string, what: string, limit: Bytes): Uint8Array {
  const path = resolve(directory, file);
  const refuse = (problem: string, hint: string, cause?: unknown): TailgateError =>
    new TailgateError({
      code: 'usage',
      message: `${what} ${file} ${problem}`,
      hint,
      ...(cause === undefined ? {} : { cause }),
    });
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    throw refuse(`does not exist (looked for ${path})`, 'give its path relative to the project');
  }
  if (!stat.isFile()) throw refuse('is no file', 'name a file of the project');
  if (relative(realpathSync(directory), realpathSync(path)).startsWith('..')) {
    throw refuse('leads out of the project', 'copy it into the project');
  }
  if (stat.size > limit) {
    throw refuse(
      `has ${formatBytes(bytes(stat.size))}, wanted at most ${formatBytes(limit)}`,
      'give a smaller file',
    );
  }
  try {
    return readFileSync(path);
  } catch (cause) {
    throw refuse(`cannot be read: ${messageOf(cause)}`, 'it must be a readable file', cause);
  }
}

/** @throws TailgateError `usage` also for what is no UTF-8. */
export function readProjectText(directory: string, file: string, what: string, limit: Bytes): string {
  const content = readProjectFile(directory, file, what, limit);
  try {
    // The byte order mark stays: who reads the text knows what to do with it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new TailgateError({
      code: 'usage',
      message: `${what} ${file} is no text in UTF-8`,
      hint: 'convert it to UTF-8',
      cause,
    });
  }
}

/** A result file on disk → rows: its size is asked for before anything of it is read. */
import { readFileSync, statSync } from 'node:fs';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import type { Format } from '../kernel/words.ts';
import { refuseLarge } from './adapters/decode.ts';
import { readBenchmarks } from './adapters/read.ts';
import type { ReadResult } from './samples.ts';

/**
 * Reads a file of benchmark results.
 * @param shown the file as the user named it: in messages, and where a format keeps the benchmark's name in the path.
 * @throws TailgateError `usage` when it cannot be read or is no file, and all that `readBenchmarks` refuses.
 */
export function readResultFile(path: string, shown: string, format: 'auto' | Format): ReadResult {
  return readBenchmarks({ name: shown, bytes: bytesOf(path, shown) }, format);
}

function bytesOf(path: string, shown: string): Uint8Array {
  const refuse = (why: string, cause?: unknown): TailgateError =>
    new TailgateError({
      code: 'usage',
      message: `${shown} cannot be read: ${why}`,
      hint: 'name the file that the benchmark tool wrote; docs/formats.md lists the formats',
      cause,
    });
  try {
    const found = statSync(path);
    if (!found.isFile()) throw refuse(found.isDirectory() ? 'it is a directory' : 'it is no plain file');
    refuseLarge(found.size, shown);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof TailgateError) throw error;
    throw refuse(messageOf(error), error);
  }
}

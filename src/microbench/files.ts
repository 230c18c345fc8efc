/** Which files of a project hold benchmarks. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A project with more files than this was not meant: somebody's whole disk, or a cache. */
const mostFiles = 500_000;
const passedOver = new Set(['node_modules', '.git']);
/** A glob may say anything; only these can be imported, and asking the glob is the slow part. */
export const isRunnable = (file: string): boolean =>
  runnable.test(file) && !file.split('/').includes('node_modules');
const runnable = /\.[cm]?[jt]s$/;

/**
 * Files below `directory` that `matches`, relative and with forward slashes, sorted. Folders called node_modules and
 * .git are passed over, symbolic links not followed.
 */
export function benchFiles(directory: string, matches: (file: string) => boolean): readonly string[] {
  const found: string[] = [];
  let seen = 0;
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(directory, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !passedOver.has(entry.name)) folders.push(path);
      if (entry.isFile() && runnable.test(entry.name) && matches(path)) found.push(path);
      if (++seen > mostFiles) return found.sort();
    }
  }
  return found.sort();
}

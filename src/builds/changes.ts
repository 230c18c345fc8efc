/** What differs between two commits, which globs that meets, and how a file looked in one of them. */
import { posix } from 'node:path';
import picomatch from 'picomatch';
import { TailgateError } from '../kernel/errors.ts';
import type { Bytes } from '../kernel/units.ts';
import { bytes, formatBytes, secondsToNs } from '../kernel/units.ts';
import type { Git } from './git.ts';
import { short } from './history.ts';

/**
 * Files that were added, changed or removed between two commits that are in the clone; a moved file counts at both
 * places. Paths are relative to the root of the repository, with forward slashes.
 */
export async function changedFiles(
  git: Git,
  baseline: string,
  candidate: string,
): Promise<readonly string[]> {
  const names = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=none'];
  const answer = await git.run([...names, baseline, candidate, '--'], {
    captureLimit: bytes(256 * 1024 * 1024),
    timeout: secondsToNs(120),
  });
  return answer.split('\0').filter((name) => name !== '');
}

/** Files of a commit below `directory`, relative to it, with forward slashes. Nothing is checked out. */
export async function trackedFiles(git: Git, commit: string, directory: string): Promise<readonly string[]> {
  const below = directory === '.' ? [] : [directory];
  const answer = await git.run(
    ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit, '--', ...below],
    {
      captureLimit: bytes(256 * 1024 * 1024),
      timeout: secondsToNs(120),
    },
  );
  const from = directory === '.' ? 0 : directory.replace(/\/+$/, '').length + 1;
  return answer
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.slice(from));
}

/**
 * Whether any file is meant by the globs, as workflows read `paths`: later globs win, `!` takes back.
 * No globs at all mean every file; only taking back means every other file; `src/` means all below it.
 */
export function matchesAny(files: readonly string[], globs: readonly string[]): boolean {
  if (globs.length === 0) return files.length > 0;
  const rules = globs.map((glob) => {
    const takesBack = glob.startsWith('!');
    const plain = (takesBack ? glob.slice(1) : glob).replace(/^\.?\//, '');
    if (plain === '') {
      throw new TailgateError({
        code: 'usage',
        message: `paths: "${glob}" is not a glob`,
        hint: 'give globs such as src/**, **/*.ts or !docs/**',
      });
    }
    return { takesBack, matches: picomatch(plain.endsWith('/') ? `${plain}**` : plain, { dot: true }) };
  });
  const unlessSaid = rules.every((rule) => rule.takesBack);
  return files.some((file) => {
    const last = rules.findLast((rule) => rule.matches(file));
    return last === undefined ? unlessSaid : !last.takesBack;
  });
}

/** Links to links that are followed before they count as leading nowhere. */
const mostLinks = 10;

/**
 * The file that a link of a commit leads to, over further links, as that commit has it.
 * @param path relative to the root of the repository; of no link, the file itself.
 * @returns null when it leads to no file of the repository.
 * @throws TailgateError `usage` when that file cannot be read.
 */
export async function readThroughLinks(git: Git, sha: string, path: string): Promise<string | null> {
  let place = path.replaceAll('\\', '/');
  for (let links = 0; links <= mostLinks; links++) {
    if (place.startsWith('/') || place.split('/').includes('..')) return null;
    const entry = await git.run(['ls-tree', '--full-tree', '-z', sha, '--', place]);
    const [mode, kind] = entry.split(/\s/);
    if (kind !== 'blob') return null;
    if (mode !== '120000') return await readFileAt(git, sha, place);
    const target = await git.run(['cat-file', 'blob', `${sha}:${place}`]);
    place = posix.join(target.startsWith('/') ? '/' : posix.dirname(place), target);
  }
  return null;
}

/**
 * A file as one commit has it, without checking anything out.
 * @param path relative to the root of the repository.
 * @returns null when the commit has no such file.
 * @throws TailgateError `usage` when it is no plain file, is larger than the limit, or the path leaves the repository.
 */
export async function readFileAt(
  git: Git,
  sha: string,
  path: string,
  limit: Bytes = bytes(1024 * 1024),
): Promise<string | null> {
  const name = path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  const refuse = (message: string, hint: string): TailgateError =>
    new TailgateError({ code: 'usage', message: `${path} of ${short(sha)} ${message}`, hint });
  if (name === '' || name.startsWith('/') || name.split('/').includes('..')) {
    throw refuse('is not inside the repository', 'give a path relative to the root of the repository');
  }
  const entry = await git.run(['ls-tree', '--full-tree', '-z', sha, '--', name]);
  if (entry === '') return null;
  const [mode, kind] = entry.split(/\s/);
  if (kind !== 'blob' || mode === '120000')
    throw refuse('is no plain file', 'commit the file itself, not a link');
  const answer = await git.ask(['cat-file', 'blob', `${sha}:${name}`], { captureLimit: limit });
  if (!answer.ok) throw refuse(`cannot be read: ${answer.tail.slice(-1).join('')}`, 'fetch the commit again');
  if (answer.truncated) throw refuse(`is larger than ${formatBytes(limit)}`, 'name a smaller file');
  return answer.stdout;
}

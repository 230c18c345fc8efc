/** The release before a release: what a capacity is compared with when nobody named a baseline. */
import type { Git } from './git.ts';
import { findRemote } from './history.ts';

/**
 * Finds the tag before `tag` in git's order of versions, among tags of the same form: `v1.9.3` before `v1.10.0`, and
 * neither `v1`, which moves on with every release, nor `v1.10.0-rc.1`. Asked of the remote, since the clone of a workflow
 * holds no other tags; of this clone where there is no remote, or it keeps silent.
 * @param tag its name, e.g. `v1.10.0`.
 * @returns the whole ref, e.g. `refs/tags/v1.9.3`; null when there is none.
 */
export async function earlierRelease(git: Git, tag: string): Promise<string | null> {
  const form = formOf(tag);
  const newestFirst = (await tagsOf(git)).filter((name) => formOf(name) === form);
  const place = newestFirst.indexOf(tag);
  const before = place < 0 ? undefined : newestFirst[place + 1];
  return before === undefined ? null : `refs/tags/${before}`;
}

const formOf = (tag: string): string => tag.replace(/\d+/g, '#');

async function tagsOf(git: Git): Promise<readonly string[]> {
  const remote = await findRemote(git);
  const told =
    remote === null
      ? null
      : await git.ask(['ls-remote', '--tags', '--refs', '--sort=-version:refname', remote]);
  const listed = told?.ok
    ? told.stdout
    : await git.run(['for-each-ref', '--sort=-version:refname', '--format=x%09%(refname)', 'refs/tags']);
  return listed
    .split('\n')
    .map((line) => line.split('\t')[1] ?? '')
    .filter((ref) => ref.startsWith('refs/tags/'))
    .map((ref) => ref.slice('refs/tags/'.length));
}

import { afterEach, beforeEach, expect, it } from 'vitest';
import { earlierRelease } from '../../src/builds/earlier-release.ts';
import { type Git, openRepository } from '../../src/builds/git.ts';
import { environment, Playground } from './repositories.ts';

let playground: Playground;
let work: string;
beforeEach(() => {
  playground = new Playground();
  work = playground.repository('work');
});
afterEach(() => playground.remove());

function release(...tags: readonly string[]): void {
  playground.commit(work, tags.join(' '));
  for (const tag of tags) playground.git(work, 'tag', '--force', '--annotate', '--message', tag, tag);
}
const opened = (directory: string): Promise<Git> => openRepository({ directory, environment });

it('goes by versions, not by letters, and not by when a tag was made', async () => {
  release('v1.9.3');
  release('v1.10.0');
  release('v1.9.4');
  const git = await opened(work);
  expect(await earlierRelease(git, 'v1.10.0')).toBe('refs/tags/v1.9.4');
  expect(await earlierRelease(git, 'v1.9.4')).toBe('refs/tags/v1.9.3');
});

it('passes over tags of another form: the one that moves on, candidates for a release, other packages', async () => {
  release('v1.0.0', 'v1');
  release('v1.1.0-rc.1', 'other-v1.0.5');
  release('v1.1.0-rc.2');
  release('v1.1.0', 'v1');
  const git = await opened(work);
  expect(await earlierRelease(git, 'v1.1.0')).toBe('refs/tags/v1.0.0');
  expect(await earlierRelease(git, 'v1.1.0-rc.2')).toBe('refs/tags/v1.1.0-rc.1');
});

it('has nothing before a first release, nor for a tag that is not there', async () => {
  release('v1.0.0');
  const git = await opened(work);
  expect(await earlierRelease(git, 'v1.0.0')).toBeNull();
  expect(await earlierRelease(git, 'v7.0.0')).toBeNull();
  expect(await earlierRelease(git, '')).toBeNull();
});

it('asks the remote, as the shallow clone of a workflow holds the tag of its own release only', async () => {
  release('v1.0.0');
  release('v1.1.0');
  const bare = playground.serve(work, 'origin.git');
  const clone = playground.path('clone');
  playground.git(
    playground.root,
    'clone',
    '--quiet',
    '--depth=1',
    '--branch=v1.1.0',
    `file://${bare}`,
    clone,
  );
  expect(playground.git(clone, 'tag')).toBe('v1.1.0');
  expect(await earlierRelease(await opened(clone), 'v1.1.0')).toBe('refs/tags/v1.0.0');
});

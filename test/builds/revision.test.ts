import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Situation } from '../../src/builds/candidate.ts';
import { chooseCandidate } from '../../src/builds/candidate.ts';
import { openRepository } from '../../src/builds/git.ts';
import type { RevisionOptions, Revisions } from '../../src/builds/revision.ts';
import { chooseRevisions } from '../../src/builds/revision.ts';
import type { TailgateError } from '../../src/kernel/errors.ts';
import type { Story } from './repositories.ts';
import { environment, Playground, tellStory } from './repositories.ts';

let told: { playground: Playground; story: Story };
let playground: Playground;
let story: Story;

beforeAll(() => {
  const first = new Playground();
  told = { playground: first, story: tellStory(first) };
});

afterAll(() => told.playground.remove());

beforeEach(() => {
  playground = told.playground.copy();
  story = { ...told.story, work: playground.path('work'), bare: playground.path('origin.git') };
});

afterEach(() => playground.remove());

async function choose(
  directory: string,
  situation: Situation,
  more: Partial<RevisionOptions> = {},
): Promise<Revisions> {
  const git = await openRepository({ directory, environment });
  return chooseRevisions({ git, situation, wanted: 'merge-base', ...more });
}

async function refusal(promise: Promise<unknown>): Promise<TailgateError> {
  return promise.then(
    (value) => {
      throw new Error(`it was not refused but gave ${JSON.stringify(value)}`);
    },
    (error: TailgateError) => error,
  );
}

const pullRequest = (): Situation => ({
  kind: 'pull-request',
  number: 7,
  baseSha: story.tip,
  headSha: story.head,
  baseRef: 'main',
});

const here = (directory: string, sha: string): string => playground.git(directory, 'cat-file', '-t', sha);

describe('a pull request', () => {
  it('is compared with its merge-base from local history when the clone is whole', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone', 0);
    const { baseline, candidate, warnings } = await choose(clone, pullRequest());
    expect(baseline).toEqual({
      sha: story.fork,
      ref: 'main',
      how: 'merge-base of main and pull request 7, found in the history of this clone',
    });
    expect(candidate.sha).toBe(story.head);
    expect(warnings).toEqual([]);
  });

  it('does not ask the API when the clone is whole', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone', 0);
    const mergeBaseByApi = () => Promise.reject(new Error('asked'));
    expect((await choose(clone, pullRequest(), { mergeBaseByApi })).baseline.sha).toBe(story.fork);
  });

  it('in the default depth-1 checkout asks the API and fetches both commits by hash', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    expect(() => here(clone, story.fork)).toThrow();
    const asked: string[][] = [];
    const mergeBaseByApi = async (...pair: string[]) => {
      asked.push(pair);
      return story.fork;
    };
    const { baseline, candidate, warnings } = await choose(clone, pullRequest(), { mergeBaseByApi });
    expect(asked).toEqual([[story.tip, story.head]]);
    expect(baseline.sha).toBe(story.fork);
    expect(baseline.how).toContain('as GitHub knows it, because this clone is shallow');
    expect(candidate.sha).toBe(story.head);
    expect(warnings).toEqual([]);
    // That commit alone, not the history before it.
    expect(playground.git(clone, 'rev-list', '--count', story.fork)).toBe('1');
    expect(here(clone, `${story.head}:server.js`)).toBe('blob');
    expect(playground.git(clone, 'rev-parse', 'HEAD')).toBe(story.merge);
  });

  it('asks about the tip that the trial merge was made with, which may be newer than the event', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    const asked: string[] = [];
    const mergeBaseByApi = async (tip: string) => {
      asked.push(tip);
      return story.fork;
    };
    await choose(clone, { ...pullRequest(), baseSha: story.fork } as Situation, { mergeBaseByApi });
    expect(asked).toEqual([story.tip]);
  });

  it('in a shallow clone without the API says which line of the workflow to change', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    const error = await refusal(choose(clone, pullRequest()));
    expect(error.code).toBe('usage');
    expect(error.message).toContain('this clone is shallow');
    expect(error.hint).toContain('fetch-depth: 0');
  });

  it('names what the API answered when that was no help', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    const failed = await refusal(
      choose(clone, pullRequest(), { mergeBaseByApi: () => Promise.reject(new Error('HTTP 403')) }),
    );
    expect(failed.message).toContain('GitHub could not be asked: HTTP 403');
    const odd = await refusal(
      choose(clone, pullRequest(), { mergeBaseByApi: async () => '--upload-pack=x' }),
    );
    expect(odd.message).toContain('no commit hash');
  });

  it('finds its merge-base in a deeper shallow clone when the API fails', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone', 4);
    expect(playground.shallow(clone)).toBe(true);
    const failing = () => Promise.reject(new Error('HTTP 500'));
    const { baseline } = await choose(clone, pullRequest(), { mergeBaseByApi: failing });
    expect(baseline.sha).toBe(story.fork);
    expect(baseline.how).toContain('found in the part of the history that this shallow clone has');
  });

  it('says what to change when the remote cannot be reached', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    playground.git(clone, 'remote', 'set-url', 'origin', `file://${playground.path('gone.git')}`);
    const error = await refusal(choose(clone, pullRequest(), { mergeBaseByApi: async () => story.fork }));
    expect(error.code).toBe('usage');
    expect(error.message).toContain('pull request 7');
    expect(error.message).toContain('cannot be fetched from origin');
    expect(error.hint).toContain('fetch-depth: 0');
    playground.git(clone, 'remote', 'remove', 'origin');
    const alone = await refusal(choose(clone, pullRequest(), { mergeBaseByApi: async () => story.fork }));
    expect(alone.message).toContain('no remote "origin"');
  });

  it('is fetched by its ref where the server gives no commit by hash', async () => {
    playground.git(story.bare, 'config', 'uploadpack.allowAnySHA1InWant', 'false');
    // Protocol 2 gives every commit by its hash, whatever is allowed.
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    playground.git(clone, 'config', 'protocol.version', '0');
    const mergeBaseByApi = async () => story.fork;
    const error = await refusal(choose(clone, pullRequest(), { mergeBaseByApi }));
    expect(error.message).toContain('the merge-base of');
    expect(here(clone, story.head)).toBe('commit');
  });

  it('measures its head, and says so, when something else is checked out', async () => {
    const clone = playground.checkout(story.bare, 'refs/heads/main', 'clone', 0);
    const { candidate, baseline, warnings } = await choose(clone, pullRequest());
    expect(candidate.sha).toBe(story.head);
    expect(baseline.sha).toBe(story.fork);
    expect(warnings.map((warning) => warning.code)).toEqual(['other-checkout']);
  });

  it('takes the commit before its head when the baseline is previous', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    const { baseline } = await choose(clone, pullRequest(), { wanted: 'previous' });
    expect(baseline.sha).toBe(playground.git(story.work, 'rev-parse', `${story.head}^`));
  });

  it('that shares no commit with its target has no baseline', async () => {
    playground.git(story.work, 'checkout', '--quiet', '--orphan', 'island');
    const island = playground.commit(story.work, 'island');
    const error = await refusal(choose(story.work, { ...pullRequest(), headSha: island } as Situation));
    expect(error.code).toBe('no-baseline');
  });
});

describe('a push', () => {
  const push = (before: string | null, sha = story.tip): Situation => ({ kind: 'push', before, sha });

  it('is compared with the tip before it, fetched by hash into a depth-1 checkout', async () => {
    const clone = playground.checkout(story.bare, 'refs/heads/main', 'clone');
    const { baseline, candidate } = await choose(clone, push(story.fork));
    expect(baseline.sha).toBe(story.fork);
    expect(baseline.how).toBe('the tip of the branch before this push');
    expect(candidate.sha).toBe(story.tip);
  });

  it('of a new branch is compared with the first parent, whose hash a depth-1 checkout hides', async () => {
    const clone = playground.checkout(story.bare, 'refs/heads/main', 'clone');
    for (const before of [null, '0'.repeat(40)]) {
      const { baseline } = await choose(clone, push(before));
      expect(baseline.sha).toBe(story.fork);
      expect(baseline.how).toBe('first parent of the pushed commit, as the push made a new branch or tag');
    }
  });

  it('that was forced is compared with what was there before, as long as the server has it', async () => {
    const clone = playground.checkout(story.bare, 'refs/heads/main', 'clone', 0);
    const { baseline } = await choose(clone, push(story.head));
    expect(baseline.sha).toBe(story.head);
    expect(playground.shallow(clone)).toBe(false);
  });

  it('that was forced is compared with the first parent when what was there before is gone', async () => {
    const clone = playground.checkout(story.bare, 'refs/heads/main', 'clone');
    const { baseline } = await choose(clone, push('1234567890'.repeat(4)));
    expect(baseline.sha).toBe(story.fork);
    expect(baseline.how).toContain('the tip before the push (1234567890) cannot be had');
  });

  it('of a first commit has no baseline, but a candidate', async () => {
    const directory = playground.repository('young');
    const sha = playground.commit(directory, 'only');
    const situation = push(null, sha);
    const error = await refusal(choose(directory, situation));
    expect(error.code).toBe('no-baseline');
    expect(error.message).toContain('first commit');
    const git = await openRepository({ directory, environment });
    expect((await chooseCandidate({ git, situation })).candidate.sha).toBe(sha);
  });
});

describe('other events', () => {
  it('of a merge group are compared with its base', async () => {
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    const { baseline, candidate } = await choose(clone, {
      kind: 'merge-group',
      baseSha: story.tip,
      headSha: story.merge,
    });
    expect(baseline).toEqual({
      sha: story.tip,
      ref: 'the base of the merge group',
      how: 'the base of the merge group',
    });
    expect(candidate.sha).toBe(story.merge);
  });

  it('like a schedule compare what is checked out with its first parent', async () => {
    const clone = playground.checkout(story.bare, 'refs/heads/main', 'clone');
    const { baseline, candidate } = await choose(clone, { kind: 'other', event: 'schedule' });
    expect(baseline.sha).toBe(story.fork);
    expect(candidate.sha).toBe(story.tip);
  });
});

describe('on a laptop', () => {
  const local: Situation = { kind: 'local' };

  it('the merge-base is that with the default branch of origin', async () => {
    const clone = playground.path('laptop');
    playground.git(playground.root, 'clone', '--quiet', '--branch', 'feature', `file://${story.bare}`, clone);
    playground.git(clone, 'remote', 'set-head', 'origin', 'main');
    const { baseline } = await choose(clone, local);
    expect(baseline.sha).toBe(story.fork);
    expect(baseline.how).toContain('merge-base of origin/main and feature');
  });

  it('the default branch itself is compared with its first parent', async () => {
    playground.git(story.work, 'checkout', '--quiet', 'main');
    const { baseline } = await choose(story.work, local);
    expect(baseline.sha).toBe(story.fork);
    expect(baseline.how).toContain('main already holds the candidate');
  });

  it('one commit alone has no baseline, and none at all has no candidate', async () => {
    const directory = playground.repository('young');
    const empty = await refusal(choose(directory, local));
    expect(empty.code).toBe('usage');
    expect(empty.message).toContain('no commit yet');
    playground.commit(directory, 'only');
    expect((await refusal(choose(directory, local))).code).toBe('no-baseline');
  });

  it('a repository without main or master asks for a ref', async () => {
    playground.git(story.work, 'branch', '-m', 'main', 'trunk');
    const error = await refusal(choose(story.work, local));
    expect(error.code).toBe('usage');
    expect(error.hint).toContain('--baseline REF');
  });

  it('uncommitted changes are not measured, and that is said', async () => {
    writeFileSync(join(story.work, 'server.js'), 'changed');
    writeFileSync(join(story.work, 'näw.js'), 'new');
    const { candidate, warnings } = await choose(story.work, local);
    expect(candidate.sha).toBe(story.head);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.code).toBe('uncommitted-changes');
    expect(warnings[0]?.message).toContain('server.js, näw.js');
  });

  it('settings that are not committed are told as read, and what the job writes itself is no change', async () => {
    for (const name of ['tailgate.yml', 'evidence.json']) writeFileSync(join(story.work, name), '{}');
    const outputs = [join(story.work, 'evidence.json')];
    const { warnings } = await choose(story.work, { kind: 'local', outputs });
    for (const name of ['tailgate.yml', 'evidence.json']) rmSync(join(story.work, name));
    const settings = warnings.find((warning) => warning.code === 'uncommitted-settings');
    expect(settings?.message).toContain('tailgate.yml is read as it is on disk');
    expect(warnings.map((warning) => warning.message).join()).not.toContain('evidence.json');
  });
});

describe('a full clone', () => {
  it('that lacks a commit fetches it and stays full', async () => {
    const clone = playground.path('single');
    const address = `file://${story.bare}`;
    playground.git(
      playground.root,
      'clone',
      '--quiet',
      '--single-branch',
      '--no-tags',
      '--branch',
      'main',
      address,
      clone,
    );
    expect(() => here(clone, story.head)).toThrow();
    const { baseline, candidate } = await choose(clone, pullRequest());
    expect(candidate.sha).toBe(story.head);
    expect(baseline.sha).toBe(story.fork);
    expect(playground.shallow(clone)).toBe(false);
    expect(playground.git(clone, 'rev-list', '--count', story.head)).toBe('4');
    expect(playground.git(clone, 'tag')).toBe('');
  });
});

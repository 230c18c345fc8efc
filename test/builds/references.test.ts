import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Situation } from '../../src/builds/candidate.ts';
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

describe('an explicit ref', () => {
  const local: Situation = { kind: 'local' };

  it('that is a branch which went on stands for its merge-base', async () => {
    const { baseline, candidate } = await choose(story.work, local, { wanted: 'main' });
    expect(baseline.sha).toBe(story.fork);
    expect(baseline.how).toBe(
      'merge-base of main, named by the baseline setting, and feature, found in the history of this clone',
    );
    expect(candidate).toEqual({
      sha: story.head,
      ref: 'feature',
      how: 'the commit that is checked out on feature',
    });
  });

  it('that is a branch in line with the candidate is taken as it is', async () => {
    playground.git(story.work, 'branch', 'behind', story.fork);
    expect((await choose(story.work, local, { wanted: 'behind' })).baseline.sha).toBe(story.fork);
    playground.git(story.work, 'checkout', '--quiet', '--detach', story.fork);
    expect((await choose(story.work, local, { wanted: 'main' })).baseline.sha).toBe(story.tip);
  });

  it('gives on a laptop what CI gives, however old the local branch is', async () => {
    const clone = playground.checkout(story.bare, 'refs/heads/feature', 'laptop', 0);
    playground.git(clone, 'branch', 'main', `${story.fork}^`);
    expect((await choose(clone, local, { wanted: 'main' })).baseline.sha).toBe(story.fork);
  });

  it('that only the remote has is found there, also from a depth-1 checkout', async () => {
    for (const wanted of ['main', 'origin/main', 'refs/heads/main']) {
      const clone = playground.checkout(
        story.bare,
        'refs/pull/7/merge',
        `clone-${wanted.replaceAll('/', '-')}`,
      );
      const mergeBaseByApi = async () => story.fork;
      const { baseline } = await choose(clone, pullRequest(), { wanted, mergeBaseByApi });
      expect(baseline.sha).toBe(story.fork);
    }
  });

  it('that is an annotated tag stands for its commit, here or on the remote', async () => {
    expect((await choose(story.work, local, { wanted: 'v1.0.0' })).baseline).toEqual({
      sha: story.fork,
      ref: 'v1.0.0',
      how: 'the tag v1.0.0, named by the baseline setting',
    });
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    expect((await choose(clone, pullRequest(), { wanted: 'v1.0.0' })).baseline.sha).toBe(story.fork);
  });

  it('that is a hash, whole or short, or an expression is taken as it is', async () => {
    const first = playground.git(story.work, 'rev-parse', `${story.fork}^`);
    for (const wanted of [first, first.slice(0, 8), first.toUpperCase(), 'main~2', 'HEAD~3']) {
      expect((await choose(story.work, local, { wanted })).baseline.sha).toBe(first);
    }
    const clone = playground.checkout(story.bare, 'refs/pull/7/merge', 'clone');
    expect((await choose(clone, pullRequest(), { wanted: first })).baseline.sha).toBe(first);
  });

  it('wins over what the event says', async () => {
    const { baseline } = await choose(
      story.work,
      { kind: 'push', before: story.fork, sha: story.head },
      { wanted: 'HEAD~3' },
    );
    expect(baseline.sha).toBe(playground.git(story.work, 'rev-parse', 'HEAD~3'));
  });

  it('that nobody knows is named, with the nearest known one', async () => {
    const seen: string[][] = [];
    const error = await refusal(
      choose(story.work, local, {
        wanted: 'mian',
        nearest: (word, known) => {
          seen.push([word, ...known]);
          return 'main';
        },
      }),
    );
    expect(error.code).toBe('usage');
    expect(error.message).toContain('"mian" is no branch, tag or commit');
    expect(error.message).toContain('did you mean "main"?');
    expect(seen).toEqual([['mian', 'feature', 'main', 'v1.0.0']]);
  });

  it('that looks like an option is never given to git', async () => {
    for (const wanted of ['--upload-pack=touch x', '-h', '', 'a\nb']) {
      const error = await refusal(choose(story.work, local, { wanted }));
      expect(error.code).toBe('usage');
      expect(error.message).toContain('is not a ref');
    }
  });

  it('that is the candidate itself is allowed, and said', async () => {
    const { baseline, candidate, warnings } = await choose(story.work, local, { wanted: 'HEAD' });
    expect(baseline.sha).toBe(candidate.sha);
    expect(baseline.how).toContain('it is the candidate itself');
    expect(warnings.map((warning) => warning.code)).toEqual(['same-commit']);
  });
});

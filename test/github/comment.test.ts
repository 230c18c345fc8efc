import { afterEach, describe, expect, it } from 'vitest';
import { type Marker, parseMarker } from '../../src/report/marker.ts';
import { type Account, actionsBot, stranger } from './fixtures.ts';
import { publish, text, writes } from './gate-comment.ts';
import { type GitHubServer, type ServerSettings, startGitHub } from './server.ts';

let server: GitHubServer | undefined;
async function start(settings: Partial<ServerSettings> = {}): Promise<GitHubServer> {
  server = await startGitHub(settings);
  return server;
}
afterEach(async () => {
  const started = server;
  server = undefined;
  await started?.close();
});

describe('the comment of a gate', () => {
  it('is created once and updated in place by later runs', async () => {
    const github = await start();
    expect((await publish(github)).kind).toBe('created');
    expect((await publish(github, { run: 501 })).kind).toBe('updated');
    const third = await publish(github, { run: 502 });
    expect(third).toEqual({
      kind: 'updated',
      url: `https://github.com/acme/shop/pull/7#issuecomment-${github.comments[0]?.id}`,
    });
    expect(github.comments).toHaveLength(1);
    expect(parseMarker(github.comments[0]!.body)?.run).toBe(502);
  });

  it('is found behind hundreds of others, a hundred a page', async () => {
    const github = await start();
    for (let index = 0; index < 230; index++) github.add({ issue: 7, author: stranger, body: `${index}` });
    const ours = github.add({ issue: 7, author: actionsBot, body: text('earlier', { run: 1 }) });
    expect((await publish(github)).kind).toBe('updated');
    expect(github.comments).toHaveLength(231);
    expect(writes(github)).toEqual([`PATCH comments/${ours.id}`]);
    expect(github.requests.filter((seen) => seen.method === 'GET')).toHaveLength(3);
  });

  it('is never one of somebody else that carries our marker', async () => {
    const github = await start();
    const copied = text('quoted from the bot', { run: 1 });
    const theirs = [stranger, { login: 'other-app[bot]', id: 8, type: 'Bot' } satisfies Account, null].map(
      (author) => github.add({ issue: 7, author, body: copied }),
    );
    expect((await publish(github)).kind).toBe('created');
    for (const { id } of theirs) {
      expect(github.comments.find((comment) => comment.id === id)?.body).toBe(copied);
    }
    expect(writes(github)).toEqual(['POST 7/comments']);
  });

  it('is not stopped by a newer run in the marker of somebody else', async () => {
    const github = await start();
    github.add({ issue: 7, author: stranger, body: text('mine is newer', { run: 999_999 }) });
    expect((await publish(github)).kind).toBe('created');
  });

  it('is not one of ours without a marker, with a broken one, or of another gate', async () => {
    const github = await start();
    const others = [
      'a coverage report',
      '<!-- tailgate id=default run=NaN attempt=1 history= -->',
      '<!-- tailgate id=default run=1 attempt=1 history=%%% -->\nbroken',
      `${text('twice', { run: 1 })}\n${text('twice', { run: 1 })}`,
      text('the other gate', { id: 'search', run: 1 }),
    ].map((body) => github.add({ issue: 7, author: actionsBot, body }));
    expect((await publish(github)).kind).toBe('created');
    expect(github.comments.slice(0, others.length)).toEqual(others);
  });

  it('stands beside those of other gates, each updated by its own id', async () => {
    const github = await start();
    for (const run of [500, 501]) {
      for (const id of ['search', 'checkout', 'a b/c -- <é>']) await publish(github, { id, run });
    }
    expect(github.comments.map((comment) => parseMarker(comment.body))).toMatchObject([
      { id: 'search', run: 501 },
      { id: 'checkout', run: 501 },
      { id: 'a b/c -- <é>', run: 501 },
    ]);
  });

  it('is found again by the token of an App, and by a personal one', async () => {
    for (const settings of [
      { account: { login: 'perf-keeper[bot]', id: 9, type: 'Bot' } },
      { account: { login: 'Ada', id: 5, type: 'User' }, tokenKind: 'personal', graphql: false },
    ] as const) {
      const github = await startGitHub(settings);
      expect((await publish(github)).kind).toBe('created');
      expect((await publish(github, { run: 501 })).kind).toBe('updated');
      expect(writes(github)).toHaveLength(2);
      await github.close();
    }
  });

  it('hands its last marker to the new text, so that results live on', async () => {
    const github = await start();
    const history = [{ run: 1, attempt: 1, sha: 'abcdef0', outcome: 'pass', tail: null, cpu: null }] as const;
    github.add({ issue: 7, author: actionsBot, body: text('earlier', { run: 1, history }) });
    const previous: (Marker | null)[] = [];
    const render = (marker: Marker | null) => {
      previous.push(marker);
      return [text('now', { history: marker?.history ?? [] })];
    };
    await publish(github, { render });
    expect(previous[0]?.history).toEqual(history);
    expect(parseMarker(github.comments[0]!.body)?.history).toEqual(history);
  });

  it('is left as it is when it says the same already', async () => {
    const github = await start();
    await publish(github);
    expect((await publish(github)).kind).toBe('unchanged');
    expect(writes(github)).toEqual(['POST 7/comments']);
  });
});

describe('a slower, older run', () => {
  it.each([
    ['an earlier run', { run: 500, attempt: 1 }, { run: 501, attempt: 1 }],
    ['an earlier run that was repeated', { run: 500, attempt: 9 }, { run: 501, attempt: 1 }],
    ['an earlier attempt', { run: 500, attempt: 1 }, { run: 500, attempt: 2 }],
    ['an earlier run with more digits in its text', { run: 999, attempt: 1 }, { run: 1000, attempt: 1 }],
  ])('never overwrites a newer one: %s', async (_, older, newer) => {
    const github = await start();
    const there = github.add({ issue: 7, author: actionsBot, body: text('newer', newer) });
    const result = await publish(github, older);
    expect(result).toMatchObject({ kind: 'skipped', url: expect.stringContaining(String(there.id)) });
    expect(github.comments).toEqual([there]);
    expect(writes(github)).toEqual([]);
  });
});

describe('two at the same time', () => {
  it('leave one comment, the older one, with the text of the newer run', async () => {
    const github = await start();
    github.afterEach((seen) => {
      const first = seen.method === 'GET' && github.comments.length === 0;
      if (first) github.add({ issue: 7, author: actionsBot, body: text('the other run', { run: 499 }) });
    });
    expect((await publish(github)).kind).toBe('updated');
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toBe(text('p99 rose'));
  });

  it('leave the text of the newer run when that one was first', async () => {
    const github = await start();
    github.afterEach((seen) => {
      const first = seen.method === 'GET' && github.comments.length === 0;
      if (first) github.add({ issue: 7, author: actionsBot, body: text('the other run', { run: 501 }) });
    });
    expect((await publish(github)).kind).toBe('skipped');
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('the other run');
  });

  it('are not left behind by a creation that worked although it was answered by 502', async () => {
    const github = await start();
    github.fail({
      method: 'POST',
      path: /comments$/,
      status: 502,
      message: 'Bad Gateway',
      times: 1,
      carriedOut: true,
    });
    expect((await publish(github)).kind).toBe('updated');
    expect(github.comments).toHaveLength(1);
  });
});

describe('a comment that was deleted in between', () => {
  it('is created anew', async () => {
    const github = await start();
    const there = github.add({ issue: 7, author: actionsBot, body: text('earlier', { run: 1 }) });
    github.afterEach((seen) => {
      if (seen.method === 'GET') github.remove(there.id);
    });
    expect((await publish(github)).kind).toBe('created');
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toBe(text('p99 rose'));
  });
});

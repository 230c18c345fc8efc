import { afterEach, describe, expect, it } from 'vitest';
import { type CommentRequest, type CommentResult, publishComment } from '../../src/github/comment.ts';
import { type Marker, makeMarker, parseMarker } from '../../src/report/marker.ts';
import { connectTo } from './connection.ts';
import { type Account, actionsBot, stranger } from './fixtures.ts';
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

const gate = { id: 'default', run: 500, attempt: 1 };

function text(said: string, marker: Partial<Marker> = {}): string {
  return `${makeMarker({ ...gate, history: [], ...marker })}\n${said}`;
}

function request(wanted: Partial<CommentRequest<Marker>> = {}): CommentRequest<Marker> {
  const { id, run, attempt } = { ...gate, ...wanted };
  return {
    ...gate,
    number: 7,
    mode: 'always',
    outcome: 'regression',
    moved: true,
    fromFork: false,
    parseMarker,
    render: () => [text('p99 rose', { id, run, attempt })],
    ...wanted,
  };
}

async function publish(
  github: GitHubServer,
  wanted: Partial<CommentRequest<Marker>> = {},
): Promise<CommentResult> {
  const { client } = await connectTo(github);
  return await publishComment(client, request(wanted));
}

const writes = (github: GitHubServer): string[] =>
  github.requests
    .filter((seen) => seen.method !== 'GET' && seen.path !== '/graphql')
    .map((seen) => `${seen.method} ${seen.path.replace('/repos/acme/shop/issues/', '')}`);

function notice(result: CommentResult): string {
  expect(result.kind).toBe('refused');
  return result.kind === 'refused' ? `${result.notice.message} ${result.notice.hint ?? ''}` : '';
}

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

describe('a text that is too long', () => {
  const forms = [text('x'.repeat(70_000)), text('y'.repeat(66_000)), text('the verdict and a link')];

  it('is posted in the longest form that GitHub takes', async () => {
    const github = await start();
    expect((await publish(github, { render: () => forms })).kind).toBe('created');
    expect(github.comments[0]?.body).toBe(forms[2]);
    expect(writes(github)).toHaveLength(3);
  });

  it('replaces the earlier one in its shorter form', async () => {
    const github = await start();
    github.add({ issue: 7, author: actionsBot, body: text('earlier', { run: 1 }) });
    expect((await publish(github, { render: () => forms })).kind).toBe('updated');
    expect(github.comments[0]?.body).toBe(forms[2]);
  });

  it('is a notice when GitHub takes no form of it', async () => {
    const github = await start();
    const said = notice(await publish(github, { render: () => forms.slice(0, 2) }));
    expect(said).toContain('422');
    expect(said).toContain('The verdict stands');
    expect(github.comments).toEqual([]);
  });
});

describe('a refusal by GitHub', () => {
  it('names the missing permission', async () => {
    const said = notice(await publish(await start({ pullRequests: 'read' })));
    expect(said).toContain('pull-requests: write');
    expect(said).toContain('Resource not accessible by integration');
    expect(said).not.toContain('fork');
  });

  it('names the missing permission when an earlier comment is there as well', async () => {
    const github = await start({ pullRequests: 'read' });
    github.add({ issue: 7, author: actionsBot, body: text('earlier', { run: 1 }) });
    expect(notice(await publish(github))).toContain('pull-requests: write');
  });

  it('names the fork when the pull request comes from one', async () => {
    const said = notice(await publish(await start({ pullRequests: 'read' }), { fromFork: true }));
    expect(said).toContain('comes from a fork');
    expect(said).toContain('job summary');
    expect(said).not.toContain('pull-requests: write');
  });

  it('names the lock of a conversation', async () => {
    const github = await start();
    github.fail({
      method: 'POST',
      path: /comments$/,
      status: 403,
      message: 'Unable to create comment because issue is locked.',
      times: 1,
    });
    expect(notice(await publish(github))).toContain('conversation of this pull request is locked');
  });

  it('names the limit on the rate of requests', async () => {
    const github = await start();
    github.fail({
      method: 'POST',
      path: /comments$/,
      status: 403,
      message: 'You have exceeded a secondary rate limit.',
      headers: { 'retry-after': '3600' },
      times: 1,
    });
    const said = notice(await publish(github));
    expect(said).toContain('limits the rate');
    expect(said).not.toContain('pull-requests: write');
  });

  it('is a notice after three failures of the server, wherever they happen', async () => {
    for (const [method, path] of [
      ['GET', /comments$/],
      ['POST', /comments$/],
      ['PATCH', /comments\/\d+$/],
    ] as const) {
      const github = await startGitHub();
      if (method === 'PATCH') github.add({ issue: 7, author: actionsBot, body: text('earlier', { run: 1 }) });
      github.fail({ method, path, status: 503, message: 'Service Unavailable', times: 3 });
      expect(notice(await publish(github))).toContain('503');
      await github.close();
    }
  });

  it('names the token that is not accepted', async () => {
    const { client } = await connectTo(await start(), { token: 'ghs_wrong' });
    expect(notice(await publishComment(client, request()))).toContain('does not accept the token');
  });

  it('is a notice even when our own text could not be made', async () => {
    const render = () => {
      throw new Error('a broken template');
    };
    expect(notice(await publish(await start(), { render }))).toContain('a broken template');
  });

  it('while tidying up leaves the comment that was made', async () => {
    const github = await start();
    github.afterEach((seen) => {
      if (seen.method === 'POST' && seen.path !== '/graphql') {
        github.fail({ method: 'GET', path: /comments$/, status: 500, message: 'Oops', times: 3 });
      }
    });
    expect((await publish(github)).kind).toBe('created');
    expect(github.comments).toHaveLength(1);
  });
});

describe('the mode', () => {
  const first: readonly [
    CommentRequest<Marker>['mode'],
    CommentRequest<Marker>['outcome'],
    boolean,
    CommentResult['kind'],
  ][] = [
    ['always', 'pass', false, 'created'],
    ['always', 'skipped', false, 'created'],
    ['on-change', 'pass', false, 'skipped'],
    ['on-change', 'skipped', false, 'skipped'],
    ['on-change', 'pass', true, 'created'],
    ['on-change', 'inconclusive', false, 'created'],
    ['on-change', 'regression', true, 'created'],
    ['on-regression', 'pass', true, 'skipped'],
    ['on-regression', 'invalid', false, 'skipped'],
    ['on-regression', 'regression', true, 'created'],
    ['never', 'regression', true, 'skipped'],
  ];

  it.each(first)('%s, on %s (moved: %s): a first comment is %s', async (mode, outcome, moved, kind) => {
    const github = await start();
    expect((await publish(github, { mode, outcome, moved })).kind).toBe(kind);
    expect(github.comments).toHaveLength(kind === 'created' ? 1 : 0);
  });

  it.each(['always', 'on-change', 'on-regression'] as const)(
    '%s keeps a comment that is there true: a mended regression is not announced on',
    async (mode) => {
      const github = await start();
      await publish(github, { mode });
      const render = () => [text('all is well', { run: 501 })];
      const result = await publish(github, { mode, run: 501, outcome: 'pass', moved: false, render });
      expect(result.kind).toBe('updated');
      expect(github.comments[0]?.body).toContain('all is well');
    },
  );

  it('never sends a single request', async () => {
    const github = await start();
    await publish(github, { mode: 'never' });
    expect(github.requests).toEqual([]);
  });
});

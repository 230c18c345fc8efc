import { afterEach, describe, expect, it } from 'vitest';
import { type CommentRequest, type CommentResult, publishComment } from '../../src/github/comment.ts';
import type { Marker } from '../../src/report/marker.ts';
import { connectTo } from './connection.ts';
import { actionsBot } from './fixtures.ts';
import { notice, publish, request, text, writes } from './gate-comment.ts';
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

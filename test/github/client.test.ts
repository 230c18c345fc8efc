import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect, GitHubRefusal, type IssueComment } from '../../src/github/client.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { realClock } from '../../src/kernel/world.ts';
import { connectTo, token } from './connection.ts';
import { findRoute, requestProblems } from './description.ts';
import { actionsBot, stranger } from './fixtures.ts';
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

async function all(comments: AsyncIterable<IssueComment>): Promise<IssueComment[]> {
  const list: IssueComment[] = [];
  for await (const comment of comments) list.push(comment);
  return list;
}

async function refusal(work: Promise<unknown>): Promise<GitHubRefusal> {
  const thrown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(GitHubRefusal);
  return thrown as GitHubRefusal;
}

describe('the author behind a token', () => {
  it('is the bot for the token of a job, which GET /user refuses', async () => {
    const { client } = await connectTo(await start());
    expect(await client.author()).toBe('github-actions[bot]');
  });

  it('is the App for the token of an App', async () => {
    const github = await start({ account: { login: 'perf-keeper[bot]', id: 9, type: 'Bot' } });
    const { client } = await connectTo(github);
    expect(await client.author()).toBe('perf-keeper[bot]');
  });

  it('is asked by REST where there is no GraphQL', async () => {
    const github = await start({
      graphql: false,
      tokenKind: 'personal',
      account: { login: 'ada', id: 5, type: 'User' },
    });
    const { client } = await connectTo(github);
    expect(await client.author()).toBe('ada');
    expect(github.requests.map((request) => request.path)).toEqual(['/graphql', '/user']);
  });

  it('is taken to be the bot of Actions where neither answers', async () => {
    const { client } = await connectTo(await start({ graphql: false }));
    expect(await client.author()).toBe('github-actions[bot]');
  });
});

describe('comments', () => {
  it('come from every page, a hundred at a time, oldest first', async () => {
    const github = await start();
    for (let index = 0; index < 205; index++) github.add({ issue: 7, author: stranger, body: `${index}` });
    github.add({ issue: 8, author: stranger, body: 'of another pull request' });
    const { client } = await connectTo(github);
    const bodies = (await all(client.comments(7))).map((comment) => comment.body);
    expect(bodies).toEqual(Array.from({ length: 205 }, (_, index) => `${index}`));
    expect(github.requests).toHaveLength(3);
    expect(github.requests.every((request) => request.query.includes('per_page=100'))).toBe(true);
  });

  it('of an account that is gone have no author', async () => {
    const github = await start();
    github.add({ issue: 7, author: null, body: 'farewell' });
    const { client } = await connectTo(github);
    expect((await all(client.comments(7)))[0]?.author).toBeNull();
  });

  it('are created, changed and deleted', async () => {
    const github = await start();
    const { client } = await connectTo(github);
    const created = await client.createComment(7, 'first');
    expect(created).toMatchObject({ body: 'first', author: actionsBot.login });
    expect(created.url).toContain(`/acme/shop/pull/7#issuecomment-${created.id}`);
    expect((await client.updateComment(created.id, 'second')).body).toBe('second');
    await client.deleteComment(created.id);
    expect(github.comments).toEqual([]);
  });
});

describe('the merge-base', () => {
  const [one, two, base] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string];

  it('is told for two commits', async () => {
    const { client } = await connectTo(await start({ mergeBases: { [`${one}...${two}`]: base } }));
    expect(await client.mergeBase(one, two)).toBe(base);
  });

  it('of commits without a common ancestor is a refusal with the route and the status', async () => {
    const { client } = await connectTo(await start());
    const thrown = await refusal(client.mergeBase(one, two));
    expect(thrown.code).toBe('github');
    expect(thrown.status).toBe(404);
    expect(thrown.message).toContain('/compare/');
  });
});

describe('an answer that is a failure', () => {
  it('is asked for again after 1 and 4 seconds, and no more', async () => {
    const github = await start();
    github.fail({ method: 'POST', path: /comments$/, status: 502, message: 'Bad Gateway', times: 3 });
    const { client, waits } = await connectTo(github);
    const thrown = await refusal(client.createComment(7, 'hello'));
    expect(thrown.status).toBe(502);
    expect(waits).toEqual([1, 4]);
    expect(github.requests).toHaveLength(3);
  });

  it('is forgotten when the next attempt succeeds', async () => {
    const github = await start();
    github.fail({ method: 'POST', path: /comments$/, status: 500, message: 'Oops', times: 1 });
    const { client, waits } = await connectTo(github);
    expect((await client.createComment(7, 'hello')).body).toBe('hello');
    expect(waits).toEqual([1]);
  });

  it('is asked for again when there was no answer at all', async () => {
    const github = await start();
    const { client, waits } = await connectTo(github);
    await github.close();
    server = undefined;
    expect((await refusal(client.createComment(7, 'hello'))).status).toBe(500);
    expect(waits).toEqual([1, 4]);
  });

  it('is not asked for again when it is a plain refusal', async () => {
    const github = await start({ pullRequests: 'read' });
    const { client, waits } = await connectTo(github);
    const thrown = await refusal(client.createComment(7, 'hello'));
    expect(thrown).toMatchObject({ status: 403, rateLimited: false });
    expect(thrown.message).toContain('Resource not accessible by integration');
    expect(waits).toEqual([]);
  });
});

describe('a limit on the rate of requests', () => {
  const limit = {
    method: 'POST',
    path: /comments$/,
    status: 403,
    message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
  };

  it('is waited for as long as GitHub names', async () => {
    const github = await start();
    github.fail({ ...limit, headers: { 'retry-after': '17' }, times: 1 });
    const { client, waits } = await connectTo(github);
    expect((await client.createComment(7, 'hello')).body).toBe('hello');
    expect(waits).toEqual([17]);
  });

  it('is waited for a minute when GitHub names no time', async () => {
    const github = await start();
    github.fail({ ...limit, times: 1 });
    const { client, waits } = await connectTo(github);
    await client.createComment(7, 'hello');
    expect(waits).toEqual([60]);
  });

  it('is not waited for when it takes longer than a job should wait for a comment', async () => {
    const github = await start();
    github.fail({ ...limit, status: 429, headers: { 'retry-after': '600' }, times: 1 });
    github.fail({ ...limit, headers: { 'x-ratelimit-remaining': '0' }, times: 1 });
    const { client, waits } = await connectTo(github);
    expect((await refusal(client.createComment(7, 'hello'))).rateLimited).toBe(true);
    expect((await refusal(client.createComment(7, 'hello'))).rateLimited).toBe(true);
    expect(waits).toEqual([]);
  });
});

describe('the token', () => {
  it('is sent to GitHub, and shown nowhere else', async () => {
    const written: string[] = [];
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0),
    );
    const consoles = (['log', 'warn', 'error', 'info', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...parts) => written.push(parts.join(' '))),
    );
    const github = await start();
    github.fail({
      method: 'POST',
      path: /comments$/,
      status: 403,
      message: `the token ${token} may not do this`,
      times: 1,
    });
    const { client } = await connectTo(github);
    const thrown = await refusal(client.createComment(7, 'hello'));
    for (const spy of [...spies, ...consoles]) spy.mockRestore();
    expect(github.requests[0]?.headers['authorization']).toContain(token);
    expect(`${thrown.message} ${thrown.stack} ${JSON.stringify(thrown)}`).not.toContain(token);
    expect(thrown.message).toContain('***');
    expect(written.join('\n')).not.toContain(token);
  });

  it('that is wrong is a refusal with status 401', async () => {
    const { client } = await connectTo(await start(), { token: 'ghs_wrong' });
    expect((await refusal(client.createComment(7, 'hello'))).status).toBe(401);
  });

  it('that is empty is a clear error', async () => {
    const settings = { token: '', repository: 'acme/shop', apiUrl: 'http://127.0.0.1:1', clock: realClock };
    await expect(connect(settings)).rejects.toThrow(TailgateError);
    await expect(connect(settings)).rejects.toThrow('no token');
  });
});

describe('the judge over every exchange', () => {
  it('knows a request that GitHub would not understand', () => {
    const route = findRoute('POST', '/repos/acme/shop/issues/7/comments');
    expect(route?.id).toBe('issues/create-comment');
    const none = new URLSearchParams();
    expect(requestProblems(route!, none, { body: 'hello' })).toEqual([]);
    expect(requestProblems(route!, none, { body: 7 })).not.toEqual([]);
    expect(requestProblems(route!, none, {})).not.toEqual([]);
    expect(requestProblems(route!, none, undefined)).not.toEqual([]);
    expect(requestProblems(route!, new URLSearchParams('page_size=100'), { body: 'x' })).not.toEqual([]);
    const seven = findRoute('GET', '/repos/acme/shop/issues/seven/comments');
    expect(requestProblems(seven!, none, undefined)).not.toEqual([]);
    expect(findRoute('GET', '/repos/acme/shop/nowhere')).toBeNull();
  });

  it('fails the test that asked for a route GitHub has not', async () => {
    const github = await start();
    await fetch(`${github.url}/repos/acme/shop/nowhere`, { headers: { authorization: `token ${token}` } });
    server = undefined;
    await expect(github.close()).rejects.toThrow('GitHub has no such route');
  });
});

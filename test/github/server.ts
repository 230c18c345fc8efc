/** A GitHub on this machine: the few routes Tailgate uses, with state, faults, and a judge over every exchange. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerProblems, findRoute, requestProblems } from './description.ts';
import {
  type Account,
  actionsBot,
  type StoredArtifact,
  type StoredComment,
  type StoredPullRequest,
} from './fixtures.ts';
import { type Answer, numericId, operationsOf, refusal } from './operations.ts';

/** An answer that is given instead of the right one. */
export interface Fault {
  readonly method: string;
  /** Matched against the path without its query. */
  readonly path: RegExp;
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How often; it is forgotten then. */
  readonly times: number;
  /** Whether the request is carried out all the same, as behind a gateway that gave up waiting. */
  readonly carriedOut?: boolean;
}

export interface ServerSettings {
  readonly repository: string;
  readonly token: string;
  /** Who the token writes as. */
  readonly account: Account;
  /** `installation`: GITHUB_TOKEN or that of an App, which GET /user refuses. */
  readonly tokenKind: 'installation' | 'personal';
  /** What the token may do with pull requests. */
  readonly pullRequests: 'write' | 'read';
  /** A server without GraphQL answers 404 there. */
  readonly graphql: boolean;
  /** baseline...candidate -> merge-base. */
  readonly mergeBases: Readonly<Record<string, string>>;
  readonly pulls: readonly StoredPullRequest[];
  readonly artifacts: readonly StoredArtifact[];
  /** Whether runs are filtered by their commit; an older server takes no notice of a parameter it does not know. */
  readonly filtersByCommit: boolean;
  /** Where an archive is downloaded from, by the id of its artifact. */
  readonly archives: Readonly<Record<number, string>>;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface GitHubServer {
  readonly url: string;
  readonly comments: readonly StoredComment[];
  readonly requests: readonly SeenRequest[];
  /** Requests and answers that GitHub's description does not allow, and routes that do not exist. */
  readonly problems: readonly string[];
  add(comment: Omit<StoredComment, 'id'>): StoredComment;
  remove(id: number): void;
  fail(fault: Fault): void;
  /** Called after each request was answered, to let something else happen in between. */
  afterEach(action: (request: SeenRequest) => void): void;
  /** Stops; throws when there were problems, so that no test passes over them. */
  close(): Promise<void>;
}

export async function startGitHub(wanted: Partial<ServerSettings> = {}): Promise<GitHubServer> {
  const settings: ServerSettings = {
    repository: 'acme/shop',
    token: 'ghs_0123456789abcdefghijklmnopqrstuvwxyz',
    account: actionsBot,
    tokenKind: 'installation',
    pullRequests: 'write',
    graphql: true,
    mergeBases: {},
    pulls: [],
    artifacts: [],
    filtersByCommit: true,
    archives: {},
    ...wanted,
  };
  let comments: readonly StoredComment[] = [];
  let lastId = 1_000;
  let faults: Fault[] = [];
  const requests: SeenRequest[] = [];
  const problems: string[] = [];
  const actions: ((request: SeenRequest) => void)[] = [];
  let url = '';

  const operations = operationsOf(settings, {
    all: () => comments,
    add: (comment) => add(comment),
    replace: (all) => {
      comments = all;
    },
    url: () => url,
  });

  const add = (comment: Omit<StoredComment, 'id'>): StoredComment => {
    lastId += 1;
    const stored = { ...comment, id: lastId };
    comments = [...comments, stored];
    return stored;
  };
  const takeFault = (request: SeenRequest): Fault | undefined => {
    const index = faults.findIndex(
      (fault) => fault.method === request.method && fault.path.test(request.path),
    );
    const fault = faults[index];
    if (fault === undefined) return undefined;
    faults = faults.flatMap((one) =>
      one !== fault ? [one] : one.times > 1 ? [{ ...one, times: one.times - 1 }] : [],
    );
    return fault;
  };

  const answer = (request: SeenRequest): Answer => {
    const fault = takeFault(request);
    const faulty = fault && { ...refusal(fault.status, fault.message), headers: fault.headers ?? {} };
    if (request.method === 'POST' && request.path === '/graphql') return faulty ?? viewer(request);
    const path = request.path.replace(`/repositories/${numericId}/`, `/repos/${settings.repository}/`);
    const label = `${request.method} ${request.path}`;
    const route = findRoute(request.method, path);
    const operation = route && operations[route.id];
    if (!route || !operation) {
      problems.push(
        `${label}: ${route ? `this server does not play ${route.id}` : 'GitHub has no such route'}`,
      );
      return refusal(404, 'Not Found');
    }
    const wrong = requestProblems(route, new URLSearchParams(request.query), request.body);
    problems.push(...wrong.map((problem) => `${label}: ${problem}`));
    if (wrong.length > 0) return refusal(400, 'Problems parsing the request');
    const elsewhere = path.startsWith('/repos/') && !path.startsWith(`/repos/${settings.repository}/`);
    if (elsewhere) return refusal(404, 'Not Found');
    const right = faulty === undefined || fault?.carriedOut === true ? operation(request, route) : undefined;
    const given = (faulty ?? right)!;
    for (const problem of answerProblems(route, given.status, given.body)) {
      problems.push(`answer to ${label}: ${problem}`);
    }
    return given;
  };

  /** GraphQL is not in the OpenAPI description; exactly one query is known. */
  const viewer = (request: SeenRequest): Answer => {
    if (!settings.graphql) return refusal(404, 'Not Found');
    const { query } = request.body as { query?: string };
    if (query?.replace(/\s+/g, ' ').trim() !== 'query { viewer { login } }') {
      problems.push(`POST /graphql: unknown query ${query}`);
      return refusal(404, 'Not Found');
    }
    return { status: 200, body: { data: { viewer: { login: settings.account.login } } } };
  };

  const admit = (request: SeenRequest): Answer | null => {
    if (request.headers['user-agent'] === undefined) return refusal(403, 'Request forbidden: no user agent');
    const authorization = request.headers['authorization'] ?? '';
    if (authorization !== `token ${settings.token}` && authorization !== `bearer ${settings.token}`) {
      return refusal(401, 'Bad credentials');
    }
    return null;
  };

  const server = createServer((incoming, outgoing) => {
    void receive(incoming).then((request) => {
      requests.push(request);
      send(outgoing, admit(request) ?? answer(request));
      for (const action of actions) action(request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    get comments() {
      return comments;
    },
    requests,
    problems,
    add,
    remove: (id) => {
      comments = comments.filter((comment) => comment.id !== id);
    },
    fail: (fault) => {
      faults = [...faults, fault];
    },
    afterEach: (action) => {
      actions.push(action);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (problems.length > 0) throw new Error(`GitHub would not understand:\n${problems.join('\n')}`);
    },
  };
}

async function receive(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const [path = '', query = ''] = (incoming.url ?? '').split('?');
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    method: incoming.method ?? '',
    path,
    query,
    headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

function send(outgoing: ServerResponse, answer: Answer): void {
  const headers = { 'x-github-request-id': 'TEST:0', ...answer.headers };
  if (answer.body === undefined) {
    outgoing.writeHead(answer.status, headers).end();
    return;
  }
  outgoing.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  outgoing.end(JSON.stringify(answer.body));
}

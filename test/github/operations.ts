/** What the GitHub on this machine does when asked well: one function per operation of the description. */
import { type Route, sample } from './description.ts';
import { comparison, issueComment, publicUser, type StoredArtifact, type StoredComment } from './fixtures.ts';
import type { SeenRequest, ServerSettings } from './server.ts';

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where the comments are kept. */
export interface Store {
  all(): readonly StoredComment[];
  add(comment: Omit<StoredComment, 'id'>): StoredComment;
  replace(all: readonly StoredComment[]): void;
  url(): string;
}

export type Operation = (request: SeenRequest, route: Route) => Answer;

/** GitHub links from page to page by the number of the repository, not by its name. */
export const numericId = 4711;
/** GitHub's own limit, in characters. */
const longestBody = 65_536;

export function refusal(status: number, message: string): Answer {
  return {
    status,
    body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  };
}

const forbidden = refusal(403, 'Resource not accessible by integration');
const notFound = refusal(404, 'Not Found');
const tooLong: Answer = {
  status: 422,
  body: {
    message: 'Validation Failed',
    documentation_url: 'https://docs.github.com/rest',
    errors: [
      {
        resource: 'IssueComment',
        code: 'unprocessable',
        field: 'data',
        message: `Body is too long (maximum is ${longestBody} characters)`,
      },
    ],
  },
};

export function operationsOf(settings: ServerSettings, store: Store): Readonly<Record<string, Operation>> {
  const shown = (comment: StoredComment) => issueComment(settings.repository, comment);
  const bodyOf = (request: SeenRequest): string => (request.body as { body: string }).body;

  return {
    'issues/list-comments': (request, route) => {
      const issue = Number(route.path['issue_number']);
      const query = new URLSearchParams(request.query);
      const size = Math.min(Number(query.get('per_page') ?? 30), 100);
      const page = Number(query.get('page') ?? 1);
      const all = store.all().filter((comment) => comment.issue === issue);
      const last = Math.max(1, Math.ceil(all.length / size));
      const at = (wanted: number, rel: string) =>
        `<${store.url()}/repositories/${numericId}/issues/${issue}/comments?per_page=${size}&page=${wanted}>; rel="${rel}"`;
      const links = [
        ...(page > 1 ? [at(page - 1, 'prev'), at(1, 'first')] : []),
        ...(page < last ? [at(page + 1, 'next'), at(last, 'last')] : []),
      ];
      return {
        status: 200,
        body: all.slice((page - 1) * size, page * size).map(shown),
        headers: links.length === 0 ? {} : { link: links.join(', ') },
      };
    },

    'issues/create-comment': (request, route) => {
      if (settings.pullRequests === 'read') return forbidden;
      if (bodyOf(request).length > longestBody) return tooLong;
      const issue = Number(route.path['issue_number']);
      return {
        status: 201,
        body: shown(store.add({ issue, author: settings.account, body: bodyOf(request) })),
      };
    },

    'issues/update-comment': (request, route) => {
      const id = Number(route.path['comment_id']);
      const old = store.all().find((comment) => comment.id === id);
      if (old === undefined) return notFound;
      if (settings.pullRequests === 'read') return forbidden;
      if (bodyOf(request).length > longestBody) return tooLong;
      const changed = { ...old, body: bodyOf(request) };
      store.replace(store.all().map((comment) => (comment.id === id ? changed : comment)));
      return { status: 200, body: shown(changed) };
    },

    'issues/delete-comment': (_, route) => {
      const id = Number(route.path['comment_id']);
      if (settings.pullRequests === 'read') return forbidden;
      if (!store.all().some((comment) => comment.id === id)) return notFound;
      store.replace(store.all().filter((comment) => comment.id !== id));
      return { status: 204 };
    },

    'users/get-authenticated': () =>
      settings.tokenKind === 'installation' ? forbidden : { status: 200, body: publicUser(settings.account) },

    'repos/compare-commits-with-basehead': (_, route) => {
      const [baseline = '', candidate = ''] = (route.path['basehead'] ?? '').split('...');
      const found = settings.mergeBases[`${baseline}...${candidate}`];
      if (found === undefined) return notFound;
      return { status: 200, body: comparison(settings.repository, baseline, candidate, found) };
    },

    'pulls/get': (_, route) => {
      const number = Number(route.path['pull_number']);
      const found = settings.pulls.find((one) => one.number === number);
      if (found === undefined) return notFound;
      const whole = sample('pull-request', { number, body: found.body });
      return { status: 200, body: { ...whole, head: { ...(whole['head'] as object), sha: found.headSha } } };
    },

    'actions/list-workflow-runs-for-repo': (request) => {
      const query = new URLSearchParams(request.query);
      const all = settings.artifacts.filter(
        (one) =>
          one.event === query.get('event') &&
          (!settings.filtersByCommit || one.headSha === query.get('head_sha')),
      );
      const runs = all.filter((one, index) => all.findIndex((other) => other.run === one.run) === index);
      return { status: 200, body: { total_count: runs.length, workflow_runs: runs.map(workflowRun) } };
    },

    'actions/list-workflow-run-artifacts': (request, route) => {
      const name = new URLSearchParams(request.query).get('name');
      const run = Number(route.path['run_id']);
      const found = settings.artifacts.filter((one) => one.run === run && one.name === name);
      const artifacts = found.map(({ id, size, expired }) =>
        sample('artifact', { id, name, size_in_bytes: size, expired }),
      );
      return { status: 200, body: { total_count: found.length, artifacts } };
    },

    'actions/download-artifact': (_, route) => {
      const location = settings.archives[Number(route.path['artifact_id'])];
      return location === undefined ? notFound : { status: 302, headers: { location } };
    },
  };
}

const workflowRun = ({ run, attempt, event, headSha, numbers }: StoredArtifact) =>
  sample('workflow-run', {
    id: run,
    run_attempt: attempt,
    event,
    head_sha: headSha,
    pull_requests: numbers.map((number) => sample('pull-request-minimal', { number })),
  });

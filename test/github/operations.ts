/** What the GitHub on this machine does when asked well: one function per operation of the description. */
import type { Route } from './description.ts';
import { comparison, issueComment, publicUser, type StoredComment } from './fixtures.ts';
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
  };
}

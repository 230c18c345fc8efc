/** The REST and GraphQL calls Tailgate makes, with bounded retries: the only door to @actions/github. */
import { messageOf, TailgateError } from '../kernel/errors.ts';
import { type Bytes, bytes, secondsToNs } from '../kernel/units.ts';
import type { Clock } from '../kernel/world.ts';

type Octokit = ReturnType<typeof import('@actions/github').getOctokit>;

export interface IssueComment {
  readonly id: number;
  readonly body: string;
  readonly url: string;
  /** Login of the author; null when the account is gone. */
  readonly author: string | null;
}

/** A pull request as it is now; its event may be older. */
export interface PullRequestNow {
  readonly headSha: string;
  /** Whoever opened the pull request may edit it, and whoever may write to the repository; null when it is empty. */
  readonly body: string | null;
}

/** An artifact that can be downloaded, and which run it is from. */
export interface FoundArtifact {
  readonly id: number;
  readonly run: number;
  readonly attempt: number;
  /** Of the archive. */
  readonly size: Bytes;
}

export interface GitHubClient {
  /** The login that writes with this token, as comments of that author carry it. */
  author(): Promise<string>;
  /** Every comment of a pull request, oldest first, page by page. */
  comments(number: number): AsyncIterable<IssueComment>;
  createComment(number: number, body: string): Promise<IssueComment>;
  updateComment(comment: number, body: string): Promise<IssueComment>;
  deleteComment(comment: number): Promise<void>;
  /** The hash of the best common ancestor, for clones that are too shallow to know it. */
  mergeBase(baseline: string, candidate: string): Promise<string>;
  pullRequest(number: number): Promise<PullRequestNow>;
  /** The artifact of this name from the newest `pull_request` run at the head of a pull request; null without one. */
  artifact(
    name: string,
    of: { readonly number: number; readonly headSha: string },
  ): Promise<FoundArtifact | null>;
}

export interface ClientSettings {
  readonly token: string;
  /** owner/name. */
  readonly repository: string;
  readonly apiUrl: string;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** What GitHub answered instead of doing what it was asked. Never carries the token. */
export class GitHubRefusal extends TailgateError {
  /** The HTTP status; 500 as well when there was no answer at all. */
  readonly status: number;
  /** GitHub's own words. */
  readonly answer: string;
  readonly rateLimited: boolean;

  constructor(details: {
    readonly status: number;
    readonly answer: string;
    readonly route: string;
    readonly rateLimited: boolean;
  }) {
    super({
      code: 'github',
      message: `GitHub answered ${details.status} to ${details.route}: ${details.answer}`,
    });
    this.name = 'GitHubRefusal';
    this.status = details.status;
    this.answer = details.answer;
    this.rateLimited = details.rateLimited;
  }
}

const attempts = 3;
/** Seconds before the second and the third attempt after an answer from 500 up, or none. */
const patience = [1, 4] as const;
/** GitHub asks for a minute when it names no time, and a job should not wait much longer for a comment. */
const secondaryLimitSeconds = { unnamed: 60, most: 90 } as const;
const attemptTimeout = 30_000;
/** 100 comments a page is the most GitHub gives; 200 pages is far beyond any conversation. */
const pages = { size: 100, most: 200 } as const;
/** Runs at one commit that are asked for an artifact: each costs a request. */
const mostRuns = 30;

/**
 * Opens the connection. @actions/github reads the event payload while it is imported, so that a broken payload
 * would end the process with a stack trace: it is imported here, after the payload was read with a clear error.
 * @throws TailgateError `github` when the token is empty or the payload is broken; nothing else.
 */
export async function connect(settings: ClientSettings): Promise<GitHubClient> {
  if (settings.token === '') {
    throw new TailgateError({
      code: 'github',
      message: 'There is no token to talk to GitHub with.',
      hint: 'Leave the input `token` out (it defaults to the token of the job) or give one that is not empty.',
    });
  }
  const { getOctokit } = await import('@actions/github').catch((thrown: unknown) => {
    throw new TailgateError({
      code: 'github',
      message: `There is no way to talk to GitHub: ${messageOf(thrown)}`,
      hint: 'The file in GITHUB_EVENT_PATH has to be the one the runner wrote.',
      cause: thrown,
    });
  });
  const silent = () => {};
  const octokit = getOctokit(settings.token, {
    baseUrl: settings.apiUrl,
    userAgent: 'tailgate',
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  retryWithinReason(octokit, settings);

  const [owner = '', repo = ''] = settings.repository.split('/');
  return {
    author: () => authorOf(octokit),
    comments: (number) => commentsOf(octokit, { owner, repo, number }),
    async createComment(number, body) {
      const answer = await octokit.rest.issues.createComment({ owner, repo, issue_number: number, body });
      return toComment(answer.data);
    },
    async updateComment(comment, body) {
      const answer = await octokit.rest.issues.updateComment({ owner, repo, comment_id: comment, body });
      return toComment(answer.data);
    },
    async deleteComment(comment) {
      await octokit.rest.issues.deleteComment({ owner, repo, comment_id: comment });
    },
    async mergeBase(baseline, candidate) {
      // One commit a page: the list of commits is not wanted.
      const answer = await octokit.rest.repos.compareCommitsWithBasehead({
        owner,
        repo,
        basehead: `${baseline}...${candidate}`,
        per_page: 1,
      });
      return answer.data.merge_base_commit.sha;
    },
    async pullRequest(number) {
      const { data } = await octokit.rest.pulls.get({ owner, repo, pull_number: number });
      return { headSha: data.head.sha, body: data.body };
    },
    artifact: (name, of) => artifactOf(octokit, { owner, repo, name, ...of }),
  };
}

/**
 * Who we are. An installation token (GITHUB_TOKEN, or that of an App) is refused by GET /user, while GraphQL's
 * `viewer` answers for every kind of token, as `github-actions[bot]` or `some-app[bot]`: the very login that
 * comments carry. A server without GraphQL is asked by REST, and the last resort is who GITHUB_TOKEN is.
 */
async function authorOf(octokit: Octokit): Promise<string> {
  try {
    const answer = await octokit.graphql<{ viewer: { login: string } }>('query { viewer { login } }');
    return answer.viewer.login;
  } catch {
    try {
      return (await octokit.rest.users.getAuthenticated()).data.login;
    } catch {
      return 'github-actions[bot]';
    }
  }
}

async function* commentsOf(
  octokit: Octokit,
  { owner, repo, number }: { readonly owner: string; readonly repo: string; readonly number: number },
): AsyncIterable<IssueComment> {
  const everyPage = octokit.paginate.iterator(octokit.rest.issues.listComments, {
    owner,
    repo,
    issue_number: number,
    per_page: pages.size,
  });
  let seen = 0;
  for await (const page of everyPage) {
    for (const comment of page.data) yield toComment(comment);
    seen += 1;
    if (seen === pages.most) return;
  }
}

async function artifactOf(
  octokit: Octokit,
  wanted: {
    readonly owner: string;
    readonly repo: string;
    readonly name: string;
    readonly number: number;
    readonly headSha: string;
  },
): Promise<FoundArtifact | null> {
  const { owner, repo, name, number, headSha } = wanted;
  const answer = await octokit.rest.actions.listWorkflowRunsForRepo({
    owner,
    repo,
    event: 'pull_request',
    head_sha: headSha,
    per_page: pages.size,
  });
  const runs = answer.data.workflow_runs
    // Two pull requests may have one head and different baselines. GitHub names none for a head in a fork.
    .filter(
      ({ head_sha, pull_requests: all }) =>
        head_sha === headSha && (!all?.length || all.some((one) => one.number === number)),
    )
    .sort((one, other) => other.id - one.id)
    .slice(0, mostRuns);
  for (const run of runs) {
    const { data } = await octokit.rest.actions.listWorkflowRunArtifacts({
      owner,
      repo,
      run_id: run.id,
      name,
      per_page: pages.size,
    });
    const [newest] = data.artifacts
      .filter((one) => one.name === name && !one.expired)
      .sort((one, other) => other.id - one.id);
    if (newest !== undefined) {
      return { id: newest.id, run: run.id, attempt: run.run_attempt ?? 1, size: bytes(newest.size_in_bytes) };
    }
  }
  return null;
}

function toComment(answer: {
  readonly id: number;
  readonly body?: string;
  readonly html_url: string;
  readonly user: { readonly login: string } | null;
}): IssueComment {
  return { id: answer.id, body: answer.body ?? '', url: answer.html_url, author: answer.user?.login ?? null };
}

function retryWithinReason(octokit: Octokit, settings: ClientSettings): void {
  octokit.hook.wrap('request', async (request, options) => {
    for (let attempt = 0; ; attempt++) {
      try {
        const signal = AbortSignal.timeout(attemptTimeout);
        return await request({ ...options, request: { ...options.request, signal } });
      } catch (thrown) {
        const refusal = toRefusal(thrown, `${options.method} ${options.url}`, settings.token);
        const seconds = attempt + 1 < attempts ? secondsBeforeRetry(refusal, thrown, attempt) : null;
        if (seconds === null) throw refusal;
        await settings.clock.sleep(secondsToNs(seconds));
      }
    }
  });
}

/** Seconds to wait before asking again; null when asking again is of no use or takes too long. */
function secondsBeforeRetry(refusal: GitHubRefusal, thrown: unknown, attempt: number): number | null {
  if (refusal.status >= 500) return patience[attempt] ?? null;
  if (!refusal.rateLimited) return null;
  const headers = headersOf(thrown);
  // The hourly budget is used up: it comes back at the full hour, not within a job's patience.
  if (headers['x-ratelimit-remaining'] === '0' && headers['retry-after'] === undefined) return null;
  const named = Number(headers['retry-after'] ?? secondaryLimitSeconds.unnamed);
  return named >= 0 && named <= secondaryLimitSeconds.most ? named : null;
}

function toRefusal(thrown: unknown, route: string, token: string): GitHubRefusal {
  const status = statusOf(thrown);
  const answer = messageOf(thrown).replaceAll(token, '***');
  const headers = headersOf(thrown);
  const rateLimited =
    status === 429 ||
    (status === 403 &&
      (headers['retry-after'] !== undefined ||
        headers['x-ratelimit-remaining'] === '0' ||
        /rate limit/i.test(answer)));
  return new GitHubRefusal({ status, answer, route, rateLimited });
}

/** @octokit/request gives a status to every failure, 500 to a connection that broke. */
function statusOf(thrown: unknown): number {
  if (typeof thrown !== 'object' || thrown === null || !('status' in thrown)) return 500;
  return typeof thrown.status === 'number' ? thrown.status : 500;
}

function headersOf(thrown: unknown): Readonly<Record<string, string | undefined>> {
  const failure = thrown as { response?: { headers?: Record<string, string | number | undefined> } };
  return Object.fromEntries(
    Object.entries(failure.response?.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]),
  );
}

/** Objects as GitHub sends them, written by hand to satisfy its description. */

export interface Account {
  readonly login: string;
  readonly id: number;
  readonly type: 'User' | 'Bot';
}

/** The author that GITHUB_TOKEN writes as. */
export const actionsBot: Account = { login: 'github-actions[bot]', id: 41_898_282, type: 'Bot' };
export const stranger: Account = { login: 'mallory', id: 666, type: 'User' };

export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  readonly author: Account | null;
  readonly body: string;
}

/** A pull request as it is now. */
export interface StoredPullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly body: string | null;
}

/** An artifact with what its run is known by. */
export interface StoredArtifact {
  readonly id: number;
  readonly name: string;
  readonly run: number;
  readonly attempt: number;
  readonly event: string;
  readonly headSha: string;
  /** Pull requests that GitHub names for the run; none for a head in a fork. */
  readonly numbers: readonly number[];
  readonly size: number;
  readonly expired: boolean;
}

const day = '2026-03-01T12:00:00Z';

export function user(account: Account): Record<string, unknown> {
  const api = `https://api.github.com/users/${encodeURIComponent(account.login)}`;
  return {
    login: account.login,
    id: account.id,
    node_id: `U_${account.id}`,
    avatar_url: `https://avatars.githubusercontent.com/u/${account.id}?v=4`,
    gravatar_id: '',
    url: api,
    html_url: `https://github.com/${encodeURIComponent(account.login)}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: account.type,
    site_admin: false,
  };
}

/** What GET /user gives to a personal token. */
export function publicUser(account: Account): Record<string, unknown> {
  return {
    ...user(account),
    user_view_type: 'public',
    name: null,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 1,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: day,
    updated_at: day,
  };
}

export function issueComment(repository: string, comment: StoredComment): Record<string, unknown> {
  const api = `https://api.github.com/repos/${repository}/issues`;
  return {
    id: comment.id,
    node_id: `IC_${comment.id}`,
    url: `${api}/comments/${comment.id}`,
    html_url: `https://github.com/${repository}/pull/${comment.issue}#issuecomment-${comment.id}`,
    issue_url: `${api}/${comment.issue}`,
    body: comment.body,
    user: comment.author === null ? null : user(comment.author),
    created_at: day,
    updated_at: day,
    author_association: comment.author?.type === 'Bot' ? 'NONE' : 'CONTRIBUTOR',
    performed_via_github_app: null,
  };
}

export function comparison(
  repository: string,
  baseline: string,
  candidate: string,
  mergeBase: string,
): Record<string, unknown> {
  const page = `https://github.com/${repository}/compare/${baseline}...${candidate}`;
  return {
    url: `https://api.github.com/repos/${repository}/compare/${baseline}...${candidate}`,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: commit(repository, baseline),
    merge_base_commit: commit(repository, mergeBase),
    status: 'diverged',
    ahead_by: 1,
    behind_by: 1,
    total_commits: 1,
    commits: [commit(repository, candidate)],
    files: [],
  };
}

function commit(repository: string, sha: string): Record<string, unknown> {
  const api = `https://api.github.com/repos/${repository}`;
  const person = { name: 'Ada', email: 'ada@example.org', date: day };
  return {
    sha,
    node_id: `C_${sha}`,
    url: `${api}/commits/${sha}`,
    html_url: `https://github.com/${repository}/commit/${sha}`,
    comments_url: `${api}/commits/${sha}/comments`,
    commit: {
      url: `${api}/git/commits/${sha}`,
      author: person,
      committer: person,
      message: 'a commit',
      comment_count: 0,
      tree: { sha, url: `${api}/git/trees/${sha}` },
    },
    author: null,
    committer: null,
    parents: [],
  };
}

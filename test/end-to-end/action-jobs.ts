/** Jobs of an action on this machine: a repository with a service, checked out as a workflow does it, and its events. */
import { readdirSync, readFileSync } from 'node:fs';
import { Playground } from '../builds/repositories.ts';
import { token } from '../github/connection.ts';
import type { Job } from '../github/runner.ts';
import { type GitHubServer, type ServerSettings, startGitHub } from '../github/server.ts';

/** Every request costs this many steps of work, the same on every machine; and it ends as a service should. */
const serverSource = `
import { createServer } from 'node:http';
import { steps } from './work.mjs';
console.log('listening on', process.env.PORT);
createServer((request, response) => {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum = (sum * 31 + step) | 0;
  response.end(String(sum).length > 99 ? 'never' : 'ok');
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

export const steps = (count: number): string => `export const steps = ${count};\n`;
const quick = 10_000;
/** Several times the work: no noise of a machine comes near it. */
export const slow = 60_000;

/** The smallest plan that can find a regression: seven rounds of about two seconds. */
export const tinyPlan = [
  'start: node server.mjs',
  'rate: 1000',
  'slices: 4',
  'slice-requests: 50',
  'rounds: { aim: 7, least: 7, most: 7 }',
  'confirm: false',
  'warm-up: { requests: 200 }',
  'time-budget: 2m',
  'stop: { grace: 2s }',
  '',
].join('\n');

/**
 * ```
 * first ── fork ─────── tip       main
 *             \            \
 *              ── head ──── merge   refs/pull/7/merge
 * ```
 */
export interface Shop {
  readonly playground: Playground;
  readonly bare: string;
  readonly first: string;
  readonly fork: string;
  readonly tip: string;
  readonly head: string;
  readonly merge: string;
}

/** @param change the files that the pull request changes. */
export function openShop(
  change: Readonly<Record<string, string>>,
  plan: string = tinyPlan,
): Shop & Disposable {
  const playground = new Playground();
  const work = playground.repository('work');
  const first = playground.commit(work, 'first', { 'server.mjs': serverSource, 'work.mjs': steps(quick) });
  const fork = playground.commit(work, 'fork', { 'tailgate.yml': plan });
  playground.git(work, 'checkout', '--quiet', '-b', 'feature');
  const head = playground.commit(work, 'head', change);
  playground.git(work, 'checkout', '--quiet', 'main');
  const tip = playground.commit(work, 'tip');
  playground.git(work, 'checkout', '--quiet', '--detach');
  playground.git(work, 'merge', '--quiet', '--no-ff', '-m', 'trial', head);
  const merge = playground.git(work, 'rev-parse', 'HEAD');
  playground.git(work, 'update-ref', 'refs/pull/7/merge', merge);
  playground.git(work, 'update-ref', 'refs/pull/7/head', head);
  playground.git(work, 'checkout', '--quiet', 'main');
  const bare = playground.serve(work, 'origin.git');
  return {
    playground,
    bare,
    first,
    fork,
    tip,
    head,
    merge,
    [Symbol.dispose]: () => playground.remove(),
  };
}

/** The checkout of a pull request, step by step as actions/checkout makes it. */
export function checkoutPullRequest(shop: Shop, name = 'workspace'): string {
  const { playground } = shop;
  const folder = fetchAsCheckout(shop, name, shop.merge, 'refs/remotes/pull/7/merge');
  playground.git(folder, 'checkout', '--quiet', '--progress', '--force', 'refs/remotes/pull/7/merge');
  return folder;
}

/** The checkout of a push: on a branch, unlike that of a pull request. */
export function checkoutBranch(shop: Shop, sha: string, name = 'workspace'): string {
  const folder = fetchAsCheckout(shop, name, sha, 'refs/remotes/origin/main');
  const branch = ['-B', 'main', 'refs/remotes/origin/main'];
  shop.playground.git(folder, 'checkout', '--quiet', '--progress', '--force', ...branch);
  return folder;
}

function fetchAsCheckout({ playground, bare }: Shop, name: string, sha: string, place: string): string {
  const folder = playground.repository(name);
  playground.git(folder, 'remote', 'add', 'origin', `file://${bare}`);
  playground.git(folder, 'config', '--local', 'gc.auto', '0');
  const fetch = ['fetch', '--quiet', '--no-tags', '--prune', '--no-recurse-submodules', '--depth=1'];
  playground.git(folder, '-c', 'protocol.version=2', ...fetch, 'origin', `+${sha}:${place}`);
  return folder;
}

/** What a step of this job leaves lying about, seen from outside. */
export interface Scene extends AsyncDisposable {
  readonly shop: Shop;
  readonly server: GitHubServer;
  readonly workspace: string;
  /** TMPDIR of the job: whatever the step makes there should be gone after it. */
  readonly scratch: string;
  job(wanted?: Partial<Job>): Job;
  /** Worktrees of the checkout, itself left out. */
  worktrees(): readonly string[];
  /** Files and folders in `scratch`. */
  litter(): readonly string[];
  /** Processes that were started within this job and are alive. */
  processes(): readonly string[];
}

/** What happened to a pull request, with what GitHub says of it beside the pull request itself. */
const actions = {
  opened: () => ({}),
  synchronize: ({ first, head }: Shop) => ({ before: first, after: head }),
  labeled: () => ({ label: { id: 9, name: 'slower-on-purpose', color: 'd93f0b', default: false } }),
  edited: () => ({ changes: { body: { from: 'Hashes passwords.' } } }),
};
export type PullRequestAction = keyof typeof actions;

export async function pullRequestScene(
  shop: Shop,
  settings: Partial<ServerSettings> = {},
  name = 'workspace',
  action: PullRequestAction = 'synchronize',
): Promise<Scene> {
  const workspace = checkoutPullRequest(shop, name);
  const mergeBases = { [`${shop.tip}...${shop.head}`]: shop.fork };
  const server = await startGitHub({ mergeBases, ...settings });
  const home = 'acme/shop';
  const payload = {
    action,
    number: 7,
    ...actions[action](shop),
    pull_request: {
      number: 7,
      head: { sha: shop.head, ref: 'feature', repo: { full_name: home } },
      base: { sha: shop.tip, ref: 'main', repo: { full_name: home } },
    },
  };
  return sceneOf(shop, server, workspace, { event: 'pull_request', payload, sha: shop.merge });
}

/** A push of `sha` onto main, which stood at `before`. */
export async function pushScene(shop: Shop, sha: string, before: string): Promise<Scene> {
  const workspace = checkoutBranch(shop, sha);
  const server = await startGitHub();
  const payload = { ref: 'refs/heads/main', before, after: sha };
  return sceneOf(shop, server, workspace, { event: 'push', payload, sha });
}

/** A release of v1.1.0, checked out as a workflow does it: of v1.0.0, before it, the clone knows nothing. */
export async function releaseScene(
  { playground, bare, ...shop }: Shop,
  files: Readonly<Record<'earlier' | 'later', Readonly<Record<string, string>>>>,
): Promise<Scene> {
  const work = playground.path('work');
  playground.git(work, 'checkout', '--quiet', '--detach', shop.fork);
  for (const [tag, content] of [
    ['v1.0.0', files.earlier],
    ['v1.1.0', files.later],
  ] as const)
    playground.git(
      work,
      'push',
      '--quiet',
      bare,
      `${playground.commit(work, tag, content)}:refs/tags/${tag}`,
    );
  const sha = playground.git(work, 'rev-parse', 'HEAD');
  const reference = 'refs/tags/v1.1.0';
  const workspace = fetchAsCheckout({ ...shop, playground, bare }, 'workspace', sha, reference);
  playground.git(workspace, 'checkout', '--quiet', '--progress', '--force', reference);
  const payload = { action: 'published', release: { tag_name: 'v1.1.0' } };
  const server = await startGitHub();
  const scene = sceneOf({ ...shop, playground, bare }, server, workspace, { event: 'release', payload, sha });
  return { ...scene, job: (wanted) => scene.job({ ...wanted, variables: { GITHUB_REF: reference } }) };
}

function sceneOf(
  shop: Shop,
  server: GitHubServer,
  workspace: string,
  event: Pick<Job, 'event' | 'payload' | 'sha'>,
): Scene {
  const scratch = shop.playground.folder(`scratch-${workspace.split('/').at(-1)}`);
  return {
    shop,
    server,
    workspace,
    scratch,
    job: (wanted = {}) => ({
      server,
      token,
      workspace,
      inputs: {},
      patience: 100_000,
      ...event,
      ...wanted,
      variables: { TMPDIR: scratch, ...wanted.variables },
    }),
    worktrees: () =>
      shop.playground
        .git(workspace, 'worktree', 'list', '--porcelain')
        .split('\n')
        .filter((line) => line.startsWith('worktree ') && line !== `worktree ${workspace}`),
    litter: () => readdirSync(scratch),
    processes: () => processesWith(`TMPDIR=${scratch}`),
    async [Symbol.asyncDispose]() {
      // Only a test that failed has any left.
      for (const left of processesWith(`TMPDIR=${scratch}`))
        process.kill(Number.parseInt(left, 10), 'SIGKILL');
      await server.close();
    },
  };
}

/** Command lines of the processes whose environment holds this text. */
function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return environment.includes(text) && command !== '' ? [`${pid} ${command}`] : [];
      } catch {
        return [];
      }
    });
}

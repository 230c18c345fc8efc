/** What a clone knows of history, and how it learns more: parents, merge-bases, commits fetched by their hash. */
import { TailgateError } from '../kernel/errors.ts';
import { secondsToNs } from '../kernel/units.ts';
import type { Git, GitAnswer } from './git.ts';
import { gitFailed } from './git.ts';

/** A whole hash, SHA-1 or SHA-256. */
export const wholeHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The first characters of a hash, as people read it. */
export const short = (sha: string): string => sha.slice(0, 10);

/** What a workflow needs so that its clone has all of history. */
export const checkoutHint = [
  'in the workflow, give the checkout step all of history:',
  '  - uses: actions/checkout@v4',
  '    with:',
  '      fetch-depth: 0',
].join('\n');

const patience = { fetch: secondsToNs(300), look: secondsToNs(60) };
/** Worth asking a second time: the network, not the answer, was at fault. */
const transient =
  /HTTP 5\d\d|returned error: 5\d\d|RPC failed|early EOF|unexpected disconnect|connection (?:reset|timed out)|could not resolve host/i;

/** @returns null when there is no such remote at all. `origin` is preferred; a lone remote of another name will do. */
export async function findRemote(git: Git): Promise<string | null> {
  const names = (await git.run(['remote'])).split('\n').filter((name) => name !== '');
  if (names.includes('origin')) return 'origin';
  return names.length === 1 ? names[0]! : null;
}

export async function isShallow(git: Git): Promise<boolean> {
  return (await git.run(['rev-parse', '--is-shallow-repository'])) === 'true';
}

export async function hasCommit(git: Git, sha: string): Promise<boolean> {
  return (await git.ask(['cat-file', '-e', `${sha}^{commit}`])).ok;
}

/** The commit that a revision names, or null. The text must not begin with a dash. */
export async function commitOf(git: Git, revision: string): Promise<string | null> {
  const answer = await git.ask(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]);
  const sha = answer.stdout.trim();
  return answer.ok && wholeHash.test(sha) ? sha : null;
}

/** Parents as the commit itself names them: true also where a shallow clone pretends that there are none. */
export async function parentsOf(git: Git, sha: string): Promise<readonly string[]> {
  const text = await git.run(['cat-file', 'commit', sha]);
  const header = text.split('\n\n', 1)[0]!;
  return header
    .split('\n')
    .filter((line) => line.startsWith('parent '))
    .map((line) => line.slice('parent '.length).trim());
}

/** The best common ancestor in the history that is here; of several equally good ones, git's first. Null: none found. */
export async function mergeBaseHere(git: Git, one: string, other: readonly string[]): Promise<string | null> {
  const args = ['merge-base', one, ...other];
  const answer = await git.ask(args, { timeout: patience.look });
  const [sha] = answer.stdout.trim().split('\n');
  if (answer.ok && sha !== undefined && wholeHash.test(sha)) return sha;
  if (answer.exit.kind === 'exited' && answer.exit.code === 1) return null;
  throw gitFailed(args, answer);
}

/** What a commit is fetched by, and what a person reads when that fails. */
export interface Wanted {
  readonly sha: string;
  /** e.g. `the head of pull request 7`. */
  readonly what: string;
  /** Asked for when the server gives no commit by its hash, e.g. `refs/pull/7/head`. */
  readonly reference?: string;
  /** How to get out when it cannot be fetched. */
  readonly hint: string;
}

/**
 * Makes sure that a commit and its files are here. A shallow clone gets that one commit; a full clone is never given
 * a depth, because that would make it shallow.
 * @throws TailgateError `usage` saying why it cannot be fetched and what to change.
 */
export async function ensureCommit(git: Git, wanted: Wanted): Promise<void> {
  if (await hasCommit(git, wanted.sha)) return;
  const remote = await findRemote(git);
  if (remote === null) {
    throw new TailgateError({
      code: 'usage',
      message: `${wanted.what} (${short(wanted.sha)}) is not in this clone, and there is no remote "origin" to fetch it from`,
      hint: wanted.hint,
    });
  }
  let answer = await fetchFrom(git, remote, wanted.sha);
  if (await hasCommit(git, wanted.sha)) return;
  if (wanted.reference !== undefined) {
    const second = await fetchFrom(git, remote, wanted.reference);
    if (await hasCommit(git, wanted.sha)) return;
    if (!second.ok) answer = second;
  }
  const lines = answer.tail.filter((line) => line.trim() !== '').slice(-3);
  throw new TailgateError({
    code: 'usage',
    message: `${wanted.what} (${short(wanted.sha)}) is not in this clone and cannot be fetched from ${remote}: ${lines.join(' / ') || 'git gave no reason'}`,
    hint: wanted.hint,
    tail: answer.tail,
  });
}

/** What a remote says about a name: the commit of its tag or branch, or why it cannot be asked. */
export type RemoteAnswer =
  | {
      readonly kind: 'found';
      readonly as: 'branch' | 'tag';
      readonly sha: string;
      readonly reference: string;
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'silent'; readonly why: string };

/** Asks a remote for a tag or branch without fetching anything. A tag wins over a branch, as in git itself. */
export async function askRemote(git: Git, remote: string, name: string): Promise<RemoteAnswer> {
  const branch = `refs/heads/${name}`;
  const tag = `refs/tags/${name}`;
  const args = ['ls-remote', '--quiet', remote, tag, `${tag}^{}`, branch];
  const answer = await twice(() => git.ask(args, { timeout: patience.look }));
  if (!answer.ok) return { kind: 'silent', why: answer.tail.slice(-3).join(' / ') };
  const found = new Map<string, string>();
  for (const line of answer.stdout.split('\n')) {
    const [sha, reference] = line.split('\t');
    if (sha !== undefined && reference !== undefined && wholeHash.test(sha)) found.set(reference, sha);
  }
  const tagged = found.get(`${tag}^{}`) ?? found.get(tag);
  if (tagged !== undefined) return { kind: 'found', as: 'tag', sha: tagged, reference: tag };
  const tip = found.get(branch);
  return tip === undefined
    ? { kind: 'unknown' }
    : { kind: 'found', as: 'branch', sha: tip, reference: branch };
}

async function fetchFrom(git: Git, remote: string, what: string): Promise<GitAnswer> {
  const depth = (await isShallow(git)) ? ['--depth=1'] : [];
  const args = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', ...depth, remote, what];
  return twice(() => git.ask(args, { timeout: patience.fetch }));
}

async function twice(call: () => Promise<GitAnswer>): Promise<GitAnswer> {
  const answer = await call();
  return !answer.ok && transient.test(answer.tail.join('\n')) ? call() : answer;
}

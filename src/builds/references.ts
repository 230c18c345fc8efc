/** What a person means by a ref: a branch, a tag or a commit, here or on the remote. */
import { TailgateError } from '../kernel/errors.ts';
import type { Git } from './git.ts';
import { askRemote, commitOf, ensureCommit, findRemote, isShallow, wholeHash } from './history.ts';

/** The nearest known word, or null: handed over by the conductor. */
export type Nearest = (word: string, known: readonly string[]) => string | null;

export interface Reference {
  readonly kind: 'branch' | 'tag' | 'commit';
  readonly sha: string;
  /** As a person would say it: `main`, `origin/main`, `v1.2.0`, or the text as it was given. */
  readonly name: string;
  /** The same branch as the remote was last seen to have it, when it stands elsewhere. */
  readonly remoteSha: string | null;
}

/**
 * Finds what an explicit ref names: first in this clone, a tag before a branch as in git itself, then on the remote.
 * A commit that is not here yet is fetched by its hash.
 * @param hint how to get more of history, for errors.
 * @throws TailgateError `usage` naming the ref, and the nearest known one.
 */
export async function resolveReference(
  git: Git,
  text: string,
  hint: string,
  nearest?: Nearest,
): Promise<Reference> {
  const ref = text.trim();
  if (ref === '' || ref.startsWith('-') || hasControlCharacter(ref)) {
    throw new TailgateError({
      code: 'usage',
      message: `the baseline "${text}" is not a ref`,
      hint: 'give merge-base, previous, a branch, a tag or a commit hash',
    });
  }
  const remote = await findRemote(git);
  const name = plainName(ref, remote);

  const here = await resolveHere(git, ref, name, remote);
  if (here !== null) return here;

  if (wholeHash.test(ref.toLowerCase())) {
    const sha = ref.toLowerCase();
    await ensureCommit(git, { sha, what: 'the baseline', hint });
    return { kind: 'commit', sha: (await commitOf(git, sha)) ?? sha, name: ref, remoteSha: null };
  }
  let silence = '';
  if (remote !== null && isReferenceName(name)) {
    const answer = await askRemote(git, remote, name);
    if (answer.kind === 'silent') silence = answer.why;
    if (answer.kind === 'found') {
      const { sha, reference } = answer;
      await ensureCommit(git, { sha, what: `the baseline ${ref}`, reference, hint });
      return { kind: answer.as, sha, name, remoteSha: null };
    }
  }
  throw await unknownReference(git, ref, { remote, silence, hint, ...(nearest && { nearest }) });
}

/** The branch that work starts from: what `origin` says, else main or master. Null when there is none. */
export async function findDefaultBranch(git: Git): Promise<Reference | null> {
  const remote = await findRemote(git);
  if (remote !== null) {
    const head = await git.ask(['symbolic-ref', '--quiet', `refs/remotes/${remote}/HEAD`]);
    const target = head.ok ? head.stdout.trim() : '';
    const told = target === '' ? null : await commitOf(git, target);
    if (told !== null) {
      return { kind: 'branch', sha: told, name: target.replace('refs/remotes/', ''), remoteSha: null };
    }
    for (const name of ['main', 'master']) {
      const sha = await commitOf(git, `refs/remotes/${remote}/${name}`);
      if (sha !== null) return { kind: 'branch', sha, name: `${remote}/${name}`, remoteSha: null };
    }
  }
  for (const name of ['main', 'master']) {
    const sha = await commitOf(git, `refs/heads/${name}`);
    if (sha !== null) return { kind: 'branch', sha, name, remoteSha: null };
  }
  return null;
}

async function resolveHere(
  git: Git,
  ref: string,
  name: string,
  remote: string | null,
): Promise<Reference | null> {
  if (isReferenceName(name)) {
    const onlyTag = ref.startsWith('refs/tags/');
    const onlyRemote = remote !== null && (ref.startsWith(`${remote}/`) || ref.startsWith('refs/remotes/'));
    const tag = onlyRemote || ref.startsWith('refs/heads/') ? null : await commitOf(git, `refs/tags/${name}`);
    if (tag !== null) return { kind: 'tag', sha: tag, name, remoteSha: null };
    // A local branch may itself be called origin/something.
    const exact = onlyTag || ref.startsWith('refs/') ? null : await commitOf(git, `refs/heads/${ref}`);
    const local = exact ?? (onlyTag || onlyRemote ? null : await commitOf(git, `refs/heads/${name}`));
    const tracked = onlyTag || remote === null ? null : await commitOf(git, `refs/remotes/${remote}/${name}`);
    if (local !== null) {
      return {
        kind: 'branch',
        sha: local,
        name: exact === null ? name : ref,
        remoteSha: tracked === local ? null : tracked,
      };
    }
    if (tracked !== null) {
      return { kind: 'branch', sha: tracked, name: `${remote}/${name}`, remoteSha: null };
    }
    const ofOther = onlyTag ? null : await commitOf(git, `refs/remotes/${name}`);
    if (ofOther !== null) return { kind: 'branch', sha: ofOther, name: ref, remoteSha: null };
  }
  const sha = await commitOf(git, ref);
  return sha === null ? null : { kind: 'commit', sha, name: ref, remoteSha: null };
}

async function unknownReference(
  git: Git,
  ref: string,
  about: { remote: string | null; silence: string; hint: string; nearest?: Nearest },
): Promise<TailgateError> {
  const listed = await git.run(['for-each-ref', '--count=5000', '--format=%(refname)']);
  const known = listed
    .split('\n')
    .filter((line) => !line.endsWith('/HEAD'))
    .map((line) => line.replace(/^refs\/(?:heads|tags|remotes\/[^/]+)\//, ''))
    .filter((line) => line !== '' && !line.startsWith('refs/'));
  const near = about.nearest?.(ref, [...new Set(known)]) ?? null;
  const places = about.remote === null ? 'in this clone' : `in this clone or on ${about.remote}`;
  const parts = [`the baseline "${ref}" is no branch, tag or commit ${places}`];
  if (near !== null) parts.push(`did you mean "${near}"?`);
  if (about.silence !== '') parts.push(`${about.remote} could not be asked: ${about.silence}`);
  const needsHistory = about.silence !== '' || (await isShallow(git));
  return new TailgateError({
    code: 'usage',
    message: parts.join('; '),
    hint: needsHistory
      ? `give a branch, a tag or a whole commit hash; or ${about.hint}`
      : 'give a branch, a tag or a commit hash that exists; git fetch brings new ones',
  });
}

/** `refs/heads/main`, `origin/main` and `main` are the same branch to a person. */
function plainName(ref: string, remote: string | null): string {
  const named = ref.replace(/^refs\/(?:heads|tags)\//, '').replace(/^refs\/remotes\//, '');
  return remote !== null && named.startsWith(`${remote}/`) && !ref.startsWith('refs/heads/')
    ? named.slice(remote.length + 1)
    : named;
}

/** Whether git would take this as the name of a branch or tag (git-check-ref-format), rather than as an expression. */
function isReferenceName(name: string): boolean {
  return !/[\s~^:?*[\\]|\.\.|@\{|\/\/|\.lock$|^[/.]|[/.]$/.test(name) && name !== '@' && name !== 'HEAD';
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}

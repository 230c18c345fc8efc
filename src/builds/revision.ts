/** What is compared: which two commits a job measures, and one sentence a side on how they were chosen. */
import { assertNever, TailgateError, type Warning } from '../kernel/errors.ts';
import type { Revision, Situation } from './candidate.ts';
import { chooseCandidate, wayToHistory } from './candidate.ts';
import type { Git } from './git.ts';
import { commitOf, ensureCommit, parentsOf, short } from './history.ts';
import type { MergeBase, Tip } from './merge-base.ts';
import { findMergeBase } from './merge-base.ts';
import type { Nearest, Reference } from './references.ts';
import { findDefaultBranch, resolveReference } from './references.ts';

export interface Revisions {
  readonly baseline: Revision;
  readonly candidate: Revision;
  readonly warnings: readonly Warning[];
}

export interface RevisionOptions {
  /** In the root of the repository, from `openRepository`. */
  readonly git: Git;
  readonly situation: Situation;
  /** `merge-base`: what suits the situation; `previous`: the commit before; anything else: a ref, which wins. */
  readonly wanted: string;
  /** The merge-base of two commits as GitHub knows it, for clones that lack the history. */
  readonly mergeBaseByApi?: (one: string, other: string) => Promise<string>;
  readonly nearest?: Nearest;
}

/**
 * Chooses both commits; both are in the clone, with their files, when this returns.
 *
 * - pull request: the merge-base of the target branch and the head; from local history when that is whole, through
 *   the API when the clone is shallow;
 * - push: the tip before it, else the first parent; merge group: its base; other events: the first parent;
 * - local: the merge-base with the default branch, else (already on it) the first parent;
 * - an explicit ref wins: a tag or a hash as it is, a branch by its merge-base with the candidate when both went on.
 * @throws TailgateError `no-baseline` when there is nothing to compare with (first commit, no common history);
 * `usage` for an unknown ref, or when a clone lacks history that cannot be had: the hint says what to change.
 */
export async function chooseRevisions(options: RevisionOptions): Promise<Revisions> {
  const { candidate, warnings } = await chooseCandidate(options);
  const chosen = await chooseBaseline(options, candidate);
  if (chosen.sha !== candidate.sha) return { baseline: chosen, candidate, warnings };
  return {
    baseline: {
      ...chosen,
      how: `${chosen.how}; it is the candidate itself, so both sides run the same code`,
    },
    candidate,
    warnings: [
      ...warnings,
      {
        code: 'same-commit',
        message: `baseline and candidate are the same commit (${short(candidate.sha)}): any difference is noise`,
      },
    ],
  };
}

async function chooseBaseline(options: RevisionOptions, candidate: Revision): Promise<Revision> {
  const { git, situation, wanted } = options;
  if (wanted !== 'merge-base' && wanted !== 'previous') return explicit(options, candidate);
  const previous = (why: string): Promise<Revision> => firstParent(git, situation, candidate, why);
  switch (situation.kind) {
    case 'pull-request':
      return wanted === 'previous'
        ? previous('asked for as previous')
        : ofPullRequest(options, situation, candidate);
    case 'push':
      return ofPush(options, situation, candidate);
    case 'merge-group':
      return wanted === 'previous'
        ? previous('asked for as previous')
        : fetched(
            git,
            situation,
            situation.baseSha,
            'the base of the merge group',
            'the base of the merge group',
          );
    case 'other':
      return previous(`as the event ${situation.event} names no other`);
    case 'local':
      return wanted === 'previous' ? previous('asked for as previous') : ofLocal(options, candidate);
    default:
      return assertNever(situation);
  }
}

async function ofPullRequest(
  options: RevisionOptions,
  situation: Situation & { kind: 'pull-request' },
  candidate: Revision,
): Promise<Revision> {
  const { git } = options;
  const head = await commitOf(git, 'HEAD');
  const parents = head === null ? [] : await parentsOf(git, head);
  // The trial merge knows a tip at least as recent as the event does, and one that belongs to this head.
  const tip = parents.length === 2 && parents[1] === candidate.sha ? parents[0]! : situation.baseSha;
  const found = await mergeBase(options, candidate, [
    { sha: tip, what: `the tip of ${situation.baseRef}`, reference: `refs/heads/${situation.baseRef}` },
  ]);
  const how = `merge-base of ${situation.baseRef} and pull request ${situation.number}, ${found.where}`;
  return { sha: found.sha, ref: situation.baseRef, how };
}

async function ofPush(
  options: RevisionOptions,
  situation: Situation & { kind: 'push' },
  candidate: Revision,
): Promise<Revision> {
  const { git } = options;
  const { before } = situation;
  if (before === null || /^0*$/.test(before)) {
    return firstParent(git, situation, candidate, 'as the push made a new branch or tag');
  }
  try {
    return await fetched(
      git,
      situation,
      before,
      'the tip before the push',
      'the tip of the branch before this push',
    );
  } catch (error) {
    if (!(error instanceof TailgateError) || error.code !== 'usage') throw error;
    const why = `as the tip before the push (${short(before)}) cannot be had, which happens after a forced push`;
    return firstParent(git, situation, candidate, why);
  }
}

async function ofLocal(options: RevisionOptions, candidate: Revision): Promise<Revision> {
  const branch = await findDefaultBranch(options.git);
  if (branch === null) {
    throw new TailgateError({
      code: 'usage',
      message:
        'the baseline merge-base needs a default branch, and neither origin/HEAD nor main nor master exists',
      hint: 'say what to compare with: --baseline REF',
    });
  }
  const { sha, where } = await mergeBase(options, candidate, [{ sha: branch.sha, what: branch.name }]);
  if (sha === candidate.sha) {
    const why = `as ${branch.name} already holds the candidate`;
    return firstParent(options.git, options.situation, candidate, why);
  }
  return { sha, ref: branch.name, how: `merge-base of ${branch.name} and ${candidate.ref}, ${where}` };
}

async function explicit(options: RevisionOptions, candidate: Revision): Promise<Revision> {
  const { git, situation, wanted, nearest } = options;
  const reference = await resolveReference(git, wanted, wayToHistory(situation), nearest);
  const { sha, name } = reference;
  switch (reference.kind) {
    case 'tag':
      return { sha, ref: name, how: `the tag ${name}, named by the baseline setting` };
    case 'commit':
      return { sha, ref: name, how: `the commit ${short(sha)}, named by the baseline setting` };
    case 'branch':
      return ofBranch(options, reference, candidate);
    default:
      return assertNever(reference.kind);
  }
}

async function ofBranch(options: RevisionOptions, branch: Reference, candidate: Revision): Promise<Revision> {
  const { name, sha, remoteSha } = branch;
  const tip = { sha, ref: name, how: `the tip of ${name}, named by the baseline setting` };
  if (sha === candidate.sha) return tip;
  const tips: [Tip, ...Tip[]] = [{ sha, what: name }];
  // A local branch that was not pulled for a while lies behind what a pull request would be compared with.
  if (remoteSha !== null) tips.push({ sha: remoteSha, what: `${name} on the remote` });
  const found = await mergeBase(options, candidate, tips);
  if (found.sha === sha) return tip;
  if (found.sha === candidate.sha) return { ...tip, how: `${tip.how}; it already holds the candidate` };
  const how = `merge-base of ${name}, named by the baseline setting, and ${candidate.ref}, ${found.where}`;
  return { sha: found.sha, ref: name, how };
}

async function firstParent(
  git: Git,
  situation: Situation,
  candidate: Revision,
  why: string,
): Promise<Revision> {
  const [parent] = await parentsOf(git, candidate.sha);
  if (parent === undefined) {
    throw new TailgateError({
      code: 'no-baseline',
      message: `${candidate.ref} (${short(candidate.sha)}) is a first commit: there is nothing before it to compare with`,
      hint: 'the next commit has a baseline; or name one with the baseline setting',
    });
  }
  const how = `first parent of ${candidate.ref}, ${why}`;
  return fetched(git, situation, parent, `${short(candidate.sha)}^`, how);
}

async function fetched(
  git: Git,
  situation: Situation,
  sha: string,
  ref: string,
  how: string,
): Promise<Revision> {
  await ensureCommit(git, { sha, what: `the baseline, ${how},`, hint: wayToHistory(situation) });
  // A tag that was moved names its former tag object.
  return { sha: (await commitOf(git, sha)) ?? sha, ref, how };
}

function mergeBase(
  { git, situation, mergeBaseByApi }: RevisionOptions,
  candidate: Revision,
  tips: readonly [Tip, ...(readonly Tip[])],
): Promise<MergeBase> {
  return findMergeBase({ git, candidate, tips, byApi: mergeBaseByApi, hint: wayToHistory(situation) });
}

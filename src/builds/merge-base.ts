/** The merge-base of the candidate and a branch: from local history when that is whole, else through the API. */
import { messageOf, TailgateError } from '../kernel/errors.ts';
import type { Git } from './git.ts';
import { ensureCommit, hasCommit, isShallow, mergeBaseHere, short, wholeHash } from './history.ts';

export interface Tip {
  readonly sha: string;
  /** e.g. `main`. */
  readonly what: string;
  /** Where the remote keeps it. */
  readonly reference?: string;
}

export interface MergeBaseQuestion {
  readonly git: Git;
  readonly candidate: { readonly sha: string; readonly ref: string };
  /** One branch, as one tip or as several places where it stands; the first one is the one to ask GitHub about. */
  readonly tips: readonly [Tip, ...(readonly Tip[])];
  /** The merge-base of two commits as GitHub knows it; it may reject. */
  readonly byApi: ((one: string, other: string) => Promise<string>) | undefined;
  /** How to get more of history. */
  readonly hint: string;
}

export interface MergeBase {
  readonly sha: string;
  /** The end of a sentence: where it was found. */
  readonly where: string;
}

/**
 * The best common ancestor of the candidate and of everything the tips hold together; it is in the clone, with its
 * files, when this returns.
 * @throws TailgateError `no-baseline` when whole histories have nothing in common, `usage` when history is missing.
 */
export async function findMergeBase(question: MergeBaseQuestion): Promise<MergeBase> {
  const { git, hint } = question;
  const missing: string[] = [];
  const shallow = await isShallow(git);
  if (shallow) {
    missing.push('this clone is shallow');
  } else {
    try {
      return await inWholeHistory(question);
    } catch (error) {
      if (!(error instanceof TailgateError && error.code === 'usage') || question.byApi === undefined)
        throw error;
      missing.push(error.message);
    }
  }
  const answer = await askApi(question);
  if (answer.kind === 'found') {
    const { sha } = answer;
    await ensureCommit(git, { sha, what: `the merge-base of ${between(question)}`, hint });
    return {
      sha,
      where: `as GitHub knows it, because ${shallow ? 'this clone is shallow' : 'history is missing here'}`,
    };
  }
  if (answer.kind === 'silent') missing.push(`GitHub could not be asked: ${answer.why}`);
  // The little history of a deeper shallow clone may still be enough.
  const sha = shallow ? await inPartOfHistory(question) : null;
  if (sha !== null) return { sha, where: 'found in the part of the history that this shallow clone has' };
  throw new TailgateError({
    code: 'usage',
    message: `the merge-base of ${between(question)} is unknown: ${missing.join('; ')}`,
    hint,
  });
}

async function inWholeHistory(question: MergeBaseQuestion): Promise<MergeBase> {
  const { git, candidate, tips, hint } = question;
  for (const tip of tips) await ensureCommit(git, { ...tip, hint });
  const sha = await mergeBaseHere(git, candidate.sha, hashesOf(tips));
  if (sha !== null) return { sha, where: 'found in the history of this clone' };
  throw new TailgateError({
    code: 'no-baseline',
    message: `${between(question)} have no commit in common`,
    hint: 'give another baseline: a tag or a commit hash is taken as it is',
  });
}

async function inPartOfHistory({ git, candidate, tips }: MergeBaseQuestion): Promise<string | null> {
  for (const tip of tips) if (!(await hasCommit(git, tip.sha))) return null;
  return mergeBaseHere(git, candidate.sha, hashesOf(tips));
}

type ApiAnswer =
  | { readonly kind: 'found'; readonly sha: string }
  | { readonly kind: 'silent'; readonly why: string }
  | { readonly kind: 'absent' };

async function askApi({ byApi, tips, candidate }: MergeBaseQuestion): Promise<ApiAnswer> {
  if (byApi === undefined) return { kind: 'absent' };
  try {
    const sha = (await byApi(tips[0].sha, candidate.sha)).trim().toLowerCase();
    if (wholeHash.test(sha)) return { kind: 'found', sha };
    return { kind: 'silent', why: `it answered "${sha.slice(0, 80)}", which is no commit hash` };
  } catch (error) {
    if (error instanceof TailgateError && error.code === 'cancelled') throw error;
    return { kind: 'silent', why: messageOf(error) };
  }
}

function between({ tips, candidate }: MergeBaseQuestion): string {
  return `${tips[0].what} (${short(tips[0].sha)}) and ${candidate.ref} (${short(candidate.sha)})`;
}

const hashesOf = (tips: readonly Tip[]): string[] => tips.map((tip) => tip.sha);

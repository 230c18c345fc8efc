/** The commit that is judged: what the event is about, or what is checked out, and a warning when the two differ. */
import { relative } from 'node:path';
import { assertNever, TailgateError, type Warning } from '../kernel/errors.ts';
import type { Git } from './git.ts';
import { checkoutHint, commitOf, ensureCommit, parentsOf, short } from './history.ts';

/** Why the job runs and between which commits, as the event or the terminal says it. */
export type Situation =
  | {
      readonly kind: 'pull-request';
      readonly number: number;
      /** Tip of the target branch when the event was made; not the merge-base. */
      readonly baseSha: string;
      readonly headSha: string;
      readonly baseRef: string;
    }
  /** `before` is the tip before the push; null, or all zeros, for a new branch or tag. */
  | { readonly kind: 'push'; readonly before: string | null; readonly sha: string }
  | { readonly kind: 'merge-group'; readonly baseSha: string; readonly headSha: string }
  /** A schedule, a button, …: whatever is checked out. */
  | { readonly kind: 'other'; readonly event: string }
  | {
      readonly kind: 'local';
      /** What this job itself writes into the repository, as absolute paths: no change of anybody's. */
      readonly outputs?: readonly string[];
    };

/** One commit that is measured. */
export interface Revision {
  readonly sha: string;
  /** As a person would call it, e.g. `main`, `pull request 7`, `HEAD`. */
  readonly ref: string;
  /** How it was chosen: a sentence without its full stop. */
  readonly how: string;
}

/**
 * Chooses the commit that is judged, without needing anything to compare it with.
 *
 * For a pull request the default checkout is a trial merge of its head into the target branch. The candidate is the
 * head of the pull request and not that merge: the merge also holds what others put on the target branch since, and
 * compared with the merge-base the pull request would be charged for all of it. Head and merge-base differ by
 * exactly the commits of the pull request.
 * @returns the commit, which is in the clone with its files, and warnings when it is not what is checked out.
 * @throws TailgateError `usage` when it is not here and cannot be fetched, or nothing is committed yet.
 */
export async function chooseCandidate(options: {
  readonly git: Git;
  readonly situation: Situation;
}): Promise<{ readonly candidate: Revision; readonly warnings: readonly Warning[] }> {
  const { git, situation } = options;
  const head = await commitOf(git, 'HEAD');
  if (head === null) {
    throw new TailgateError({
      code: 'usage',
      message: `the repository ${git.directory} has no commit yet`,
      hint: 'commit something first; Tailgate compares two commits',
    });
  }
  const candidate = await named(git, situation, head);
  await ensureCommit(git, {
    sha: candidate.sha,
    what: candidate.ref,
    hint: wayToHistory(situation),
    ...(situation.kind === 'pull-request' && { reference: `refs/pull/${situation.number}/head` }),
  });
  const warnings =
    situation.kind === 'local'
      ? await uncommitted(git, head, situation.outputs ?? [])
      : await elsewhere(git, situation, head, candidate);
  return { candidate, warnings };
}

/** How to get more of history, where this job runs. */
export function wayToHistory(situation: Situation): string {
  return situation.kind === 'local'
    ? 'fetch all of history: git fetch --unshallow (or git fetch origin)'
    : checkoutHint;
}

async function named(git: Git, situation: Situation, head: string): Promise<Revision> {
  switch (situation.kind) {
    case 'pull-request': {
      const name = `pull request ${situation.number}`;
      return {
        sha: situation.headSha,
        ref: name,
        how: `the head of ${name}, without what ${situation.baseRef} gained since`,
      };
    }
    case 'push':
      return { sha: situation.sha, ref: 'the pushed commit', how: 'the commit that was pushed' };
    case 'merge-group':
      return { sha: situation.headSha, ref: 'the merge group', how: 'the head of the merge group' };
    case 'other':
    case 'local': {
      const branch = await git.ask(['symbolic-ref', '--quiet', '--short', 'HEAD']);
      const ref = branch.ok ? branch.stdout.trim() : 'HEAD';
      return { sha: head, ref, how: `the commit that is checked out${branch.ok ? ` on ${ref}` : ''}` };
    }
    default:
      return assertNever(situation);
  }
}

/** A workflow may have checked out something else than its event is about. */
async function elsewhere(
  git: Git,
  situation: Situation,
  head: string,
  candidate: Revision,
): Promise<readonly Warning[]> {
  if (head === candidate.sha) return [];
  if (situation.kind === 'pull-request' && (await parentsOf(git, head))[1] === candidate.sha) return [];
  return [
    {
      code: 'other-checkout',
      message: `${short(head)} is checked out, but this job is about ${candidate.ref}: ${short(candidate.sha)} is measured`,
    },
  ];
}

async function uncommitted(git: Git, head: string, outputs: readonly string[]): Promise<readonly Warning[]> {
  const answer = await git.ask(['status', '--porcelain', '--untracked-files=normal']);
  const lines = answer.ok ? answer.stdout.split('\n').filter((line) => line !== '') : [];
  const own = new Set(outputs.map((path) => relative(git.directory, path).replaceAll('\\', '/')));
  const changed = lines.map((line) => line.slice(3)).filter((name) => !own.has(name));
  const settings = changed.filter((name) => isSettings(name));
  const code = changed.filter((name) => !isSettings(name));
  const warnings: Warning[] = [];
  if (code.length > 0) {
    const first = code.slice(0, 3).join(', ');
    const names = code.length > 3 ? `${first}, …` : first;
    warnings.push({
      code: 'uncommitted-changes',
      message: `uncommitted changes are not measured (${names}): the candidate is the commit ${short(head)}`,
      hint: 'Commit them to have them measured.',
    });
  }
  if (settings.length > 0) {
    warnings.push({
      code: 'uncommitted-settings',
      message: `${settings.join(', ')} is read as it is on disk, with changes that are not committed; the code measured is the commit ${short(head)}`,
    });
  }
  return warnings;
}

const isSettings = (name: string): boolean => /(^|\/)tailgate\.ya?ml$/.test(name);

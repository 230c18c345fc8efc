/** The one comment of a gate on a pull request: found again, updated in place, and never a reason to fail. */
import { assertNever, messageOf, type Warning } from '../kernel/errors.ts';
import type { Outcome } from '../kernel/words.ts';
import { type GitHubClient, GitHubRefusal, type IssueComment } from './client.ts';

/** What the hidden marker of a comment says, as far as this file needs it. */
export interface StickyMarker {
  /** Which gate of the pull request it belongs to. */
  readonly id: string;
  readonly run: number;
  readonly attempt: number;
}

export type CommentMode = 'always' | 'on-change' | 'on-regression' | 'never';

export interface CommentRequest<Marker extends StickyMarker> {
  /** Number of the pull request. */
  readonly number: number;
  readonly id: string;
  readonly run: number;
  readonly attempt: number;
  readonly mode: CommentMode;
  readonly outcome: Outcome;
  /** Whether any row changed, or is there on one side only. */
  readonly moved: boolean;
  readonly fromFork: boolean;
  /** Reads the marker of a body; null when there is none, or a broken one. */
  readonly parseMarker: (body: string) => Marker | null;
  /**
   * The comment, from the longest form to the shortest, each carrying the marker of this run.
   * @param previous the marker of the comment that will be replaced, with its history; null for a first one.
   */
  readonly render: (previous: Marker | null) => readonly string[];
}

export type CommentResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly url: string }
  /** Nothing was to be said, or a newer run has spoken. */
  | { readonly kind: 'skipped'; readonly reason: string; readonly url: string | null }
  /** GitHub would not have it; the verdict stands as it is. */
  | { readonly kind: 'refused'; readonly notice: Warning };

/** A comment of ours for the same gate. */
interface Own<Marker> {
  readonly comment: IssueComment;
  readonly marker: Marker;
}

/**
 * Creates or updates the comment. Ours is a comment that was written by the author of our token AND carries a
 * marker with our id: a marker alone can be copied into any comment, and an author alone (github-actions[bot])
 * is shared by every workflow of the repository. Of several, the oldest is the one.
 * GitHub has no conditional update, so that two runs which write within the same second can still cross.
 * @returns never throws: whatever GitHub answers becomes a notice.
 */
export async function publishComment<Marker extends StickyMarker>(
  client: GitHubClient,
  request: CommentRequest<Marker>,
): Promise<CommentResult> {
  if (request.mode === 'never') return skipped('comment: never');
  try {
    const author = await client.author();
    const [found] = await ownComments(client, request, author, 'first');
    if (found === undefined) {
      return worthCreating(request)
        ? await create(client, request)
        : skipped(`comment: ${request.mode}, and there is nothing to say`);
    }
    if (isNewer(found.marker, request)) return skipped(newerRunSpoke, found.comment.url);
    return await replace(client, request, found);
  } catch (thrown) {
    return { kind: 'refused', notice: noticeOf(thrown, request) };
  }
}

async function replace<Marker extends StickyMarker>(
  client: GitHubClient,
  request: CommentRequest<Marker>,
  own: Own<Marker>,
): Promise<CommentResult> {
  const bodies = request.render(own.marker);
  if (bodies[0] === own.comment.body) return { kind: 'unchanged', url: own.comment.url };
  try {
    const comment = await longestAccepted(bodies, (body) => client.updateComment(own.comment.id, body));
    return { kind: 'updated', url: comment.url };
  } catch (thrown) {
    // Somebody deleted it since we listed the comments.
    if (thrown instanceof GitHubRefusal && thrown.status === 404) return await create(client, request);
    throw thrown;
  }
}

/**
 * Creates the comment, then looks whether it is alone: a second run may have created one at the same time, a
 * creation that was answered by 502 and repeated may have happened, and the answer tells who our author truly
 * is. The oldest stays, ours goes.
 */
async function create<Marker extends StickyMarker>(
  client: GitHubClient,
  request: CommentRequest<Marker>,
): Promise<CommentResult> {
  const bodies = request.render(null);
  const created = await longestAccepted(bodies, (body) => client.createComment(request.number, body));
  const done: CommentResult = { kind: 'created', url: created.url };
  try {
    const all = await ownComments(client, request, created.author, 'all');
    const [oldest] = all;
    if (oldest === undefined || oldest.comment.id === created.id) return done;
    if (isNewer(oldest.marker, request)) {
      await client.deleteComment(created.id);
      return skipped(newerRunSpoke, oldest.comment.url);
    }
    const kept = await longestAccepted(request.render(oldest.marker), (body) =>
      client.updateComment(oldest.comment.id, body),
    );
    await client.deleteComment(created.id);
    return { kind: 'updated', url: kept.url };
  } catch {
    // The report is on the pull request; tidying up may wait for the next run.
    return done;
  }
}

async function ownComments<Marker extends StickyMarker>(
  client: GitHubClient,
  request: CommentRequest<Marker>,
  author: string | null,
  wanted: 'first' | 'all',
): Promise<readonly Own<Marker>[]> {
  const own: Own<Marker>[] = [];
  for await (const comment of client.comments(request.number)) {
    if (comment.author === null || comment.author.toLowerCase() !== author?.toLowerCase()) continue;
    const marker = request.parseMarker(comment.body);
    if (marker === null || marker.id !== request.id) continue;
    own.push({ comment, marker });
    if (wanted === 'first') break;
  }
  return own;
}

/** A body that GitHub finds too long is answered with 422: the next shorter one is tried. */
async function longestAccepted(
  bodies: readonly string[],
  send: (body: string) => Promise<IssueComment>,
): Promise<IssueComment> {
  for (const [index, body] of bodies.entries()) {
    try {
      return await send(body);
    } catch (thrown) {
      const shorterLeft = index + 1 < bodies.length;
      if (!(thrown instanceof GitHubRefusal && thrown.status === 422 && shorterLeft)) throw thrown;
    }
  }
  throw new Error('there was no comment to post');
}

function isNewer(marker: StickyMarker, request: Omit<StickyMarker, 'id'>): boolean {
  return marker.run === request.run ? marker.attempt > request.attempt : marker.run > request.run;
}

/**
 * A mode says when a first comment is worth the notification it sends. An edit sends none, so that a comment
 * which is there is kept true in every mode: it must not go on announcing a regression that was mended.
 */
function worthCreating(occasion: Pick<CommentRequest<StickyMarker>, 'mode' | 'outcome' | 'moved'>): boolean {
  switch (occasion.mode) {
    case 'never':
      return false;
    case 'always':
      return true;
    case 'on-change':
      return occasion.moved || (occasion.outcome !== 'pass' && occasion.outcome !== 'skipped');
    case 'on-regression':
      return occasion.outcome === 'regression';
    default:
      return assertNever(occasion.mode);
  }
}

const newerRunSpoke = 'a newer run has reported already';

function skipped(reason: string, url: string | null = null): CommentResult {
  return { kind: 'skipped', reason, url };
}

function noticeOf(thrown: unknown, situation: { readonly fromFork: boolean }): Warning {
  const stands = 'The verdict stands; the report is in the job summary.';
  if (!(thrown instanceof GitHubRefusal)) {
    return { code: 'comment-failed', message: `The comment was not posted: ${messageOf(thrown)}. ${stands}` };
  }
  const refused = (code: string, message: string, hint?: string): Warning => ({
    code,
    message: `The comment was not posted: ${message} ${stands}`,
    ...(hint === undefined ? {} : { hint }),
  });
  const { status, answer } = thrown;
  if (thrown.rateLimited) {
    return refused('comment-rate-limited', `GitHub limits the rate of requests (${status}: ${answer}).`);
  }
  if (status === 403 && /\blocked\b/i.test(answer)) {
    return refused('comment-locked', `the conversation of this pull request is locked (${answer}).`);
  }
  if (status === 401) {
    return refused(
      'comment-token',
      `GitHub does not accept the token (401: ${answer}).`,
      'Leave the input `token` out, or give a token that is valid.',
    );
  }
  if ((status === 403 || status === 404) && situation.fromFork) {
    return refused(
      'comment-fork',
      `this pull request comes from a fork, and GitHub gives such a job a token that may only read (${status}: ${answer}).`,
    );
  }
  if (status === 403 || status === 404) {
    return refused(
      'comment-permission',
      `the token may not write comments (${status}: ${answer}).`,
      'Add `permissions: { contents: read, pull-requests: write }` to the job.',
    );
  }
  if (status === 422) {
    return refused('comment-invalid', `GitHub found even its shortest form invalid (422: ${answer}).`);
  }
  return refused('comment-failed', `GitHub answered ${status}, several times over: ${answer}.`);
}

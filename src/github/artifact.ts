/** Uploads the evidence of a job and downloads it to be judged again: the only door to @actions/artifact. */
import { DefaultArtifactClient } from '@actions/artifact';
import { messageOf, TailgateError, type Warning } from '../kernel/errors.ts';
import type { RunIdentity } from './event.ts';

export type UploadResult =
  | { readonly kind: 'uploaded'; readonly name: string; readonly url: string }
  | { readonly kind: 'refused'; readonly notice: Warning };

/** The client tries again and again on its own; a job does not wait longer than this for its evidence. */
const transferTimeout = 120_000;

/**
 * Uploads files as one artifact of this run. A bundle of its own, loaded only where the runner offers uploads
 * (`ACTIONS_RUNTIME_TOKEN`), because the client is as large as everything else together.
 * @param name what the artifact is called; characters that artifacts may not have become `-`.
 * @param files absolute paths below `root`.
 * @param run whose artifact it becomes; the page of an artifact belongs to a run, not to an attempt.
 * @returns never throws: whatever goes wrong becomes a notice, and the verdict stands.
 */
export async function uploadEvidence(
  name: string,
  files: readonly string[],
  root: string,
  run: Pick<RunIdentity, 'serverUrl' | 'repository' | 'run'>,
): Promise<UploadResult> {
  const allowed = name.replace(/["<>|:*?\r\n\\/]/g, '-');
  try {
    // Otherwise an upload that stalls holds the process for five minutes after we gave it up.
    process.env['ACTIONS_ARTIFACT_UPLOAD_TIMEOUT_MS'] ??= String(transferTimeout / 2);
    const client = new DefaultArtifactClient();
    const { id } = await inTime(client.uploadArtifact(allowed, [...files], root));
    if (id === undefined) throw new Error('the runner gave no id for the artifact');
    return {
      kind: 'uploaded',
      name: allowed,
      url: `${run.serverUrl}/${run.repository}/actions/runs/${run.run}/artifacts/${id}`,
    };
  } catch (thrown) {
    return { kind: 'refused', notice: noticeOf(thrown, allowed) };
  }
}

/** Evidence of the longest plan, as an archive, stays far below. */
export const archiveLimit = 32 * 1024 * 1024;

/**
 * Downloads and unpacks an artifact of another run of the same repository.
 * @param folder where its files are put; made when it is not there.
 * @throws TailgateError `github` when it is larger than any evidence, or GitHub does not give it.
 */
export async function downloadEvidence(
  artifact: { readonly id: number; readonly run: number; readonly size: number },
  folder: string,
  from: { readonly repository: string; readonly token: string },
): Promise<void> {
  if (artifact.size > archiveLimit) {
    throw notDownloaded(`it has ${artifact.size} bytes, more than the ${archiveLimit} of any evidence`);
  }
  const [repositoryOwner = '', repositoryName = ''] = from.repository.split('/');
  const findBy = { token: from.token, workflowRunId: artifact.run, repositoryOwner, repositoryName };
  try {
    await inTime(new DefaultArtifactClient().downloadArtifact(artifact.id, { path: folder, findBy }));
  } catch (thrown) {
    throw notDownloaded(messageOf(thrown).replaceAll(from.token, '***'), thrown);
  }
}

function notDownloaded(reason: string, cause?: unknown): TailgateError {
  return new TailgateError({
    code: 'github',
    message: `The evidence of the last run could not be downloaded: ${reason}.`,
    hint: 'The job needs `permissions: { actions: read }`; an artifact that expired is made again by running the gate.',
    cause,
  });
}

async function inTime<Answer>(work: Promise<Answer>): Promise<Answer> {
  const signal = AbortSignal.timeout(transferTimeout);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no end after ${transferTimeout / 1000} s`)));
  });
  return await Promise.race([work, late]);
}

function noticeOf(thrown: unknown, name: string): Warning {
  const reason = messageOf(thrown);
  const taken = /\b409\b|conflict|already exists/i.test(reason);
  return {
    code: 'artifact-failed',
    message: `The evidence was not uploaded as the artifact ${name}: ${reason}.`,
    hint: taken
      ? 'Another job of this run has an artifact of that name: give every gate an `id` of its own.'
      : 'The evidence file is still on the runner; its path is the output `evidence-path`.',
  };
}

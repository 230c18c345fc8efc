/** Conductor of a second judgement on GitHub: what was measured at the head of a pull request, under today's settings. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withSettings } from './accepted.ts';
import { changedFiles, matchesAny } from './builds/changes.ts';
import { openRepository } from './builds/git.ts';
import { checkoutHint, ensureCommit, wholeHash } from './builds/history.ts';
import { chooseRevisions } from './builds/revision.ts';
import { readDescription } from './builds/trailers.ts';
import { nearest } from './config/suggestions.ts';
import { evidenceLimit, parse } from './evidence/store.ts';
import type { Evidence } from './evidence/trial.ts';
import { namingHistogram } from './evidence/unreadable.ts';
import type { GateResult } from './gate-job.ts';
import type { FoundArtifact, GitHubClient } from './github/client.ts';
import { GitHubRefusal } from './github/client.ts';
import type { Situation } from './github/event.ts';
import { TailgateError } from './kernel/errors.ts';
import { formatBytes, bytes as inBytes, type Nanoseconds } from './kernel/units.ts';
import { findLeftOut } from './left-out.ts';
import { type JobSettings, projectIn } from './settings.ts';
import { verdictOfFailure, verdictOfSkipped } from './verdict/failure.ts';
import type { Verdict } from './verdict/finding.ts';
import { judge } from './verdict/judge.ts';
import { absentRows } from './verdict/left-out.ts';
import { verdictWithout } from './verdict/outcome.ts';

export interface RejudgeJob {
  readonly settings: JobSettings;
  readonly situation: Situation;
  readonly client: GitHubClient | null;
  /** What the gate calls its artifact. */
  readonly artifact: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Where the artifact is unpacked. */
  readonly folder: string;
  readonly download: (artifact: FoundArtifact, folder: string) => Promise<void>;
}

export interface Rejudged {
  readonly result: GateResult;
  /** Whose measurement it is; null when there is none. */
  readonly measuredBy: FoundArtifact | null;
}

/**
 * Decides again from the newest evidence at the current head of the pull request. Nothing is built, run or measured.
 * Without evidence the outcome is `invalid`, or `skipped` where the gate would skip: what was not measured never passes.
 * @throws TailgateError `usage` outside of a pull request or without its checkout, and for evidence that cannot be
 * judged or is of another commit; `github` when GitHub does not answer or give it.
 */
export async function rejudge(job: RejudgeJob): Promise<Rejudged> {
  const { situation, client, settings } = job;
  if (situation.kind !== 'pull-request') {
    throw new TailgateError({
      code: 'usage',
      message: '`mode: judge` decides again about a pull request, and this event is not about one.',
      hint: 'Use it under `on: pull_request` with `types: [labeled, edited]`; a file is judged by `tailgate judge FILE`.',
    });
  }
  if (client === null) {
    throw new TailgateError({
      code: 'usage',
      message: '`mode: judge` needs GitHub to find the evidence, and there is no token to ask it with.',
      hint: 'Leave the input `token` out (it defaults to the token of the job).',
    });
  }
  const { number } = situation;
  const { now, found } = await answered(async () => {
    const current = await client.pullRequest(number);
    const artifact = await client.artifact(job.artifact, { number, headSha: current.headSha });
    return { now: current, found: artifact };
  });
  if (found === null) {
    return { result: await withoutMeasuring(job, client, now.headSha), measuredBy: null };
  }
  await job.download(found, job.folder);
  const stored = readEvidence(job.folder, now.headSha);
  const { baseRef } = situation;
  const asked = settings.config.baseline;
  if (asked === 'merge-base' && stored.revisions.baseline.ref !== baseRef) {
    const then = stored.revisions.baseline.ref.slice(0, 100);
    throw unusable(`it compares with ${then}, and the pull request is now aimed at ${baseRef}`);
  }
  const config = await trustedSettings(job, stored);
  const description = readDescription(now.body, config.trustConfig, nearest);
  const evidence: Evidence = {
    ...withSettings(stored, config, description.accepted),
    warnings: [...stored.warnings, ...description.warnings],
  };
  const progress = namingHistogram(evidence, () => judge(evidence, { final: true, nearest }));
  if (progress.kind !== 'decided') throw new Error('final evidence is always decided');
  return {
    result: { ...empty(settings), config, verdict: progress.verdict, plan: evidence.plan, evidence },
    measuredBy: found,
  };
}

/** Who may not read runs is told which permission is missing. */
async function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof GitHubRefusal) || (thrown.status !== 403 && thrown.status !== 404)) throw thrown;
    throw new TailgateError({
      code: 'github',
      message: `GitHub does not let this job look for the evidence of the last run (${thrown.status}: ${thrown.answer}).`,
      hint: 'Add `permissions: { contents: read, actions: read, pull-requests: write }` to the job.',
      cause: thrown,
    });
  }
}

const empty = (settings: JobSettings): Omit<GateResult, 'verdict'> => ({
  config: settings.config,
  plan: null,
  revisions: null,
  evidence: null,
  alone: [],
  elapsed: 0 as Nanoseconds,
});

/**
 * What the gate finds without measuring leaves no evidence, and is found here as well: nothing in `paths`, nothing to
 * compare with. What the change leaves out is found as well, also where it has to be measured first.
 */
async function withoutMeasuring(job: RejudgeJob, client: GitHubClient, headSha: string): Promise<GateResult> {
  const { settings, environment, signal, situation } = job;
  const git = await openRepository({ directory: settings.directory, environment, signal });
  try {
    const revisions = await chooseRevisions({
      git,
      situation,
      wanted: settings.config.baseline,
      nearest,
      mergeBaseByApi: (one, other) => client.mergeBase(one, other),
    });
    const config = await settings.trusted(settings.config, git, revisions);
    const before = await settings.measuredBefore(git, revisions);
    const workingDirectory = projectIn(git.directory, settings.directory, config.workingDirectory);
    const left = await findLeftOut(before, { ...config, workingDirectory }, git, revisions);
    const missing = absentRows(left, config.judge);
    const changed = await changedFiles(git, revisions.baseline.sha, revisions.candidate.sha);
    const skipped = config.paths.length > 0 && !matchesAny(changed, config.paths);
    const warnings = [...left.warnings, ...left.unmeasured];
    const verdict = skipped
      ? verdictOfSkipped(config.paths, missing, warnings)
      : { ...nothingFound(job, headSha), findings: missing, warnings };
    return { ...empty(settings), config, revisions, verdict };
  } catch (error) {
    if (!(error instanceof TailgateError) || error.code !== 'no-baseline') throw error;
    return { ...empty(settings), verdict: verdictOfFailure(error, { evidence: null, missing: [] }) };
  }
}

function nothingFound(job: RejudgeJob, headSha: string): Verdict {
  const message = `no run has left the artifact ${job.artifact} with evidence of ${headSha.slice(0, 10)}, the head of this pull request`;
  const hint =
    'Run the gate at this commit first: it may still be measuring, have ended without a measurement, or its artifact may have expired. The `id` of both has to be the same.';
  return verdictWithout('invalid', message, { failure: { side: null, message, hint, tail: [] } });
}

/** The artifact is data of somebody else: bounded, strictly read, and of the very commit that is asked about. */
function readEvidence(folder: string, headSha: string): Evidence {
  const file = join(folder, 'tailgate-evidence.json');
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) throw unusable('it holds no file tailgate-evidence.json');
  if (stat.size > evidenceLimit) {
    throw unusable(
      `its file has ${formatBytes(inBytes(stat.size))}, wanted at most ${formatBytes(evidenceLimit)}`,
    );
  }
  const evidence = parse(readFileSync(file, 'utf8'));
  const { baseline, candidate } = evidence.revisions;
  if (candidate.sha !== headSha) {
    throw unusable(
      `it is about ${candidate.sha.slice(0, 64)}, and the head of the pull request is ${headSha}`,
    );
  }
  if (!wholeHash.test(baseline.sha)) throw unusable('its baseline is no commit');
  return evidence;
}

function unusable(why: string): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `The evidence of the last run cannot be judged: ${why}.`,
    hint: 'Run the gate again at this commit.',
  });
}

/** The settings of the checkout; of the baseline where that is trusted, which may have to be fetched. */
async function trustedSettings(job: RejudgeJob, evidence: Evidence): Promise<GateResult['config']> {
  const { settings, environment, signal } = job;
  const git = await openRepository({ directory: settings.directory, environment, signal });
  const { baseline, candidate } = evidence.revisions;
  await ensureCommit(git, { sha: baseline.sha, what: 'the baseline of the evidence', hint: checkoutHint });
  return await settings.trusted(settings.config, git, { baseline, candidate, warnings: [] });
}

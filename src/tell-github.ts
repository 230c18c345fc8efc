/** Conductor of what GitHub is told: summary, comment, annotations, artifact, outputs, the end of the log. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputs } from './config/inputs.ts';
import type { Overrides } from './config/overrides.ts';
import { serialise } from './evidence/store.ts';
import type { GateResult } from './gate-job.ts';
import { annotate } from './github/annotations.ts';
import type { FoundArtifact, GitHubClient } from './github/client.ts';
import { publishComment } from './github/comment.ts';
import type { RunIdentity, Situation } from './github/event.ts';
import type { JobLog } from './github/log.ts';
import { writeOutputs } from './github/outputs.ts';
import { writeSummary } from './github/summary.ts';
import { messageOf } from './kernel/errors.ts';
import { maskFor, maskInline } from './kernel/masking.ts';
import type { RowState } from './kernel/words.ts';
import { contextOf, revisionsOf } from './publish.ts';
import type { ReportContext } from './report/context.ts';
import { commentForms, renderSummary, summaryForms } from './report/markdown.ts';
import { type Marker, parseMarker } from './report/marker.ts';
import { annotationsOf, outputsOf } from './report/outputs.ts';
import { renderTerminal, terminalDefaults } from './report/terminal.ts';
import { makeView } from './report/view.ts';
import type { JobSettings } from './settings.ts';

/** The job as the runner describes it. */
export interface Job {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The inputs; `working-directory` as seen from the repository. */
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly log: JobLog;
  readonly run: RunIdentity;
  readonly situation: Situation;
  /** Null where there is no token, or the payload is beyond the client: then nothing is written to GitHub. */
  readonly client: GitHubClient | null;
  readonly settings: JobSettings;
  /** Tells several gates of one pull request apart. */
  readonly id: string;
  /** `judge`: decides again from what was measured, without measuring; `self-test`: plants slowdowns; `ramp`: capacity. */
  readonly mode: 'gate' | 'judge' | 'self-test' | 'ramp';
  /** Where report and evidence are put. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** What is told, and where it comes from. */
export interface Told {
  readonly result: GateResult;
  readonly source:
    | { readonly kind: 'measured' }
    /** Decided again from what another run measured. */
    | { readonly kind: 'stored'; readonly artifact: FoundArtifact }
    /** Nothing was there to decide: a comment would stand in the way of the run that is measuring. */
    | { readonly kind: 'nothing' };
}

/** What a gate calls its artifact. */
export const artifactName = (id: string): string =>
  id === 'default' ? 'tailgate-evidence' : `tailgate-evidence-${id}`;

/** Rows that are worth a first comment under `comment: on-change`. */
const movedStates: readonly RowState[] = ['regressed', 'improved', 'accepted', 'missing', 'new'];

/** Everything is published before the exit code is set; nothing of it can change the verdict. @returns the exit code. */
export async function publish(job: Job, { result, source }: Told): Promise<number> {
  const { log, run: identity } = job;
  const { verdict, evidence } = result;
  const measuredBy = sourceRun(job, source);
  const elapsed = source.kind === 'measured' ? result.elapsed : null;
  const evidencePath = evidence === null ? '' : keep(job, 'tailgate-evidence.json', serialise(evidence));
  const artifactUrl = await artifactOf(job, source, evidencePath);
  const contextWith = (previous: Marker | null): ReportContext =>
    contextOf({ ...result, elapsed, revisions: revisionsOf(result) }, result.config, {
      id: job.id,
      run: { kind: 'github', id: measuredBy.run, attempt: measuredBy.attempt },
      links: { run: identity.url, summary: identity.url, evidence: artifactUrl },
      configFile: job.settings.configFile,
      history: previous?.history ?? [],
      call: 'tailgate',
      evidenceFile: 'tailgate-evidence.json',
      overrides: asFlags(job),
    });
  const context = contextWith(null);
  const view = makeView(verdict, evidence, context);
  const reportPath = keep(job, 'tailgate-report.md', renderSummary(view));
  const summary = await writeSummary(job.environment, summaryForms(view));
  if (summary.kind === 'refused') log.tell(summary.notice);
  const commentUrl =
    source.kind === 'nothing'
      ? null
      : await comment(job, result, measuredBy, (previous) =>
          commentForms(makeView(verdict, evidence, contextWith(previous))),
        );
  const problem = writeOutputs({
    ...outputsOf(verdict, evidence, context),
    'report-path': reportPath,
    'evidence-path': evidencePath,
    'artifact-url': artifactUrl ?? '',
    'comment-url': commentUrl ?? '',
  });
  if (problem !== null) log.tell(problem);
  // Last, and outside of folds: a reader who opens a failed step sees the end of its log.
  const colour = (job.environment['NO_COLOR'] ?? '') === '';
  log.info(`\n${renderTerminal(view, { ...terminalDefaults, colour, detail: 'short' })}`);
  log.info(`The whole report is in the job summary: ${identity.url}`);
  if (commentUrl !== null) log.info(`Comment: ${commentUrl}`);
  annotate(verdict.outcome, context.exitCode !== 0, annotationsOf(verdict, context.exitCode));
  return context.exitCode;
}

/** Writes a file for later steps. @returns its path, empty with a warning when it cannot be written. */
function keep(job: Job, name: string, content: string): string {
  const path = join(job.folder, name);
  try {
    writeFileSync(path, content);
    return path;
  } catch (error) {
    job.log.warning(`${name} was not written: ${messageOf(error)}`);
    return '';
  }
}

/** The inputs as flags of the command that repeats the job; what they may hold of secrets is not for a comment. */
function asFlags(job: Job): Overrides {
  const mask = maskFor(job.environment, job.settings.config.env);
  const flags = inputs.filter(({ name, key }) => name === 'config' || (key !== null && name !== 'comment'));
  const given = flags.flatMap(({ name }) => {
    const value = job.given[name];
    if (value === undefined) return [];
    return [[name, name === 'fail-on' ? value.split(/[\s,]+/).join(',') : maskInline(mask(value))]];
  });
  return Object.fromEntries(given);
}

async function comment(
  job: Job,
  result: GateResult,
  measuredBy: Pick<RunIdentity, 'run' | 'attempt'>,
  render: (previous: Marker | null) => readonly string[],
): Promise<string | null> {
  if (job.situation.kind !== 'pull-request' || job.client === null) return null;
  const published = await publishComment<Marker>(job.client, {
    number: job.situation.number,
    id: job.id,
    ...measuredBy,
    mode: result.config.comment,
    outcome: result.verdict.outcome,
    moved: result.verdict.findings.some(({ state }) => movedStates.includes(state)),
    fromFork: job.situation.fromFork,
    parseMarker,
    render,
  });
  if (published.kind === 'refused') {
    job.log.tell(published.notice);
    return null;
  }
  return published.url;
}

/**
 * A comment stands for a measurement: judged again it keeps the number of the run that measured, so that neither a
 * later measurement nor a repeated one is taken for older than this.
 */
function sourceRun(job: Job, source: Told['source']): Pick<RunIdentity, 'run' | 'attempt'> {
  const { run, attempt } = source.kind === 'stored' ? source.artifact : job.run;
  return { run, attempt };
}

async function artifactOf(job: Job, source: Told['source'], evidencePath: string): Promise<string | null> {
  if (source.kind === 'stored') {
    const { serverUrl, repository } = job.run;
    return `${serverUrl}/${repository}/actions/runs/${source.artifact.run}/artifacts/${source.artifact.id}`;
  }
  return evidencePath === '' ? null : await upload(job, evidencePath);
}

/** @returns the address of the artifact, or null with a notice that says why there is none. */
async function upload(job: Job, file: string): Promise<string | null> {
  if ((job.environment['ACTIONS_RUNTIME_TOKEN'] ?? '') === '') {
    job.log.notice('The evidence was not uploaded: this runner does not offer artifacts to actions.');
    return null;
  }
  const { uploadEvidence } = await import('./github/artifact.ts');
  const uploaded = await uploadEvidence(artifactName(job.id), [file], job.folder, job.run);
  if (uploaded.kind === 'uploaded') return uploaded.url;
  job.log.tell(uploaded.notice);
  return null;
}

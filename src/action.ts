/** GitHub's shell: inputs in; summary, comment, annotations, artifact, outputs and exit code out. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputs } from './config/inputs.ts';
import { serialise } from './evidence/store.ts';
import { type GateResult, runGate } from './gate.ts';
import { annotate } from './github/annotations.ts';
import { connect, type GitHubClient } from './github/client.ts';
import { publishComment } from './github/comment.ts';
import { type RunIdentity, readRun, readSituation, type Situation } from './github/event.ts';
import { leaveForPost, readInputs } from './github/inputs.ts';
import { type JobLog, jobLog } from './github/log.ts';
import { writeOutputs } from './github/outputs.ts';
import { writeSummary } from './github/summary.ts';
import { messageOf, TailgateError } from './kernel/errors.ts';
import { openLedger, sweep } from './kernel/leftovers.ts';
import { realClock } from './kernel/world.ts';
import type { GateEvent } from './live.ts';
import { contextOf, type Publication, revisionsOf } from './publish.ts';
import { commentForms, renderSummary, summaryForms } from './report/markdown.ts';
import { type Marker, parseMarker } from './report/marker.ts';
import { annotationsOf, outputsOf } from './report/outputs.ts';
import { describePlan } from './report/plan-text.ts';
import { progressLine } from './report/progress.ts';
import { makeView } from './report/view.ts';
import { type JobSettings, readJobSettings } from './settings.ts';

/** The job as the runner describes it. */
interface Job {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly log: JobLog;
  readonly run: RunIdentity;
  readonly situation: Situation;
  /** Null where there is no token, or the payload is beyond the client: then nothing is written to GitHub. */
  readonly client: GitHubClient | null;
  readonly settings: JobSettings;
  /** Where report and evidence are put. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** The action's main step. Never rejects: problems end in an annotation and the exit code of the documentation. */
export async function run(): Promise<void> {
  const log = jobLog();
  const stopping = new AbortController();
  const stop = (): void =>
    stopping.abort(new TailgateError({ code: 'cancelled', message: 'the job was cancelled' }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    const job = await readJob(log, stopping.signal);
    const result = await measure(job);
    process.exitCode = await publish(job, result);
  } catch (error) {
    process.exitCode = explain(error, log, stopping.signal);
  } finally {
    log.endGroup();
  }
}

async function readJob(log: JobLog, signal: AbortSignal): Promise<Job> {
  const environment = process.env;
  const given = readInputs(inputs.map((input) => input.name));
  const token = given['token'] ?? '';
  if (token !== '') log.mask(token);
  const situation = await readSituation(environment);
  const identity = readRun(environment);
  const overrides = Object.fromEntries(
    inputs.filter((input) => input.key !== null).map((input) => [input.name, given[input.name]]),
  );
  const directory = environment['GITHUB_WORKSPACE'] ?? process.cwd();
  const settings = readJobSettings({ directory, file: given['config'], overrides, environment });
  for (const [name, value] of Object.entries(settings.config.env)) {
    if (/(TOKEN|SECRET|KEY|PASSWORD)$/i.test(name) && value !== '') log.mask(value);
  }
  for (const warning of settings.warnings) log.tell(warning);
  const client = await connectOrTell(log, {
    token,
    repository: identity.repository,
    apiUrl: identity.apiUrl,
  });
  const folder = join(environment['RUNNER_TEMP'] ?? directory, `tailgate-${given['id'] ?? 'default'}`);
  mkdirSync(folder, { recursive: true });
  return { environment, given, log, run: identity, situation, client, settings, folder, signal };
}

async function connectOrTell(
  log: JobLog,
  settings: { readonly token: string; readonly repository: string; readonly apiUrl: string },
): Promise<GitHubClient | null> {
  try {
    return await connect({ ...settings, clock: realClock });
  } catch (error) {
    log.notice(`GitHub cannot be asked or told anything: ${messageOf(error)}`);
    return null;
  }
}

async function measure(job: Job): Promise<GateResult> {
  const ledgerPath = join(job.folder, 'leftovers.jsonl');
  leaveForPost('ledger', ledgerPath);
  const { client } = job;
  try {
    return await runGate({
      ...job.settings,
      situation: job.situation,
      ...(client === null ? {} : { mergeBaseByApi: (one, other) => client.mergeBase(one, other) }),
      environment: job.environment,
      clock: realClock,
      signal: job.signal,
      ledger: openLedger(ledgerPath),
      tell: (event) => tell(job.log, event),
    });
  } finally {
    job.log.endGroup();
    await sweep(ledgerPath);
  }
}

/** Everything is published before the exit code is set; nothing of it can change the verdict. */
async function publish(job: Job, result: GateResult): Promise<number> {
  const { log, run: identity } = job;
  const reported = { ...result, revisions: revisionsOf(result) };
  const evidencePath = result.evidence === null ? '' : join(job.folder, 'tailgate-evidence.json');
  if (result.evidence !== null) writeFileSync(evidencePath, serialise(result.evidence));
  const artifactUrl = evidencePath === '' ? null : await upload(job, evidencePath);
  const publication = (previous: Marker | null): Publication => ({
    id: job.given['id'] ?? 'default',
    run: { kind: 'github', id: identity.run, attempt: identity.attempt },
    links: { run: identity.url, summary: identity.url, evidence: artifactUrl },
    configFile: job.settings.configFile,
    history: previous?.history ?? [],
    call: 'npx tailgate',
    overrides: {},
  });
  const context = contextOf(reported, result.config, publication(null));
  const view = makeView(result.verdict, result.evidence, context);
  const reportPath = join(job.folder, 'tailgate-report.md');
  writeFileSync(reportPath, renderSummary(view));
  const summary = await writeSummary(job.environment, summaryForms(view));
  if (summary.kind === 'refused') log.tell(summary.notice);
  const commentUrl = await comment(job, result, (previous) =>
    commentForms(
      makeView(result.verdict, result.evidence, contextOf(reported, result.config, publication(previous))),
    ),
  );
  annotate(result.verdict.outcome, annotationsOf(result.verdict));
  const problem = writeOutputs({
    ...outputsOf(result.verdict, result.evidence, context),
    'report-path': reportPath,
    'evidence-path': evidencePath,
    'artifact-url': artifactUrl ?? '',
    'comment-url': commentUrl ?? '',
  });
  if (problem !== null) log.tell(problem);
  for (const line of [`verdict: ${result.verdict.outcome}`, result.verdict.reason ?? '']) {
    if (line !== '') log.info(line);
  }
  for (const line of result.verdict.failure?.tail ?? []) log.info(`  | ${line}`);
  return context.exitCode;
}

async function comment(
  job: Job,
  result: GateResult,
  render: (previous: Marker | null) => readonly string[],
): Promise<string | null> {
  if (job.situation.kind !== 'pull-request' || job.client === null) return null;
  const published = await publishComment<Marker>(job.client, {
    number: job.situation.number,
    id: job.given['id'] ?? 'default',
    run: job.run.run,
    attempt: job.run.attempt,
    mode: result.config.comment,
    outcome: result.verdict.outcome,
    moved: result.verdict.findings.some(({ state }) => state === 'regressed' || state === 'improved'),
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

/** @returns the address of the artifact, or null with a notice that says why there is none. */
async function upload(job: Job, file: string): Promise<string | null> {
  if ((job.environment['ACTIONS_RUNTIME_TOKEN'] ?? '') === '') {
    job.log.notice('The evidence was not uploaded: this runner does not offer artifacts to actions.');
    return null;
  }
  const { uploadEvidence } = await import('./github/artifact.ts');
  const id = job.given['id'];
  const name = id === undefined ? 'tailgate-evidence' : `tailgate-evidence-${id}`;
  const uploaded = await uploadEvidence(name, [file], job.folder, job.run);
  if (uploaded.kind === 'uploaded') return uploaded.url;
  job.log.tell(uploaded.notice);
  return null;
}

function tell(log: JobLog, event: GateEvent): void {
  switch (event.kind) {
    case 'planned': {
      const { baseline, candidate } = event.revisions;
      const revisions = {
        baseline: { ...baseline, outputHash: null },
        candidate: { ...candidate, outputHash: null },
      };
      log.group('Plan');
      for (const line of describePlan({ plan: event.plan, judge: event.config.judge, revisions }))
        log.info(line);
      log.endGroup();
      return;
    }
    case 'building':
      log.group(`Set up the ${event.side}`);
      return;
    case 'built':
      log.info(progressLine(event).text);
      log.endGroup();
      return;
    case 'output':
      log.info(event.line);
      return;
    case 'warning':
      log.tell(event.warning);
      return;
    case 'round-started':
      if (event.index === 1) log.group(event.phase === 'measuring' ? 'Measuring in turns' : 'Confirming');
      return;
    default:
      log.info(progressLine(event).text);
  }
}

/** @returns the exit code of an error that is no verdict. */
function explain(error: unknown, log: JobLog, signal: AbortSignal): number {
  if (signal.aborted) {
    log.error('Cancelled: nothing was decided, and everything that was started has been ended.');
    return 130;
  }
  if (!(error instanceof TailgateError)) {
    log.error(`This is a defect of Tailgate: ${error instanceof Error ? error.stack : messageOf(error)}`);
    return 70;
  }
  for (const line of error.tail) log.info(`  | ${line}`);
  log.error(error.hint === undefined ? error.message : `${error.message} ${error.hint}`);
  return error.code === 'no-baseline' ? 5 : 2;
}

/** GitHub's shell: inputs in; summary, comment, annotations, artifact, outputs and exit code out. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announce } from './announce.ts';
import { inputs } from './config/inputs.ts';
import type { Overrides } from './config/overrides.ts';
import { serialise } from './evidence/store.ts';
import { type GateResult, runGate } from './gate.ts';
import { annotate } from './github/annotations.ts';
import { type ClientSettings, connect, type GitHubClient } from './github/client.ts';
import { publishComment } from './github/comment.ts';
import { type RunIdentity, readRun, readSituation, type Situation } from './github/event.ts';
import { leaveForPost, readInputs } from './github/inputs.ts';
import { inWords, type JobLog, jobLog } from './github/log.ts';
import { writeOutputs } from './github/outputs.ts';
import { writeSummary } from './github/summary.ts';
import { type ErrorCode, messageOf, TailgateError } from './kernel/errors.ts';
import { openLedger, sweep } from './kernel/leftovers.ts';
import { maskFor, maskInline } from './kernel/masking.ts';
import { markedEnvironment } from './kernel/processes.ts';
import type { RowState } from './kernel/words.ts';
import { realClock } from './kernel/world.ts';
import { contextOf, revisionsOf } from './publish.ts';
import type { ReportContext } from './report/context.ts';
import { markdownBlock } from './report/escape.ts';
import { commentForms, renderSummary, summaryForms } from './report/markdown.ts';
import { type Marker, parseMarker } from './report/marker.ts';
import { annotationsOf, outputsOf } from './report/outputs.ts';
import { renderTerminal, terminalDefaults } from './report/terminal.ts';
import { makeView } from './report/view.ts';
import { type JobSettings, readJobSettings } from './settings.ts';
import { startIn } from './workspace.ts';

/** The job as the runner describes it. */
interface Job {
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
  /** Where report and evidence are put. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Exit codes of errors that end a job before it has a verdict. */
const errorExit: Readonly<Record<ErrorCode, number>> = {
  usage: 2,
  github: 2,
  invalid: 3,
  'service-failed': 4,
  'no-baseline': 5,
  cancelled: 130,
};

/** Rows that are worth a first comment under `comment: on-change`. */
const movedStates: readonly RowState[] = ['regressed', 'improved', 'accepted'];

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
    process.exitCode = await explain(error, log, stopping.signal);
  } finally {
    log.endGroup();
  }
}

async function readJob(log: JobLog, signal: AbortSignal): Promise<Job> {
  const environment = process.env;
  const given = readInputs(inputs.map((input) => input.name));
  const token = given['token'] ?? '';
  if (token !== '') log.mask(token);
  const event = await readSituation(environment);
  const identity = readRun(environment);
  const overrides = Object.fromEntries(
    inputs.filter((input) => input.key !== null).map((input) => [input.name, given[input.name]]),
  );
  const start = startIn(environment['GITHUB_WORKSPACE'] ?? process.cwd(), given['working-directory'] ?? '');
  const settings = readJobSettings({
    directory: start.directory,
    file: given['config'],
    overrides: { ...overrides, 'working-directory': start.workingDirectory },
    environment,
  });
  const name = environment['GITHUB_EVENT_NAME'] ?? '';
  const situation: Situation = start.ofEvent ? event : { kind: 'other', event: name, sha: '' };
  const id = readId(given['id']);
  for (const [name, value] of Object.entries(settings.config.env)) {
    if (/(TOKEN|SECRET|KEY|PASSWORD)$/i.test(name) && value !== '') log.mask(value);
  }
  for (const warning of settings.warnings) log.tell(warning);
  const client = await connectOrTell(log, {
    token,
    repository: identity.repository,
    apiUrl: identity.apiUrl,
    clock: { sleep: (duration) => realClock.sleep(duration, signal) },
  });
  const folder = join(environment['RUNNER_TEMP'] ?? tmpdir(), `tailgate-${id}`);
  mkdirSync(folder, { recursive: true });
  const repeated = { ...given, 'working-directory': start.workingDirectory };
  return {
    environment,
    given: repeated,
    log,
    run: identity,
    situation,
    client,
    settings,
    id,
    folder,
    signal,
  };
}

/** It becomes part of a path, of a comment's marker and of an artifact's name. */
function readId(given = 'default'): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(given)) return given;
  throw new TailgateError({
    code: 'usage',
    message: `The input \`id\` is ${JSON.stringify(given.slice(0, 100))}; wanted at most 64 letters, digits, dots, dashes and underscores, a letter or digit first.`,
    hint: 'Give each gate of a pull request a short name, such as `id: checkout`.',
  });
}

async function connectOrTell(log: JobLog, settings: ClientSettings): Promise<GitHubClient | null> {
  try {
    return await connect(settings);
  } catch (error) {
    log.notice(`GitHub cannot be asked or told anything: ${messageOf(error)}`);
    return null;
  }
}

async function measure(job: Job): Promise<GateResult> {
  const ledgerPath = join(job.folder, 'leftovers.jsonl');
  leaveForPost('ledger', ledgerPath);
  const ledger = openLedger(ledgerPath);
  // Whatever the job starts inherits this mark, and it is on disk before anything is started: however early this
  // process is killed, the post step finds every command, set-up included.
  const { mark, env: environment } = markedEnvironment(job.environment);
  ledger.add({ kind: 'group', group: 0, leaderStart: null, mark });
  const { client } = job;
  try {
    return await runGate({
      ...job.settings,
      situation: job.situation,
      ...(client === null ? {} : { mergeBaseByApi: (one, other) => client.mergeBase(one, other) }),
      environment,
      clock: realClock,
      signal: job.signal,
      ledger,
      tell: (event) => announce(job.log, event),
    });
  } finally {
    job.log.endGroup();
    await sweep(ledgerPath);
  }
}

/** Everything is published before the exit code is set; nothing of it can change the verdict. */
async function publish(job: Job, result: GateResult): Promise<number> {
  const { log, run: identity } = job;
  const { verdict, evidence } = result;
  const evidencePath = evidence === null ? '' : keep(job, 'tailgate-evidence.json', serialise(evidence));
  const artifactUrl = evidencePath === '' ? null : await upload(job, evidencePath);
  const contextWith = (previous: Marker | null): ReportContext =>
    contextOf({ ...result, revisions: revisionsOf(result) }, result.config, {
      id: job.id,
      run: { kind: 'github', id: identity.run, attempt: identity.attempt },
      links: { run: identity.url, summary: identity.url, evidence: artifactUrl },
      configFile: job.settings.configFile,
      history: previous?.history ?? [],
      call: 'tailgate',
      overrides: asFlags(job),
    });
  const context = contextWith(null);
  const view = makeView(verdict, evidence, context);
  const reportPath = keep(job, 'tailgate-report.md', renderSummary(view));
  const summary = await writeSummary(job.environment, summaryForms(view));
  if (summary.kind === 'refused') log.tell(summary.notice);
  const commentUrl = await comment(job, result, (previous) =>
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
  annotate(verdict.outcome, context.exitCode !== 0, annotationsOf(verdict));
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
  render: (previous: Marker | null) => readonly string[],
): Promise<string | null> {
  if (job.situation.kind !== 'pull-request' || job.client === null) return null;
  const published = await publishComment<Marker>(job.client, {
    number: job.situation.number,
    id: job.id,
    run: job.run.run,
    attempt: job.run.attempt,
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

/** @returns the address of the artifact, or null with a notice that says why there is none. */
async function upload(job: Job, file: string): Promise<string | null> {
  if ((job.environment['ACTIONS_RUNTIME_TOKEN'] ?? '') === '') {
    job.log.notice('The evidence was not uploaded: this runner does not offer artifacts to actions.');
    return null;
  }
  const { uploadEvidence } = await import('./github/artifact.ts');
  const name = job.id === 'default' ? 'tailgate-evidence' : `tailgate-evidence-${job.id}`;
  const uploaded = await uploadEvidence(name, [file], job.folder, job.run);
  if (uploaded.kind === 'uploaded') return uploaded.url;
  job.log.tell(uploaded.notice);
  return null;
}

/** Says why there is no verdict, in the log and in the summary. @returns the exit code. */
async function explain(error: unknown, log: JobLog, signal: AbortSignal): Promise<number> {
  log.endGroup();
  if (signal.aborted) {
    log.warning('Cancelled: nothing was decided, and everything that was started has been ended.');
    return errorExit.cancelled;
  }
  const known = error instanceof TailgateError;
  const said = known
    ? inWords(error)
    : `This is a defect of Tailgate: ${error instanceof Error ? error.stack : messageOf(error)}`;
  const tail = known ? error.tail : [];
  for (const line of tail) log.info(`  | ${line}`);
  const block = markdownBlock([...said.split('\n'), ...tail]);
  await writeSummary(process.env, [`**Tailgate did not measure anything.**\n\n${block}`]);
  log.error(said);
  return known ? errorExit[error.code] : 70;
}

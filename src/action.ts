/** GitHub's shell: inputs in; summary, comment, annotations, artifact, outputs and exit code out. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rampInAction } from './action-ramp.ts';
import { selfTestInAction } from './action-self-test.ts';
import { announce } from './announce.ts';
import { inputs } from './config/inputs.ts';
import { runGate } from './gate.ts';
import { type ClientSettings, connect, type GitHubClient } from './github/client.ts';
import { readRun, readSituation, type Situation } from './github/event.ts';
import { leaveForPost, readInputs } from './github/inputs.ts';
import { inWords, type JobLog, jobLog } from './github/log.ts';
import { writeSummary } from './github/summary.ts';
import { defectExit, watchForDefects } from './kernel/defects.ts';
import { assertNever, type ErrorCode, messageOf, TailgateError } from './kernel/errors.ts';
import { makeTemporaryFolder, onDisk } from './kernel/folders.ts';
import { type Ledger, openLedger, sweep } from './kernel/leftovers.ts';
import { markedEnvironment } from './kernel/processes.ts';
import { realClock } from './kernel/world.ts';
import { rejudge } from './rejudge.ts';
import { markdownBlock } from './report/escape.ts';
import { readJobSettings } from './settings.ts';
import { artifactName, type Job, publish, type Told } from './tell-github.ts';
import { startIn } from './workspace.ts';

/** Exit codes of errors that end a job before it has a verdict. */
const errorExit: Readonly<Record<ErrorCode, number>> = {
  usage: 2,
  github: 2,
  invalid: 3,
  'service-failed': 4,
  'no-baseline': 5,
  cancelled: 130,
};

/** The action's main step. Never rejects: problems end in an annotation and the exit code of the documentation. */
export async function run(): Promise<void> {
  const log = jobLog();
  const stopping = new AbortController();
  const stop = (): void =>
    stopping.abort(new TailgateError({ code: 'cancelled', message: 'the job was cancelled' }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  let defect: unknown = null;
  const defects = watchForDefects(stopping, (error) => {
    defect ??= error;
    log.info(defectText(error));
  });
  try {
    const job = await readJob(log, stopping.signal);
    process.exitCode = await carryOut(job);
  } catch (error) {
    if (!defects.seen()) process.exitCode = await explain(error, log, stopping.signal.aborted);
  }
  if (defects.seen()) process.exitCode = await explain(defect, log, false);
  log.endGroup();
  defects.end();
}

function carryOut(job: Job): Promise<number> {
  switch (job.mode) {
    case 'gate':
      return measure(job).then((told) => publish(job, told));
    case 'judge':
      return judgeAgain(job).then((told) => publish(job, told));
    case 'self-test':
      return withLedger(job, (ledger, environment) => selfTestInAction(job, ledger, environment));
    case 'ramp':
      return withLedger(job, (ledger, environment) => rampInAction(job, ledger, environment));
    default:
      return assertNever(job.mode);
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
  const mode = readMode(given['mode']);
  // Who only judges starts nothing, and need not say how.
  const startCommand = mode === 'judge' ? { start: given['start'] ?? 'none' } : {};
  const settings = readJobSettings({
    directory: start.directory,
    file: given['config'],
    overrides: { ...overrides, ...startCommand, 'working-directory': start.workingDirectory },
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
  const temporary = environment['RUNNER_TEMP'] ?? tmpdir();
  const folder = join(temporary, `tailgate-${id}`);
  onDisk(temporary, () => mkdirSync(folder, { recursive: true }));
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
    mode,
    folder,
    signal,
  };
}

function readMode(given = 'gate'): Job['mode'] {
  const known = (['gate', 'judge', 'self-test', 'ramp'] as const).find((mode) => mode === given);
  if (known !== undefined) return known;
  throw new TailgateError({
    code: 'usage',
    message: `The input \`mode\` is ${JSON.stringify(given.slice(0, 100))}; wanted gate, judge, self-test or ramp.`,
    hint: '`gate` measures and decides; `judge` decides again from what was measured at this commit; `self-test` checks the gate; `ramp` finds the capacity.',
  });
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

async function measure(job: Job): Promise<Told> {
  const { client } = job;
  const result = await withLedger(job, (ledger, environment) =>
    runGate({
      ...job.settings,
      situation: job.situation,
      ...(client === null ? {} : { mergeBaseByApi: (one, other) => client.mergeBase(one, other) }),
      environment,
      clock: realClock,
      signal: job.signal,
      ledger,
      tell: (event) => announce(job.log, event),
    }),
  );
  return { result, source: { kind: 'measured' } };
}

/** Whatever is started is in a ledger, which is swept here or, when this process is killed, by the post step. */
async function withLedger<Result>(
  job: Job,
  work: (ledger: Ledger, environment: Job['environment']) => Promise<Result>,
): Promise<Result> {
  const ledgerPath = join(job.folder, 'leftovers.jsonl');
  leaveForPost('ledger', ledgerPath);
  const ledger = openLedger(ledgerPath);
  // Whatever the job starts inherits this mark, and it is on disk before anything is started: however early this
  // process is killed, the post step finds every command, set-up included.
  const { mark, env: environment } = markedEnvironment(job.environment);
  ledger.add({ kind: 'group', group: 0, leaderStart: null, mark });
  try {
    return await work(ledger, environment);
  } finally {
    job.log.endGroup();
    await sweep(ledgerPath);
  }
}

/** Decides again from what an earlier run measured at the head of the pull request. */
async function judgeAgain(job: Job): Promise<Told> {
  const token = job.given['token'] ?? '';
  const { result, measuredBy } = await rejudge({
    ...job,
    artifact: artifactName(job.id),
    folder: makeTemporaryFolder('judged-', job.folder),
    download: async (artifact, folder) => {
      const { downloadEvidence } = await import('./github/artifact.ts');
      await downloadEvidence(artifact, folder, { repository: job.run.repository, token });
    },
  });
  return {
    result,
    source: measuredBy === null ? { kind: 'nothing' } : { kind: 'stored', artifact: measuredBy },
  };
}

/** Says why there is no verdict, in the log and in the summary. @returns the exit code. */
async function explain(error: unknown, log: JobLog, cancelled: boolean): Promise<number> {
  log.endGroup();
  if (cancelled) {
    log.warning('Cancelled: nothing was decided, and everything that was started has been ended.');
    return errorExit.cancelled;
  }
  const known = error instanceof TailgateError;
  const said = known ? inWords(error) : defectText(error);
  const tail = known ? error.tail : [];
  for (const line of tail) log.info(`  | ${line}`);
  const block = markdownBlock([...said.split('\n'), ...tail]);
  await writeSummary(process.env, [`**Tailgate did not measure anything.**\n\n${block}`]);
  log.error(said);
  return known ? errorExit[error.code] : defectExit;
}

const defectText = (error: unknown): string =>
  `This is a defect of Tailgate: ${error instanceof Error ? error.stack : messageOf(error)}`;

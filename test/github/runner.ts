/** A runner on this machine: gives a step the variables and files of a job, and reads back what it left. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitHubServer } from './server.ts';

export interface Job {
  readonly server: GitHubServer;
  readonly token: string;
  readonly event: string;
  readonly payload: unknown;
  /** GITHUB_SHA. */
  readonly sha: string;
  /** The checkout. */
  readonly workspace: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly run?: number;
  readonly attempt?: number;
  /** More variables, or others than a runner would give. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Milliseconds after which a step is ended by force. */
  readonly patience?: number;
}

export interface StepResult {
  /** null when it was ended by a signal. */
  readonly code: number | null;
  /** What the log would show: both streams, without the lines that only tell the runner what to mask. */
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** What it left for its post part. */
  readonly state: Readonly<Record<string, string>>;
}

export interface RunningStep {
  /** Of the step itself, which is what a runner signals; it leads a process group of its own. */
  readonly pid: number;
  /** What the log shows so far. */
  log(): string;
  readonly ended: Promise<StepResult>;
}

/** A job with its files, in which steps run one after another; disposing it removes them. */
export interface OpenJob extends AsyncDisposable {
  /** RUNNER_TEMP. */
  readonly temp: string;
  /**
   * Starts a bundle as the runner does: a plain process with the variables of the job, in the checkout.
   * @param state what the main part left, for a post part.
   */
  bundle(entry: string, state?: Variables): RunningStep;
  /**
   * Starts a source entry, which exports `run()`, by GitHub's own local runner, with its stand-ins for the toolkit.
   * It has to be started where node_modules are, so that the entry must go by GITHUB_WORKSPACE; variables go by
   * its file, because the shell in between drops names with a dash (INPUT_TIME-BUDGET).
   */
  localAction(entry: string): RunningStep;
}

const root = new URL('../..', import.meta.url).pathname;
const localAction = join(root, 'node_modules', '@github', 'local-action', 'bin', 'local-action.js');

export async function runBundle(entry: string, job: Job): Promise<StepResult> {
  await using open = await openJob(job);
  return await open.bundle(entry).ended;
}

export async function runLocalAction(entry: string, job: Job): Promise<StepResult> {
  await using open = await openJob(job);
  return await open.localAction(entry).ended;
}

type Variables = Readonly<Record<string, string>>;

export async function openJob(job: Job): Promise<OpenJob> {
  const folder = await mkdtemp(join(tmpdir(), 'tailgate-runner-'));
  const variables = await describeJob(job, folder);
  const files = filesIn(folder);
  const left = async () => ({
    outputs: parseCommandFile(await readFile(files.output, 'utf8')),
    summary: await readFile(files.summary, 'utf8'),
    state: parseCommandFile(await readFile(files.state, 'utf8')),
  });
  return {
    temp: join(folder, 'temp'),
    bundle(entry, state = {}) {
      const saved = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
      const environment = {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ...variables,
        ...Object.fromEntries(saved),
      };
      const step = startProcess([process.execPath, entry], job.workspace, environment, job.patience);
      return { ...step, ended: step.ended.then(async (ended) => ({ ...ended, ...(await left()) })) };
    },
    localAction(entry) {
      const file = join(folder, 'variables.env');
      writeFileSync(file, Object.entries(variables).map(dotenvLine).join('\n'));
      // npm keeps compiled code in the TMPDIR of the job.
      const quiet = { NO_COLOR: '1', FORCE_COLOR: '0', NODE_DISABLE_COMPILE_CACHE: '1' };
      const environment = { ...process.env, ...quiet };
      const argv = [process.execPath, localAction, 'run', '.', entry, file];
      const step = startProcess(argv, root, environment, job.patience);
      const ended = step.ended.then(async ({ code, log }) => {
        const outputs = [...log.matchAll(/^::set-output name=([^:]+)::(.*)$/gm)];
        return {
          code,
          log,
          outputs: Object.fromEntries(outputs.map((match) => [match[1]!, match[2]!])),
          summary: await readFile(files.summary, 'utf8'),
          state: {},
        };
      });
      return { ...step, ended };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const filesIn = (folder: string) => ({
  output: join(folder, 'output'),
  summary: join(folder, 'summary.md'),
  state: join(folder, 'state'),
  event: join(folder, 'event.json'),
});

/** @returns the variables of the job, whose files are there when this returns. */
async function describeJob(job: Job, folder: string): Promise<Variables> {
  const files = filesIn(folder);
  for (const file of [files.output, files.summary, files.state]) await writeFile(file, '');
  await writeFile(files.event, JSON.stringify(job.payload));
  await mkdir(join(folder, 'temp'));
  const inputs = Object.entries({ token: job.token, ...job.inputs });
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: job.event,
    GITHUB_EVENT_PATH: files.event,
    GITHUB_SHA: job.sha,
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_RUN_ID: String(job.run ?? 500),
    GITHUB_RUN_ATTEMPT: String(job.attempt ?? 1),
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_API_URL: job.server.url,
    GITHUB_GRAPHQL_URL: `${job.server.url}/graphql`,
    GITHUB_WORKSPACE: job.workspace,
    GITHUB_OUTPUT: files.output,
    GITHUB_STATE: files.state,
    GITHUB_STEP_SUMMARY: files.summary,
    RUNNER_TEMP: join(folder, 'temp'),
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    ...Object.fromEntries(inputs.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...job.variables,
  };
}

function startProcess(
  argv: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
  patience = 180_000,
): {
  readonly pid: number;
  readonly log: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly log: string }>;
} {
  const [command = '', ...rest] = argv;
  // A group of its own, so that all of it can be ended when it hangs.
  const child = spawn(command, rest, {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const hung = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, patience);
  const log = (): string => {
    const lines = Buffer.concat(chunks).toString('utf8').split('\n');
    return lines.filter((line) => !line.startsWith('::add-mask::')).join('\n');
  };
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).then((code) => {
    clearTimeout(hung);
    return { code, log: log() };
  });
  return { pid: child.pid ?? 0, log, ended };
}

/** The files that steps leave: `name<<delimiter`, the value, the delimiter. */
export function parseCommandFile(text: string): Record<string, string> {
  const entries = text.matchAll(/^([^\n<]+)<<(\S+)\n([\s\S]*?)\n\2$/gm);
  return Object.fromEntries([...entries].map((match) => [match[1]!, match[3]!]));
}

/** One line of an env file; the quote is one that the value does not have. */
function dotenvLine([name, value]: readonly [string, string]): string {
  const quote = ["'", '`'].find((mark) => !value.includes(mark));
  if (quote === undefined) throw new Error(`${name} has both kinds of quotes`);
  return `${name}=${quote}${value}${quote}`;
}

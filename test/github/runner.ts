/** A runner on this machine: gives a step the variables and files of a job, and reads back what it left. */
import { spawn } from 'node:child_process';
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

const root = new URL('../..', import.meta.url).pathname;
const localAction = join(root, 'node_modules', '@github', 'local-action', 'bin', 'local-action.js');

/** Runs a bundle as the runner does: a plain process with the variables of the job, in the checkout. */
export async function runBundle(entry: string, job: Job, patience = 180_000): Promise<StepResult> {
  return await inJob(job, async (files, variables) => {
    const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables };
    const ended = await runProcess([process.execPath, entry], job.workspace, environment, patience);
    return {
      ...ended,
      outputs: parseCommandFile(await readFile(files.output, 'utf8')),
      summary: await readFile(files.summary, 'utf8'),
      state: parseCommandFile(await readFile(files.state, 'utf8')),
    };
  });
}

/**
 * Runs a source entry, which exports `run()`, by GitHub's own local runner, with its stand-ins for the toolkit.
 * It has to be started where node_modules are, so that the entry must go by GITHUB_WORKSPACE; variables go by
 * its file, because the shell in between drops names with a dash (INPUT_TIME-BUDGET).
 */
export async function runLocalAction(entry: string, job: Job, patience = 180_000): Promise<StepResult> {
  return await inJob(job, async (files, variables) => {
    const file = join(files.folder, 'variables.env');
    await writeFile(file, Object.entries(variables).map(dotenvLine).join('\n'));
    const environment = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
    const argv = [process.execPath, localAction, 'run', '.', entry, file];
    const ended = await runProcess(argv, root, environment, patience);
    const outputs = [...ended.log.matchAll(/^::set-output name=([^:]+)::(.*)$/gm)];
    return {
      ...ended,
      outputs: Object.fromEntries(outputs.map((match) => [match[1]!, match[2]!])),
      summary: await readFile(files.summary, 'utf8'),
      state: {},
    };
  });
}

interface JobFiles {
  readonly folder: string;
  readonly output: string;
  readonly summary: string;
  readonly state: string;
}

type Variables = Readonly<Record<string, string>>;

async function inJob(
  job: Job,
  step: (files: JobFiles, variables: Variables) => Promise<StepResult>,
): Promise<StepResult> {
  const folder = await mkdtemp(join(tmpdir(), 'tailgate-runner-'));
  try {
    const files = {
      folder,
      output: join(folder, 'output'),
      summary: join(folder, 'summary.md'),
      state: join(folder, 'state'),
    };
    for (const file of [files.output, files.summary, files.state]) await writeFile(file, '');
    await writeFile(join(folder, 'event.json'), JSON.stringify(job.payload));
    await mkdir(join(folder, 'temp'));
    const inputs = Object.entries({ token: job.token, ...job.inputs });
    return await step(files, {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: job.event,
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
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
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runProcess(
  argv: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
  patience: number,
): Promise<{ code: number | null; log: string }> {
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
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  clearTimeout(hung);
  const lines = Buffer.concat(chunks).toString('utf8').split('\n');
  return { code, log: lines.filter((line) => !line.startsWith('::add-mask::')).join('\n') };
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

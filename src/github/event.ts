/** What the runner says about this job: which event started it, between which commits, in which run. */
import { readFile, stat } from 'node:fs/promises';
import { messageOf, TailgateError } from '../kernel/errors.ts';

/** The variables of a process, handed in so that a test can be any runner. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Why the job runs and between which commits. Hashes are whole, lower-case hexadecimal. */
export type Situation =
  | {
      readonly kind: 'pull-request';
      readonly number: number;
      /** Tip of the target branch when the event was made; not the merge-base. */
      readonly baseSha: string;
      readonly headSha: string;
      readonly baseRef: string;
      readonly headRef: string;
      /** The head lives in another repository, or in one that is gone: the token of the job is read-only. */
      readonly fromFork: boolean;
      /** owner/name of the repository that the pull request is aimed at. */
      readonly repository: string;
      /** What the runner's default checkout gives: the trial merge of head into base. */
      readonly sha: string;
    }
  | {
      readonly kind: 'push';
      /** The tip before the push; null for a new branch or tag, which has no tip before. */
      readonly before: string | null;
      readonly sha: string;
    }
  | {
      readonly kind: 'merge-group';
      readonly baseSha: string;
      readonly headSha: string;
    }
  | { readonly kind: 'other'; readonly event: string; readonly sha: string };

/** Which run of which workflow this is. */
export interface RunIdentity {
  /** owner/name. */
  readonly repository: string;
  /** Grows from run to run; a re-run keeps it and raises `attempt`. */
  readonly run: number;
  readonly attempt: number;
  readonly serverUrl: string;
  readonly apiUrl: string;
  /** Page of this run, where the summary and the artifacts are. */
  readonly url: string;
}

/** Payloads are a few hundred kilobytes at most; anything larger is not one. */
const payloadLimit = 32 * 1024 * 1024;
const noCommit = /^0+$/;
const wholeHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export function insideActions(environment: Environment): boolean {
  return environment['GITHUB_ACTIONS'] === 'true';
}

/**
 * Reads the event of this job.
 * @throws TailgateError `usage` for `pull_request_target`, where code of strangers would run next to a token
 * that may write, and for a payload that is missing or broken.
 */
export async function readSituation(environment: Environment): Promise<Situation> {
  const event = environment['GITHUB_EVENT_NAME'] ?? '';
  switch (event) {
    case 'pull_request_target':
      throw new TailgateError({
        code: 'usage',
        message:
          'Tailgate does not measure under pull_request_target: this event hands a token that may write, and the secrets of the repository, to a job that would build and run the code of the pull request.',
        hint: 'Measure under `on: pull_request`. A pull request from a fork is measured there too; its report is in the job summary and in the artifact.',
      });
    case 'pull_request':
      return pullRequest(await readPayload(environment), environment);
    case 'push': {
      const payload = await readPayload(environment);
      const before = payload.text('before');
      return {
        kind: 'push',
        before: noCommit.test(before) ? null : payload.hash('before'),
        sha: checkedOut(environment),
      };
    }
    case 'merge_group': {
      const payload = await readPayload(environment);
      return {
        kind: 'merge-group',
        baseSha: payload.hash('merge_group', 'base_sha'),
        headSha: payload.hash('merge_group', 'head_sha'),
      };
    }
    case '':
      throw new TailgateError({
        code: 'usage',
        message: 'GITHUB_EVENT_NAME is not set, so the event of this job is unknown.',
        hint: 'The action needs the environment of a GitHub Actions runner; on another machine use `tailgate gate --baseline REF`.',
      });
    default:
      return { kind: 'other', event, sha: checkedOut(environment) };
  }
}

/** The name of the tag that this job is about: of a release, or of a tag that was pushed. Null: neither. */
export function releasedTag(environment: Environment): string | null {
  const event = environment['GITHUB_EVENT_NAME'];
  if (event !== 'release' && event !== 'push') return null;
  const name = /^refs\/tags\/(.+)$/.exec(environment['GITHUB_REF'] ?? '');
  return name?.[1] ?? null;
}

/**
 * Reads which run this is, for links and for the marker of the comment.
 * @throws TailgateError `usage` naming the variable that is missing or has another form.
 */
export function readRun(environment: Environment): RunIdentity {
  const repository = environment['GITHUB_REPOSITORY'] ?? '';
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw variableError('GITHUB_REPOSITORY', repository, 'owner/name');
  }
  const run = wholeNumber(environment, 'GITHUB_RUN_ID');
  const attempt = wholeNumber(environment, 'GITHUB_RUN_ATTEMPT');
  const serverUrl = address(environment, 'GITHUB_SERVER_URL', 'https://github.com');
  return {
    repository,
    run,
    attempt,
    serverUrl,
    apiUrl: address(environment, 'GITHUB_API_URL', 'https://api.github.com'),
    url: `${serverUrl}/${repository}/actions/runs/${run}/attempts/${attempt}`,
  };
}

function pullRequest(payload: Payload, environment: Environment): Situation {
  const repository = payload.text('pull_request', 'base', 'repo', 'full_name');
  // A fork that was deleted leaves `repo: null` behind.
  const home = payload.find('pull_request', 'head', 'repo', 'full_name');
  const number = payload.find('pull_request', 'number') ?? payload.find('number');
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) {
    throw payload.problem('pull_request.number', number, 'a whole number from 1 up');
  }
  return {
    kind: 'pull-request',
    number,
    baseSha: payload.hash('pull_request', 'base', 'sha'),
    headSha: payload.hash('pull_request', 'head', 'sha'),
    baseRef: payload.text('pull_request', 'base', 'ref'),
    headRef: payload.text('pull_request', 'head', 'ref'),
    fromFork: typeof home !== 'string' || home.toLowerCase() !== repository.toLowerCase(),
    repository,
    sha: checkedOut(environment),
  };
}

interface Payload {
  find(...path: readonly string[]): unknown;
  text(...path: readonly string[]): string;
  hash(...path: readonly string[]): string;
  problem(name: string, value: unknown, form: string): TailgateError;
}

async function readPayload(environment: Environment): Promise<Payload> {
  const event = environment['GITHUB_EVENT_NAME'];
  const file = environment['GITHUB_EVENT_PATH'];
  const wayOut = 'The runner writes this file; a step before this one may have changed or removed it.';
  const broken = (message: string, cause?: unknown) =>
    new TailgateError({ code: 'usage', message, hint: wayOut, cause });
  if (file === undefined || file === '') {
    throw broken(`GITHUB_EVENT_PATH is not set, so the payload of the ${event} event is unknown.`);
  }
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > payloadLimit) {
      throw broken(
        `The event payload ${file} has ${size} bytes, more than the ${payloadLimit} of any event.`,
      );
    }
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    if (thrown instanceof TailgateError) throw thrown;
    throw broken(`The event payload ${file} cannot be read: ${messageOf(thrown)}`, thrown);
  }
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (thrown) {
    throw broken(`The event payload ${file} is not JSON: ${messageOf(thrown)}`, thrown);
  }

  const find = (...path: readonly string[]): unknown => {
    let place = root;
    for (const key of path) {
      if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
      place = (place as Record<string, unknown>)[key];
    }
    return place;
  };
  const problem = (name: string, value: unknown, form: string) =>
    broken(`The event payload ${file} has ${name} = ${shown(value)}; a ${event} event has ${form} there.`);
  const textAt = (...path: readonly string[]): string => {
    const value = find(...path);
    if (typeof value !== 'string' || value === '') throw problem(path.join('.'), value, 'a text');
    return value;
  };
  const hashAt = (...path: readonly string[]): string => {
    const value = textAt(...path);
    if (!wholeHash.test(value)) throw problem(path.join('.'), value, 'a whole commit hash');
    return value;
  };
  return { find, text: textAt, hash: hashAt, problem };
}

function checkedOut(environment: Environment): string {
  const sha = environment['GITHUB_SHA'] ?? '';
  if (!wholeHash.test(sha)) throw variableError('GITHUB_SHA', sha, 'a whole commit hash');
  return sha;
}

function wholeNumber(environment: Environment, name: string): number {
  const text = environment[name] ?? '';
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw variableError(name, text, 'a whole number from 1 up');
  }
  return value;
}

function address(environment: Environment, name: string, otherwise: string): string {
  const text = environment[name] || otherwise;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw variableError(name, text, 'an http or https address');
  }
  return text.replace(/\/+$/, '');
}

function variableError(name: string, value: string, form: string): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `${name} is ${shown(value)}; the runner puts ${form} there.`,
    hint: 'The action needs the environment of a GitHub Actions runner; on another machine use `tailgate gate --baseline REF`.',
  });
}

function shown(value: unknown): string {
  if (value === undefined || value === '') return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Environment, insideActions, readRun, readSituation } from '../../src/github/event.ts';
import { TailgateError } from '../../src/kernel/errors.ts';

const sha = 'c'.repeat(40);
const baseSha = 'a'.repeat(40);
const headSha = 'b'.repeat(40);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tailgate-event-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function runner(event: string, payload: unknown): Promise<Environment> {
  const file = join(folder, 'event.json');
  await writeFile(file, typeof payload === 'string' ? payload : JSON.stringify(payload));
  return { GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: file, GITHUB_SHA: sha };
}

function pullRequest(headRepository: { full_name: string } | null): unknown {
  return {
    number: 7,
    pull_request: {
      number: 7,
      base: { sha: baseSha, ref: 'main', repo: { full_name: 'acme/shop' } },
      head: { sha: headSha, ref: 'faster', repo: headRepository },
    },
  };
}

async function failure(work: Promise<unknown>): Promise<TailgateError> {
  const thrown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(TailgateError);
  return thrown as TailgateError;
}

describe('the event of a job', () => {
  it('is a pull request with both tips and the trial merge that the default checkout gives', async () => {
    const environment = await runner('pull_request', pullRequest({ full_name: 'Acme/Shop' }));
    expect(await readSituation(environment)).toEqual({
      kind: 'pull-request',
      number: 7,
      baseSha,
      headSha,
      baseRef: 'main',
      headRef: 'faster',
      fromFork: false,
      repository: 'acme/shop',
      sha,
    });
  });

  it('is a pull request from a fork when its head lives elsewhere, or nowhere any more', async () => {
    for (const home of [{ full_name: 'mallory/shop' }, null]) {
      const environment = await runner('pull_request', pullRequest(home));
      expect(await readSituation(environment)).toMatchObject({ kind: 'pull-request', fromFork: true });
    }
  });

  it.each([
    ['synchronize', { before: baseSha, after: headSha }],
    ['labeled', { label: { name: 'slower-on-purpose' } }],
    ['edited', { changes: { body: { from: 'before' } } }],
  ])('is a pull request whatever happened to it: %s', async (action, more) => {
    const payload = { ...(pullRequest({ full_name: 'acme/shop' }) as object), action, ...more };
    expect(await readSituation(await runner('pull_request', payload))).toMatchObject({
      kind: 'pull-request',
      number: 7,
      headSha,
    });
  });

  it('is a push with the tip before it', async () => {
    const environment = await runner('push', { before: baseSha, after: sha });
    expect(await readSituation(environment)).toEqual({ kind: 'push', before: baseSha, sha });
  });

  it('is a push without a tip before it when the branch is new', async () => {
    const environment = await runner('push', { before: '0'.repeat(40), after: sha });
    expect(await readSituation(environment)).toEqual({ kind: 'push', before: null, sha });
  });

  it('is a merge group with its base', async () => {
    const environment = await runner('merge_group', {
      merge_group: { base_sha: baseSha, head_sha: headSha, base_ref: 'refs/heads/main' },
    });
    expect(await readSituation(environment)).toEqual({ kind: 'merge-group', baseSha, headSha });
  });

  it('is any other event by its name, and its payload is not looked at', async () => {
    const environment = { GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_SHA: sha };
    expect(await readSituation(environment)).toEqual({ kind: 'other', event: 'workflow_dispatch', sha });
  });

  it('is refused when it is pull_request_target, before anything of the payload is read', async () => {
    const error = await failure(readSituation({ GITHUB_EVENT_NAME: 'pull_request_target' }));
    expect(error.code).toBe('usage');
    expect(error.message).toContain('pull_request_target');
    expect(error.message).toContain('secrets');
    expect(error.hint).toContain('on: pull_request');
  });
});

describe('a broken payload', () => {
  it('names the file when it is not JSON', async () => {
    const environment = await runner('pull_request', '{"number": 7,');
    const error = await failure(readSituation(environment));
    expect(error.code).toBe('usage');
    expect(error.message).toContain('event.json is not JSON');
  });

  it('names the file when it is missing, and the variable when that is not set', async () => {
    const gone = { GITHUB_EVENT_NAME: 'push', GITHUB_EVENT_PATH: join(folder, 'gone.json'), GITHUB_SHA: sha };
    expect((await failure(readSituation(gone))).message).toContain('gone.json cannot be read');
    const unset = { GITHUB_EVENT_NAME: 'push', GITHUB_SHA: sha };
    expect((await failure(readSituation(unset))).message).toContain('GITHUB_EVENT_PATH is not set');
  });

  it('names the place, the value and the wanted form', async () => {
    const whole = pullRequest(null) as { pull_request: { head: { sha: unknown } } };
    whole.pull_request.head.sha = 'main; rm -rf /';
    const error = await failure(readSituation(await runner('pull_request', whole)));
    expect(error.message).toContain('pull_request.head.sha = "main; rm -rf /"');
    expect(error.message).toContain('a whole commit hash');
  });

  it.each([
    ['null', null],
    ['a list', [1]],
    ['a text', '"hello"'],
    ['an empty object', {}],
    ['a number that is none', { ...(pullRequest(null) as object), pull_request: { number: 1.5 } }],
  ])('gives a clear error for %s', async (_, payload) => {
    const error = await failure(readSituation(await runner('pull_request', payload)));
    expect(error.code).toBe('usage');
    expect(error.message).toContain('event.json has pull_request.');
  });

  it('says so when a variable of the runner has another form', async () => {
    const environment = { ...(await runner('push', { before: baseSha })), GITHUB_SHA: 'HEAD' };
    expect((await failure(readSituation(environment))).message).toContain('GITHUB_SHA is "HEAD"');
    expect((await failure(readSituation({}))).message).toContain('GITHUB_EVENT_NAME is not set');
  });
});

describe('the run of a job', () => {
  const environment: Environment = {
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_RUN_ID: '9876543210',
    GITHUB_RUN_ATTEMPT: '2',
    GITHUB_SERVER_URL: 'https://github.example.org/',
    GITHUB_API_URL: 'https://github.example.org/api/v3',
  };

  it('has a number, an attempt and a page', () => {
    expect(insideActions(environment)).toBe(true);
    expect(readRun(environment)).toEqual({
      repository: 'acme/shop',
      run: 9876543210,
      attempt: 2,
      serverUrl: 'https://github.example.org',
      apiUrl: 'https://github.example.org/api/v3',
      url: 'https://github.example.org/acme/shop/actions/runs/9876543210/attempts/2',
    });
  });

  it('is on github.com when no server is named', () => {
    const { GITHUB_SERVER_URL: _, GITHUB_API_URL: __, ...plain } = environment;
    expect(readRun(plain)).toMatchObject({
      serverUrl: 'https://github.com',
      apiUrl: 'https://api.github.com',
    });
  });

  it.each([
    ['GITHUB_REPOSITORY', 'shop'],
    ['GITHUB_RUN_ID', '-1'],
    ['GITHUB_RUN_ATTEMPT', ''],
    ['GITHUB_API_URL', 'file:///etc/passwd'],
  ])('names %s when it is %j', (name, value) => {
    expect(() => readRun({ ...environment, [name]: value })).toThrow(name);
  });
});

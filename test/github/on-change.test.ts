/** What `comment: on-change` takes for a change: a first comment, or none. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { JobLog } from '../../src/github/log.ts';
import type { Nanoseconds } from '../../src/kernel/units.ts';
import type { RowState } from '../../src/kernel/words.ts';
import { readJobSettings } from '../../src/settings.ts';
import { publish } from '../../src/tell-github.ts';
import type { Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import { storedJob } from '../verdict/stored-job.ts';
import { connectTo } from './connection.ts';
import { startGitHub } from './server.ts';

const evidence = storedJob({ measuring: 6 });
const calm = verdictOf();
const folders: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function verdictOf(): Verdict {
  const progress = judge(evidence, { final: true });
  if (progress.kind !== 'decided') throw new Error('not decided');
  return progress.verdict;
}

const silent: JobLog = {
  group() {},
  endGroup() {},
  info() {},
  notice() {},
  warning() {},
  error() {},
  tell() {},
  mask() {},
};

/** Comments after a first job that passed with one row in this state. */
async function commentsWith(state: RowState): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'on-change-'));
  folders.push(folder);
  const outputs = join(folder, 'outputs');
  writeFileSync(outputs, '');
  vi.stubEnv('GITHUB_OUTPUT', outputs);
  const server = await startGitHub({});
  try {
    const { client } = await connectTo(server);
    const settings = readJobSettings({
      directory: folder,
      file: undefined,
      overrides: { start: 'node server.mjs', comment: 'on-change' },
      environment: {},
    });
    const [first, ...others] = calm.findings;
    const verdict = { ...calm, findings: [{ ...first!, state }, ...others] };
    await publish(
      {
        environment: {},
        given: {},
        log: silent,
        run: {
          repository: 'acme/shop',
          run: 500,
          attempt: 1,
          serverUrl: 'https://github.com',
          apiUrl: server.url,
          url: 'https://github.com/acme/shop/actions/runs/500',
        },
        situation: {
          kind: 'pull-request',
          number: 7,
          baseSha: 'a'.repeat(40),
          headSha: 'b'.repeat(40),
          baseRef: 'main',
          headRef: 'feature',
          fromFork: false,
          repository: 'acme/shop',
          sha: 'c'.repeat(40),
        },
        client,
        settings,
        id: 'default',
        mode: 'gate',
        folder,
        signal: new AbortController().signal,
      },
      {
        result: {
          verdict,
          config: settings.config,
          plan: evidence.plan,
          revisions: null,
          evidence,
          alone: [],
          elapsed: 0 as Nanoseconds,
        },
        source: { kind: 'measured' },
      },
    );
    return server.comments.length;
  } finally {
    await server.close();
  }
}

it.each(['regressed', 'improved', 'accepted', 'missing', 'new'] as const)(
  'a row that is %s is one',
  async (state) => {
    expect(calm.outcome).toBe('pass');
    expect(await commentsWith(state)).toBe(1);
  },
);

it('a row that stayed as it was is none', async () => {
  expect(await commentsWith('unchanged')).toBe(0);
});

/** Judging again on GitHub: what was measured at the head of a pull request, under the settings of today. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serialise } from '../../src/evidence/store.ts';
import type { Evidence } from '../../src/evidence/trial.ts';
import { readSituation, type Situation } from '../../src/github/event.ts';
import type { TailgateError } from '../../src/kernel/errors.ts';
import { type RejudgeJob, rejudge } from '../../src/rejudge.ts';
import { readJobSettings } from '../../src/settings.ts';
import { environment, Playground, type Story, tellStory } from '../builds/repositories.ts';
import { costlier, storedJob } from '../verdict/stored-job.ts';
import { connectTo } from './connection.ts';
import type { StoredArtifact } from './fixtures.ts';
import { type GitHubServer, startGitHub } from './server.ts';

let playground: Playground;
let story: Story;
let workspace: string;
let folder: string;
let server: GitHubServer;
let measured: Evidence;

beforeAll(() => {
  playground = new Playground();
  story = tellStory(playground);
  const revision = (sha: string, ref: string) => ({ sha, ref, how: 'as it was', outputHash: null });
  measured = {
    ...storedJob(costlier),
    revisions: { baseline: revision(story.fork, 'main'), candidate: revision(story.head, 'pull request 7') },
  };
});
afterAll(() => playground.remove());

let checkouts = 0;
beforeEach(() => {
  checkouts += 1;
  workspace = playground.checkout(story.bare, 'refs/pull/7/merge', `workspace-${checkouts}`);
  folder = mkdtempSync(join(playground.root, 'judged-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

const situationOf = (baseRef = 'main'): Situation => ({
  kind: 'pull-request',
  number: 7,
  baseSha: story.tip,
  headSha: story.head,
  baseRef,
  headRef: 'feature',
  fromFork: false,
  repository: 'acme/shop',
  sha: story.merge,
});

interface Given {
  readonly config?: string;
  readonly body?: string;
  readonly file?: string | null;
  readonly artifacts?: readonly Partial<StoredArtifact>[];
  readonly head?: string;
  readonly job?: Partial<RejudgeJob>;
}

async function judged(given: Given = {}) {
  const found = {
    id: 70,
    name: 'tailgate-evidence',
    run: 490,
    attempt: 2,
    event: 'pull_request',
    headSha: given.head ?? story.head,
    numbers: [7],
    size: 1000,
    expired: false,
  };
  server = await startGitHub({
    mergeBases: { [`${story.tip}...${story.head}`]: story.fork },
    pulls: [{ number: 7, headSha: given.head ?? story.head, body: given.body ?? null }],
    artifacts: (given.artifacts ?? [{}]).map((one) => ({ ...found, ...one })),
  });
  const { client } = await connectTo(server);
  if (given.config !== undefined) writeFileSync(join(workspace, 'tailgate.yml'), given.config);
  const settings = readJobSettings({
    directory: workspace,
    file: undefined,
    overrides: { start: 'none' },
    environment,
  });
  return await rejudge({
    settings,
    situation: situationOf(),
    client,
    artifact: 'tailgate-evidence',
    environment,
    signal: new AbortController().signal,
    folder,
    download: async (artifact, into) => {
      expect(artifact).toMatchObject({ id: 70, run: 490, attempt: 2 });
      const content = given.file === undefined ? serialise(measured) : given.file;
      if (content !== null) writeFileSync(join(into, 'tailgate-evidence.json'), content);
    },
    ...given.job,
  });
}

async function refused(given: Given): Promise<TailgateError> {
  return await judged(given).then(
    () => {
      throw new Error('it was judged');
    },
    (thrown: TailgateError) => thrown,
  );
}

const waivers = `waivers:
  - { scenario: home, metric: cpu, ceiling: 12%, reason: "safer hash" }
  - { scenario: home, metric: cpu-total, ceiling: 12%, reason: "safer hash" }
`;
const body = `Hashes passwords.

Perf-Accepted: home/cpu <= +12% | safer hash
Perf-Accepted: home/cpu-total <= +12% | safer hash
`;

describe('what was measured', () => {
  it('stays a regression under the settings it was measured with', async () => {
    const { result, measuredBy } = await judged();
    expect(result.verdict.outcome).toBe('regression');
    expect(result.evidence?.rounds).toHaveLength(measured.rounds.length);
    expect(measuredBy).toMatchObject({ run: 490, attempt: 2 });
  });

  it.each([
    ['labeled', { label: { name: 'slower-on-purpose' } }],
    ['edited', { changes: { body: { from: '' } } }],
    ['synchronize', { before: 'd'.repeat(40), after: 'e'.repeat(40) }],
  ])('is judged again for the event that a pull request was %s', async (action, more) => {
    const event = join(folder, 'event.json');
    const repo = { full_name: 'acme/shop' };
    const pull_request = {
      number: 7,
      head: { sha: story.head, ref: 'feature', repo },
      base: { sha: story.tip, ref: 'main', repo },
    };
    writeFileSync(event, JSON.stringify({ action, number: 7, pull_request, ...more }));
    const situation = await readSituation({
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: event,
      GITHUB_SHA: story.merge,
    });
    expect((await judged({ job: { situation } })).result.verdict.outcome).toBe('regression');
    expect(situation).toEqual(situationOf());
  });

  it('passes with the waivers of the checkout', async () => {
    const { result } = await judged({ config: waivers });
    expect(result.verdict.outcome).toBe('pass');
    expect(result.evidence?.waivers).toHaveLength(2);
  });

  it('passes with what the description accepts, and says where that stands', async () => {
    const { result } = await judged({ body });
    expect(result.verdict.outcome).toBe('pass');
    expect(result.verdict.findings[0]).toMatchObject({
      state: 'accepted',
      reason: 'accepted by the description of the pull request up to +12 %: “safer hash”',
    });
  });

  it('is not helped by the description where the baseline is trusted, and that is said', async () => {
    const { result } = await judged({ body, config: 'trust-config: baseline\n' });
    expect(result.verdict.outcome).toBe('regression');
    expect(result.verdict.warnings.map(({ code }) => code)).toContain('trailers-ignored');
  });

  it('is told of a malformed line of the description', async () => {
    const { result } = await judged({ body: 'Perf-Accepted: all of it' });
    expect(result.verdict.warnings.map(({ code }) => code)).toContain('trailer-malformed');
  });

  it('fetches the baseline, whose settings may count, into a checkout of one commit', async () => {
    await judged();
    expect(playground.git(workspace, 'cat-file', '-t', story.fork)).toBe('commit');
    expect(playground.shallow(workspace)).toBe(true);
  });
});

describe('without evidence', () => {
  it.each([
    ['nothing was measured', []],
    ['only another commit was', [{ headSha: 'd'.repeat(40) }]],
  ])('the outcome is invalid, with the way out, when %s', async (_, artifacts) => {
    const { result, measuredBy } = await judged({ artifacts });
    expect(measuredBy).toBeNull();
    expect(result.evidence).toBeNull();
    expect(result.verdict).toMatchObject({
      outcome: 'invalid',
      reason: `no run has left the artifact tailgate-evidence with evidence of ${story.head.slice(0, 10)}, the head of this pull request`,
      failure: { hint: expect.stringContaining('Run the gate at this commit first') },
    });
  });

  it('of the current head it is invalid, although the event names an older one', async () => {
    const head = 'd'.repeat(40);
    const { result } = await judged({ head, artifacts: [{ headSha: story.head }] });
    expect(result.verdict.outcome).toBe('invalid');
  });
});

describe('what the gate finds without measuring', () => {
  it('is skipped here as well when nothing of the change is in paths', async () => {
    const { result } = await judged({ artifacts: [], config: 'paths: [lib/**]\n' });
    expect(result.verdict).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining('lib/**') });
    const { result: meant } = await judged({ artifacts: [], config: 'paths: [server.js]\n' });
    expect(meant.verdict.outcome).toBe('invalid');
  });

  it('shows what the change takes out of the configuration, although it is skipped', async () => {
    writeFileSync(join(workspace, 'tailgate.yml'), 'paths: [lib/**]\n');
    const settings = {
      ...readJobSettings({
        directory: workspace,
        file: undefined,
        overrides: { start: 'none' },
        environment,
      }),
      measuredBefore: async () => ({
        file: 'tailgate.yml',
        scenarios: [
          { name: 'default', routes: ['GET /'] },
          { name: 'checkout', routes: ['GET /checkout'] },
        ],
        benchmarks: { globs: [], declared: true, suites: [] },
      }),
    };
    const { result } = await judged({ artifacts: [], job: { settings } });
    expect(result.verdict).toMatchObject({
      outcome: 'skipped',
      findings: [{ scenario: 'checkout', state: 'missing' }],
    });
    const everything = { ...settings, config: { ...settings.config, paths: [] } };
    const { result: unmeasured } = await judged({ artifacts: [], job: { settings: everything } });
    expect(unmeasured.verdict).toMatchObject({
      outcome: 'invalid',
      findings: [{ scenario: 'checkout', state: 'missing' }],
    });
  });

  it('has no baseline here as well when there is none', async () => {
    const first = playground.git(workspace, 'commit-tree', '-m', 'first', 'HEAD^{tree}');
    const situation = { ...situationOf(), headSha: first } as Situation;
    const { result } = await judged({ artifacts: [], config: 'baseline: previous\n', job: { situation } });
    expect(result.verdict).toMatchObject({
      outcome: 'no-baseline',
      reason: expect.stringContaining('first commit'),
    });
  });
});

describe('evidence that cannot count', () => {
  it.each([
    ['is missing in its archive', null, 'it holds no file tailgate-evidence.json'],
    ['is cut off', '{"schema":"tailgate-evid', 'not whole JSON: it ends in `schema`'],
    ['is of another tool', '{"schema":"k6"}', 'wanted "tailgate-evidence"'],
  ])('because it %s is an error', async (_, file, message) => {
    const error = await refused({ file });
    expect(error.code).toBe('usage');
    expect(error.message).toContain(message);
  });

  const changed = (side: 'baseline' | 'candidate', more: object): string => {
    const { revisions } = measured;
    return serialise({ ...measured, revisions: { ...revisions, [side]: { ...revisions[side], ...more } } });
  };

  it('because a histogram of it cannot be read is an error that names the field and the version', async () => {
    const { onTime } = measured.rounds[0]!.trials[3]!.load.histograms;
    const error = await refused({
      file: serialise(measured).replace(`"onTime":${JSON.stringify(onTime)}`, '"onTime":"H4sIbroken"'),
    });
    expect(error.message).toMatch(
      /^`rounds\[0\]\.trials\[\d\]\.load\.histograms\.onTime`: "H4sIbroken" is not a latency histogram .* \(evidence of version 1\)$/,
    );
  });

  it('because it is about another commit than its run is an error', async () => {
    const error = await refused({ file: changed('candidate', { sha: 'e'.repeat(40) }) });
    expect(error.message).toContain(
      `it is about ${'e'.repeat(40)}, and the head of the pull request is ${story.head}`,
    );
  });

  it('because its baseline is no commit never reaches git', async () => {
    const error = await refused({ file: changed('baseline', { sha: '--upload-pack=touch x' }) });
    expect(error.message).toContain('its baseline is no commit');
  });

  it('because the pull request was aimed elsewhere since is an error', async () => {
    const error = await refused({ job: { situation: situationOf('release') } });
    expect(error.message).toContain('it compares with main, and the pull request is now aimed at release');
    expect(error.hint).toContain('Run the gate again');
  });
});

describe('a job that cannot look for evidence', () => {
  it('because it is not about a pull request says where it belongs', async () => {
    const error = await refused({ job: { situation: { kind: 'push', before: null, sha: story.head } } });
    expect([error.code, error.hint]).toEqual(['usage', expect.stringContaining('types: [labeled, edited]')]);
  });

  it('because it has no token says so', async () => {
    expect((await refused({ job: { client: null } })).message).toContain('there is no token');
  });

  it('because its token may not read runs is told the permission', async () => {
    const forbid = async () => {
      const { client } = await connectTo(server);
      server.fail({
        method: 'GET',
        path: /\/actions\/runs$/,
        status: 403,
        message: 'not accessible',
        times: 1,
      });
      return client;
    };
    server = await startGitHub({ pulls: [{ number: 7, headSha: story.head, body: null }] });
    const client = await forbid();
    const first = server;
    const error = await refused({ job: { client } });
    await first.close();
    expect([error.code, error.hint]).toEqual(['github', expect.stringContaining('actions: read')]);
  });
});

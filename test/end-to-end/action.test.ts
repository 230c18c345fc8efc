/** The action as its users meet it: its entry and its bundle, in jobs on real checkouts, next to a GitHub of our own. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputs } from '../../src/config/inputs.ts';
import { parse } from '../../src/evidence/store.ts';
import { parseMarker } from '../../src/report/marker.ts';
import { openJob, runBundle, type StepResult } from '../github/runner.ts';
import {
  openShop,
  pullRequestScene,
  pushScene,
  type Scene,
  type Shop,
  slow,
  steps,
  tinyPlan,
} from './action-jobs.ts';

const bundle = new URL('../../dist/action.js', import.meta.url).pathname;

/** The log without colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how colours begin.
const plain = (result: StepResult): string => result.log.replace(/\u001b\[[\d;]*m/g, '');

/** Lines outside of folded groups. */
function unfolded(result: StepResult): string {
  let depth = 0;
  const lines = plain(result)
    .split('\n')
    .filter((line) => {
      if (line.startsWith('::group::')) depth += 1;
      if (line.startsWith('::endgroup::')) depth -= 1;
      return depth === 0;
    });
  return lines.join('\n');
}

function expectNothingLeft(scene: Scene): void {
  expect(scene.processes()).toEqual([]);
  expect(scene.worktrees()).toEqual([]);
  expect(scene.litter()).toEqual([]);
}

describe('a pull request that is slower', () => {
  let shop: Shop & Disposable;
  beforeAll(() => {
    shop = openShop({ 'work.mjs': steps(slow) });
  });
  afterAll(() => shop[Symbol.dispose]());

  it('fails, whether the entry is run by the local runner of GitHub or the bundle as a process', async () => {
    await using scene = await pullRequestScene(shop, {}, 'first-and-second-run');
    const { server } = scene;
    const compared = () => server.requests.filter(({ path }) => path.includes('/compare/'));

    await using first = await openJob(scene.job({ run: 500 }));
    const entry = await first.localAction('src/action.ts').ended;
    expect(plain(entry)).toContain('Regression: ');
    expect(entry.code).toBe(1);
    expectNothingLeft(scene);

    // The clone is one commit deep: the merge-base was asked for, then fetched by its hash.
    expect(compared().map(({ path }) => path)).toEqual([
      `/repos/acme/shop/compare/${shop.tip}...${shop.head}`,
    ]);
    expect(shop.playground.git(scene.workspace, 'cat-file', '-t', shop.fork)).toBe('commit');
    expect(shop.playground.shallow(scene.workspace)).toBe(true);
    expect(entry.outputs).toMatchObject({ 'baseline-sha': shop.fork, 'candidate-sha': shop.head });

    expect(server.comments).toHaveLength(1);
    const created = server.comments[0]!;
    expect(created.body.split('\n')[0]).toMatch(/^\*\*Regression: .+ rose [\d,]+ %.*\*\*/);
    expect(parseMarker(created.body)).toMatchObject({ id: 'default', run: 500, attempt: 1 });

    await using second = await openJob(scene.job({ run: 501 }));
    const step = second.bundle(bundle);
    const result = await step.ended;
    expect(result.code).toBe(1);
    expectNothingLeft(scene);

    // In place, with the result of the run before in its history.
    expect(server.comments.map(({ id }) => id)).toEqual([created.id]);
    const marker = parseMarker(server.comments[0]!.body);
    expect(marker).toMatchObject({ run: 501 });
    expect(marker?.history.map((past) => past.run)).toEqual([500, 501]);

    expect(Object.keys(result.outputs).sort()).toEqual(outputs.map(({ name }) => name).sort());
    expect(result.outputs).toMatchObject({
      verdict: 'regression',
      conclusion: 'failure',
      'artifact-url': '',
    });
    expect(Number(result.outputs['cpu-change'])).toBeGreaterThan(50);
    expect(result.outputs['comment-url']).toContain(`#issuecomment-${created.id}`);
    const evidence = parse(readFileSync(result.outputs['evidence-path']!, 'utf8'));
    expect(evidence.rounds).toHaveLength(7);
    expect(readFileSync(result.outputs['report-path']!, 'utf8')).toContain('**Regression: ');

    expect(result.summary.split('\n')[0]).toMatch(/^\*\*Regression: /);
    const end = unfolded(result);
    expect(end).toMatch(/^Regression: .+ rose/m);
    expect(end).toMatch(/^::error title=Regression%3A .+::\+/m);
    expect(end).toContain('tailgate gate --baseline');
    expect(plain(result)).toMatch(/^::group::Plan: at most 7 rounds/m);
    expect(plain(result)).toMatch(/^::group::Measuring in turns: at most 7 rounds, .+ left$/m);
    expect(plain(result)).toMatch(/^round 3 of 7 .+ left$/m);
    expect(plain(result)).toContain('pull request 7, as GitHub knows it');
    expect(result.log).not.toContain('ghs_0123456789');
  });

  it('is told as a warning by a push whose fail-on lets it through', async () => {
    await using scene = await pushScene(shop, shop.head, shop.fork);
    const inputs = { 'fail-on': 'invalid, service-failed', start: 'API_KEY=hush node server.mjs' };
    const result = await runBundle(bundle, scene.job({ inputs }));
    expect(result.code).toBe(0);
    const flags = "--start 'API_KEY=*** node server.mjs' --fail-on invalid,service-failed";
    expect(plain(result)).toMatch(/tailgate gate --baseline [0-9a-f]{40} --seed \d+ /);
    expect(plain(result)).toContain(flags);
    expect(result.summary).not.toContain('hush');
    expect(result.outputs).toMatchObject({
      verdict: 'regression',
      conclusion: 'neutral',
      'baseline-sha': shop.fork,
      'candidate-sha': shop.head,
      'comment-url': '',
    });
    expect(result.log).toMatch(/^::warning title=Regression%3A /m);
    expect(result.log).not.toContain('::error');
    expect(plain(result)).toContain('the tip of the branch before this push');
    expect(result.summary).toMatch(/^\*\*Regression: /);
    expect(scene.server.requests).toEqual([]);
    expectNothingLeft(scene);
  });
});

describe('a pull request whose service does not start', () => {
  const broken =
    "console.log('::set-output name=verdict::pass');\nthrow new Error('no such table: carts');\n";
  let shop: Shop & Disposable;
  beforeAll(() => {
    shop = openShop({ 'server.mjs': broken });
  });
  afterAll(() => shop[Symbol.dispose]());

  it('from a fork gets a notice in place of a comment, and the same exit code', async () => {
    await using scene = await pullRequestScene(shop, { pullRequests: 'read' }, 'fork');
    const job = scene.job();
    const { pull_request } = job.payload as { pull_request: { head: object } };
    const head = { ...pull_request.head, repo: { full_name: 'mallory/shop' } };
    const payload = { ...(job.payload as object), pull_request: { ...pull_request, head } };
    const result = await runBundle(bundle, { ...job, payload });
    expect(result.code).toBe(4);
    expect(result.log).toMatch(/^::notice::The comment was not posted: .*comes from a fork/m);
    expect(result.outputs).toMatchObject({ verdict: 'service-failed', 'comment-url': '' });
    expect(scene.server.comments).toEqual([]);
    expectNothingLeft(scene);
  });

  it('is found in the path of the checkout step, which working-directory begins with', async () => {
    await using scene = await pullRequestScene(shop, {}, 'workspace-with-path/app');
    const workspace = dirname(scene.workspace);
    const result = await runBundle(bundle, scene.job({ workspace, inputs: { 'working-directory': 'app' } }));
    expect(result.code).toBe(4);
    expect(result.outputs).toMatchObject({ 'baseline-sha': shop.fork, 'candidate-sha': shop.head });
    expect(scene.server.comments).toHaveLength(1);
    expectNothingLeft(scene);
  });

  it('is gated as it is checked out when it lies outside of the workspace', async () => {
    await using scene = await pullRequestScene(shop, {}, 'inside');
    const elsewhere = shop.playground.path('elsewhere');
    shop.playground.git(
      shop.playground.root,
      'clone',
      '--quiet',
      '--branch',
      'feature',
      shop.bare,
      elsewhere,
    );
    const inputs = { 'working-directory': elsewhere, baseline: 'main' };
    const result = await runBundle(bundle, scene.job({ inputs }));
    expect(result.code).toBe(4);
    expect(result.outputs).toMatchObject({ 'baseline-sha': shop.fork, 'candidate-sha': shop.head });
    expect(scene.server.comments).toEqual([]);
    expectNothingLeft(scene);
  });

  it('shows its last lines where they are looked for, and obeys none of them', async () => {
    await using scene = await pullRequestScene(shop, {}, 'broken');
    const result = await runBundle(bundle, scene.job());
    expect(result.code).toBe(4);
    expect(unfolded(result)).toContain('no such table: carts');
    expect(result.log).not.toMatch(/^\s*::set-output/m);
    expect(result.log).toMatch(/^::error title=Tailgate%3A service-failed::.*candidate/m);
    expect(result.summary).toContain('no such table: carts');
    expect(scene.server.comments[0]?.body).toContain('no such table: carts');
    expectNothingLeft(scene);
  });

  it('ends as it would have ended when GitHub has no answer but 5xx', async () => {
    await using scene = await pullRequestScene(shop, {}, 'five-hundreds');
    const path = /\/comments$/;
    scene.server.fail({ method: 'GET', path, status: 502, message: 'Bad Gateway', times: 100 });
    const result = await runBundle(bundle, scene.job());
    expect(result.code).toBe(4);
    expect(result.log).toMatch(/^::notice::The comment was not posted: GitHub answered 502/m);
    expect(result.outputs).toMatchObject({ verdict: 'service-failed', 'comment-url': '' });
    expectNothingLeft(scene);
  });
});

describe('what is decided without measuring', () => {
  it('is skipped, with a notice, when nothing of the change is in paths', async () => {
    using shop = openShop({ 'readme.md': 'more' }, `${tinyPlan}paths: ['lib/**']\n`);
    await using scene = await pullRequestScene(shop);
    const result = await runBundle(bundle, scene.job());
    expect(result.code).toBe(0);
    expect(result.outputs).toMatchObject({ verdict: 'skipped', conclusion: 'neutral' });
    expect(result.log).toMatch(/^::notice title=Tailgate%3A skipped::/m);
    expect(scene.server.comments).toEqual([]);
    expectNothingLeft(scene);
  });

  it('bad configuration is refused with every problem in one message', async () => {
    using shop = openShop({ 'tailgate.yml': 'strat: node server.mjs\nrate: fast\n' });
    await using scene = await pullRequestScene(shop);
    const result = await runBundle(bundle, scene.job({ inputs: { comment: 'sometimes' } }));
    expect(result.code).toBe(2);
    const errors = result.log.split('\n').filter((line) => line.startsWith('::error'));
    expect(errors).toHaveLength(1);
    for (const part of ['strat', 'start', 'rate', 'fast', 'comment', 'sometimes']) {
      expect(errors[0]).toContain(part);
    }
    expect(result.summary).toContain('strat');
    expect(scene.server.requests).toEqual([]);
    expectNothingLeft(scene);
  });

  it.each([
    ['../elsewhere', 'working-directory'],
    ['/no/such/place', '/no/such/place'],
  ])('a working directory that is not there is refused: %s', async (wanted, named) => {
    using shop = openShop({ 'readme.md': 'more' });
    await using scene = await pullRequestScene(shop);
    const inputs = { 'working-directory': wanted, start: 'node server.mjs' };
    const result = await runBundle(bundle, scene.job({ inputs }));
    expect(result.code).toBe(2);
    const errors = result.log.split('\n').filter((line) => line.startsWith('::error'));
    expect(errors).toEqual([expect.stringContaining(named)]);
    expectNothingLeft(scene);
  });

  it('an id that is no name is refused', async () => {
    using shop = openShop({ 'readme.md': 'more' });
    await using scene = await pullRequestScene(shop);
    const result = await runBundle(bundle, scene.job({ inputs: { id: '../../etc' } }));
    expect(result.code).toBe(2);
    expect(result.log).toMatch(/^::error::The input `id` is "..\/..\/etc"; wanted /m);
  });

  it('pull_request_target is refused, and nothing of the pull request is run', async () => {
    using shop = openShop({ 'work.mjs': steps(slow) });
    await using scene = await pullRequestScene(shop);
    const result = await runBundle(bundle, scene.job({ event: 'pull_request_target' }));
    expect(result.code).toBe(2);
    expect(result.log).toMatch(
      /^::error::Tailgate does not measure under pull_request_target: .*on: pull_request/m,
    );
    expect(result.state).toEqual({});
    expect(scene.server.requests).toEqual([]);
    expectNothingLeft(scene);
  });

  it('a workspace without a checkout is told to have one', async () => {
    using shop = openShop({ 'readme.md': 'more' });
    await using scene = await pullRequestScene(shop);
    const workspace = shop.playground.folder('empty');
    const job = scene.job({ workspace, inputs: { start: 'node server.mjs' } });
    const result = await runBundle(bundle, job);
    expect(result.code).toBe(2);
    expect(result.log).toMatch(/^::error::.*actions\/checkout/m);
  });
});

it('a first commit is measured alone, and stays green with a warning', async () => {
  using shop = openShop({ 'readme.md': 'more' });
  const inputs = { start: 'node server.mjs', rate: '200', 'working-directory': '.' };
  await using scene = await pushScene(shop, shop.first, '0'.repeat(40));
  const result = await runBundle(bundle, scene.job({ inputs }));
  expect(result.code).toBe(0);
  expect(result.outputs).toMatchObject({ verdict: 'no-baseline', 'evidence-path': '', 'baseline-sha': '' });
  expect(result.log).toMatch(/^::warning title=Tailgate%3A no-baseline::/m);
  expect(unfolded(result)).toContain('200/s');
  expectNothingLeft(scene);
});

/** `mode: judge` as a workflow runs it: the bundle, a checkout, and the artifact that an earlier run left on GitHub. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputs } from '../../src/config/inputs.ts';
import { parse, serialise } from '../../src/evidence/store.ts';
import { parseMarker } from '../../src/report/marker.ts';
import { zipOf } from '../github/archive.ts';
import { openJob } from '../github/runner.ts';
import { shownText } from '../report/as-github.ts';
import { costlier, storedJob } from '../verdict/stored-job.ts';
import {
  openShop,
  type PullRequestAction,
  pullRequestScene,
  type Scene,
  type Shop,
  steps,
} from './action-jobs.ts';

const bundle = new URL('../../dist/action.js', import.meta.url).pathname;

let shop: Shop & Disposable;
beforeAll(() => {
  shop = openShop({ 'work.mjs': steps(20_000) });
});
afterAll(() => shop[Symbol.dispose]());

/** Where GitHub keeps the archive of what run 490 measured. */
async function store(): Promise<AsyncDisposable & { readonly url: string }> {
  const revision = (sha: string, ref: string) => ({ sha, ref, how: 'as it was', outputHash: null });
  const revisions = {
    baseline: revision(shop.fork, 'main'),
    candidate: revision(shop.head, 'pull request 7'),
  };
  const archive = zipOf('tailgate-evidence.json', serialise({ ...storedJob(costlier), revisions }));
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/zip' }).end(archive),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/blob.zip?sig=hidden`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function scene(
  name: string,
  archive: string | null,
  body: string | null,
  action: PullRequestAction = 'labeled',
): Promise<Scene> {
  const artifact = {
    id: 70,
    name: 'tailgate-evidence',
    run: 490,
    attempt: 1,
    event: 'pull_request',
    headSha: shop.head,
    numbers: [7],
    size: 1000,
    expired: false,
  };
  const settings = {
    pulls: [{ number: 7, headSha: shop.head, body }],
    artifacts: archive === null ? [] : [artifact],
    archives: archive === null ? {} : { 70: archive },
  };
  return await pullRequestScene(shop, settings, name, action);
}

async function judged(place: Scene, run: number) {
  await using job = await openJob(place.job({ inputs: { mode: 'judge' }, run }));
  const result = await job.bundle(bundle).ended;
  const evidence = result.outputs['evidence-path'] ?? '';
  return {
    ...result,
    evidence: evidence === '' ? null : parse(readFileSync(evidence, 'utf8')),
    left: readdirSync(join(job.temp, 'tailgate-default')),
  };
}

describe('mode: judge', () => {
  it('tells the regression again, and passes once the description accepts it, in the same comment', async () => {
    await using archive = await store();
    await using before = await scene('judge-before', archive.url, null, 'labeled');
    const red = await judged(before, 500);
    expect(red.code, red.log).toBe(1);
    expect(red.outputs).toMatchObject({ verdict: 'regression', accepted: '[]', 'candidate-sha': shop.head });
    const told = before.server.comments[0]!;
    // It stands for the measurement of run 490: a gate that started since has the later word.
    expect(parseMarker(told.body)).toMatchObject({ run: 490, attempt: 1 });
    expect(before.processes()).toEqual([]);

    const body = ['cpu', 'cpu-total'].map((metric) => `Perf-Accepted: home/${metric} <= +12% | safer hash`);
    await using after = await scene('judge-after', archive.url, body.join('\r\n'), 'edited');
    after.server.add({ issue: 7, author: told.author, body: told.body });
    const green = await judged(after, 501);
    expect(green.code, green.log).toBe(0);
    expect(Object.keys(green.outputs).sort()).toEqual(outputs.map(({ name }) => name).sort());
    expect(green.outputs).toMatchObject({
      verdict: 'pass',
      conclusion: 'success',
      'artifact-url': 'https://github.com/acme/shop/actions/runs/490/artifacts/70',
    });
    const accepted = JSON.parse(green.outputs['accepted']!) as { metric: string }[];
    expect(accepted.map(({ metric }) => metric).sort()).toEqual(['cpu', 'cpu-total']);
    expect(after.server.comments).toHaveLength(1);
    expect(after.server.comments[0]?.body).toMatch(/^\*\*Pass with 2 accepted changes: /);
    expect(after.server.comments[0]?.body).toContain('safer hash');
    expect(green.summary).toMatch(/^\*\*Pass with 2 accepted changes: /);
    expect(green.evidence?.waivers.map(({ origin }) => origin)).toEqual([
      'the description of the pull request',
      'the description of the pull request',
    ]);
    expect(green.log).not.toContain('hidden');
    expect(green.log).not.toContain('ghs_0123456789');
    expect(after.processes()).toEqual([]);
    expect(after.litter()).toEqual([]);
  });

  it('goes by the waivers of the checkout', async () => {
    await using archive = await store();
    await using place = await scene('judge-waivers', archive.url, null, 'synchronize');
    const row = (metric: string) =>
      `  - { scenario: home, metric: ${metric}, ceiling: 12%, reason: safer hash }`;
    writeFileSync(
      join(place.workspace, 'tailgate.yml'),
      ['waivers:', row('cpu'), row('cpu-total'), ''].join('\n'),
    );
    const result = await judged(place, 500);
    expect(result.code, result.log).toBe(0);
    expect(result.outputs['verdict']).toBe('pass');
  });

  it('says in comment, summary and log which waivers expired and which were not used', async () => {
    await using archive = await store();
    await using place = await scene('judge-notes', archive.url, null, 'labeled');
    // The evidence is of 1 January 2025.
    const waivers = [
      'waivers:',
      '  - { scenario: home, metric: cpu, ceiling: 12%, expires: 2024-12-31, reason: safer hash }',
      '  - { scenario: home, metric: p50, ceiling: 12%, reason: safer hash }',
      '',
    ];
    writeFileSync(join(place.workspace, 'tailgate.yml'), waivers.join('\n'));
    const result = await judged(place, 500);
    expect(result.code, result.log).toBe(1);
    const shown = [place.server.comments[0]!.body, result.summary, result.log];
    for (const text of shown.map((one) => shownText(one).replace(/[`\s]+/g, ' '))) {
      expect(text).toMatch(
        /he waiver for home\/cpu up to \+12 % \(the configuration\) expired on 2024-12-31: it accepts nothing any more/,
      );
      expect(text).toMatch(
        /he waiver for home\/p50 up to \+12 % \(the configuration\) was not used: the row is unchanged/,
      );
    }
  });

  it('is invalid without evidence, says the way out, and leaves the comment to the gate', async () => {
    await using place = await scene('judge-nothing', null, null);
    const result = await judged(place, 500);
    expect(result.code).toBe(3);
    expect(result.outputs).toMatchObject({ verdict: 'invalid', 'comment-url': '', 'evidence-path': '' });
    expect(result.summary).toContain('Run the gate at this commit first');
    expect(place.server.comments).toEqual([]);
    expect(result.log).toMatch(/^::error title=Tailgate%3A invalid::/m);
  });

  it('refuses a mode that nobody knows', async () => {
    await using place = await scene('judge-mode', null, null);
    await using job = await openJob(place.job({ inputs: { mode: 'decide' } }));
    const result = await job.bundle(bundle).ended;
    expect(result.code).toBe(2);
    expect(result.log).toContain('The input `mode` is "decide"; wanted gate, judge, self-test or ramp.');
  });
});

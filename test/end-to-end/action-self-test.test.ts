/** `mode: self-test` in a job on a real checkout of a pull request. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openJob } from '../github/runner.ts';
import { openShop, pullRequestScene, slow, steps, tinyPlan } from './action-jobs.ts';

const bundle = new URL('../../dist/action.js', import.meta.url).pathname;

/** Wide tolerances, so that what is planted stands out from the noise of a busy machine. */
const plan = `${tinyPlan.replace('rate: 1000', 'rate: 300')}
judge:
  p50: { min: 100%, detect: 900% }
  p99: { min: 50%, detect: 400% }
  cpu: { min: 10%, detect: 50% }
  cpu-total: { min: 15%, detect: 100% }
  tail: { min: 60 points }
`;

it('checks the gate on the commit that is checked out, and tells it in summary and outputs, never in a comment', async () => {
  using shop = openShop({ 'work.mjs': steps(slow) }, plan);
  await using scene = await pullRequestScene(shop);
  await using job = await openJob(scene.job({ inputs: { mode: 'self-test' }, patience: 200_000 }));
  const { code, log, outputs, summary } = await job.bundle(bundle).ended;
  // On a machine that is busy with other work latency may stay undecided; then the exit code says so.
  expect([0, 6], log).toContain(code);
  expect(summary, log).toMatch(/^\*\*Self-test (passed|failed)/m);
  expect(summary, log).toMatch(/^\| ok \| nothing planted \|/m);
  expect(summary, log).toMatch(
    /^\| ok \| .* of CPU burnt in each request .*\| regression \| found .*CPU per request/m,
  );
  expect(summary, log).toMatch(
    code === 0 ? /^\| ok \| .* held back/m : /^\| \*\*failed\*\* \| .* held back/m,
  );
  expect(outputs).toEqual({
    conclusion: code === 0 ? 'success' : 'failure',
    'report-path': expect.stringContaining('tailgate-self-test.md'),
  });
  expect(log).toContain('Self-test: nothing planted');
  expect(scene.server.comments).toEqual([]);
  expect(scene.processes()).toEqual([]);
  expect(scene.worktrees()).toEqual([]);
  expect(scene.litter()).toEqual([]);
});

it('is red, and says why in the summary, when the service does not start', async () => {
  using shop = openShop({ 'server.mjs': "console.error('no database here'); process.exit(3);" }, plan);
  await using scene = await pullRequestScene(shop);
  await using job = await openJob(scene.job({ inputs: { mode: 'self-test' } }));
  const { code, log, outputs, summary } = await job.bundle(bundle).ended;
  expect(code, log).toBe(4);
  expect(summary).toContain('service-failed');
  expect(outputs['conclusion']).toBe('failure');
  expect(readFileSync(outputs['report-path']!, 'utf8')).toContain('Self-test failed');
  expect(log).toContain('no database here');
  expect(scene.processes()).toEqual([]);
});

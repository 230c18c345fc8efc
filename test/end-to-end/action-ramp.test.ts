/** `mode: ramp` in a job on a real checkout of a pull request. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { RampResult } from '../../src/capacity/result.ts';
import type { PairResult } from '../../src/ramp-pair.ts';
import { openJob } from '../github/runner.ts';
import { openShop, pullRequestScene, releaseScene, slow, steps, tinyPlan } from './action-jobs.ts';

const bundle = new URL('../../dist/action.js', import.meta.url).pathname;

it('measures what is checked out, ends with its time budget, and tells what it has in summary, files and outputs', async () => {
  using shop = openShop({ 'work.mjs': steps(slow) });
  await using scene = await pullRequestScene(shop);
  // A step at 250/s takes 5 s, and what comes after the search has its share: there is time for a step or two.
  const inputs = { mode: 'ramp', objective: '2s', 'time-budget': '25s' };
  await using job = await openJob(scene.job({ inputs, patience: 120_000 }));
  const { code, log, outputs, summary } = await job.bundle(bundle).ended;
  expect(code, log).toBe(3);
  expect(summary, log).toMatch(/^### Tailgate: ramp/m);
  expect(summary).toContain('No capacity yet');
  expect(summary).toMatch(/^\| 250\/s \| 250\/s \| 250\/s \|.*\| met/m);
  expect(Object.keys(outputs).sort()).toEqual(['conclusion', 'evidence-path', 'report-path']);
  expect(readFileSync(outputs['report-path']!, 'utf8')).toMatch(/^<!doctype html>/);
  const result = JSON.parse(readFileSync(outputs['evidence-path']!, 'utf8')) as RampResult;
  expect(result).toMatchObject({ partial: true, stopped: { by: 'time-budget' }, atLeast: null });
  expect(result.capacity.lastPass).toBeGreaterThanOrEqual(250);
  expect(result.capacity.firstFail).toBeNull();
  expect(result.steps[0]!.cpu!.perRequestMs!).toBeGreaterThan(0);
  expect(scene.server.comments).toEqual([]);
  expect(scene.processes()).toEqual([]);
  expect(scene.worktrees()).toEqual([]);
  expect(scene.litter()).toEqual([]);
});

it('compares a release with the tag before it, which the checkout does not hold', async () => {
  using shop = openShop({}, tinyPlan.replace('rate: 1000', 'rate: 400'));
  const files = { earlier: { 'work.mjs': steps(1_000_000) }, later: { 'work.mjs': steps(1_200_000) } };
  await using scene = await releaseScene(shop, files);
  const inputs = { mode: 'ramp', objective: '1s', 'time-budget': '10s' };
  await using job = await openJob(scene.job({ inputs, patience: 180_000 }));
  const { code, log, outputs, summary } = await job.bundle(bundle).ended;
  // The time is for a pilot and little more, and decides nothing.
  expect(code, log).toBe(3);
  expect(log).toContain('The capacity of v1.1.0 is compared with that of v1.0.0, the release before it.');
  expect(summary, log).toMatch(/^### Tailgate: capacity of two builds/m);
  expect(summary).toContain('v1.0.0');
  const pair = JSON.parse(readFileSync(outputs['evidence-path']!, 'utf8')) as PairResult;
  expect(pair.stopped).toBe('time-budget');
  expect(pair.revisions.baseline.ref).toBe('v1.0.0');
  expect(scene.processes()).toEqual([]);
  expect(scene.worktrees()).toEqual([]);
  expect(scene.litter()).toEqual([]);
});

it('says which input is missing', async () => {
  using shop = openShop({});
  await using scene = await pullRequestScene(shop);
  await using job = await openJob(scene.job({ inputs: { mode: 'ramp' } }));
  const { code, log } = await job.bundle(bundle).ended;
  expect(code, log).toBe(2);
  expect(log).toContain('`mode: ramp` needs the input `objective`');
  expect(scene.processes()).toEqual([]);
});

/** What a job leaves behind when it is cancelled or killed in the middle: nothing, at the latest after the post step. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openJob, type RunningStep } from '../github/runner.ts';
import { openShop, pullRequestScene, type Scene, type Shop, steps, tinyPlan } from './action-jobs.ts';

const main = new URL('../../dist/action.js', import.meta.url).pathname;
const post = new URL('../../dist/post.js', import.meta.url).pathname;

let shop: Shop & Disposable;
beforeAll(() => {
  shop = openShop({ 'work.mjs': steps(11_000) });
});
afterAll(() => shop[Symbol.dispose]());

async function until(what: () => boolean, step: RunningStep, patience = 40_000): Promise<void> {
  for (const began = Date.now(); !what(); await sleep(20)) {
    if (Date.now() - began > patience) throw new Error(`it did not come to that:\n${step.log()}`);
  }
}

const servicesOf = (scene: Scene) => scene.processes().filter((command) => command.includes('server.mjs'));
const generatorsOf = (scene: Scene) =>
  scene.processes().filter((command) => command.includes('generator.js'));

/** Both services and the generator are up: a round is under way. */
const inRound = (scene: Scene, step: RunningStep) => () =>
  /^round 1 of 7/m.test(step.log()) && servicesOf(scene).length >= 2 && generatorsOf(scene).length === 1;

it('a cancelled job ends everything between the two signals of the runner', async () => {
  await using scene = await pullRequestScene(shop, {}, 'cancelled');
  await using job = await openJob(scene.job());
  const step = job.bundle(main);
  await until(inRound(scene, step), step);
  expect(scene.worktrees()).toHaveLength(2);
  process.kill(step.pid, 'SIGINT');
  // The runner sends SIGTERM after 7.5 s and SIGKILL 2.5 s later.
  const terminate = setTimeout(() => process.kill(step.pid, 'SIGTERM'), 7_500);
  const result = await step.ended;
  clearTimeout(terminate);
  expect(result.code).toBe(130);
  expect(result.log).toMatch(/^::warning::Cancelled: nothing was decided/m);
  expect(scene.processes()).toEqual([]);
  expect(scene.worktrees()).toEqual([]);
  expect(scene.litter()).toEqual([]);
  expect(scene.server.comments).toEqual([]);
});

it('a SIGTERM on the heels of SIGINT does not cut the clean-up short', async () => {
  await using scene = await pullRequestScene(shop, {}, 'impatient');
  await using job = await openJob(scene.job());
  const step = job.bundle(main);
  await until(inRound(scene, step), step);
  process.kill(step.pid, 'SIGINT');
  process.kill(step.pid, 'SIGTERM');
  const result = await step.ended;
  expect(result.code).toBe(130);
  expect(scene.processes()).toEqual([]);
  expect(scene.worktrees()).toEqual([]);
  expect(scene.litter()).toEqual([]);
});

it('a defect is told as one, with its own exit code, and ends everything', async () => {
  await using scene = await pullRequestScene(shop, {}, 'defect');
  const trigger = join(scene.workspace, '..', 'boom');
  // As a defect would: out of a callback, in the middle of a round.
  const defect = `import { existsSync } from 'node:fs';
    const looks = setInterval(() => {
      if (!process.argv[1].endsWith('action.js') || !existsSync(${JSON.stringify(trigger)})) return;
      clearInterval(looks);
      throw new Error('boom');
    }, 20);
    looks.unref();`;
  const variables = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(defect)}` };
  await using job = await openJob(scene.job({ variables }));
  const step = job.bundle(main);
  await until(inRound(scene, step), step);
  writeFileSync(trigger, '');
  const { code, log, summary } = await step.ended;
  expect(code, log).toBe(70);
  expect(log).toMatch(/^::error::This is a defect of Tailgate: Error: boom/m);
  expect(summary).toContain('This is a defect of Tailgate: Error: boom');
  expect(scene.processes()).toEqual([]);
  expect(scene.worktrees()).toEqual([]);
  expect(scene.litter()).toEqual([]);
});

it('the post step ends what a job that was killed in the middle of a round left behind', async () => {
  await using scene = await pullRequestScene(shop, {}, 'killed');
  await using job = await openJob(scene.job());
  const step = job.bundle(main);
  await until(inRound(scene, step), step);
  process.kill(step.pid, 'SIGKILL');
  const { code, state } = await step.ended.catch((error) => ({ code: error, state: {} }));
  expect(code).toBeNull();
  expect(servicesOf(scene)).not.toEqual([]);
  expect(scene.worktrees()).toHaveLength(2);

  const result = await job.bundle(post, state).ended;
  expect(result.code).toBe(0);
  expect(result.log).toMatch(/ended or removed \d+ things/);
  expect(scene.processes()).toEqual([]);
  expect(scene.worktrees()).toEqual([]);
  expect(scene.litter()).toEqual([]);
});

it('the post step ends a set-up that was killed in the middle', async () => {
  const slowSetup = `${tinyPlan}setup: "echo setting up && sleep 300"\n`;
  using other = openShop({ 'tailgate.yml': slowSetup });
  await using scene = await pullRequestScene(other);
  await using job = await openJob(scene.job());
  const step = job.bundle(main);
  await until(() => /^setting up$/m.test(step.log()), step);
  process.kill(step.pid, 'SIGKILL');
  const { state } = await step.ended;
  expect(scene.processes().join('\n')).toContain('sleep 300');

  const result = await job.bundle(post, state).ended;
  expect(result.code).toBe(0);
  expect(scene.processes()).toEqual([]);
  expect(scene.worktrees()).toEqual([]);
  expect(scene.litter()).toEqual([]);
});

it('the post step of a job that ended well has nothing to do and says nothing', async () => {
  using other = openShop({ 'readme.md': 'more' }, `${tinyPlan}paths: ['lib/**']\n`);
  await using scene = await pullRequestScene(other);
  await using job = await openJob(scene.job());
  const { code, state } = await job.bundle(main).ended;
  expect(code).toBe(0);
  expect(state).toHaveProperty('ledger');
  const result = await job.bundle(post, state).ended;
  expect(result).toMatchObject({ code: 0, log: '' });
});

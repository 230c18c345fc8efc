// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how a user writes it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../src/evidence/trial.ts';
import { judge } from '../../src/verdict/judge.ts';
import { nothing, Rig, type Run, tinyPlan } from './gate-rig.ts';

/** Without the line ends of a narrow terminal. */
const said = (run: Run): string => `${run.out}\n${run.err}`.replace(/\s+/g, ' ');

/** Writes its id down, keeps a number, and ends when it is told to or when it has been asked too often. */
const store = `
import { createServer } from 'node:http';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
appendFileSync(process.env.PIDS, process.pid + '\\n');
let value = 0;
const most = Number(process.env.MOST ?? Infinity);
const server = createServer((request, response) => {
  if (request.url === '/add' && ++value > most) { console.error('the store is full'); process.exit(9); }
  if (request.url === '/reset') value = 0;
  if (process.env.DIR) writeFileSync(join(process.env.DIR, 'value'), String(value));
  response.end(String(value));
}).listen(Number(process.env.PORT), '127.0.0.1');
// A connection rests for as long as the other side is under load.
server.keepAliveTimeout = 0;
`;

/** Asks both stores for every request, and tells what it has used on a page. */
const server = (more = ''): string => `
import { createServer, Agent, get } from 'node:http';
import { appendFileSync } from 'node:fs';
appendFileSync(process.env.PIDS, process.pid + '\\n');
let served = 0;
const agent = new Agent({ keepAlive: true });
const ask = (url) => new Promise((resolve, reject) => get(url, { agent }, (answer) => answer.resume().once('end', resolve)).once('error', reject));
${more}
createServer(async (request, response) => {
  if (request.url === '/metrics') {
    const { user, system } = process.cpuUsage();
    return response.end(globalThis.page ?? 'process_cpu_seconds_total ' + (user + system) / 1e6 + '\\nserved_total ' + served + '\\n');
  }
  served += 1;
  const until = process.hrtime.bigint() + 50000n;
  while (process.hrtime.bigint() < until);
  await ask(process.env.SHARED + '/add');
  if (process.env.OWN) await ask(process.env.OWN + '/add');
  response.end('ok');
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

/** Says which side it was run for and what it found, and empties the shared store. */
const reset = `
import { appendFileSync } from 'node:fs';
const before = await (await fetch(process.env.SHARED)).text();
await fetch(process.env.SHARED + '/reset');
const up = (await fetch('http://127.0.0.1:' + process.env.PORT)).status;
appendFileSync(process.env.PIDS + '.resets', [process.env.TAILGATE_SIDE, before, up].join(' ') + '\\n');
`;

const plan = tinyPlan.replace('rate: 1000', 'rate: 300');
const shared = '{ name: shared, start: node store.mjs, env: { PIDS: "${PIDS}" } }';
const files = (lines: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  'store.mjs': store,
  'server.mjs': server(),
  'reset.mjs': reset,
  'tailgate.yml': `start: node server.mjs\n${lines}\n${plan}`,
  ...more,
});

describe('a gate whose sides need companions', () => {
  it('starts them before the sides, gives both the same data every round, and leaves nothing', async () => {
    using rig = new Rig({
      baseline: files(`
env: { SHARED: "http://127.0.0.1:{services.shared.port}", OWN: "http://127.0.0.1:{services.own.port}" }
services:
  - ${shared}
  - name: own
    start: node store.mjs
    scope: side
    count-cost: true
    ready: { path: /health }
    env: { PIDS: "\${PIDS}", DIR: "{directory}" }
reset: node reset.mjs`),
      candidate: { note: 'changed' },
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect([0, 6], said(run)).toContain(run.code);
    const evidence = rig.read<{ cost: unknown; rounds: { sides: { baseline: { preciseCost: boolean } } }[] }>(
      'tailgate-evidence.json',
    );
    expect(evidence.cost).toEqual({ kind: 'process-tree' });
    const rounds = evidence.rounds.length;
    // A service and a store a side and round, and one store for all.
    expect(rig.servicesStarted()).toBe(4 * rounds + 1);
    const resets = readFileSync(`${rig.pidFile}.resets`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    expect(resets).toHaveLength(2 * rounds);
    for (let round = 0; round < rounds; round++) {
      const two = resets.slice(2 * round, 2 * round + 2);
      expect(two.map(([side]) => side).sort()).toEqual(['baseline', 'candidate']);
      expect(two.map(([, , status]) => status)).toEqual(['200', '200']);
      // The first reset of a round finds what the last round left, or the two requests that told of readiness.
      expect(Number(two[1]![1])).toBeLessThan(5);
      if (round > 0) expect(Number(two[0]![1])).toBeGreaterThan(100);
    }
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('reads CPU from a metrics page, and where it is not there says why and never passes', async () => {
    const lines = `
env: { SHARED: "http://127.0.0.1:{services.shared.port}" }
services: [${shared}]
cost: { prometheus: {} }
metrics: [{ name: served, metric: served_total }]`;
    using rig = new Rig({ baseline: files(lines), candidate: { note: 'changed' } });
    const run = await rig.run('gate', '--baseline', 'main');
    expect([0, 6], said(run)).toContain(run.code);
    const { cost, rounds } = rig.read<Evidence>('tailgate-evidence.json');
    expect(cost?.kind).toBe('prometheus');
    for (const round of rounds) {
      expect(round.sides.baseline.preciseCost).toBe(true);
      expect(round.sides.baseline.readingCost).toBeGreaterThan(0);
      // 50 requests that spin for 50 µs each.
      for (const trial of round.trials) expect(trial.cost?.cpu).toBeGreaterThan(50 * 50e3 * 0.5);
    }
    const progress = judge(rig.read<Evidence>('tailgate-evidence.json'), { final: true });
    if (progress.kind !== 'decided') throw new Error('not decided');
    const row = progress.verdict.findings.find(({ metric }) => metric === 'counter')!;
    expect(row).toMatchObject({ scenario: 'default > served', state: 'unchanged' });
    expect([row.baseline, row.candidate]).toEqual([expect.closeTo(1, 1), expect.closeTo(1, 1)]);
    rig.commit({ 'server.mjs': server("globalThis.page = 'nothing_total 1\\n';") });
    const without = await rig.run('gate', '--baseline', 'main');
    expect(without.code, said(without)).toBe(0);
    expect(said(without)).toMatch(/Inconclusive/i);
    expect(said(without)).toContain('the answer has no `process_cpu_seconds_total`');
    expect(rig.leftovers()).toEqual(nothing);
  });
});

describe('a gate whose companion does not work', () => {
  const env = 'env: { SHARED: "http://127.0.0.1:{services.shared.port}" }';

  it('names it with its last lines when it does not start', async () => {
    using rig = new Rig({
      baseline: files(`${env}\nservices: [{ name: shared, start: "echo no disk; exit 3" }]`),
      candidate: { note: 'changed' },
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(4);
    expect(said(run)).toContain('exited with code 3');
    expect(said(run)).toContain('no disk');
    expect(rig.servicesStarted()).toBe(0);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('names it when it ends in the middle, not the service that fails because of that', async () => {
    using rig = new Rig({
      baseline: files(`${env}\nservices: [${shared.replace('"${PIDS}"', '"${PIDS}", MOST: 700')}]`),
      candidate: { note: 'changed' },
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(4);
    expect(said(run)).toMatch(/`?shared`? of `?services`? exited with code 9 while it was needed/);
    expect(said(run)).toContain('the store is full');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('names the side whose reset fails', async () => {
    using rig = new Rig({
      baseline: files(`${env}\nservices: [${shared}]\nreset: node reset.mjs`),
      candidate: { 'reset.mjs': "console.log('no such table'); process.exit(5)" },
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(4);
    expect(said(run)).toMatch(/candidate: `?reset`? exited with code 5/);
    expect(said(run)).toContain('no such table');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('ends it too when the gate is stopped by Ctrl-C', async () => {
    using rig = new Rig({
      baseline: files(`
${env}
services:
  - ${shared}
  - { name: own, start: node store.mjs, scope: side, env: { PIDS: "\${PIDS}", DIR: "{directory}" } }`),
      candidate: { note: 'changed' },
    });
    const child = rig.start('gate', '--baseline', 'main');
    child.stdout!.resume();
    child.stderr!.resume();
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await expect.poll(() => rig.servicesStarted(), { timeout: 30_000 }).toBeGreaterThanOrEqual(5);
    process.kill(-child.pid!, 'SIGINT');
    expect(await ended).toBe(130);
    expect(rig.leftovers()).toEqual(nothing);
  });
});

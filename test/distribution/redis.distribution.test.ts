/** A gate whose sides use a real Redis, from Debian's `redis-server`; its commands a request are a judged counter of neither. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Evidence } from '../../src/evidence/trial.ts';
import { judge } from '../../src/verdict/judge.ts';
import { nothing, Rig, type Run, tinyPlan } from '../end-to-end/gate-rig.ts';
import { tool } from './tools.ts';

const redis = tool('redis-server', 'redis-server');
const cli = tool('redis-cli', 'redis-tools');

const said = (run: Run): string => `${run.out}\n${run.err}`;

/** A request adds to a number `times` times, in lines of the protocol; a page tells how often Redis was asked. */
const server = (times: number): string => `
import { connect } from 'node:net';
import { createServer } from 'node:http';
import { appendFileSync } from 'node:fs';
appendFileSync(process.env.PIDS, process.pid + '\\n');
const socket = connect({ port: Number(process.env.CACHE.split(':')[1]), host: '127.0.0.1' });
const waiting = [];
let rest = '';
let asked = 0;
socket.on('data', (data) => {
  rest += data;
  for (let end; (end = rest.indexOf('\\r\\n')) !== -1; rest = rest.slice(end + 2)) waiting.shift()?.(rest.slice(0, end));
});
const ask = (line) => new Promise((resolve) => { asked += 1; waiting.push(resolve); socket.write(line + '\\r\\n'); });
if ((await ask('PING')) !== '+PONG') process.exit(3);
createServer(async (request, response) => {
  if (request.url === '/metrics') return response.end('cache_commands_total{cache="redis"} ' + asked + '\\n');
  if (request.url !== '/ready') for (let turn = 0; turn < ${times}; turn++) await ask('INCR visits');
  response.end('ok');
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const settings = `
start: node server.mjs
ready: { path: /ready }
env: { CACHE: "127.0.0.1:{services.cache.port}" }
services:
  - name: cache
    start: "exec ${redis} --port {port} --bind 127.0.0.1 --save '' --dir {directory}"
    ready: { command: "${cli} -p {port} ping | grep -q PONG" }
reset: '${cli} -p {services.cache.port} getset visits 0 >> "$PIDS.counts"'
metrics:
  - { name: cache commands, metric: cache_commands_total, labels: { cache: redis }, judge: { min: 5%, detect: 20% } }
${tinyPlan.replace('rate: 1000', 'rate: 200').replaceAll(': 7', ': 8')}`;

test('a shared Redis serves both sides, is emptied between rounds, and one more command a request is a regression', async () => {
  using rig = new Rig({
    baseline: { 'server.mjs': server(2), 'tailgate.yml': settings },
    candidate: { 'server.mjs': server(3) },
  });
  const run = await rig.run('gate', '--baseline', 'main');
  expect(run.code, said(run)).toBe(1);
  const evidence = rig.read<Evidence>('tailgate-evidence.json');
  const progress = judge(evidence, { final: true });
  if (progress.kind !== 'decided') throw new Error('not decided');
  const row = progress.verdict.findings.find(({ metric }) => metric === 'counter')!;
  expect(row).toMatchObject({ scenario: 'default > cache commands', state: 'regressed' });
  expect([row.baseline, row.candidate]).toEqual([expect.closeTo(2, 1), expect.closeTo(3, 1)]);
  const counts = readFileSync(`${rig.pidFile}.counts`, 'utf8').replace(/\n$/, '').split('\n');
  expect(counts).toHaveLength(2 * evidence.rounds.length);
  expect(counts.filter((_, index) => index % 2 === 1).every((count) => count === '0')).toBe(true);
  expect(rig.leftovers()).toEqual(nothing);
});

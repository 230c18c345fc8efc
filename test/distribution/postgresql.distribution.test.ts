/** A gate whose sides use a real PostgreSQL, shared or one a side, from Debian's `postgresql`. */
import { chmodSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Evidence } from '../../src/evidence/trial.ts';
import { nothing, Rig, type Run, tinyPlan } from '../end-to-end/gate-rig.ts';
import { asUser, tool } from './tools.ts';

const debianPackage = 'postgresql';
const initdb = tool('initdb', debianPackage);
const postgres = tool('postgres', debianPackage);
const isready = tool('pg_isready', 'postgresql-client');
const psql = tool('psql', 'postgresql-client');

const said = (run: Run): string => `${run.out}\n${run.err}`;

/** Speaks as much of the protocol (version 3) as one simple query needs; trust authentication. */
const client = `
import { connect } from 'node:net';
const message = (type, ...parts) => {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(type === '' ? 4 : 5);
  if (type !== '') head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, type === '' ? 0 : 1);
  return Buffer.concat([head, body]);
};
const text = (value) => Buffer.from(value + '\\0');
export function open(url) {
  const { port, username, pathname } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1' });
  const waiting = [];
  let pending = Buffer.alloc(0);
  let first = null;
  socket.on('data', (data) => {
    pending = Buffer.concat([pending, data]);
    while (pending.length >= 5 && pending.length > pending.readInt32BE(1)) {
      const type = String.fromCharCode(pending[0]);
      const body = pending.subarray(5, pending.readInt32BE(1) + 1);
      pending = pending.subarray(pending.readInt32BE(1) + 1);
      if (type === 'E') throw new Error(body.toString('latin1'));
      if (type === 'D') first = body.subarray(6, 6 + body.readInt32BE(2)).toString();
      if (type === 'Z') { waiting.shift()?.(first); first = null; }
    }
  });
  const next = () => new Promise((resolve) => waiting.push(resolve));
  const version = Buffer.from([0, 3, 0, 0]);
  socket.write(message('', version, text('user'), text(username), text('database'), text(pathname.slice(1)), Buffer.from([0])));
  const ready = next();
  let last = ready;
  return (query) => (last = last.then(() => { socket.write(message('Q', text(query))); return next(); }));
}
`;

const server = `
import { createServer } from 'node:http';
import { appendFileSync } from 'node:fs';
import { open } from './client.mjs';
appendFileSync(process.env.PIDS, process.pid + '\\n');
const query = open(process.env.DATABASE_URL);
await query('select 1');
createServer(async (request, response) => {
  if (request.url !== '/ready') await query('insert into visits values (1)');
  response.end('ok');
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

/** What the table held, and nothing from then on. */
const reset = `${psql} -qAt "$DATABASE_URL" -c "create table if not exists visits (n int)" -c "select count(*) from visits" -c "truncate visits" >> "$PIDS.counts"`;

const start = asUser(
  `${initdb} -D {directory}/data -U app -A trust >/dev/null && exec ${postgres} -D {directory}/data -p {port} -k "" -h 127.0.0.1 -c fsync=off`,
  '{directory}',
);

const project = (scope: 'shared' | 'side'): Record<string, string> => ({
  'client.mjs': client,
  'server.mjs': server,
  'tailgate.yml': `
start: node server.mjs
ready: { path: /ready }
env: { DATABASE_URL: "postgres://app@127.0.0.1:{services.db.port}/postgres" }
services:
  - name: db
    scope: ${scope}
    count-cost: ${scope === 'side'}
    start: ${JSON.stringify(start)}
    ready: { command: "${isready} -q -h 127.0.0.1 -p {port} -U app" }
    stop: { signal: SIGINT, grace: 10s }
    reset: ${JSON.stringify(`${psql} -q -h 127.0.0.1 -p {port} -U app postgres -c "create table if not exists visits (n int)"`)}
reset: ${JSON.stringify(reset)}
${tinyPlan.replace('rate: 1000', 'rate: 200')}`,
});

test.each(['shared', 'side'] as const)(
  'a PostgreSQL of scope %s serves both sides, empty at the start of every round',
  async (scope) => {
    using rig = new Rig({ baseline: project(scope), candidate: { note: 'changed' } });
    // The user of the server must get at its directory.
    chmodSync(rig.parent, 0o755);
    const run = await rig.run('gate', '--baseline', 'main');
    expect([0, 1, 6], said(run)).toContain(run.code);
    const { rounds } = rig.read<Evidence>('tailgate-evidence.json');
    expect(rounds).toHaveLength(7);
    const slices = rounds.flatMap((round) => round.trials);
    expect(slices.every(({ load }) => load.counts.ok > 0)).toBe(true);
    const counts = readFileSync(`${rig.pidFile}.counts`, 'utf8').trim().split('\n').map(Number);
    expect(counts).toHaveLength(14);
    if (scope === 'side') {
      // Each side has a fresh one: nothing was ever in it.
      expect(counts).toEqual(Array(14).fill(0));
    } else {
      // The first reset of a round finds what both sides of the last one left; the second finds nothing.
      expect(counts.filter((_, index) => index % 2 === 1)).toEqual(Array(7).fill(0));
      expect(counts.filter((_, index) => index % 2 === 0 && index > 0).every((count) => count > 400)).toBe(
        true,
      );
    }
    expect(rig.leftovers()).toEqual(nothing);
  },
);

test('a PostgreSQL that cannot start is named with what it said', async () => {
  const broken = { ...project('shared') };
  broken['tailgate.yml'] = broken['tailgate.yml']!.replace('-c fsync=off', '-c no_such_setting=1');
  using rig = new Rig({ baseline: broken, candidate: { note: 'changed' } });
  chmodSync(rig.parent, 0o755);
  const run = await rig.run('gate', '--baseline', 'main');
  expect(run.code, said(run)).toBe(4);
  expect(said(run)).toContain('no_such_setting');
  expect(rig.leftovers()).toEqual(nothing);
});

import { describe, expect, it } from 'vitest';
import { makeAuthority, selfSigned } from '../load/certificates.ts';
import { nothing, Rig, type Run, tinyPlan } from './gate-rig.ts';

interface EvidenceFile {
  readonly rounds: readonly {
    readonly sides: Readonly<Record<'baseline' | 'candidate', { readonly origin: string }>>;
    readonly trials: readonly {
      readonly load: { readonly counts: { readonly scheduled: number; readonly ok: number } };
    }[];
  }[];
}

const said = (run: Run): string => `${run.out}\n${run.err}`;
const same = (files: Record<string, string>) => ({ baseline: files, candidate: {} });
const shortPlan = tinyPlan.replace('rate: 1000', 'rate: 300').replace('rate: 2000', 'rate: 600');

/** Every slice of every round was answered rightly. */
function expectAllRight(rig: Rig, origin: RegExp): void {
  const { rounds } = rig.read<EvidenceFile>('evidence.json');
  expect(rounds.length).toBeGreaterThan(0);
  for (const { sides, trials } of rounds) {
    for (const { origin: seen } of Object.values(sides)) expect(seen).toMatch(origin);
    for (const { load } of trials) expect(load.counts.ok).toBe(load.counts.scheduled);
  }
}

describe('the gate on a service', () => {
  const secure = `
import { createSecureServer } from 'node:http2';
import { readFileSync } from 'node:fs';
const files = { cert: readFileSync('cert.pem'), key: readFileSync('key.pem') };
const server = createSecureServer(files);
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  const named = headers[':authority'] === 'localhost:' + process.env.PORT;
  stream.respond({ ':status': named ? 200 : 421 });
  stream.end('ok');
});
server.listen(Number(process.env.PORT), '127.0.0.1');
`;

  it('behind HTTPS and HTTP/2 measures it, certificate and name checked', async () => {
    const authority = makeAuthority();
    const { cert, key } = authority.issue();
    const settings = 'start: node server.mjs\ntransport: { https: { ca: ca.pem }, http2: true }\n';
    using rig = new Rig(
      same({
        'server.mjs': secure,
        'ca.pem': authority.cert,
        'cert.pem': cert,
        'key.pem': key,
        'tailgate.yml': `${settings}${shortPlan}`,
      }),
    );
    const run = await rig.run('gate', '--baseline', 'main', '--evidence', 'evidence.json');
    expect([0, 3], said(run)).toContain(run.code);
    expectAllRight(rig, /^https:\/\/127\.0\.0\.1:\d{5}$/);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('on a Unix socket measures it, and removes the socket', async () => {
    const code = `
import { createServer } from 'node:http';
createServer((request, response) => response.end('ok')).listen(process.argv[2]);
`;
    const settings = 'start: node server.mjs {socket}\ntransport: { unix-socket: true, keep-alive: false }\n';
    using rig = new Rig(same({ 'server.mjs': code, 'tailgate.yml': `${settings}${shortPlan}` }));
    const run = await rig.run('gate', '--baseline', 'main', '--evidence', 'evidence.json');
    expect([0, 3], said(run)).toContain(run.code);
    expectAllRight(rig, /^http:\/\/localhost:\d{5}$/);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('whose certificate nobody trusts ends with the cause and the way out', async () => {
    const { cert, key } = selfSigned();
    const settings = 'start: node server.mjs\nstart-timeout: 3s\ntransport: { https: true, http2: true }\n';
    using rig = new Rig(
      same({
        'server.mjs': secure,
        'cert.pem': cert,
        'key.pem': key,
        'tailgate.yml': `${settings}${shortPlan}`,
      }),
    );
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code).toBe(4);
    expect(said(run)).toContain('certificate not trusted');
    expect(said(run)).toContain('`insecure`');
    expect(said(run)).not.toMatch(/\n\s+at .*:\d+:\d+/);
    expect(rig.leftovers()).toEqual(nothing);
  });
});

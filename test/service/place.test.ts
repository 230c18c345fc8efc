import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Tls, Transport } from '../../src/config/transport.ts';
import { msToNs, secondsToNs } from '../../src/kernel/units.ts';
import { httpGet } from '../../src/load/sender.ts';
import { listenerAt } from '../../src/service/listeners.ts';
import { removeSocket, socketPathFor } from '../../src/service/place.ts';
import { scrape } from '../../src/service/scrape.ts';
import { makeAuthority, selfSigned } from '../load/certificates.ts';
import { failureOf, fixture, freePort, nothingIsLeft, spawned, started } from './started.ts';

const plain: Transport = { keepAlive: true, connectTimeout: null, tls: null, http2: null, socketPath: null };
const tls: Tls = { ca: null, cert: null, key: null, insecure: false, serverName: 'localhost' };
const authority = makeAuthority();

afterEach(nothingIsLeft);

describe('a service behind HTTPS', () => {
  const asked = (given: Partial<Tls>, { cert, key } = authority.issue()) => ({
    env: { CERT: cert, KEY: key },
    transport: { ...plain, tls: { ...tls, ...given } },
    startTimeout: secondsToNs(3),
    httpGet,
  });

  it('is ready when its certificate is trusted, and is sent to the same way', async () => {
    const service = await started(fixture('anywhere'), asked({ ca: authority.cert }));
    expect(service.origin).toBe(`https://127.0.0.1:${service.port}`);
    const { host, transport } = service.target;
    expect(host).toBe(`localhost:${service.port}`);
    const answer = await httpGet(service.origin, {
      timeout: msToNs(2000),
      target: { host, transport: transport! },
    });
    expect(answer.body).toBe(JSON.stringify({ host }));
    // Its metrics page is asked the same way.
    expect(await scrape(service.target, '/')).toMatchObject({ kind: 'page' });
  });

  it('whose certificate nobody trusts fails by name, with the way out', async () => {
    const failure = await failureOf(fixture('anywhere'), asked({}, selfSigned()));
    expect(failure).toMatchObject({ code: 'service-failed' });
    expect(failure.message).toContain('127.0.0.1');
    expect(failure.message).toContain('certificate not trusted');
    expect(failure.hint).toMatch(/`ca`.*`insecure`/);
  });

  it('whose certificate expired fails by name', async () => {
    const old = authority.issue({ validTo: '20210101000000Z' });
    const failure = await failureOf(fixture('anywhere'), asked({ ca: authority.cert }, old));
    expect(failure.message).toContain('certificate expired');
    expect(failure.hint).toContain('new certificate');
  });

  it('that speaks plain HTTP is told apart from one that is silent', async () => {
    const failure = await failureOf(fixture('anywhere'), { ...asked({ insecure: true }), env: {} });
    expect(failure.message).toContain('not TLS');
    expect(failure.hint).toContain('plain HTTP');
  });
});

describe('a service on a Unix socket', () => {
  const onSocket = async () => {
    const port = await freePort();
    const socketPath = socketPathFor(port);
    return { port, transport: { ...plain, socketPath }, startTimeout: secondsToNs(3), httpGet };
  };

  it('is told by SOCKET, proven ours, and its file is gone afterwards', async () => {
    const options = await onSocket();
    const service = await started(fixture('anywhere'), options);
    expect(service.origin).toBe(`http://localhost:${options.port}`);
    expect(service.target.transport?.socketPath).toBe(options.transport.socketPath);
    expect(await scrape(service.target, '/')).toMatchObject({ kind: 'page' });
    process.kill(service.pid, 'SIGKILL');
    await service.exited;
    expect(existsSync(options.transport.socketPath)).toBe(true);
    await service.stop();
    expect(existsSync(options.transport.socketPath)).toBe(false);
  });

  it('can be told by {socket} in its command', async () => {
    const service = await started(fixture('anywhere', '--argument', '{socket}'), await onSocket());
    expect(service.origin).toContain('localhost');
  });

  it('that listens on a port instead is told so', async () => {
    const failure = await failureOf(fixture('anywhere', '--ignore'), await onSocket());
    expect(failure.message).toMatch(/ignores SOCKET: .*\.sock and listens on port \d+ instead/);
  });

  it('is not started where something lies already', async () => {
    const options = await onSocket();
    writeFileSync(options.transport.socketPath, '');
    try {
      await expect(spawned(fixture('anywhere'), options)).rejects.toThrow(/exists already/);
    } finally {
      removeSocket(options);
    }
  });

  it('of which a stranger answers the socket is not measured', async () => {
    const options = await onSocket();
    const stranger = createServer((_request, response) => response.end());
    const handle = await spawned('sleep 30', options);
    stranger.listen(options.transport.socketPath);
    const failure = await handle.waitUntilReady().then(
      () => null,
      (error: Error) => error,
    );
    stranger.close();
    expect(failure?.message).toMatch(/\.sock is answered by process \d+ .*does not belong/);
  });
});

it('of two sockets of one path the one that listens is found', () => {
  const table = [
    'Num       RefCount Protocol Flags    Type St Inode Path',
    '0000000000000000: 00000003 00000000 00000000 0001 03 11111 /tmp/a b.sock',
    '0000000000000000: 00000002 00000000 00010000 0001 01 22222 /tmp/a b.sock',
    '0000000000000000: 00000002 00000000 00010000 0001 01 33333',
  ].join('\n');
  expect(listenerAt('/tmp/a b.sock', table)).toBe('22222');
  expect(listenerAt('/tmp/a', table)).toBeNull();
});

it('a path that no socket can have is refused before anything starts', () => {
  expect(() => socketPathFor(23456, `/${'long/'.repeat(30)}`)).toThrow(/longer than the 103 bytes/);
});

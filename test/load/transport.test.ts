import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import * as http2 from 'node:http2';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Tls, Transport } from '../../src/config/transport.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { httpGet } from '../../src/load/sender.ts';
import { makeAuthority, selfSigned } from './certificates.ts';
import { shoot } from './slices.ts';

const plain: Transport = { keepAlive: true, connectTimeout: null, tls: null, http2: null, socketPath: null };
const tls: Tls = { ca: null, cert: null, key: null, insecure: false, serverName: 'localhost' };
const authority = makeAuthority();
const own = authority.issue();

const running: (() => void)[] = [];
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

/** Counts what it is asked, and over how many connections. */
async function listening(server: Server, where: number | string = 0) {
  const open = new Set<Socket>();
  const seen = { connections: 0 };
  server.on('connection', (socket: Socket) => {
    seen.connections++;
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(typeof where === 'number' ? { port: where, host: '127.0.0.1' } : { path: where });
  await once(server, 'listening');
  running.push(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return { seen, port: typeof where === 'number' ? (server.address() as AddressInfo).port : 0 };
}

const ok: RequestListener = (_request, response) => {
  response.setHeader('content-length', '2');
  response.end('ok');
};

const sent = { shots: 60, rate: 400, leadIn: 0, timeout: msToNs(4000) } as const;

describe('connections', () => {
  test('are kept and used again unless told otherwise', async () => {
    const { seen, port } = await listening(createServer(ok));
    const result = await shoot({ ...sent, origin: `http://127.0.0.1:${port}` });
    expect(result.counts.ok).toBe(60);
    expect(seen.connections).toBeLessThan(60);
  });

  test('are new for every request with keep-alive off, and the service is told to close them', async () => {
    const said = new Set<string | undefined>();
    const { seen, port } = await listening(
      createServer((request, response) => {
        said.add(request.headers.connection);
        ok(request, response);
      }),
    );
    const transport = { ...plain, keepAlive: false };
    const result = await shoot({ ...sent, origin: `http://127.0.0.1:${port}`, transport });
    expect(result.counts.ok).toBe(60);
    expect(seen.connections).toBe(60);
    expect(result.generator.socketsOpened).toBe(60);
    expect([...said]).toEqual(['close']);
  });

  test('that take too long to come about fail by their own time-out, before that of the shot', async () => {
    // Takes connections but never says a word of TLS.
    const { port } = await listening(createTcpServer(() => {}));
    const transport = { ...plain, tls: { ...tls, insecure: true }, connectTimeout: msToNs(200) };
    const result = await shoot({ ...sent, shots: 10, origin: `https://127.0.0.1:${port}`, transport });
    expect(result.errors).toEqual({ 'connect timed out': 10 });
  });
});

test('a redirect is an answer: nobody follows it', async () => {
  let followed = 0;
  const { port } = await listening(
    createServer((request, response) => {
      if (request.url !== '/') followed++;
      response.writeHead(302, { location: '/elsewhere', 'content-length': '0' });
      response.end();
    }),
  );
  const result = await shoot({ ...sent, origin: `http://127.0.0.1:${port}` });
  expect(result.statuses).toEqual({ 302: 60 });
  expect((await httpGet(`http://127.0.0.1:${port}/`, { timeout: msToNs(1000) })).status).toBe(302);
  expect(followed).toBe(0);
});

test('a Unix socket is sent to in place of the address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-socket-'));
  running.push(() => rmSync(folder, { recursive: true }));
  const socketPath = join(folder, 'service.sock');
  const hosts = new Set<string | undefined>();
  await listening(
    createServer((request, response) => {
      hosts.add(request.headers.host);
      ok(request, response);
    }),
    socketPath,
  );
  const transport = { ...plain, socketPath };
  const result = await shoot({ ...sent, origin: 'http://localhost:1', transport });
  expect(result.counts.ok).toBe(60);
  expect([...hosts]).toEqual(['localhost:1']);
  const gone = { ...plain, socketPath: join(folder, 'nobody.sock') };
  const none = await shoot({ ...sent, shots: 5, origin: 'http://localhost:1', transport: gone });
  expect(none.errors).toEqual({ 'no such socket': 5 });
});

describe('HTTPS', () => {
  const secure = async (options: Parameters<typeof createSecureServer>[0] = own) =>
    (await listening(createSecureServer(options, ok))).port;
  const errorsOf = async (port: number, given: Partial<Tls>) => {
    const transport = { ...plain, tls: { ...tls, ...given } };
    const result = await shoot({ ...sent, shots: 5, origin: `https://127.0.0.1:${port}`, transport });
    return result.counts.ok === 5 ? 'ok' : Object.keys(result.errors).join();
  };

  test('is trusted by the authority given, asked for by name and kept open', async () => {
    const names = new Set<unknown>();
    const server = createSecureServer(own, (request, response) => {
      names.add((request.socket as unknown as { servername: unknown }).servername);
      ok(request, response);
    });
    const { seen, port } = await listening(server);
    const transport = { ...plain, tls: { ...tls, ca: authority.cert } };
    const result = await shoot({ ...sent, origin: `https://127.0.0.1:${port}`, transport });
    expect(result.counts.ok).toBe(60);
    expect(seen.connections).toBeLessThan(60);
    expect([...names]).toEqual(['localhost']);
  });

  test('names what is wrong with a certificate, and takes any when told to', async () => {
    const expired = await secure(authority.issue({ validTo: '20210101000000Z' }));
    const other = await secure(authority.issue({ name: 'example.test' }));
    const alone = await secure(selfSigned());
    const { ca } = { ca: authority.cert };
    expect(await errorsOf(expired, { ca })).toBe('certificate expired');
    expect(await errorsOf(other, { ca })).toBe('certificate of another name');
    expect(await errorsOf(other, { ca, serverName: 'example.test' })).toBe('ok');
    expect(await errorsOf(alone, { ca })).toBe('certificate not trusted');
    expect(await errorsOf(alone, {})).toBe('certificate not trusted');
    for (const port of [expired, other, alone]) expect(await errorsOf(port, { insecure: true })).toBe('ok');
  });

  test('gives the client certificate that a service asks for', async () => {
    const port = await secure({ ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: true });
    const mine = authority.issue({ name: 'client' });
    expect(await errorsOf(port, { ca: authority.cert, ...mine })).toBe('ok');
    // Node closes the connection without a word; servers that send the alert are in failures.test.ts.
    expect(await errorsOf(port, { ca: authority.cert })).toBe('connection reset');
    const strange = makeAuthority('stranger').issue();
    expect(await errorsOf(port, { ca: authority.cert, ...strange })).toBe('connection reset');
  });

  test('says when the service speaks plain HTTP', async () => {
    const { port } = await listening(createServer(ok));
    expect(await errorsOf(port, { insecure: true })).toBe('not TLS');
  });

  test('of a single GET fails with the cause and the way out', async () => {
    const port = await secure(selfSigned());
    const get = (given: Partial<Tls>) =>
      httpGet(`https://127.0.0.1:${port}/`, {
        timeout: msToNs(2000),
        target: { host: null, transport: { ...plain, tls: { ...tls, ...given } } },
      });
    await expect(get({})).rejects.toMatchObject({
      code: 'service-failed',
      message: 'certificate not trusted',
      hint: expect.stringContaining('`ca`'),
    });
    expect((await get({ insecure: true })).status).toBe(200);
  });
});

describe('HTTP/2', () => {
  const answer = (stream: http2.ServerHttp2Stream) => {
    stream.respond({ ':status': 200 });
    stream.end('ok');
  };

  test('shares one connection among many requests, also those with a body', async () => {
    const server = http2.createSecureServer(own);
    const methods = new Set<unknown>();
    let most = 0;
    let now = 0;
    server.on('stream', (stream, headers) => {
      methods.add(headers[':method']);
      most = Math.max(most, ++now);
      stream.on('error', () => {});
      setTimeout(() => {
        now--;
        answer(stream);
      }, 40);
      stream.resume();
    });
    const { seen, port } = await listening(server);
    const transport = { ...plain, tls: { ...tls, ca: authority.cert }, http2: { streams: 100 } };
    const post = {
      method: 'POST',
      path: '/',
      headers: ['content-type', 'text/plain'],
      body: Buffer.from('body'),
      expected: [{ from: 200, to: 299 }],
    };
    const result = await shoot({ ...sent, requests: [post], origin: `https://127.0.0.1:${port}`, transport });
    expect(result.counts.ok).toBe(60);
    expect([...methods]).toEqual(['POST']);
    expect(seen.connections).toBe(1);
    expect(most).toBeGreaterThan(5);
  });

  test('opens another connection when the streams of one are taken, up to the cap', async () => {
    const server = http2.createSecureServer(own);
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      setTimeout(() => answer(stream), 100);
    });
    const { seen, port } = await listening(server);
    const transport = { ...plain, tls: { ...tls, ca: authority.cert }, http2: { streams: 4 } };
    const result = await shoot({ ...sent, maxSockets: 3, origin: `https://127.0.0.1:${port}`, transport });
    expect(result.counts.ok).toBe(60);
    expect(seen.connections).toBe(3);
    expect(result.generator.poolQueued).toBeGreaterThan(0);
  });

  test('works without TLS by prior knowledge', async () => {
    const server = http2.createServer();
    server.on('stream', answer);
    const { seen, port } = await listening(server as unknown as Server);
    const transport = { ...plain, http2: { streams: 100 } };
    const result = await shoot({ ...sent, origin: `http://127.0.0.1:${port}`, transport });
    expect(result.counts.ok).toBe(60);
    expect(seen.connections).toBe(1);
  });

  test('is not replaced by pipelined HTTP/1.1 when the service does not offer it', async () => {
    const { port } = await listening(createSecureServer(own, ok));
    const transport = { ...plain, tls: { ...tls, ca: authority.cert }, http2: { streams: 100 } };
    const result = await shoot({ ...sent, shots: 5, origin: `https://127.0.0.1:${port}`, transport });
    expect(result.errors).toEqual({ 'no HTTP/2 offered': 5 });
  });

  test('that cannot connect fails by the cause, as HTTP/1.1 does', async () => {
    const { port } = await listening(http2.createSecureServer(own));
    const transport = { ...plain, tls, http2: { streams: 100 } };
    const result = await shoot({ ...sent, shots: 5, origin: `https://127.0.0.1:${port}`, transport });
    expect(result.errors).toEqual({ 'certificate not trusted': 5 });
    const none = { ...transport, tls: { ...tls, insecure: true } };
    const refused = await shoot({ ...sent, shots: 5, origin: 'https://127.0.0.1:1', transport: none });
    expect(refused.errors).toEqual({ 'connection refused': 5 });
  });

  test('of a shot that timed out ends its stream and keeps the connection', async () => {
    const server = http2.createSecureServer(own);
    let asked = 0;
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      if (asked++ % 10 !== 3) answer(stream);
    });
    const { seen, port } = await listening(server);
    const transport = { ...plain, tls: { ...tls, ca: authority.cert }, http2: { streams: 100 } };
    const result = await shoot({
      ...sent,
      timeout: msToNs(300),
      origin: `https://127.0.0.1:${port}`,
      transport,
    });
    expect(result.counts).toMatchObject({ ok: 54, timedOut: 6 });
    expect(seen.connections).toBe(1);
  });
});

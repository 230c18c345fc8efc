import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readArguments } from '../../src/commands/command.ts';
import { load } from '../../src/commands/load.ts';
import { openOrRefuse, readOneRequest } from '../../src/commands/one-request.ts';
import type { TailgateError } from '../../src/kernel/errors.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { openSockets } from '../../src/load/driver.ts';
import type { Generator } from '../../src/load/protocol.ts';
import { SocketPool } from '../../src/load/sockets.ts';
import { makeAuthority } from '../load/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'tailgate-flags-'));
afterAll(() => rmSync(folder, { recursive: true }));
const authority = makeAuthority();
writeFileSync(join(folder, 'ca.pem'), authority.cert);

const read = (url: string, ...argv: readonly string[]) =>
  readOneRequest(load, url, readArguments(load, [url, ...argv]).flags, folder).target;

test('a URL alone is plain HTTP/1.1 with connections kept', () => {
  expect(read('http://127.0.0.1:8080/').transport).toEqual({
    keepAlive: true,
    connectTimeout: null,
    tls: null,
    http2: null,
    socketPath: null,
  });
});

test('flags say how it is reached, files relative to where the command was given', () => {
  const { origin, transport } = read(
    'https://localhost:8443/path',
    ...['--ca', 'ca.pem', '--server-name', 'app.test', '--http2', '--unix-socket', 'run/app.sock'],
    ...['--connect-timeout', '2s'],
  );
  expect(origin).toBe('https://localhost:8443');
  expect(transport).toEqual({
    keepAlive: true,
    connectTimeout: msToNs(2000),
    tls: { ca: authority.cert, cert: null, key: null, insecure: false, serverName: 'app.test' },
    http2: { streams: 100 },
    socketPath: join(folder, 'run/app.sock'),
  });
  expect(read('https://localhost/', '--insecure', '--no-keep-alive').transport).toMatchObject({
    keepAlive: false,
    tls: { insecure: true, serverName: null },
  });
});

test('what does not go together or cannot be read is named', () => {
  expect(() => read('http://localhost/', '--insecure')).toThrow(/--insecure says something of TLS/);
  expect(() => read('https://localhost/', '--cert', 'ca.pem')).toThrow(/--cert is nothing without its key/);
  expect(() => read('https://localhost/', '--http2', '--no-keep-alive')).toThrow(/shares connections/);
  expect(() => read('https://localhost/', '--ca', 'no.pem')).toThrow(/^--ca: .*no\.pem cannot be read/);
  expect(() => read('ftp://localhost/')).toThrow(/not a URL it can send to/);
});

const refusal = (url: string, ...argv: readonly string[]) => {
  try {
    read(url, ...argv);
  } catch (error) {
    return error as TailgateError;
  }
  throw new Error('it was taken');
};

test.each([
  ['--header has no colon', 'authorization Bearer S3CR3T'],
  ['--header has a name of other signs', 'authorization Bearer S3CR3T: x'],
  ['header 2 of 3 in --header has no colon', 'a: b\nBearer S3CR3T\n\nc: d'],
  ['the value of the header "authorization" holds', 'authorization: S3CR3T\u0001'],
])('%s is said without repeating the header', (message, header) => {
  const error = refusal('http://127.0.0.1/', '--header', header);
  expect(error.code).toBe('usage');
  expect(error.message).toContain(message);
  expect(`${error.message} ${error.hint}`).not.toContain('S3CR3T');
  expect(error.hint).not.toContain('scenario');
});

test('a header that lost its quotes is not repeated either', () => {
  expect(() => read('http://127.0.0.1/', '--header', 'authorization:', 'Bearer', 'S3CR3T')).toThrow(
    /was given 3; write a value with spaces in quotes$/,
  );
});

test('a user and password in a URL are refused with the header to send instead, and not repeated', () => {
  for (const url of ['http://me:S3CR3T@127.0.0.1:80/', 'http://S3CR3T@127.0.0.1/', 'ftp://me:S3CR3T@host/']) {
    const error = refusal(url);
    expect(error.code).toBe('usage');
    expect(error.message).not.toContain('S3CR3T');
  }
  const { message, hint } = refusal('http://me:S3CR3T@127.0.0.1:8080/path');
  expect(message).toMatch(/http:\/\/127.0.0.1:8080 holds a user or password/);
  expect(hint).toContain('--header "authorization: Basic ');
  expect(read('http://127.0.0.1/a@b:c').origin).toBe('http://127.0.0.1');
});

test('a certificate that nobody trusts ends the command with its way out', async () => {
  const { cert, key } = authority.issue();
  const server = createSecureServer({ cert, key }, (_request, response) => response.end('ok'));
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const generator = (pool: SocketPool) =>
    ({ open: (order) => openSockets(order, pool) }) as Pick<Generator, 'open'> as Generator;
  const attempt = async (...argv: readonly string[]) => {
    const one = readOneRequest(load, url, readArguments(load, [url, ...argv]).flags, folder);
    const pool = new SocketPool(one.target.origin, one.target.transport);
    try {
      await openOrRefuse(generator(pool), one, 2, msToNs(3000));
    } finally {
      await pool.close();
    }
  };
  try {
    await expect(attempt()).rejects.toMatchObject({
      code: 'service-failed',
      message: `${new URL(url).origin} did not answer: GET /: certificate not trusted`,
      hint: expect.stringContaining('`ca`'),
    });
    await attempt('--ca', 'ca.pem');
    await attempt('--insecure', '--no-keep-alive');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

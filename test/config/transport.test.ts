import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { readTransport, type TlsSettings } from '../../src/config/transport.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { makeAuthority } from '../load/certificates.ts';

const read = (text: string) =>
  readConfig(`start: node server.js\n${text}`, { source: 'tailgate.yml', overrides: {}, environment: {} })
    .config.transport;
const problemOf = (text: string): string => {
  try {
    read(text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was understood');
};

describe('transport of a file', () => {
  test('is HTTP/1.1 at a port with connections kept, unless it says otherwise', () => {
    expect(read('')).toEqual({
      keepAlive: true,
      connectTimeout: null,
      https: null,
      http2: null,
      unixSocket: false,
    });
  });

  test('may be true for HTTPS, or name its files', () => {
    const https = { ca: null, cert: null, key: null, insecure: false, serverName: 'localhost' };
    expect(read('transport: { https: true }').https).toEqual(https);
    expect(read('transport: { https: { ca: /etc/ca.pem, server-name: app.test } }').https).toEqual({
      ...https,
      ca: '/etc/ca.pem',
      serverName: 'app.test',
    });
    expect(read('transport: { http2: true, http2-streams: 7, connect-timeout: 2s }')).toMatchObject({
      http2: { streams: 7 },
      connectTimeout: msToNs(2000),
    });
  });

  test('that cannot be is refused where it stands, all problems at once', () => {
    const problem = problemOf(
      'transport: { http2: true, keep-alive: false, https: { cert: a.pem, server-name: 127.0.0.1, cipher: x } }',
    );
    expect(problem).toMatch(/transport\.keep-alive.*drop `http2`/);
    expect(problem).toMatch(/transport\.https\.server-name.*wanted a host name/);
    expect(problem).toMatch(/transport\.https\.cipher.*known here: ca, cert, key/);
    expect(problemOf('transport: { https: { cert: a.pem } }')).toMatch(/https\.key.*nothing without its key/);
    expect(problemOf('transport: { https: 443 }')).toMatch(
      /transport\.https.*wanted true, false, or a group/,
    );
  });
});

describe('files of a secure connection', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-pem-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const authority = makeAuthority();
  const [one, other] = [authority.issue(), authority.issue()];
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  writeFileSync(join(folder, 'cert.pem'), one.cert);
  writeFileSync(join(folder, 'key.pem'), one.key);
  writeFileSync(join(folder, 'other-key.pem'), other.key);
  writeFileSync(join(folder, 'notes.txt'), 'no certificate');
  const tls = (https: Partial<TlsSettings>) =>
    readTransport(
      {
        keepAlive: true,
        connectTimeout: null,
        https: { ca: null, cert: null, key: null, insecure: false, serverName: 'localhost', ...https },
        http2: null,
        unixSocket: false,
      },
      folder,
      null,
    ).tls;

  test('are read from the project or from an absolute path', () => {
    expect(tls({ ca: 'ca.pem' })).toMatchObject({ ca: authority.cert, cert: null });
    expect(tls({ cert: join(folder, 'cert.pem'), key: 'key.pem' })).toMatchObject({
      cert: one.cert,
      key: one.key,
    });
  });

  test('that cannot be used are named with their key', () => {
    expect(() => tls({ ca: 'missing.pem' })).toThrow(/^transport\.https\.ca: .*missing\.pem cannot be read/);
    expect(() => tls({ ca: 'notes.txt' })).toThrow(
      /^transport\.https\.ca: .*notes\.txt has no certificates in PEM/,
    );
    expect(() => tls({ cert: 'cert.pem', key: 'cert.pem' })).toThrow(/https\.key: .*has no private key/);
    expect(() => tls({ cert: 'cert.pem', key: 'other-key.pem' })).toThrow(
      /https\.cert, transport\.https\.key: no secure connection can be made/,
    );
  });
});

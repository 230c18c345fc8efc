import { expect, test } from 'vitest';
import { failureClass, wayOutOf } from '../../src/load/failures.ts';

const withCode = (code: string) => Object.assign(new Error('what the system said'), { code });

const classes: readonly (readonly [string, string])[] = [
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection reset'],
  ['UND_ERR_SOCKET', 'connection reset'],
  ['EMFILE', 'descriptors exhausted'],
  ['ENFILE', 'descriptors exhausted'],
  ['EADDRNOTAVAIL', 'ports exhausted'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect timed out'],
  ['EHOSTUNREACH', 'host unreachable'],
  ['ENOTFOUND', 'host not found'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'body cut short'],
  ['UND_ERR_HEADERS_OVERFLOW', 'headers too large'],
  ['HPE_INVALID_CHUNK_SIZE', 'not HTTP'],
  ['ENOENT', 'no such socket'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate not trusted'],
  ['CERT_HAS_EXPIRED', 'certificate expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate of another name'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'not TLS'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'client certificate refused'],
  ['ERR_HTTP2_ERROR', 'not HTTP/2'],
  ['EWHATEVER', 'other: EWHATEVER'],
];

for (const [code, name] of classes) {
  test(`${code} is "${name}"`, () => {
    expect(failureClass(withCode(code), false)).toBe(name);
  });
}

test('a reset of a socket that had served before, ahead of any byte, is the keep-alive race', () => {
  for (const code of ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']) {
    expect(failureClass(withCode(code), true)).toBe('reset on reuse');
  }
  expect(failureClass(withCode('ECONNREFUSED'), true)).toBe('connection refused');
});

test('what has no code is named by its message', () => {
  expect(failureClass(new Error('odd'), false)).toBe('other: odd');
});

test('a secure connection that fails has a way out, a plain one says it all', () => {
  const secure = classes.slice(
    classes.findIndex(([, name]) => name === 'certificate not trusted'),
    -1,
  );
  expect(secure.map(([, name]) => wayOutOf(name)).filter((hint) => hint === null)).toEqual([]);
  expect(wayOutOf('connection refused')).toBeNull();
});

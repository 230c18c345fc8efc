import { expect, test } from 'vitest';
import { failureClass } from '../../src/load/failures.ts';

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
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'other: DEPTH_ZERO_SELF_SIGNED_CERT'],
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

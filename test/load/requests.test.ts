import { describe, expect, test } from 'vitest';
import { type PlainRequest, prepareRequests } from '../../src/load/requests.ts';

const request = (change: Partial<PlainRequest> = {}): PlainRequest => ({
  method: 'GET',
  path: '/items?page=2',
  headers: {},
  body: null,
  expect: { status: [{ from: 200, to: 399 }] },
  ...change,
});

test('headers are flattened, bodies become bytes, expected statuses are kept', () => {
  const { requests, warnings } = prepareRequests([
    request({ method: 'POST', headers: { Accept: 'text/plain', 'X-Id': '7' }, body: 'naïve' }),
  ]);
  expect(requests).toEqual([
    {
      method: 'POST',
      path: '/items?page=2',
      headers: ['Accept', 'text/plain', 'X-Id', '7'],
      body: new TextEncoder().encode('naïve'),
      expected: [{ from: 200, to: 399 }],
    },
  ]);
  expect(warnings).toEqual([]);
});

describe('headers that the client refuses', () => {
  for (const name of ['Expect', 'transfer-encoding', 'Keep-Alive', 'upgrade', 'Connection']) {
    test(`${name} is refused when the settings are read, not when the first shot is sent`, () => {
      expect(() => prepareRequests([request({ headers: { [name]: 'x' } })])).toThrow(
        `"${name}" cannot be set`,
      );
    });
  }
});

test('every problem is in one message', () => {
  const attempt = () =>
    prepareRequests([
      request({ path: 'items', headers: { 'bad name': 'x', 'X-Line': 'a\nb' } }),
      request({ method: 'CONNECT' }),
      request({ path: '/with space' }),
      request({ path: '/snow☃' }),
    ]);
  expect(attempt).toThrow(/"bad name"/);
  expect(attempt).toThrow(/"X-Line"/);
  expect(attempt).toThrow(/CONNECT/);
  expect(attempt).toThrow(/GET items: the path/);
  expect(attempt).toThrow(/GET \/with space: the path/);
  expect(attempt).toThrow(/GET \/snow☃: the path/);
});

describe('the length of a body', () => {
  test('is left to the client: a right Content-Length is dropped', () => {
    const { requests } = prepareRequests([
      request({ method: 'POST', body: 'abc', headers: { 'Content-Length': '3' } }),
    ]);
    expect(requests[0]!.headers).toEqual([]);
  });

  test('that contradicts the body is refused', () => {
    expect(() =>
      prepareRequests([request({ method: 'POST', body: 'abc', headers: { 'content-length': '4' } })]),
    ).toThrow('says 4, but the body has 3 bytes');
  });
});

test('what works but costs something is said as data', () => {
  const { warnings } = prepareRequests([request({ method: 'HEAD' }), request({ body: '{}' })]);
  expect(warnings.map((warning) => warning.code)).toEqual(['head-reconnects', 'unusual-body']);
  expect(warnings[1]!.message).toBe('GET /items carries a body, which servers may ignore or refuse.');
});

test('no query is in a problem or a warning: it may carry what nobody should read', () => {
  const { warnings } = prepareRequests([
    request({ method: 'HEAD', path: '/x?t=hunter2' }),
    request({ method: 'DELETE', path: '/x?t=hunter2', body: '{}' }),
  ]);
  expect(warnings).toHaveLength(2);
  expect(JSON.stringify(warnings)).not.toContain('hunter2');
  const headers = { connection: 'close', 'x-line': 'a\nb', 'content-length': '4' };
  const attempt = () => prepareRequests([request({ path: '/x?t=hunter2 ', headers })]);
  expect(attempt).toThrow('GET /x: the path must');
  expect(attempt).not.toThrow('hunter2');
});

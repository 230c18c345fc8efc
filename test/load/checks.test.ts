/** What an answer must hold, and how few of them are looked into. */
import { describe, expect, test } from 'vitest';
import type { Expectations } from '../../src/config/settings.ts';
import { CheckTally, checksOf, failedContent, failedSize } from '../../src/load/checks.ts';
import { get, rawServer, shoot } from './slices.ts';

const expects = (change: Partial<Expectations>): Expectations => ({
  status: [{ from: 200, to: 299 }],
  headers: {},
  bodyContains: [],
  json: {},
  size: { min: 0, max: null },
  ...change,
});
const checks = (change: Partial<Expectations>) => checksOf(expects(change))!;
const content = (body: string, headers: Record<string, string | string[]> = {}) => ({
  headers,
  body: new TextEncoder().encode(body),
});

test('nothing is checked where only a status is expected', () => {
  expect(checksOf(expects({}))).toBeUndefined();
  expect(checks({ size: { min: 1, max: null } }).content).toBeNull();
});

describe('a header', () => {
  const wanted = checks({ headers: { ETag: '/^W\\//', 'X-N': '5' } });

  test('is a text or a pattern, whatever the case of its name and however often it comes', () => {
    expect(failedContent(wanted, content('', { etag: 'W/"a"', 'x-n': ['4', '5'] }))).toBeNull();
  });

  test.each([
    [{ etag: 'W/x' }, 'check header x-n', 'no such header'],
    [{ etag: '"x"', 'x-n': '5' }, 'check header etag', '"x"'],
    [{ etag: 'W/x', 'x-n': '55' }, 'check header x-n', '55'],
  ])('of %j fails with what came', (headers, check, got) => {
    expect(failedContent(wanted, content('', headers))).toEqual({ check, got });
  });
});

describe('a body', () => {
  test('must hold every text', () => {
    const wanted = checks({ bodyContains: ['total', 'naïve'] });
    expect(failedContent(wanted, content('a naïve total'))).toBeNull();
    expect(failedContent(wanted, content('total:\n\n 5'))).toEqual({
      check: 'check body-contains "naïve"',
      got: 'total: 5',
    });
    expect(failedContent(wanted, content(''))?.got).toBe('an empty body');
  });

  test('must have the values at its pointers, at any depth', () => {
    const wanted = checks({
      json: { '/items/1/~1a~0': { b: [1, null] }, '': { items: [0, { '/a~': { b: [1, null] } }] } },
    });
    expect(failedContent(wanted, content('{"items":[0,{"/a~":{"b":[1,null]}}]}'))).toBeNull();
    expect(failedContent(wanted, content('{"items":[0,{"/a~":{"b":[1]}}]}'))).toEqual({
      check: 'check json /items/1/~1a~0',
      got: '{"b":[1]}',
    });
    expect(failedContent(wanted, content('{"items":[]}'))?.got).toBe('nothing there: {"items":[]}');
    expect(failedContent(wanted, content('<html>'))?.got).toBe('no JSON: <html>');
  });

  test('that is long is shown by its beginning', () => {
    const got = failedContent(checks({ bodyContains: ['x'] }), content('a'.repeat(5000)))?.got;
    expect(got).toBe(`${'a'.repeat(119)}…`);
  });
});

test('a size has a least and a most', () => {
  const wanted = checks({ size: { min: 5, max: 10 } });
  expect([4, 5, 10, 11].map((bytes) => failedSize(wanted, bytes)?.got ?? null)).toEqual([
    '4 bytes',
    null,
    null,
    '11 bytes',
  ]);
});

test('a few different samples are kept', () => {
  const tally = new CheckTally();
  const wanted = checks({ bodyContains: ['x'] });
  for (let index = 0; index < 50; index++) tally.look(wanted, 1, content(`body ${index % 20}`));
  tally.look(wanted, 1, null);
  const { samples, ...counts } = tally.results();
  expect(counts).toEqual({ answers: 51, looked: 50, failed: 50 });
  expect(samples.map(({ got }) => got)).toEqual(['body 0', 'body 1', 'body 2', 'body 3', 'body 4']);
});

describe('a slice', () => {
  const reply = (body: string) =>
    `HTTP/1.1 200 OK\r\nx-kind: json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

  test('looks into every tenth answer, and each failed check is a failed shot', async () => {
    await using server = await rawServer((socket) => socket.write(reply('{"ok":false}')));
    const request = { ...get, checks: checks({ headers: { 'x-kind': 'json' }, json: { '/ok': true } }) };
    const result = await shoot({ origin: server.origin, requests: [request], shots: 100 });
    expect(result.checks).toEqual({
      answers: 100,
      looked: 10,
      failed: 10,
      samples: [{ check: 'check json /ok', got: 'false' }],
    });
    expect(result.errors).toEqual({ 'check json /ok': 10 });
    expect(result.counts).toMatchObject({ ok: 90, failed: 10 });
  });

  test('sees the size of every answer, and leaves requests without checks alone', async () => {
    let index = 0;
    await using server = await rawServer((socket) =>
      socket.write(reply('x'.repeat(index++ % 2 === 0 ? 5 : 6))),
    );
    const request = { ...get, checks: checks({ size: { min: 0, max: 5 } }) };
    const all = await shoot({ origin: server.origin, requests: [request], shots: 100 });
    expect(all.errors['check size']).toBe(50);
    expect(all.checks).toMatchObject({ answers: 0, looked: 0, failed: 50 });
    const none = await shoot({ origin: server.origin, shots: 50 });
    expect([none.checks, none.counts.ok]).toEqual([undefined, 50]);
  });

  test('checks what has the right status alone', async () => {
    await using server = await rawServer((socket) =>
      socket.write('HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n'),
    );
    const request = { ...get, checks: checks({ bodyContains: ['x'], size: { min: 1, max: null } }) };
    const result = await shoot({ origin: server.origin, requests: [request], shots: 50 });
    expect(result.errors).toEqual({ 'status 503': 50 });
    expect(result.checks).toEqual({ answers: 0, looked: 0, failed: 0, samples: [] });
  });
});

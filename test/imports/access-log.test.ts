/** What logs tell in their own ways: escapes, hosts, queries apart from the path, upgrades. */
import { expect, test } from 'vitest';
import { combined, common, imported, refusal, shares, times } from './importing.ts';

const jsonLines = (...lines: object[]) => lines.map((line) => JSON.stringify(line)).join('\n');

test('upgrades to other protocols are no plain requests', async () => {
  const log = [common('GET /socket HTTP/1.1', 101), common('GET /a HTTP/1.1')].join('\n');
  const { scenario, told } = await imported('access.log', log);
  expect(shares(scenario)).toEqual([['GET', '/a', 1]]);
  expect(told.join('\n')).toContain(
    'requests that were answered with 101, as upgrades to WebSocket are (first',
  );
});

test('escapes of servers are undone', async () => {
  const log = [
    combined('GET /caf\\xC3\\xA9?q=\\x22a\\"b HTTP/1.1'),
    combined('GET /back\\\\slash\\x5c HTTP/1.1'),
    combined('GET /tab\\there\\x20 HTTP/1.1'),
  ];
  const { scenario, told } = await imported('access.log', log.join('\n'));
  expect(scenario.requests.map(({ path }) => path)).toEqual([
    '/caf%C3%A9?q="a"b',
    '/back\\slash\\',
    '/tab%09here%20',
  ]);
  expect(told).toEqual(['everything was taken over']);
});

test('several hosts are not put together without a word', async () => {
  const log = [
    ...times(3, () => `shop.example:443 ${common('GET /a HTTP/1.1')}`),
    ...times(2, () => common('GET http://Api.example:8080/a HTTP/1.1')),
    JSON.stringify({ method: 'GET', path: '/a', http_host: 'img.example' }),
    `shop.example:80 ${common('GET /a HTTP/1.1')}`,
  ];
  const { told, scenario } = await imported('access.log', log.join('\n'));
  expect(shares(scenario)).toEqual([['GET', '/a', 7]]);
  expect(told[1]).toBe(
    '  3 × requests to other hosts than shop.example (api.example, img.example): put together with its own; give a log of one service',
  );
});

test('one host, names of clients and of users are no several hosts', async () => {
  const log = [
    'client-1.example - - [10/Oct/2024:13:55:36 +0000] "GET /a HTTP/1.1" 200 5',
    'client-2.example - Ann Lee [10/Oct/2024:13:55:36 +0000] "GET /a HTTP/1.1" 200 5',
    `shop.example ${common('GET /a HTTP/1.1')}`,
  ];
  expect((await imported('access.log', log.join('\n'))).told).toEqual(['everything was taken over']);
});

test('a query that JSON lines tell apart from the path is put behind it', async () => {
  const log = jsonLines(
    { method: 'GET', path: '/a', query: 'x=1' },
    { method: 'GET', uri: '/b', args: '?y=ü z#\ud800' },
    { method: 'GET', uri: '/c', query_string: '' },
    { method: 'GET', uri: '/d', args: '-' },
    { method: 'GET', uri: '/e?z=1', query: 'z=1' },
    { req: { method: 'GET', url: '/f', query: { q: 'a b', tag: ['1', '2'] } } },
    { method: 'GET', path: '/g', query: 'token=hunter2&a=1' },
  );
  const { scenario, out } = await imported('app.jsonl', log);
  expect(scenario.requests.map(({ path }) => path)).toEqual([
    '/a?x=1',
    '/b?y=%C3%BC%20z%23%EF%BF%BD',
    '/c',
    '/d',
    '/e?z=1',
    '/f?q=a+b&tag=1&tag=2',
    '/g?a=1',
  ]);
  expect(out).not.toContain('hunter2');
});

test('a status is a number, wherever it stands', async () => {
  const log = jsonLines({ method: 'GET', path: '/a', status: 'ok', statusCode: 500 });
  expect(await refusal('app.jsonl', log)).toContain('requests that were answered with an error (500)');
});

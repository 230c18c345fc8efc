/** HARs as browsers and proxies write them: which entries are requests to a service, and what of them is left behind. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { entry, har, imported, refusal, shares, times } from './importing.ts';

test('entries that no service is asked for are listed', async () => {
  const file = har(
    ...times(3, () => entry('GET', 'data:image/png;base64,AAAA')),
    entry('GET', 'blob:https://shop.example/7f0c'),
    entry('GET', 'chrome-extension://abc/x.js'),
    entry('GET', 'not a URL'),
    null,
    entry('GET', 'https://shop.example/a'),
    entry('GET', 'wss://shop.example/socket'),
    entry('GET', 'https://shop.example/socket', {}, 101),
  );
  const { scenario, told } = await imported('x.har', file);
  expect(shares(scenario)).toEqual([['GET', '/a', 1]]);
  for (const sentence of [
    '  3 × entries with a URL of data:, which no service is asked for',
    '  entries with a URL of blob:,',
    '  entries with a URL of chrome-extension:,',
    '  2 × entries without a URL that can be read',
    '  WebSocket connections',
    '  requests that were answered with 101, as upgrades to WebSocket are',
  ]) {
    expect(told.join('\n')).toContain(sentence);
  }
});

test('headers that are left out are listed', async () => {
  const headers = [
    { name: 'Accept', value: '*/*' },
    { name: 'Accept-Language', value: 'de' },
    { name: 'X-Tenant', value: 'acme' },
    { name: 'User-Agent', value: 'Browser' },
    { name: 'sec-fetch-mode', value: 'cors' },
    { name: ':path', value: '/a' },
    { name: 'X-Requested-With', value: 'é' },
  ];
  const { scenario, told } = await imported('x.har', har(entry('GET', 'https://x.example/a', { headers })));
  expect(scenario.requests[0]!.headers).toEqual({});
  expect(told).toEqual([
    'not taken over, or not as it was:',
    '  3 × headers of the browser and its connection, such as user-agent and sec-fetch-mode',
    '  values of the header `accept-language`: left out; write it as `headers` where it matters',
    '  values of the header `x-tenant`: left out; write it as `headers` where it matters',
    '  values of the header `x-requested-with`: left out; write it as `headers` where it matters',
  ]);
});

test('one in a single line is told from a log whatever its name', async () => {
  const file = har(entry('GET', 'https://x.example/a'));
  expect(file).not.toContain('\n');
  expect(shares((await imported('x.json', file)).scenario)).toEqual([['GET', '/a', 1]]);
});

test('a log whose lines begin with a `log` of their own is still a log', async () => {
  const line = { log: { level: 'info' }, method: 'GET', path: '/a' };
  expect(shares((await imported('x.json', JSON.stringify(line))).scenario)).toEqual([['GET', '/a', 1]]);
});

test('packed ones are unpacked, and so are descriptions', async () => {
  const packed = gzipSync(har(...times(3000, (id) => entry('GET', `https://x.example/${id % 2}`))));
  expect((await imported('x.har.gz', packed)).scenario.requests).toHaveLength(2);
  expect((await imported('x.json.gz', packed)).scenario.name).toBe('x');
  const description = gzipSync('openapi: 3.1.0\npaths: { /a: { get: {} } }');
  expect(shares((await imported('api.yaml.gz', description)).scenario)).toEqual([['GET', '/a', 1]]);
  expect(await refusal('bad.har.gz', 'no gzip')).toContain(
    'bad.har.gz cannot be read: incorrect header check',
  );
});

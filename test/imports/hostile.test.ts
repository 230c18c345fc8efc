/** Files that no honest program writes: each is read or refused with a sentence, and none is a defect. */
import { expect, test } from 'vitest';
import { common, entry, har, imported, posted, times } from './importing.ts';

test('more kinds of loss than are listed one by one are counted together', async () => {
  const lines = times(250, (index) => common(`GET /a?token${index}=1 HTTP/1.1`));
  const { told, scenario } = await imported('access.log', lines.join('\n'));
  expect(scenario.requests.map(({ path, weight }) => [path, weight])).toEqual([['/a', 250]]);
  expect(told).toHaveLength(1 + 200 + 1);
  expect(told[1]).toBe('  50 × something else (first on line 201)');
});

const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

test('fields of a form may be called like what every object has', async () => {
  const text = `${inherited.map((name) => `${name}=a`).join('&')}&constructor=b`;
  const body = posted('application/x-www-form-urlencoded', text);
  const { out } = await imported('x.har', har(entry('POST', 'https://x.example/f', body)));
  for (const name of inherited) expect(out).toMatch(new RegExp(`^ +${name}:`, 'm'));
  expect(out).toMatch(/constructor:\n +- a\n +- b/);
});

test('so may parameters and properties of a description', async () => {
  const parameters = inherited.map((name) => ({ name, in: 'query', required: true, example: 'a' }));
  const properties = Object.fromEntries(inherited.map((name) => [name, { example: 'b' }]));
  const requestBody = { content: { 'application/json': { schema: { type: 'object', properties } } } };
  const post = { parameters, requestBody, responses: {} };
  const { out } = await imported('x.json', JSON.stringify({ openapi: '3.1.0', paths: { '/a': { post } } }));
  for (const name of inherited) {
    expect(out).toMatch(new RegExp(`^ +${name}: a$`, 'm'));
    expect(out).toMatch(new RegExp(`^ +${name}: b$`, 'm'));
  }
});

/** `toString` of it is no function: making it a text throws. */
const untold = { toString: 1, valueOf: 1 };
const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;

test('texts may be groups, and groups may be deep', async () => {
  const headers = [{ name: untold, value: untold }];
  const file = har(
    { startedDateTime: untold, request: { url: 'https://x.example/a', method: untold, headers } },
    entry('POST', 'https://x.example/b', posted('application/json', deep)),
    entry('POST', 'https://x.example/c', posted('application/json', JSON.stringify({ inner: deep }))),
  );
  const { scenario, told } = await imported('x.har', file);
  expect(scenario.requests.map(({ path }) => path)).toEqual(['/a', '/c']);
  expect(told.join('\n')).toContain(
    'POST /b: a body that says it is JSON and is none, or is nested too deep',
  );

  const line = `{"req":{"method":"GET","url":"/d","query":{"a":${deep.slice(20_000, 40_000)},"b":1}}}`;
  const log = await imported('app.jsonl', line);
  expect(log.scenario.requests.map(({ path }) => path)).toEqual(['/d?a=&b=1']);

  const parameters = [{ name: untold, in: untold, example: 1 }];
  const paths = { '/e': { get: { parameters } } };
  const servers = [{ url: '/{v}', variables: { v: { default: untold } } }];
  const api = await imported('x.json', JSON.stringify({ openapi: '3.1.0', servers, paths }));
  expect(api.told.join('\n')).toContain('every request has weight 1');
});

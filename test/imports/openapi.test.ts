/** OpenAPI descriptions as they are written: how values are put into requests, and what is not taken over. */
import { describe, expect, test } from 'vitest';
import { entry, har, imported, posted, refusal, shares } from './importing.ts';

const api = (paths: object, more: object = {}) => JSON.stringify({ openapi: '3.1.0', paths, ...more });
const good = { '/good': { get: {} } };
const formOf = (example: unknown) => ({
  requestBody: { content: { 'application/x-www-form-urlencoded': { example } } },
});

describe('one request that cannot be sent', () => {
  test.each([
    ['a form that is a text', { post: formOf('a=b') }, 'POST /bad: left out: form: "a=b", wanted names'],
    [
      'a nested form',
      { post: formOf({ a: { b: 1 } }) },
      'POST /bad: left out: form.a: a group of keys, wanted',
    ],
    [
      'a header beyond Latin',
      { get: { parameters: [{ name: 'x-name', in: 'header', required: true, example: '名' }] } },
      'GET /bad: left out: headers.x-name: its value has characters that no header can carry',
    ],
  ])('does not refuse the others: %s', async (_, item, sentence) => {
    const { scenario, told } = await imported('api.json', api({ '/bad': item, ...good }));
    expect(shares(scenario)).toEqual([['GET', '/good', 1]]);
    expect(told.join('\n')).toContain(sentence);
    const alone = await refusal('api.json', api({ '/bad': item }));
    expect(alone).toContain('api.json has no request that can be sent');
    expect(alone).toContain(sentence);
  });

  test('does not refuse the others of a HAR', async () => {
    const text = '{"a":1}';
    const file = har(
      entry('HEAD', 'https://x.example/a', posted('application/json', text)),
      entry('GET', 'https://x.example/b'),
    );
    const { scenario, told } = await imported('x.har', file);
    expect(shares(scenario)).toEqual([['GET', '/b', 1]]);
    expect(told.join('\n')).toContain('HEAD /a: left out: body: a HEAD request has no body');
  });

  test('does not hide what is wrong with the scenario', async () => {
    expect(await refusal('api.json', api(good), '--name', 'a/b')).toContain('"a/b", wanted 1 to 60 letters');
  });
});

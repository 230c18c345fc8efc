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
    [
      'a form that is a text',
      { post: formOf('a=b') },
      'POST /bad: left out: the example of its form is no group of fields',
    ],
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
    expect(alone).toMatch(/api.json has no request that can be sent|no operation of it can be sent/);
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

const parameter = (name: string, place: string, example: unknown, more: object = {}) => ({
  name,
  in: place,
  required: true,
  example,
  ...more,
});
const got = (path: string, ...parameters: object[]) => ({ [path]: { get: { parameters } } });

describe('values of parameters', () => {
  test.each([
    [
      'a list',
      parameter('ids', 'query', [1, 2]),
      [
        ['ids', '1'],
        ['ids', '2'],
      ],
    ],
    ['one list', parameter('ids', 'query', [1, 2], { explode: false }), [['ids', '1,2']]],
    ['pipes', parameter('ids', 'query', [1, 2], { style: 'pipeDelimited' }), [['ids', '1|2']]],
    [
      'a group',
      parameter('by', 'query', { a: 1, b: 'x' }),
      [
        ['a', '1'],
        ['b', 'x'],
      ],
    ],
    ['deep', parameter('by', 'query', { a: 1 }, { style: 'deepObject' }), [['by[a]', '1']]],
    [
      'JSON',
      { name: 'by', in: 'query', required: true, content: { 'application/json': { example: { a: [1] } } } },
      [['by', '{"a":[1]}']],
    ],
  ])('stand in the query as described: %s', async (_, one, query) => {
    const { scenario } = await imported('api.json', api(got('/a', one)));
    expect(scenario.requests[0]!.query).toEqual(query);
  });

  test.each([
    ['a list', parameter('ids', 'path', [3, 'a/b']), '/a/3,a%2Fb'],
    ['a group', parameter('ids', 'path', { x: 1, y: 2 }), '/a/x,1,y,2'],
    ['a label', parameter('ids', 'path', [3, 4], { style: 'label' }), '/a/.3,4'],
    ['a matrix', parameter('ids', 'path', [3, 4], { style: 'matrix', explode: true }), '/a/;ids=3;ids=4'],
    ['half a letter', parameter('ids', 'path', 'a\ud800'), '/a/a%EF%BF%BD'],
  ])('stand in the path as described: %s', async (_, one, path) => {
    const { scenario } = await imported('api.json', api(got('/a/{ids}', one)));
    expect(scenario.requests[0]!.path).toBe(path);
  });

  test('stand in headers with commas', async () => {
    const { scenario } = await imported('api.json', api(got('/a', parameter('x-ids', 'header', [3, 4]))));
    expect(scenario.requests[0]!.headers).toEqual({ 'x-ids': '3,4' });
  });
});

describe('the server', () => {
  test.each([
    [{ url: 'https://h.example/v{version}', variables: { version: { default: '2' } } }, '/v2/good'],
    [{ url: 'https://{tenant}.example/x', variables: { tenant: { default: 'demo' } } }, '/x/good'],
    [{ url: '/{base}/', variables: { base: { enum: ['a', 'b'] } } }, '/a/good'],
  ])('%j stands before every path', async (server, path) => {
    const { scenario } = await imported('api.json', api(good, { servers: [server] }));
    expect(scenario.requests[0]!.path).toBe(path);
  });

  test('with a variable that nobody knows is told', async () => {
    const { scenario, told } = await imported('api.json', api(good, { servers: [{ url: '/{base}' }] }));
    expect(scenario.requests[0]!.path).toBe('/good');
    expect(told.join('\n')).toContain('the path of the server /{base}: `base` has no default');
  });
});

test('what stands elsewhere or may be left out is listed', async () => {
  const post = { requestBody: { $ref: 'bodies.yaml#/a' } };
  const head = { requestBody: { content: { 'application/json': { example: { a: 1 } } } } };
  const put = { requestBody: { content: { 'image/png': {} } } };
  const parameters = [
    { $ref: 'parameters.yaml#/page' },
    { name: 'page', in: 'query', schema: { type: 'integer' } },
    parameter('consent', 'cookie', 'yes'),
  ];
  const file = api({
    '/else': { $ref: 'paths.yaml#/else' },
    '/a': { post, head, put, get: { parameters } },
    '/b': { get: { parameters: [parameters[1]] } },
  });
  const { scenario, told } = await imported('api.json', file);
  expect(shares(scenario)).toEqual([
    ['HEAD', '/a', 1],
    ['PUT', '/a', 1],
    ['GET', '/a', 1],
    ['GET', '/b', 1],
  ]);
  for (const sentence of [
    '  /else: left out: it stands in paths.yaml#/else, which is not read',
    '  POST /a: left out: its body stands in bodies.yaml#/a, which is not read',
    '  HEAD /a: the body is left out, which a HEAD request cannot have',
    '  PUT /a: the body, left out, is image/png',
    '  GET /a: a parameter that stands in parameters.yaml#/page, which is not read, is left out',
    '  2 × the optional parameter `page`: left out',
    '  GET /a: the cookie `consent` is left out',
  ]) {
    expect(told.join('\n')).toContain(sentence);
  }
});

test('secrets in examples are left out of queries and bodies', async () => {
  const schema = {
    type: 'object',
    required: ['size'],
    properties: { password: { example: 'hunter2' }, size: { type: 'integer' } },
  };
  const parameters = [
    parameter('api_key', 'query', 'hunter2'),
    parameter('by', 'query', { token: 'hunter2' }),
  ];
  const file = api({
    '/a': { post: { parameters, requestBody: { content: { 'application/json': { schema } } } } },
    '/b': { post: formOf({ user: 'ann', password: 'hunter2' }) },
  });
  const { scenario, out, told } = await imported('api.json', file);
  expect(out + told.join()).not.toContain('hunter2');
  expect(scenario.requests.map(({ body }) => body)).toEqual([
    { kind: 'json', value: { password: '***', size: 1 } },
    {
      kind: 'form',
      fields: [
        ['user', 'ann'],
        ['password', '***'],
      ],
    },
  ]);
  for (const sentence of [
    'POST /a: the parameter `api_key`, which may be secret, is left out',
    'POST /a: the value of `token` in the parameter `by`, which may be secret',
    'POST /a: the value of `password` in the body',
    'POST /b: the value of `password` in the body',
  ]) {
    expect(told.join('\n')).toContain(sentence);
  }
});

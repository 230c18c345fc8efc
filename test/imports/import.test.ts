/** `tailgate import` on logs, HARs and descriptions: what it prints can be read as a configuration, and what is lost is told. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  combined,
  common,
  entry,
  folder,
  har,
  imported,
  posted,
  refusal,
  run,
  shares,
  times,
} from './importing.ts';

describe('an access log', () => {
  test('in common and combined format keeps its proportions', async () => {
    const lines = [
      ...times(6, () => common('GET /a HTTP/1.1')),
      ...times(3, () => combined('GET /b?x=1&y=a%20b HTTP/2.0')),
      `shop.example:443 ${combined('DELETE /c HTTP/1.1')}`,
    ];
    const { scenario, told, out } = await imported('access.log', `${lines.join('\r\n')}\r\n`);
    expect(shares(scenario)).toEqual([
      ['GET', '/a', 6],
      ['GET', '/b?x=1&y=a%20b', 3],
      ['DELETE', '/c', 1],
    ]);
    expect(scenario.name).toBe('access');
    expect(out).toContain('# read from access.log: 10 requests');
    expect(told).toEqual([
      'everything was taken over',
      'to be looked at: requests that may change data (DELETE; 1 of 3 in the scenario): a run sends them many times',
    ]);
  });

  test('lists what it could not take over, with counts and the first line', async () => {
    const lines = [
      common('GET /a HTTP/1.1'),
      'not a log line',
      common('PROPFIND /a HTTP/1.1'),
      common('POST /a HTTP/1.1', 201),
      common('GET /gone HTTP/1.1', 404),
      'rubbish as well',
      common('\\x16\\x03', 400),
      common('GET /with space HTTP/1.1'),
      `{"broken": `,
      '#Fields: comment',
      '',
      common(`GET /${'x'.repeat(70_000)} HTTP/1.1`),
    ];
    const { told, scenario } = await imported('access.log', lines.join('\n'));
    expect(shares(scenario)).toEqual([['GET', '/a', 1]]);
    expect(told).toEqual([
      'not taken over, or not as it was:',
      '  2 × lines in neither common, combined nor JSON format (first on line 2)',
      '  PROPFIND requests, which cannot be sent (first on line 3)',
      '  POST requests: an access log does not tell their bodies (first on line 4)',
      '  requests that were answered with an error (404) (first on line 5)',
      '  lines without a request line such as "GET /path HTTP/1.1" (first on line 7)',
      '  paths with spaces, which no request line can carry (first on line 8)',
      '  lines that start like JSON and are none (first on line 9)',
      '  lines of more than 64 KiB (first on line 12)',
    ]);
  });

  test('in JSON Lines is read by usual names, also nested ones', async () => {
    const lines = [
      { method: 'GET', path: '/a', status: 200, time: '2024-10-10T13:00:00Z' },
      { request_method: 'get', request_uri: '/a', status: '200' },
      { request: { method: 'GET', uri: '/a' }, status: 200, ts: 1_728_565_200.5 },
      { RequestMethod: 'GET', RequestPath: '/a', DownstreamStatus: 200 },
      { req: { method: 'GET', url: '/a' }, res: { statusCode: 200 } },
      { httpRequest: { requestMethod: 'GET', requestUrl: 'https://x.example/a?z=1', status: 200 } },
      { request: 'GET /a HTTP/1.1', status: 200 },
      { message: 'started' },
    ];
    const { scenario, told } = await imported(
      'app.jsonl',
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    expect(shares(scenario)).toEqual([
      ['GET', '/a', 6],
      ['GET', '/a?z=1', 1],
    ]);
    expect(told[1]).toContain('JSON lines without a method and a path');
    expect(told[1]).toContain('(first on line 8)');
  });

  test('tells how fast it came in', async () => {
    const second = (index: number) => new Date(Date.UTC(2024, 0, 1, 0, 0, index)).toISOString();
    const lines = times(301, (index) =>
      JSON.stringify({ method: 'GET', path: '/a', status: 200, time: second(index) }),
    );
    const { out } = await imported('app.log', lines.join('\n'));
    expect(out).toContain(
      '# observed: 1/s on average, 1/s in the busiest minute; the rate to test with is yours',
    );
  });

  test('with many ids takes the most frequent ones, or all of them through a feed', async () => {
    const item = (index: number) => (index % 100 < 50 ? 7 : index);
    const lines = [
      ...times(300, (index) => common(`GET /items/${item(index)}?page=${index % 2},x HTTP/1.1`)),
      ...times(100, () => common('GET /health HTTP/1.1')),
    ];
    const log = lines.join('\n');
    const few = await imported('access.log', log);
    expect(few.scenario.requests).toHaveLength(11);
    expect(few.scenario.requests.slice(0, 10).reduce((sum, one) => sum + one.weight, 0)).toBeCloseTo(300, 0);
    expect(few.told.join('\n')).toMatch(
      /300 × GET \/items\/\{id\}: 15\d different paths, of which the 10 most frequent/,
    );

    const { scenario, told } = await imported('access.log', log, '--feed', 'rows.csv');
    expect(shares(scenario)).toEqual([
      ['GET', '$' + '{feed.items_id}', 300],
      ['GET', '/health', 100],
    ]);
    expect(scenario.feed).toMatchObject({ file: 'rows.csv', order: 'random' });
    expect(told).toEqual(['everything was taken over']);
    const rows = readFileSync(join(folder, 'rows.csv'), 'utf8').trim().split('\n');
    expect(rows[0]).toBe('items_id');
    const frequent = rows.slice(1).filter((row) => row.startsWith('"/items/7?')).length;
    expect(frequent / (rows.length - 1)).toBeCloseTo(0.5, 1);
  });

  test('leaves secrets of queries out and templates as plain text', async () => {
    const lines = [
      common('GET /a?id=1&access_token=hunter2&sig=hunter2 HTTP/1.1'),
      common('GET /$' + '{uuid}/b HTTP/1.1'),
    ];
    const { scenario, told, out } = await imported('access.log', lines.join('\n'));
    expect(out + told.join()).not.toContain('hunter2');
    expect(scenario.requests.map(({ path }) => path)).toEqual(['/a?id=1', '/$$' + '{uuid}/b']);
    expect(told.join('\n')).toContain('values of the query parameter `access_token`, which may be secret');
  });

  test('accepts redirects where there were some, and leaves the rarest routes out', async () => {
    const lines = [
      ...times(9, () => common('GET /old HTTP/1.1', 301)),
      ...times(2, () => common('GET /b HTTP/1.1', 304)),
      common('GET /c HTTP/1.1'),
    ];
    const { scenario, told } = await imported('access.log', lines.join('\n'), '--top', '2', '--name', 'mine');
    expect(scenario.name).toBe('mine');
    expect(scenario.requests.map(({ expect: { status } }) => status.length)).toEqual([2, 1]);
    expect(told.join('\n')).toContain(
      'requests to the 1 least frequent routes (8.3 % of all); --top 3 takes them',
    );
  });

  test('packed with gzip is unpacked', async () => {
    const log = gzipSync(times(5000, () => common('GET /a HTTP/1.1')).join('\n'));
    expect(shares((await imported('access.log.gz', log)).scenario)).toEqual([['GET', '/a', 5000]]);
  });

  test.each([
    ['', 'the file is empty'],
    ['nothing here\n', 'lines in neither common, combined nor JSON format (first on line 1)'],
    [`${common('POST /a HTTP/1.1')}\n`, 'an access log does not tell their bodies'],
  ])('%j without a request that can be sent is refused with what was found', async (content, sentence) => {
    const message = await refusal('access.log', content);
    expect(message).toContain('access.log has no request that can be sent');
    expect(message).toContain(sentence);
  });

  test('is refused by name: what is not there, is no gzip, or would be overwritten', async () => {
    expect(await refusal('none.log', null)).toContain('none.log cannot be read: there is no such file');
    expect(await refusal('bad.log.gz', 'no gzip')).toContain(
      'bad.log.gz cannot be read: incorrect header check',
    );
    expect(await refusal('access.log', common('GET / HTTP/1.1'), '--format', 'clf')).toContain(
      '--format is "clf"; it wants access-log, har, openapi',
    );
    expect(await refusal('access.log', common('GET / HTTP/1.1'), '--out', 'access.log')).toContain(
      '--out is "access.log", which exists',
    );
    expect(await refusal('access.log', common('GET / HTTP/1.1'), '--name', 'a/b')).toContain(
      '"a/b", wanted 1 to 60 letters',
    );
    expect(
      await refusal(
        'access.log',
        times(9, (id) => common(`GET /${id} HTTP/1.1`)).join('\n'),
        '--feed',
        '../rows.csv',
      ),
    ).toMatch(/^what was imported has a problem:\n.*wanted a file inside the repository/);
  });

  test('goes into a new file', async () => {
    writeFileSync(join(folder, 'access.log'), common('GET /a HTTP/1.1'));
    const { out } = await run('access.log', '--out', 'tailgate.yml');
    expect(out).toBe('');
    expect(readFileSync(join(folder, 'tailgate.yml'), 'utf8')).toContain('path: /a');
  });
});

describe('a HAR', () => {
  const json = (value: unknown) => posted('application/json; charset=utf-8', JSON.stringify(value));

  test('takes one host, its bodies and harmless headers, and no secret', async () => {
    const headers = [
      { name: 'Authorization', value: 'Bearer hunter2' },
      { name: 'Cookie', value: 'sid=hunter2' },
      { name: 'X-Csrf-Token', value: 'hunter2' },
      { name: 'Accept', value: 'text/html' },
      { name: 'User-Agent', value: 'Browser' },
      { name: ':authority', value: 'shop.example' },
    ];
    const form = {
      mimeType: 'application/x-www-form-urlencoded',
      text: 'user=ann&password=hunter2&tag=a&tag=b',
    };
    const { scenario, told, out } = await imported(
      'shop.har',
      har(
        entry('GET', 'https://shop.example/', { headers }),
        entry('GET', 'https://shop.example/', { headers }),
        entry('POST', 'https://shop.example/login', { postData: form }),
        entry(
          'POST',
          'https://shop.example/orders',
          json({ item: '$' + '{uuid}', token: 'hunter2', deep: [{ apiKey: 'hunter2' }] }),
        ),
        entry('POST', 'https://shop.example/upload', {
          postData: { mimeType: 'multipart/form-data', text: '--x' },
        }),
        entry('POST', 'https://shop.example/bin', { postData: { mimeType: 'image/png' } }),
        entry('GET', 'https://cdn.example/x.js'),
        entry('GET', 'https://shop.example/blocked', {}, 0),
      ),
    );
    expect(out + told.join()).not.toContain('hunter2');
    expect(shares(scenario)).toEqual([
      ['GET', '/', 2],
      ['POST', '/login', 1],
      ['POST', '/orders', 1],
      ['GET', '/blocked', 1],
    ]);
    expect(scenario.requests[0]!.headers).toEqual({ accept: 'text/html' });
    expect(scenario.requests[1]!.body).toEqual({
      kind: 'form',
      fields: [
        ['user', 'ann'],
        ['password', '***'],
        ['tag', 'a'],
        ['tag', 'b'],
      ],
    });
    expect(scenario.requests[2]!.body).toEqual({
      kind: 'json',
      value: { item: '$$' + '{uuid}', token: '***', deep: [{ apiKey: '***' }] },
    });
    const all = told.join('\n');
    for (const sentence of [
      '2 × values of the header `authorization`, which may be secret: dropped',
      '2 × values of the header `cookie`',
      'the value of `password` in the body of POST /login',
      'the value of `apiKey` in the body of POST /orders',
      'POST /upload: a multipart body',
      'POST /bin: a body of image/png that the HAR does not hold',
      'requests to cdn.example; --host takes them instead',
    ]) {
      expect(all).toContain(sentence);
    }
  });

  test('of several hosts takes the one that is named', async () => {
    const file = har(
      entry('GET', 'https://a.example/a'),
      entry('GET', 'https://a.example/b'),
      entry('GET', 'http://b.example:81/c'),
    );
    const { scenario } = await imported('x.har', file, '--host', 'b.example:81');
    expect(shares(scenario)).toEqual([['GET', '/c', 1]]);
    expect(await refusal('x.har', file, '--host', 'c.example')).toContain(
      'requests to a.example, b.example:81, none to c.example',
    );
  });

  test.each([
    ['{', 'it is no JSON'],
    ['{"log":{}}', 'it has no list `log.entries`'],
    ['{"log":{"entries":[]}}', 'this HAR has no requests'],
    ['{"log":{"entries":[null,5,{"request":{"url":7}}]}}', 'this HAR has no requests'],
  ])('%s is refused', async (content, sentence) => {
    expect(await refusal('x.har', content)).toContain(sentence);
  });
});

describe('an OpenAPI description', () => {
  const description = `
openapi: 3.0.3
servers: [{ url: "https://api.example/v1/" }]
security: [{ key: [] }]
paths:
  /items/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string }, example: a b }
    get:
      parameters:
        - $ref: '#/components/parameters/Page'
        - { name: optional, in: query, schema: { type: string } }
        - { name: X-Api-Key, in: header, required: true, schema: { type: string } }
      responses: { 200: { description: ok }, 404: { description: no } }
    trace: { responses: {} }
    delete: { responses: { 204: { description: gone } } }
  /items:
    post:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
      responses: { 201: { description: made } }
  /users/{user}:
    get: { parameters: [{ name: user, in: path, required: true, schema: { type: string } }], responses: {} }
  /orders/{n}:
    get: { parameters: [{ name: n, in: path, required: true, schema: { type: integer, minimum: 5 } }], responses: {} }
  /lost/{x}:
    get: { responses: {} }
components:
  parameters:
    Page: { name: page, in: query, required: true, schema: { type: integer, default: 2 } }
  schemas:
    Item:
      type: object
      required: [name, size]
      properties:
        name: { type: string, example: lamp }
        size: { type: integer }
        note: { type: string }
        self: { $ref: '#/components/schemas/Item' }
`;

  test('gives a request for each operation with examples, and tells about the others', async () => {
    const { scenario, told } = await imported('api.yaml', description);
    expect(
      scenario.requests.map(({ method, path, query, body, expect: { status } }) => [
        method,
        path,
        query,
        body,
        status[0]!.from,
      ]),
    ).toEqual([
      ['GET', '/v1/items/a%20b', [['page', '2']], null, 200],
      ['DELETE', '/v1/items/a%20b', [], null, 204],
      ['POST', '/v1/items', [], { kind: 'json', value: { name: 'lamp', size: 1 } }, 201],
      ['GET', '/v1/orders/5', [], null, 200],
    ]);
    const all = told.join('\n');
    for (const sentence of [
      'TRACE /items/{id}: TRACE cannot be sent',
      'GET /items/{id}: the header `X-Api-Key`, which may be secret, is left out',
      'GET /users/{user}: left out: the parameter `user` has no example',
      'GET /orders/{n}: the parameter `n` has no example: 5 was made up',
      'POST /items: the body has no example: {"name":"lamp","size":1} was made up',
      'GET /lost/{x}: left out: its path names a parameter that it does not describe',
      'authorisation: write `auth` or a `session`',
      'every request has weight 1',
    ]) {
      expect(all).toContain(sentence);
    }
  });

  test('in JSON is the same', async () => {
    const file = JSON.stringify({ openapi: '3.1.0', paths: { '/a': { get: {} } } }, null, 2);
    expect(shares((await imported('openapi.json', file)).scenario)).toEqual([['GET', '/a', 1]]);
    expect(shares((await imported('api.json', JSON.stringify(JSON.parse(file)))).scenario)).toEqual([
      ['GET', '/a', 1],
    ]);
  });

  test.each([
    ['swagger: "2.0"\npaths: {}', 'it is Swagger 2.0'],
    ['openapi: 3.0.0\npaths: {}', 'it has no `paths`'],
    ['openapi: 3.0.0\npaths: { "/a/{b}": { get: { responses: {} } } }', 'no operation of it can be sent'],
    ['openapi: [', 'cannot be read as YAML'],
    ['a: 1', 'it has no `openapi: 3…`'],
  ])('%j is refused', async (content, sentence) => {
    expect(await refusal('api.yml', content)).toContain(sentence);
  });
});

/** What requests, feeds, authorisation and sessions of a file mean, and what is said about those that mean nothing. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates as a user writes them.
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { requestSecrets } from '../../src/config/secrets.ts';
import { TailgateError } from '../../src/kernel/errors.ts';

const environment = { LOGIN_PASSWORD: 'pw-from-job', API_TOKEN: 'tok-from-job' };

function scenario(text: string, env = '{}') {
  const source = `start: x\nenv: ${env}\nscenarios:\n  - ${text}\n`;
  return readConfig(source, { source: 'tailgate.yml', overrides: {}, environment }).config.scenarios[0]!;
}
const request = (text: string, more = '') => scenario(`{ ${more}requests: [${text}] }`).requests[0]!;

function refusal(text: string, env?: string): string {
  try {
    scenario(text, env);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TailgateError);
    expect((thrown as TailgateError).code).toBe('usage');
    return (thrown as TailgateError).message;
  }
  throw new Error('was accepted');
}

describe('a request', () => {
  test('keeps its query in order, lists flattened', () => {
    expect(request('{ query: { b: [1, true], a: "${uuid}" } }').query).toEqual([
      ['b', '1'],
      ['b', 'true'],
      ['a', '${uuid}'],
    ]);
  });

  test('has one form of body', () => {
    const bodyOf = (keys: string) => request(`{ method: POST, ${keys} }`).body;
    expect(bodyOf('body: plain')).toEqual({ kind: 'text', text: 'plain' });
    expect(bodyOf('body: [1]')).toEqual({ kind: 'json', value: [1] });
    expect(bodyOf('form: { a: 1 }')).toEqual({ kind: 'form', fields: [['a', '1']] });
    expect(bodyOf('body-file: data/x.bin')).toEqual({ kind: 'file', file: 'data/x.bin' });
    expect(bodyOf('multipart: [{ name: a, value: 5 }, { name: f, file: data/x.png }]')).toEqual({
      kind: 'multipart',
      parts: [
        { name: 'a', content: { kind: 'text', text: '5' }, filename: null, contentType: null },
        {
          name: 'f',
          content: { kind: 'file', file: 'data/x.png' },
          filename: 'x.png',
          contentType: 'application/octet-stream',
        },
      ],
    });
  });

  test('draws sizes in one of four ways', () => {
    const sizeOf = (form: string) => request(`{ method: POST, body-size: ${form} }`).bodySize;
    expect(sizeOf('2KB')).toEqual({ kind: 'fixed', bytes: 2000 });
    expect(sizeOf('{ uniform: [10, 1KiB] }')).toEqual({ kind: 'uniform', from: 10, to: 1024 });
    expect(sizeOf('{ lognormal: { median: 2KB, p99: 40KB } }')).toEqual({
      kind: 'lognormal',
      median: 2000,
      p99: 40_000,
    });
    expect(sizeOf('{ histogram: { 200: 7, 2KB: 3 } }')).toEqual({
      kind: 'histogram',
      bins: [
        { bytes: 200, weight: 7 },
        { bytes: 2000, weight: 3 },
      ],
    });
  });

  test('says what makes its answer right', () => {
    const expectation =
      'expect: { status: [200, 3xx], headers: { etag: "/^W/", x-n: 5 }, body-contains: ok, json: { /a/0: { b: null } }, size: { max: 2KB } }';
    expect(request(`{ ${expectation} }`).expect).toEqual({
      status: [
        { from: 200, to: 200 },
        { from: 300, to: 399 },
      ],
      headers: { etag: '/^W/', 'x-n': '5' },
      bodyContains: ['ok'],
      json: { '/a/0': { b: null } },
      size: { min: 0, max: 2000 },
    });
  });

  test.each([
    [
      '{ body: a, form: { b: 1 } }',
      'a request has one body, this one has `body` and `form`: keep one of them',
    ],
    ['{ multipart: [{ name: a, value: b }], body-file: x }', 'this one has `multipart` and `body-file`'],
    ['{ method: HEAD, form: { a: 1 } }', 'a HEAD request has no body'],
    ['{ method: HEAD, body-size: 5 }', 'a HEAD request has no body'],
    [
      '{ multipart: [{ name: a }] }',
      'a part is either a field, `{ name, value }`, or a file, `{ name, file }`',
    ],
    ['{ multipart: [{ name: a, value: b, file: c }] }', 'a part is either a field'],
    ['{ multipart: [] }', 'wanted at least one part'],
    ['{ body-file: ../x }', '"../x", wanted a file inside the repository'],
    ['{ body-file: /etc/passwd }', 'wanted a file inside the repository'],
    ['{ body-size: 2MB }', 'wanted a size such as 200, 2KB or 1MB, at most 1MiB'],
    ['{ body-size: 5TB }', 'wanted a size such as 200'],
    ['{ body-size: { uniform: [5, 2] } }', 'one of { uniform: [200, 2KB] }'],
    [
      '{ body-size: { uniform: [1, 2], lognormal: { median: 1, p99: 2 } } }',
      'one of { uniform: [200, 2KB] }',
    ],
    ['{ body-size: { lognormal: { median: 0, p99: 2 } } }', 'one of { uniform: [200, 2KB] }'],
    ['{ body-size: { normal: 5 } }', 'no key of that name in `scenarios[0].requests[0].body-size`'],
    ['{ body-size: { histogram: { big: 2 } } }', 'wanted a size such as 200'],
    ['{ body-size: { histogram: { 5: 0 } } }', 'wanted a weight above 0'],
    ['{ path: "/${filler}", path-length: 9000 }', 'at most 8000'],
    ['{ path: "/a b" }', 'wanted a path that starts with /'],
    ['{ path: "x${uuid}" }', 'wanted a path that starts with /'],
    ['{ path: "/${uuid" }', 'wanted a path that starts with /'],
    ['{ query: 5 }', 'wanted names with their values'],
    ['{ expect: { json: { a/b: 1 } } }', 'wanted a JSON pointer such as /items/0/id'],
    ['{ expect: { headers: { etag: "/(/" } } }', 'this regular expression cannot be read'],
    ['{ expect: { size: { min: 5, max: 2 } } }', 'max must not be below min'],
    ['{ expect: { header: { a: b } } }', 'these are `headers`'],
    ['{ bodyFile: x }', 'did you mean `body-file`?'],
    ['{ feed: { file: x } }', 'a feed belongs to the whole scenario'],
  ])('of %s is refused with what is wanted', (text, sentence) => {
    expect(refusal(`{ requests: [${text}] }`)).toContain(sentence);
  });

  test('whose path never ends in a template is not read again and again', () => {
    const began = performance.now();
    expect(refusal(`{ requests: [{ path: "/${'${a}$'.repeat(5000)} " }] }`)).toContain('wanted a path');
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

describe('a template', () => {
  test('may stand in path, query, headers and every text of a body', () => {
    const text =
      '{ feed: { file: a.csv }, requests: [{ path: "/${feed.id}", query: { q: "${uuid}" }, headers: { x: "${counter}" }, body: { a: ["${random 1..5}", { b: "${API_TOKEN}" }] } }] }';
    expect(scenario(text).requests[0]?.path).toBe('/${feed.id}');
  });

  test('takes variables of `env` as well as of the job, and leaves `$${` alone', () => {
    scenario('{ path: "/${OWN}/${API_TOKEN}/$${NONE}" }', '{ OWN: a }');
  });

  test.each([
    [
      '{ path: "/${uid}" }',
      '`${uid}` is neither a variable of the job or of `env` nor one of uuid',
      'did you mean `uuid`?',
    ],
    ['{ path: "/${API_TOKN}" }', '`${API_TOKN}` is neither a variable', 'did you mean `API_TOKEN`?'],
    ['{ path: "/${random 5..1}" }', 'the smaller one first, such as random 1..500', 'scenarios[0].path'],
    ['{ path: "/${randm 1..5}" }', 'cannot be read', 'did you mean `random`?'],
    ['{ path: "/${feed.id}" }', '`${feed.id}` needs rows', 'give the scenario `feed: { file: rows.csv }`'],
    ['{ path: "/${session}" }', '`${session}` needs a set-up request', 'give the scenario `session:'],
    ['{ path: "/${filler}" }', '`${filler}` can stand in', 'of a request'],
    ['{ requests: [{ path: "/${filler}" }] }', '`${filler}` needs `path-length`', 'requests[0].path'],
    ['{ requests: [{ body: "${filler}" }] }', '`${filler}` needs `body-size`', 'requests[0].body'],
    ['{ requests: [{ headers: { x: "${filler}" } }] }', '`${filler}` can stand in', 'headers.x'],
    ['{ auth: { bearer: "${uuid}" } }', '`${uuid}` changes with every shot', 'use it in `requests`'],
    ['{ requests: [{ body: { a: [1, "${nope}"] } }] }', 'requests[0].body.a[1]', '`${nope}` is neither'],
    ['{ requests: [{ path-length: 50 }] }', 'nothing grows with it', 'write `${filler}` in the path'],
    ['{ requests: [{ body: x, body-size: 50 }] }', 'nothing of `body` grows with it', 'or leave `body` out'],
    ['{ requests: [{ body-file: x, body-size: 50 }] }', 'a file is sent as it is', 'leave `body-file` out'],
    ['{ feed: { file: a.csv } }', 'nothing uses it', 'write `${feed.column}`'],
    ['{ session: { token: /t } }', 'nothing uses it', 'auth: { bearer: "${session}" }'],
    [
      '{ session: { token: /t, headers: { x: "${session}" } }, auth: { bearer: "${session}" } }',
      'the set-up request itself has no `${session}` yet',
      'session.headers.x',
    ],
  ])('in %s is refused: %s', (text, sentence, more) => {
    const message = refusal(text);
    expect(message).toContain(sentence);
    expect(message).toContain(more);
  });
});

describe('a feed', () => {
  test('is CSV or JSON Lines by its name, unless said', () => {
    const feedOf = (keys: string) => scenario(`{ path: "/\${feed.a}", feed: { ${keys} } }`).feed;
    expect(feedOf('file: a.csv')).toEqual({ file: 'a.csv', format: 'csv', order: 'sequential', exponent: 1 });
    expect(feedOf('file: a.ndjson, order: zipf, exponent: 1.2')?.format).toBe('jsonl');
    expect(feedOf('file: a.txt, format: jsonl')?.format).toBe('jsonl');
  });

  test.each([
    ['{ file: ../a.csv }', 'wanted a file inside the repository'],
    ['{ file: a.csv, order: shuffled }', 'wanted one of sequential, random, unique, zipf'],
    ['{ file: a.csv, exponent: 0 }', 'wanted a number above 0 and at most 10'],
    ['{}', 'missing; wanted a file inside the repository'],
    ['a.csv', 'wanted a group of keys'],
  ])('of %s is refused with what is wanted', (feed, sentence) => {
    expect(refusal(`{ path: "/\${feed.a}", feed: ${feed} }`)).toContain(sentence);
  });
});

describe('authorisation and session', () => {
  const session = '{ path: /login, form: { user: ann, password: "${LOGIN_PASSWORD}" }, cookie: sid }';

  test('have one form each', () => {
    expect(scenario('{ auth: { basic: { user: ann, password: "${LOGIN_PASSWORD}" } } }').auth).toEqual({
      kind: 'basic',
      user: 'ann',
      password: '${LOGIN_PASSWORD}',
    });
    const text = `{ session: ${session}, requests: [{ headers: { cookie: "sid=\${session}" } }] }`;
    expect(scenario(text).session).toMatchObject({
      request: { method: 'POST', path: '/login' },
      take: { kind: 'cookie', name: 'sid' },
    });
  });

  test.each([
    [
      '{ auth: { bearer: a, basic: { user: a, password: b } } }',
      'give either `basic: { user, password }` or `bearer`',
    ],
    ['{ auth: {} }', 'give either `basic'],
    ['{ auth: { basic: { user: a } } }', 'wanted text'],
    ['{ auth: { bearer: "${session}" }, session: {} }', 'give either `token`, a JSON pointer'],
    ['{ auth: { bearer: "${session}" }, session: { token: a, cookie: b } }', 'wanted a JSON pointer'],
  ])('of %s are refused with what is wanted', (text, sentence) => {
    expect(refusal(text)).toContain(sentence);
  });

  test('never show their values in an error', () => {
    const message = refusal(
      '{ auth: { basic: { user: "hunter2 ${x y}", password: [hunter2] } }, session: { body: 5 } }',
    );
    expect(message).not.toContain('hunter2');
  });

  test('written into the file are warned about without being repeated', () => {
    const warningsOf = (auth: string) =>
      readConfig(`start: x\nscenarios: [{ auth: ${auth} }]`, {
        source: 'tailgate.yml',
        overrides: {},
        environment,
      }).warnings;
    expect(warningsOf('{ bearer: "${API_TOKEN}" }')).toEqual([]);
    const warned = [
      ...warningsOf('{ bearer: hunter2 }'),
      ...warningsOf('{ basic: { user: a, password: hunter2 } }'),
    ];
    expect(warned.map(({ code }) => code)).toEqual(['secret-in-file', 'secret-in-file']);
    expect(JSON.stringify(warned)).not.toContain('hunter2');
  });

  test('have values that nobody should read, known beforehand', () => {
    const text = `{ session: ${session}, auth: { basic: { user: ann, password: "x-\${API_TOKEN}" } }, requests: [{ headers: { cookie: "sid=\${session}", x-api-key: literal-key, accept: text/html } }] }`;
    const config = { scenarios: [scenario(text)] };
    const secrets = requestSecrets(config, environment);
    expect(secrets).toEqual(
      expect.arrayContaining([
        'x-tok-from-job',
        'tok-from-job',
        'pw-from-job',
        'literal-key',
        Buffer.from('ann:x-tok-from-job').toString('base64'),
      ]),
    );
    expect(secrets).not.toContain('text/html');
    expect(secrets).not.toContain('ann');
  });

  test.each([
    'query: { access_token: "${API_TOKEN}" }',
    'path: "/x?page=1&token=${API_TOKEN}"',
    'headers: { x-signature: "${API_TOKEN}" }',
    'method: POST, form: { password: "pre-${API_TOKEN}" }',
    'method: POST, multipart: [{ name: client_secret, value: "${API_TOKEN}" }]',
    'method: POST, body: { user: { credentials: [{ value: "${API_TOKEN}" }] } }',
    `method: POST, body: '{"pwd": "\${API_TOKEN}"}'`,
  ])('in a field of %s are known beforehand', (request) => {
    const known = { scenarios: [scenario(`{ requests: [{ ${request} }] }`)] };
    expect(requestSecrets(known, environment)).toContain('tok-from-job');
    if (request.includes('pre-')) expect(requestSecrets(known, environment)).toContain('pre-tok-from-job');
  });

  test('are no words of the file, and no variables in other fields', () => {
    const text =
      '{ requests: [{ method: POST, query: { page: "${API_TOKEN}" }, form: { token_type: candidate, note: "${API_TOKEN}" } }] }';
    expect(requestSecrets({ scenarios: [scenario(text)] }, environment)).toEqual([]);
  });
});

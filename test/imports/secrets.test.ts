/** What may be a secret is not copied into the scenario, however it is written, and is listed. */
import { describe, expect, test } from 'vitest';
import { common, entry, har, imported, posted } from './importing.ts';

const url = 'https://shop.example/login';

describe('bodies of a HAR', () => {
  test.each([
    ['application/x-amz-json-1.1', '{"USERNAME":"ann","PASSWORD":"hunter2"}', 'PASSWORD'],
    ['text/plain;charset=UTF-8', ' [{"user":"ann","id_token":"hunter2"}]', 'id_token'],
    ['', '{"jwt":"hunter2"}', 'jwt'],
    ['Application/JSON', '{"otpCode":"hunter2","assertion":"hunter2"}', 'otpCode'],
    ['Application/X-WWW-Form-Urlencoded', 'user=ann&pass%77ord=hunter2', 'password'],
  ])('of the type %j are sent without them', async (type, text, name) => {
    const { out, told, scenario } = await imported('x.har', har(entry('POST', url, posted(type, text))));
    expect(out + told.join()).not.toContain('hunter2');
    expect(out).toContain('***');
    expect(told.join('\n')).toContain(`the value of \`${name}\` in the body of POST /login`);
    expect(scenario.requests).toHaveLength(1);
  });

  test.each([
    ['text/xml', '<login><password>hunter2</password></login>', 'password'],
    ['application/x-ndjson', '{"a":1}\n{"token":"hunter2"}', 'token'],
    ['text/plain', 'user=ann\npassword=hunter2', 'password'],
    ['Multipart/Form-Data; boundary=x', '--x\r\nname="password"\r\n\r\nhunter2', null],
    ['application/json', '{"password":"hunter2"', null],
  ])('of the type %j that cannot be taken apart are left out', async (type, text, word) => {
    const file = har(entry('GET', 'https://shop.example/'), entry('POST', url, posted(type, text)));
    const { out, told, scenario } = await imported('x.har', file);
    expect(out + told.join()).not.toContain('hunter2');
    expect(scenario.requests.map(({ path }) => path)).toEqual(['/']);
    expect(told.join('\n')).toContain(
      word === null ? 'POST /login: a ' : `POST /login: a body with the word \`${word}\``,
    );
  });

  test('are looked into where a text holds names with their values', async () => {
    const value = {
      query: 'mutation { login(user: "ann", password: "hunter2") { id } }',
      message: '{"id":1,"token":"hunter2"}',
      next: 'https://x.example/?a=1&access_token=hunter2',
      harmless: 'mutation($password: String) { login(password: $password) { token } }',
      note: '{ "a": 1 }',
    };
    const file = har(
      entry('POST', url, posted('application/json', JSON.stringify(value))),
      entry('POST', `${url}/2`, posted('application/x-www-form-urlencoded', 'next=/?token%3Dhunter2')),
    );
    const { out, told, scenario } = await imported('x.har', file);
    expect(out + told.join()).not.toContain('hunter2');
    expect(scenario.requests[0]!.body).toEqual({
      kind: 'json',
      value: {
        ...{ query: '***', message: '{"id":1,"token":"***"}', next: '***' },
        ...{ harmless: value.harmless, note: '{ "a": 1 }' },
      },
    });
    expect(scenario.requests[1]!.body).toEqual({ kind: 'form', fields: [['next', '***']] });
    expect(told.join('\n')).toContain('the value of `access_token` in the body of POST /login,');
  });

  test('without them stay as they are, with their type', async () => {
    const own = (mimeType: string, text: string) => ({
      headers: [{ name: 'Content-Type', value: mimeType }],
      ...posted(mimeType, text),
    });
    const file = har(
      entry('POST', 'https://x.example/a', own('application/x-amz-json-1.1', '{ "a": 1 }')),
      entry('POST', 'https://x.example/b', own('text/xml', '<a>1</a>')),
      entry('POST', 'https://x.example/c', own('application/vnd.api+json', '{"c":1}')),
      entry('POST', 'https://x.example/d', own('application/json', '{"d":1}')),
    );
    const { scenario, told } = await imported('x.har', file);
    expect(scenario.requests.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
      [{ kind: 'text', text: '{ "a": 1 }' }, 'application/x-amz-json-1.1'],
      [{ kind: 'text', text: '<a>1</a>' }, 'text/xml'],
      [{ kind: 'json', value: { c: 1 } }, 'application/vnd.api+json'],
      [{ kind: 'json', value: { d: 1 } }, undefined],
    ]);
    expect(told.join('\n')).not.toContain('secret');
  });
});

test('names in queries are decoded before they are judged', async () => {
  const queries = [
    '%74oken=hunter2&a=1',
    'api%5Fkey=hunter2&a=1',
    'to%6ben%ZZ=hunter2&a=1',
    'a=1&b=2;password=hunter2',
    'a=1&jwt=hunter2&otp=hunter2&client_assertion=hunter2',
  ];
  const { scenario, out, told } = await imported(
    'access.log',
    queries.map((query) => common(`GET /a?${query} HTTP/1.1`)).join('\n'),
  );
  expect(out + told.join()).not.toContain('hunter2');
  expect(scenario.requests.map(({ path, weight }) => [path, weight])).toEqual([['/a?a=1', 5]]);
  for (const name of ['token', 'api_key', 'password', 'jwt', 'otp', 'client_assertion'])
    expect(told.join('\n')).toContain(`values of the query parameter \`${name}\`, which may be secret`);
});

test('words that only hold the letters of such a name stay', async () => {
  const log = common('GET /a?potato=1&hotplate=2&keyword=3&laptops=4 HTTP/1.1');
  const { scenario } = await imported('access.log', log);
  expect(scenario.requests[0]!.path).toBe('/a?potato=1&hotplate=2&keyword=3&laptops=4');
});

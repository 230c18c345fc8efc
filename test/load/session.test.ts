/** What of a sign-in's answer is used afterwards, and what is said when it is not there. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { msToNs } from '../../src/kernel/units.ts';
import { openSession, takeFrom } from '../../src/load/session.ts';

const json = (body: unknown, status = 200) => ({ status, headers: {}, body: JSON.stringify(body) });
const cookies = (...lines: string[]) => ({ status: 302, headers: { 'set-cookie': lines }, body: '' });

describe('a value', () => {
  test('is taken from JSON by its pointer, a number as text', () => {
    expect(takeFrom(json({ a: [{ t: 'x.y' }] }), { kind: 'json', pointer: '/a/0/t' }).opened).toBe('x.y');
    expect(takeFrom(json(42), { kind: 'json', pointer: '' }).opened).toBe('42');
  });

  test('is taken from a cookie, also of a redirect', () => {
    const answer = cookies('sid2=no; Path=/', 'sid=a=b; HttpOnly');
    expect(takeFrom(answer, { kind: 'cookie', name: 'sid' }).opened).toBe('a=b');
  });

  test.each([
    [json({ session: 'hunter2' }), '/token', 'returned JSON with nothing at "/token"; it has session'],
    [json({ token: { hunter2: 1 } }), '/token', 'neither text nor number at "/token"; it has token'],
    [json({ token: 'hunter2' }, 401), '/token', 'was answered with status 401'],
    [json({ token: 'hunter2\n' }), '/token', 'that is empty or that no header can carry'],
    [json({ token: '' }), '/token', 'that is empty'],
    [{ status: 200, headers: {}, body: 'hunter2' }, '/token', 'something other than JSON'],
  ])('of %j that is not there is told without what may be secret', (answer, pointer, sentence) => {
    const { opened, problem } = takeFrom(answer, { kind: 'json', pointer });
    expect([opened, problem.includes('hunter2')]).toEqual([null, false]);
    expect(problem).toContain(sentence);
  });

  test('of a cookie that is not there names those that are', () => {
    const { problem } = takeFrom(cookies('a=hunter2', 'b=hunter2'), { kind: 'cookie', name: 'sid' });
    expect(problem).toBe('set no cookie "sid"; it set a, b');
    expect(takeFrom(cookies(), { kind: 'cookie', name: 'sid' }).problem).toContain('it set none');
  });
});

test('the request goes out as it is, and what goes wrong on its way comes back as data', async () => {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () =>
      response.end(
        JSON.stringify({
          t: `${request.method} ${request.url} ${request.headers['x-a']} ${body}`.replaceAll(' ', '_'),
        }),
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const request = {
    method: 'POST',
    path: '/login?key=hunter2',
    headers: ['x-a', '1'],
    body: new TextEncoder().encode('u=a'),
    expected: [],
  };
  const ask = () =>
    openSession({ origin, host: null }, request, { kind: 'json', pointer: '/t' }, msToNs(2000));
  expect(await ask()).toEqual({ kind: 'opened', value: 'POST_/login?key=hunter2_1_u=a' });
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  expect(await ask()).toEqual({ kind: 'refused', problem: 'POST /login got no answer: ECONNREFUSED' });
});

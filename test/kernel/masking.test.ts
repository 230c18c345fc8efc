import { expect, it } from 'vitest';
import { maskFor, maskInline, maskValues } from '../../src/kernel/masking.ts';
import { formEncode, queryEncode } from '../../src/load/bodies.ts';

it('takes the values of secrets out of a text, wherever they stand', () => {
  const mask = maskFor({ NPM_TOKEN: 'npm_abcdef', HOME: '/home/user' }, { DB_PASSWORD: 'npm_abcdefghij' });
  expect(mask('login npm_abcdef at /home/user with npm_abcdefghij')).toBe('login *** at /home/user with ***');
});

it('leaves short values alone, which would blot out everything', () => {
  expect(maskFor({ API_KEY: 'a' })('a path')).toBe('a path');
});

it.each([
  ['API_KEY=abc npm start', 'API_KEY=*** npm start'],
  ["server --token 'a b' --port {port}", 'server --token *** --port {port}'],
  ['DB=postgres://me:pw@db/shop npm start', 'DB=postgres://***@db/shop npm start'],
  ['npm run build:prod && node monkey start --keyless', 'npm run build:prod && node monkey start --keyless'],
])('takes a secret out of a command line: %s', (command, shown) => {
  expect(maskInline(command)).toBe(shown);
});

it.each(['hunter2secret', 'sixsix', 'p?>~ss/wörd+1', 'a "quoted" value'])(
  'takes %s out in Base64, wherever it begins there, and in the escapes of addresses and JSON',
  (secret) => {
    const mask = maskValues([secret]);
    for (const before of ['', 'u:', 'me:', 'user:']) {
      for (const alphabet of ['base64', 'base64url'] as const) {
        const shown = mask(Buffer.from(`${before}${secret}${before}`).toString(alphabet));
        expect(shown).toContain('***');
        // At most the characters that the neighbours have a share in are left of it.
        const most = Buffer.from(before).toString(alphabet).length;
        expect(shown.replace('***', '').length).toBeLessThanOrEqual(2 * most + 4);
      }
    }
    expect(mask(`?key=${encodeURIComponent(secret)}&`)).toBe('?key=***&');
    expect(mask(JSON.stringify({ key: secret }))).toBe('{"key":"***"}');
  },
);

it('takes a secret out as queries and forms of requests carry it', () => {
  const secret = "it's (a) ~pw*!";
  const mask = maskValues([secret]);
  expect(mask(`?key=${queryEncode(secret)}&`)).toBe('?key=***&');
  expect(mask(`key=${formEncode(secret)}&`)).toBe('key=***&');
});

it('takes out each line of a value of several', () => {
  expect(maskValues(['first-part\nsecond-part\n'])('| second-part')).toBe('| ***');
});

import { expect, it } from 'vitest';
import { maskFor, maskInline } from '../../src/kernel/masking.ts';

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

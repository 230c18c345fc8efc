import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { pairs } from './pairs.mjs';
import { filesOf } from './project.mjs';
import { groups, rowOf, select } from './rows.mjs';

const words = ['up', 'same', 'improved', 'any'];
const exported = (name: string): string[] => {
  const source = readFileSync(new URL(`fixtures/operations/${name}.mjs`, import.meta.url), 'utf8');
  return [...source.matchAll(/^export (?:async )?function (\w+)/gm)].map((match) => match[1]!);
};

test.each(pairs.map((pair) => [pair.id, pair] as const))('%s is complete', (_, pair) => {
  expect(pair.a).toMatch(/^\d+\.\d+\.\d+$/);
  expect(pair.b).toMatch(/^\d+\.\d+\.\d+$/);
  expect(pair.a).not.toBe(pair.b);
  expect(pair.rate * pair.perRequest).toBeGreaterThan(0);
  expect(exported(pair.package)).toEqual(expect.arrayContaining([...pair.run]));
  expect(Object.keys(pair.expected)).toEqual(expect.arrayContaining(['cpu', 'p99', 'micro']));
  for (const word of Object.values({ ...pair.expected, ...pair.forbidden })) expect(words).toContain(word);
});

test('ids differ, and the default is every pair and two in one project', () => {
  expect(new Set(pairs.map((pair) => pair.id)).size).toBe(pairs.length);
  expect(select([]).map((row) => row.id)).toEqual([...pairs.map((pair) => pair.id), 'N12+R01']);
  expect(select(['swaps', 'R01', 'R01'])).toHaveLength(groups.swaps.length + 1);
});

test('a swapped row exchanges versions and expectations', () => {
  expect(rowOf('swap:R22')).toMatchObject({
    a: '5.1.0',
    b: '4.21.2',
    swapped: true,
    routes: [{ expected: { cpu: 'any', micro: 'improved' }, forbidden: { cpu: 'up', micro: 'up' } }],
  });
});

test('what is not there, or does not fit together, is refused', () => {
  expect(() => select(['R99'])).toThrow('no pair "R99"; wanted R01 ');
  expect(() => rowOf('R01+R20')).toThrow('mixes versions');
});

test('a project differs between its sides by one version only', () => {
  for (const row of select(['all'])) {
    const [a, b] = [filesOf(row, row.a), filesOf(row, row.b)];
    const differing = Object.keys(a).filter((name) => a[name] !== b[name]);
    expect(differing).toEqual(['package.json']);
    expect(JSON.parse(b['package.json']!).dependencies[row.package]).toBe(row.b);
  }
});

test('both routes of a project have their own rate and work', () => {
  const files = filesOf(rowOf('N12+R01'), '2.1.3');
  expect(parse(files['tailgate.yml']!).scenarios).toEqual([
    { name: 'N12', rate: 120, path: '/N12' },
    { name: 'R01', rate: 55, path: '/R01' },
  ]);
  expect(JSON.parse(files['routes.json']!)).toEqual({
    '/N12': { run: ['plain_text'], perRequest: 3 },
    '/R01': { run: ['long_list'], perRequest: 1 },
  });
  expect(files['hot.bench.mjs']).toBe("export { plain_text, long_list } from './operations.mjs';\n");
});

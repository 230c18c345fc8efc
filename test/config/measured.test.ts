/** What a tailgate.yml of another revision measures, read by name alone. */
import { expect, test } from 'vitest';
import { measuredBy } from '../../src/config/measured.ts';
import { configFileLimit } from '../../src/config/settings.ts';

const ofText = (text: string) => measuredBy(text, 'tailgate.yml');

test('names scenarios, globs and suites, whatever else the file says', () => {
  const text = `
start: node server.js
env: { TOKEN: "\${NO_SUCH_VARIABLE}" }
key-of-a-later-release: 1
scenarios:
  - { name: home, path: / }
  - path: /other
  - name: shop
    requests:
      - path: /items/\${feed.id}?page=1
      - { path: "/items/\${random 1..9}", weight: 3 }
      - { method: POST, path: /orders }
      - { path: /unsent, weight: 0 }
      - {}
microbenchmarks: [bench/**, "!bench/old/**", { name: go, command: go test }]
`;
  expect(ofText(text)).toEqual({
    file: 'tailgate.yml',
    scenarios: [
      { name: 'home', routes: ['GET /'] },
      { name: 'default', routes: ['GET /other'] },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a user writes templates.
      { name: 'shop', routes: ['GET /items/${…}', 'POST /orders', 'GET /'] },
    ],
    benchmarks: { globs: ['bench/**', '!bench/old/**'], declared: true, suites: ['go'] },
  });
});

test('has the one scenario and the globs of a file that names none', () => {
  for (const text of ['start: node server.js', '']) {
    expect(ofText(text)?.scenarios).toEqual([{ name: 'default', routes: ['GET /'] }]);
    expect(ofText(text)?.benchmarks).toMatchObject({ declared: false, suites: [] });
    expect(ofText(text)?.benchmarks.globs).toHaveLength(1);
  }
  expect(ofText('microbenchmarks: []')?.benchmarks).toEqual({ globs: [], declared: true, suites: [] });
});

test('takes the path that the job was given for that of the file', () => {
  const measured = measuredBy('scenarios: [{ name: home }]', 'tailgate.yml', { path: '/other' });
  expect(measured?.scenarios).toEqual([{ name: 'home', routes: ['GET /other'] }]);
});

test.each([
  ['broken syntax', 'scenarios: [{'],
  ['no keys', '- a list'],
  ['scenarios that are no list', 'scenarios: { home: / }'],
  ['an entry that is no group of keys', 'scenarios: [home]'],
  ['a name that is none', 'scenarios: [{ name: "a/b" }]'],
  ['a suite without a name', 'microbenchmarks: [{ command: go test }]'],
  ['a glob that is none', 'microbenchmarks: [""]'],
  ['more than a file may hold', `# ${'x'.repeat(configFileLimit)}`],
])('knows nothing of a file with %s', (_, text) => {
  expect(ofText(text)).toBeNull();
});

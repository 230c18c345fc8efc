/** What a dry run says of requests that carry secrets: it reads them all, and shows none. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates as a user writes them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Terminal } from '../../src/commands/command.ts';
import { gate } from '../../src/commands/gate.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { environment, Playground } from '../builds/repositories.ts';

let playground: Playground;
beforeAll(() => {
  playground = new Playground();
});
afterAll(() => playground.remove());

const variables = { MY_TOKEN: 'tokentoken12', LOAD_PW: 'pw-of-the-load', MULTI: 'one\ntwo' };

let folders = 0;
/** What it told, and with what it ended. */
async function dryRun(request: string): Promise<{ readonly told: string; readonly error: string }> {
  const directory = playground.repository(`dry-${folders++}`);
  const config = `start: node server.js\nscenarios: [{ requests: [${request}] }]\n`;
  playground.commit(directory, 'First', { 'tailgate.yml': config });
  playground.git(directory, 'checkout', '--quiet', '-b', 'change');
  playground.commit(directory, 'Second', { 'more.txt': 'x' });
  const lines: string[] = [];
  const terminal: Terminal = {
    directory,
    environment: { ...environment, ...variables },
    signal: new AbortController().signal,
    print: (text) => lines.push(text),
    tell: (text) => lines.push(text),
    interactive: false,
  };
  let error = '';
  try {
    expect(await gate.run({ baseline: 'main', 'dry-run': true }, [], terminal)).toBe(0);
  } catch (thrown) {
    if (!(thrown instanceof TailgateError)) throw thrown;
    error = `${thrown.message}; ${thrown.hint}`;
  }
  return { told: lines.join('\n'), error };
}

test('warnings name a request without its query, and mask what stands in its path', async () => {
  const { told, error } = await dryRun(
    '{ method: DELETE, path: "/of/${MY_TOKEN}/x", query: { t: "${LOAD_PW}" }, body: "{}" }',
  );
  expect(error).toBe('');
  expect(told).toContain('DELETE /of/***/x carries a body');
  for (const secret of Object.values(variables)) expect(told).not.toContain(secret);
});

test('a HEAD request is warned about once', async () => {
  const { told } = await dryRun('{ method: HEAD, path: /x, query: { t: "${MY_TOKEN}" } }');
  expect(told.match(/new connection/g)).toHaveLength(1);
  expect(told).not.toContain(variables.MY_TOKEN);
});

test('errors are masked', async () => {
  const { error } = await dryRun('{ path: "/of/${MY_TOKEN}/x", headers: { x-n: "${MULTI}" } }');
  expect(error).toContain('GET /of/***/x: the value of the header "x-n" holds a line end');
});

test('a path that is too long is refused before anything is built', async () => {
  const { error } = await dryRun(`{ path: "/${'a'.repeat(8999)}" }`);
  expect(error).toContain('a path has 9,000 characters, wanted at most 8,000');
});

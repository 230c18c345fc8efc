/** What a gate says of what only its baseline measures, when it measures nothing itself: in a plan, and when it ends early. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Terminal } from '../../src/commands/command.ts';
import { gate } from '../../src/commands/gate.ts';
import { environment, Playground } from '../builds/repositories.ts';

let playground: Playground;
beforeAll(() => {
  playground = new Playground();
});
afterAll(() => playground.remove());

const shop = '{ name: shop }';
const admin = '{ name: admin }';
const settings = (scenarios: string, more = ''): string =>
  `start: node server.js\nscenarios: [${scenarios}]\nmicrobenchmarks: [bench/**]\n${more}`;

interface Said {
  readonly code: number;
  readonly text: string;
  readonly rows: readonly (readonly string[])[];
  readonly verdict: string;
}

let folders = 0;
/** Of a change that takes out `admin` and moves a file of benchmarks away, with these settings beside. */
async function gated(more: string, flags: Readonly<Record<string, string | boolean>> = {}): Promise<Said> {
  const directory = playground.repository(`missing-${folders++}`);
  const file = 'export function spin() {}\n';
  playground.commit(directory, 'First', {
    'tailgate.yml': settings(`${shop}, ${admin}`),
    'bench/a.js': file,
  });
  playground.git(directory, 'checkout', '--quiet', '-b', 'change');
  rmSync(join(directory, 'bench/a.js'));
  playground.commit(directory, 'Second', { 'tailgate.yml': settings(shop, more), 'bench/b.js': file });
  const lines: string[] = [];
  const terminal: Terminal = {
    directory,
    environment,
    signal: new AbortController().signal,
    print: (text) => lines.push(text),
    tell: (text) => lines.push(text),
    interactive: false,
  };
  const given = { baseline: 'main', 'fail-on': 'missing', json: 'verdict.json', ...flags };
  const code = await gate.run(given, [], terminal);
  const text = lines.join('\n');
  if (flags['dry-run'] === true) return { code, text, rows: [], verdict: '' };
  const written = JSON.parse(readFileSync(join(directory, 'verdict.json'), 'utf8'));
  const rows = written.findings.map((one: Record<string, string>) => [one['scenario'], one['state']]);
  return { code, text, rows, verdict: written.verdict };
}

const rows = [
  ['admin', 'missing'],
  ['bench/a.js', 'missing'],
];

test('a plan lists it, and what it will do to the exit code', async () => {
  const { code, text } = await gated('', { 'dry-run': true });
  expect(code).toBe(0);
  expect(text).toContain(
    "missing: scenario `admin`: the baseline's `tailgate.yml` measures it, this change's does not.",
  );
  expect(text).toMatch(
    /missing: .*`bench\/a\.js`: the baseline has this file of benchmarks, this change does not\./,
  );
  expect(text).toContain('fail-on names missing');
  const lenient = await gated('', { 'dry-run': true, 'fail-on': 'regression' });
  expect(lenient.text).toContain('missing decides nothing here');
});

test('a plan of a job that is skipped lists it too', async () => {
  const { text } = await gated('paths: [src/**]\n', { 'dry-run': true });
  expect(text).toMatch(/nothing to do: .*\nmissing: scenario `admin`/);
});

test('a job that is skipped has a row for a file that was moved away while its glob stays', async () => {
  const said = await gated('paths: [src/**]\n');
  expect(said).toMatchObject({ code: 1, verdict: 'skipped', rows });
});

test('a job whose candidate does not build has all rows, and fails by them', async () => {
  const said = await gated("setup: 'test ! -e bench/b.js'\n");
  expect(said).toMatchObject({ code: 1, verdict: 'service-failed', rows });
  expect(said.text).toContain("the baseline's `tailgate.yml` measures it");
  const lenient = await gated("setup: 'test ! -e bench/b.js'\n", { 'fail-on': 'regression' });
  expect(lenient).toMatchObject({ code: 0, verdict: 'service-failed', rows });
});

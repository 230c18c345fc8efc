/** The published JSON Schema says what the schema in the source says. */
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parseConfigText } from '../../src/config/document.ts';
import { configJsonSchema } from '../../src/config/schema.ts';

const everyKey = await readFile(new URL('fixtures/every-key.yml', import.meta.url), 'utf8');
const demo = await readFile(new URL('../../examples/demo-service/tailgate.yml', import.meta.url), 'utf8');
const keysOf = (text: string) => parseConfigText(text, 'test').keys;

test('the committed tailgate.schema.json is current (otherwise run node .ci/schema.mjs)', async () => {
  const committed = await readFile(new URL('../../tailgate.schema.json', import.meta.url), 'utf8');
  expect(committed).toBe(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
});

test('an editor with it accepts the defaults and the demonstration, and marks what is wrong', () => {
  const validate = new Ajv({ strict: false }).compile(configJsonSchema());
  for (const text of [everyKey, demo, 'rate: 5', 'env: { A: b }']) {
    expect(validate(keysOf(text)), JSON.stringify(validate.errors)).toBe(true);
  }
  for (const text of [
    'timeBudget: 4m',
    'time-budget: 4',
    'slices: 6',
    'rounds: { least: 2 }',
    'baseline: -x',
  ]) {
    expect(validate(keysOf(text)), text).toBe(false);
  }
});

test('every key of it stands in the file of defaults, so none has a default that nobody knows', () => {
  const missing: string[] = [];
  const optional = new Set(['scenarios.path']);
  interface Node {
    readonly properties?: Readonly<Record<string, Node>>;
    readonly items?: Node;
  }
  const walk = (node: Node, value: unknown, path: string): void => {
    for (const [key, below] of Object.entries(node.properties ?? {})) {
      const here = path === '' ? key : `${path}.${key}`;
      const given = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
      if (given === undefined && !optional.has(here)) missing.push(here);
      walk(below, given, here);
    }
    const first = Array.isArray(value) ? value[0] : undefined;
    // A list that is empty by default has no entry to look into.
    if (node.items !== undefined && first !== undefined) walk(node.items, first, path);
  };
  walk(configJsonSchema() as Node, keysOf(everyKey), '');
  expect(missing).toEqual([]);
});

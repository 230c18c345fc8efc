/** One list of inputs and outputs: action.yml, the README and the reading of settings agree with it. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parseConfigText } from '../../src/config/document.ts';
import { inputs, outputs } from '../../src/config/inputs.ts';
import { overrideNames } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { configJsonSchema } from '../../src/config/schema.ts';

interface Described {
  readonly description: string;
  readonly default?: string;
}

const text = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
const action = parseConfigText(await text('action.yml'), 'action.yml').keys as {
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly branding: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, Described>>;
  readonly outputs: Readonly<Record<string, Described>>;
  readonly runs: Readonly<Record<string, string>>;
};

/** The rows of the table below a heading of the README: name in backticks, then its meaning. */
async function tableUnder(heading: string): Promise<readonly (readonly [string, string])[]> {
  const section = (await text('README.md')).split(`### ${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \| (.*?) \|/gm)].map((row) => [row[1]!, row[2]!]);
}

const listed = (items: readonly { readonly name: string; readonly description: string }[]) =>
  items.map((item) => [item.name, item.description]);

describe('action.yml', () => {
  test('has the inputs of the list, in its words and with its defaults', () => {
    const found = Object.entries(action.inputs).map(([name, one]) => [name, one.description, one.default]);
    expect(found).toEqual(inputs.map((one) => [one.name, one.description, one.default]));
  });

  test('has the outputs of the list, in its words', () => {
    const found = Object.entries(action.outputs).map(([name, one]) => [name, one.description]);
    expect(found).toEqual(listed(outputs));
  });

  test('runs on Node 24 and cleans up whatever happens', () => {
    expect(action.runs).toEqual({
      using: 'node24',
      main: 'dist/action.js',
      post: 'dist/post.js',
      'post-if': 'always()',
    });
    expect(action.name && action.description && action.author).toBeTruthy();
    // Beyond this the marketplace refuses it.
    expect(action.description.length).toBeLessThanOrEqual(125);
    expect(Object.keys(action.branding)).toEqual(['icon', 'color']);
  });
});

describe('the README', () => {
  test('has the inputs of the list, in its words', async () => {
    expect(await tableUnder('Inputs')).toEqual(listed(inputs));
  });

  test('has the outputs of the list, in its words', async () => {
    expect(await tableUnder('Outputs')).toEqual(listed(outputs));
  });
});

describe('every input of a setting', () => {
  const settings = inputs.filter((input) => input.key !== null);

  test('leads to a key of the schema', () => {
    interface Node {
      readonly properties?: Readonly<Record<string, Node>>;
      readonly items?: Node;
    }
    for (const { name, key } of settings) {
      let node: Node | undefined = configJsonSchema() as Node;
      for (const step of key!.split('.')) {
        node = node?.properties?.[step.replace('[]', '')];
        if (step.endsWith('[]')) node = node?.items;
      }
      expect(node, name).toBeDefined();
    }
  });

  test('is taken beside the file, and no other input is', () => {
    for (const { name, key } of inputs) expect(overrideNames.includes(name), name).toBe(key !== null);
  });

  test('changes the settings', () => {
    const values: Readonly<Record<string, string>> = {
      setup: 'make',
      start: 'node b.js',
      path: '/x',
      rate: '7',
      'ready-path': '/up',
      'time-budget': '9m',
      baseline: 'v1',
      'working-directory': 'api',
      comment: 'never',
      'fail-on': 'missing',
    };
    const read = (overrides: Readonly<Record<string, string>>) =>
      JSON.stringify(readConfig('start: a', { source: 'test', overrides, environment: {} }).config);
    expect(Object.keys(values)).toEqual(settings.map((one) => one.name));
    for (const [name, value] of Object.entries(values))
      expect(read({ [name]: value }), name).not.toBe(read({}));
  });
});

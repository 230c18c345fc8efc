/** Runs `tailgate import` on a file of a folder made for the test, and reads what it prints as a configuration. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { readArguments } from '../../src/commands/command.ts';
import { importTraffic } from '../../src/commands/import.ts';
import { readConfig } from '../../src/config/read.ts';
import type { ScenarioSettings } from '../../src/config/settings.ts';
import { TailgateError } from '../../src/kernel/errors.ts';

/** Where the files of a test are: a new folder for each. */
export let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tailgate-import-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

export interface Imported {
  readonly out: string;
  readonly told: readonly string[];
  readonly scenario: ScenarioSettings;
}

export async function run(...argv: string[]): Promise<{ out: string; told: string[] }> {
  const printed: string[] = [];
  const told: string[] = [];
  const { flags, positionals } = readArguments(importTraffic, argv);
  const code = await importTraffic.run(flags, positionals, {
    directory: folder,
    environment: {},
    signal: new AbortController().signal,
    print: (text) => printed.push(text),
    tell: (text) => told.push(text),
    interactive: false,
  });
  expect(code).toBe(0);
  return { out: printed.join('\n'), told };
}

export async function imported(
  name: string,
  content: string | Buffer,
  ...flags: string[]
): Promise<Imported> {
  writeFileSync(join(folder, name), content);
  const { out, told } = await run(name, ...flags);
  const options = { source: 'tailgate.yml', overrides: {}, environment: {} };
  const { config } = readConfig(`start: node server.js\n${out}`, options);
  return { out, told, scenario: config.scenarios[0]! };
}

export async function refusal(name: string, content: string | null, ...flags: string[]): Promise<string> {
  if (content !== null) writeFileSync(join(folder, name), content);
  try {
    await run(name, ...flags);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TailgateError);
    expect((thrown as TailgateError).code).toBe('usage');
    const { message, hint, tail } = thrown as TailgateError;
    return [...tail, message, hint].join('\n');
  }
  throw new Error('was accepted');
}

export const common = (request: string, status = 200, at = '10/Oct/2024:13:55:36 +0000') =>
  `203.0.113.9 - ann [${at}] "${request}" ${status} 512`;
export const combined = (request: string, status = 200) =>
  `${common(request, status)} "https://x/" "Mozilla/5.0 (X; \\"q\\")"`;
export const shares = ({ requests }: ScenarioSettings) =>
  requests.map(({ method, path, weight }) => [method, path, weight]);
export const times = <Of>(count: number, line: (index: number) => Of): Of[] =>
  Array.from({ length: count }, (_, index) => line(index));

/** One entry of a HAR. */
export const entry = (method: string, url: string, more: object = {}, status = 200) => ({
  startedDateTime: '2024-01-01T00:00:00Z',
  request: { method, url, headers: [], ...more },
  response: { status },
});
export const har = (...entries: unknown[]) => JSON.stringify({ log: { version: '1.2', entries } });
/** What `entry` takes for a body. */
export const posted = (mimeType: string, text: string) => ({ postData: { mimeType, text } });

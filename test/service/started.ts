/** What the tests of this room share: fixtures, a plain GET, and the promise that nothing is left behind. */
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { findMembers } from '../../src/kernel/processes.ts';
import { msToNs, secondsToNs } from '../../src/kernel/units.ts';
import { realClock, seededRandom } from '../../src/kernel/world.ts';
import { pickPorts, whoHolds } from '../../src/service/ports.ts';
import type { HttpGet } from '../../src/service/ready.ts';
import type { RunningService, ServiceHandle, ServiceOptions } from '../../src/service/service.ts';
import { spawnService } from '../../src/service/service.ts';

export const httpGet: HttpGet = (url, { headers, timeout, signal }) =>
  new Promise((resolve, reject) => {
    const request = get(
      url,
      { headers, timeout: timeout / 1e6, agent: false, ...(signal ? { signal } : {}) },
      (response) => {
        response.resume();
        response.once('end', () => resolve({ status: response.statusCode ?? 0 }));
        response.once('error', reject);
      },
    );
    request.once('timeout', () => request.destroy(new Error('no answer in time')));
    request.once('error', reject);
  });

export async function getJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, { headers: { connection: 'close' } });
  return (await response.json()) as Record<string, unknown>;
}

/** The start command for a fixture, quoted for the shell. */
export function fixture(name: string, ...flags: readonly string[]): string {
  const path = fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url));
  return [`'${process.execPath}'`, `'${path}'`, ...flags].join(' ');
}

const random = seededRandom(`ports of ${process.pid}`);
export const freePort = async (): Promise<number> => (await pickPorts(random)).lower;

const begun: { handle: ServiceHandle; mark: string }[] = [];

export async function optionsFor(
  command: string,
  more: Partial<ServiceOptions> = {},
): Promise<ServiceOptions> {
  return {
    side: 'candidate',
    command,
    cwd: process.cwd(),
    baseEnv: process.env,
    env: {},
    port: await freePort(),
    ready: { path: '/', status: [{ from: 200, to: 299 }], headers: {} },
    startTimeout: secondsToNs(15),
    stop: { signal: 'SIGTERM', grace: msToNs(2000) },
    listenerCheck: true,
    clock: realClock,
    httpGet,
    ...more,
  };
}

export async function spawned(command: string, more: Partial<ServiceOptions> = {}): Promise<ServiceHandle> {
  const mark = `trace-${begun.length}-${process.pid}-${random.below(1e9)}`;
  const options = await optionsFor(command, more);
  const handle = await spawnService({ ...options, env: { TEST_TRACE: mark, ...options.env } });
  begun.push({ handle, mark });
  return handle;
}

export async function started(command: string, more: Partial<ServiceOptions> = {}): Promise<RunningService> {
  return (await spawned(command, more)).waitUntilReady();
}

/** The failure of a start, as data. */
export async function failureOf(
  command: string,
  more: Partial<ServiceOptions> = {},
): Promise<{ code: string; message: string; hint: string; tail: readonly string[] }> {
  const handle = await spawned(command, more);
  return handle.waitUntilReady().then(
    () => {
      throw new Error('the service became ready');
    },
    (error) => error,
  );
}

/** For `afterEach`: stops what is still there, then proves by an independent mark that nobody is. */
export async function nothingIsLeft(): Promise<void> {
  for (const { handle, mark } of begun.splice(0)) {
    await handle.stop();
    expect(findMembers({ group: handle.pid, leaderStart: null, mark })).toEqual([]);
    expect(await whoHolds(handle.port)).toBeNull();
  }
}

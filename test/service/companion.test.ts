import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TailgateError } from '../../src/kernel/errors.ts';
import { openLedger, readLedger } from '../../src/kernel/leftovers.ts';
import { readProcess } from '../../src/kernel/processes.ts';
import { msToNs, secondsToNs } from '../../src/kernel/units.ts';
import { realClock } from '../../src/kernel/world.ts';
import { type Companion, type CompanionOptions, startCompanion } from '../../src/service/companion.ts';
import { fillAll, fillPlaces } from '../../src/service/placeholders.ts';
import { whoHolds } from '../../src/service/ports.ts';
import { runReset } from '../../src/service/reset.ts';
import { fixture, freePort, getJson, httpGet } from './started.ts';

const begun: Companion[] = [];
afterEach(async () => {
  for (const companion of begun.splice(0)) {
    await companion.stop();
    expect(await whoHolds(companion.port)).toBeNull();
  }
});

async function options(command: string, more: Partial<CompanionOptions> = {}): Promise<CompanionOptions> {
  return {
    name: 'db',
    side: null,
    command,
    cwd: process.cwd(),
    env: { PATH: process.env['PATH']! },
    port: await freePort(),
    ready: { kind: 'port' },
    startTimeout: secondsToNs(15),
    stop: { signal: 'SIGTERM', grace: msToNs(2000) },
    clock: realClock,
    httpGet,
    ...more,
  };
}

async function begin(command: string, more: Partial<CompanionOptions> = {}): Promise<Companion> {
  const companion = await startCompanion(await options(command, more));
  begun.push(companion);
  return companion;
}

async function refusal(attempt: () => Promise<unknown>): Promise<TailgateError> {
  const thrown = await attempt().then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(TailgateError);
  return thrown as TailgateError;
}

/** A zombie runs nothing; who reaps it is the machine's business. */
const runs = (pid: number): boolean => readProcess(pid)?.zombie === false;
const told = (companion: Companion, path = '/') => getJson(`http://127.0.0.1:${companion.port}${path}`);

describe('a companion', () => {
  it('is ready when its port takes connections, and has PORT and its own env', async () => {
    const companion = await begin(fixture('store'), {
      env: { PATH: process.env['PATH']!, STORE_PASSWORD: 'open sesame' },
    });
    const { env } = (await told(companion)) as { env: Record<string, string> };
    expect(env).toMatchObject({ PORT: String(companion.port), STORE_PASSWORD: 'open sesame' });
    expect(companion.tail()).toEqual(['store in memory with open sesame']);
    expect(companion.cost()!.cpu).toBeGreaterThan(0);
    expect(() => companion.throwIfExited()).not.toThrow();
  });

  it('is ready when a page of it has the wanted status, not before', async () => {
    const companion = await begin(fixture('store'), {
      ready: { kind: 'path', path: '/health', status: [{ from: 200, to: 299 }] },
    });
    expect(companion.port).toBeGreaterThan(0);
  });

  it('is ready when a command says so, which gets PORT', async () => {
    const probe = `'${process.execPath}' -e 'fetch("http://127.0.0.1:" + process.env.PORT).then(() => process.exit(0), () => process.exit(1))'`;
    await begin(fixture('store'), { ready: { kind: 'command', command: probe } });
  });

  it('may leave its server behind as a daemon, which is ended all the same', async () => {
    const companion = await begin(fixture('store', 'daemon'));
    expect(() => companion.throwIfExited()).not.toThrow();
    const { pid } = (await told(companion)) as { pid: number };
    expect(pid).not.toBe(companion.pid);
    await companion.stop();
    expect(runs(pid)).toBe(false);
  });

  it('that is stubborn is killed, and that talks without end fills no memory', async () => {
    const before = process.memoryUsage().rss;
    const companion = await begin(fixture('store', 'stubborn', 'chatty'), {
      stop: { signal: 'SIGTERM', grace: msToNs(200) },
    });
    await companion.stop();
    expect(runs(companion.pid)).toBe(false);
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  });

  it('stands in the ledger while it runs', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'ledger-')), 'ledger');
    const companion = await begin(fixture('store'), { ledger: openLedger(path) });
    expect(readLedger(path)).toMatchObject([{ kind: 'group', group: companion.pid }]);
    await companion.stop();
    expect(existsSync(path)).toBe(false);
    rmSync(join(path, '..'), { recursive: true });
  });
});

describe('a companion that fails', () => {
  it('before it is ready is named at once with its last lines', async () => {
    const error = await refusal(() => begin(fixture('store', 'fails')));
    expect(error.code).toBe('service-failed');
    expect(error.message).toMatch(
      /^`db` of `services` exited with code 3, [\d.]+ ms after its start, before it was ready$/,
    );
    expect(error.tail).toEqual(['store in memory with no password', 'the disk is full']);
  });

  it('of a side names the side', async () => {
    const error = await refusal(() => begin(fixture('store', 'fails'), { side: 'baseline' }));
    expect(error.message).toMatch(/^baseline: `db` of `services` exited/);
  });

  it('whose command does not exist says what the shell said', async () => {
    const error = await refusal(() => begin('no-such-database --port 1'));
    expect(error.message).toContain('exited with code 127');
    expect(error.tail.join()).toContain('no-such-database');
  });

  it.each([
    ['port', { kind: 'port' } as const, /port \d+: 127.0.0.1 ECONNREFUSED/, 'takes connections'],
    [
      'path',
      { kind: 'path', path: '/health', status: [{ from: 200, to: 299 }] } as const,
      /GET \/health: 127.0.0.1 .*ECONNREFUSED/,
      'GET /health',
    ],
    [
      'command',
      { kind: 'command', command: 'echo no server yet; exit 7' } as const,
      /`echo no server yet; exit 7` exited with code 7 \(no server yet\)/,
      'ends with 0',
    ],
  ])(
    'to become ready by its %s is ended after its time, with the last answer',
    async (_, ready, why, wanted) => {
      const wants = await options(fixture('store', 'deaf'), { ready, startTimeout: msToNs(600) });
      const error = await refusal(() => startCompanion(wants));
      expect(error.message).toMatch(/^`db` of `services` was not ready 600 ms after its start: /);
      expect(error.message).toMatch(why);
      expect(error.hint).toContain(wanted);
      expect(error.tail).toEqual(['store in memory with no password']);
    },
  );

  it('in the middle is told when it is next looked at', async () => {
    const companion = await begin(fixture('store'));
    await told(companion, '/end?code=5').catch(() => undefined);
    await expect
      .poll(() => {
        try {
          companion.throwIfExited();
          return 'runs';
        } catch (error) {
          return (error as Error).message;
        }
      })
      .toBe('`db` of `services` exited with code 5 while it was needed');
  });

  it('is not started on a port that somebody has', async () => {
    const other = await begin(fixture('store'));
    const error = await refusal(async () =>
      startCompanion(await options(fixture('store'), { port: other.port })),
    );
    expect(error.message).toContain(`cannot have port ${other.port}, which is held by process`);
  });

  it('is left alone when the job is cancelled, and nothing of it stays', async () => {
    const wants = await options(fixture('store', 'deaf'), { signal: AbortSignal.timeout(300) });
    const error = await refusal(() => startCompanion(wants));
    expect(error.code).toBe('cancelled');
  });
});

describe('places', () => {
  const services = new Map([
    ['db', { port: 5432, directory: '/tmp/d' }],
    ['my-cache', { port: 6379, directory: null }],
  ]);

  it('are put in where they are written, and nothing else is touched', () => {
    const places = { port: 80, side: 'baseline', directory: '/tmp/x', services } as const;
    const text =
      'a {port} {side} {directory} {services.db.port} {services.db.directory} {services.my-cache.port} {x} $y {services.z.port}';
    expect(fillPlaces(text, places)).toBe('a 80 baseline /tmp/x 5432 /tmp/d 6379 {x} $y {services.z.port}');
  });

  it('that are not known stay as they were written', () => {
    expect(fillPlaces('{port}{side}{directory}{services.my-cache.directory}', { side: null, services })).toBe(
      '{port}{side}{directory}{services.my-cache.directory}',
    );
    expect(fillAll({ URL: 'x:{services.db.port}' }, { services })).toEqual({ URL: 'x:5432' });
  });
});

describe('a reset', () => {
  const reset = (command: string, more = {}) =>
    runReset({
      who: 'baseline: `reset`',
      command,
      cwd: process.cwd(),
      env: { PATH: process.env['PATH']!, PORT: '1', TAILGATE_SIDE: 'baseline' },
      timeout: secondsToNs(20),
      ...more,
    });

  it('that ends with 0 says nothing', async () => {
    await reset('test "$PORT $TAILGATE_SIDE" = "1 baseline"');
  });

  it('that fails names the side, its code and its last lines', async () => {
    const error = await refusal(() => reset('echo relation "users" does not exist; exit 2'));
    expect([error.code, error.message]).toEqual(['service-failed', 'baseline: `reset` exited with code 2']);
    expect(error.tail).toEqual(['relation users does not exist']);
  });

  it('that hangs is ended after its time', async () => {
    const error = await refusal(() => reset('sleep 60', { timeout: msToNs(200) }));
    expect(error.message).toBe('baseline: `reset` took longer than 200 ms');
  });

  it('that is cancelled is cancelled, and leaves nothing in the ledger', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
    const ledger = openLedger(join(folder, 'ledger'));
    const error = await refusal(() => reset('sleep 60', { signal: AbortSignal.timeout(200), ledger }));
    expect(error.code).toBe('cancelled');
    expect(readLedger(ledger.path)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openLedger, readLedger, sweep } from '../../src/kernel/leftovers.ts';
import { findMembers } from '../../src/kernel/processes.ts';
import { msToNs, nsToMs } from '../../src/kernel/units.ts';
import { realClock } from '../../src/kernel/world.ts';
import { startService } from '../../src/service/service.ts';
import {
  failureOf,
  fixture,
  freePort,
  getJson,
  nothingIsLeft,
  optionsFor,
  spawned,
  started,
} from './started.ts';

afterEach(nothingIsLeft);

const inTime = async <Value>(
  work: Promise<Value>,
): Promise<{ readonly value: Value; readonly took: number }> => {
  const begun = realClock.now();
  const value = await work;
  return { value, took: (realClock.now() - begun) / 1e6 };
};

describe('a service that starts', () => {
  it('gets its port in PORT and in {port}, and says which address answered', async () => {
    const byVariable = await started(fixture('serve'));
    expect(byVariable.origin).toBe(`http://127.0.0.1:${byVariable.port}`);
    expect(byVariable.startTime).toBeGreaterThan(0);
    expect((await getJson(byVariable.origin))['ok']).toBe(true);
    expect(byVariable.state()).toEqual({ kind: 'running' });
    byVariable.throwIfExited();
    const byFlag = await started(fixture('serve', '--port={port}'));
    expect((await getJson(`${byFlag.origin}/env`))['PORT']).toBe(String(byFlag.port));
  });

  it('on 127.0.0.1 only or on ::1 only is asked there', async () => {
    const four = await started(fixture('serve', '--host=127.0.0.1'));
    expect(four.origin).toBe(`http://127.0.0.1:${four.port}`);
    const six = await started(fixture('serve', '--host=::1'));
    expect(six.origin).toBe(`http://[::1]:${six.port}`);
    expect((await getJson(six.origin))['ok']).toBe(true);
  });

  it('never sees tokens, inputs and credentials of the runner', async () => {
    const service = await started(fixture('serve'), {
      baseEnv: { ...process.env, INPUT_TOKEN: 'a', ACTIONS_RUNTIME_URL: 'b', GITHUB_TOKEN: 'c', CI: 'true' },
      env: { MODE: 'fast', PORT: '1' },
    });
    const seen = await getJson(`${service.origin}/env`);
    expect(seen).toMatchObject({ CI: 'true', MODE: 'fast', PORT: String(service.port) });
    expect(Object.keys(seen).filter((name) => /TOKEN|INPUT_|ACTIONS_/.test(name))).toEqual([]);
  });

  it('may be spawned long before it is asked', async () => {
    const one = await spawned(fixture('serve'), { side: 'baseline' });
    const other = await spawned(fixture('serve'), { side: 'candidate' });
    const candidate = await other.waitUntilReady();
    const baseline = await one.waitUntilReady();
    expect([baseline.side, candidate.side]).toEqual(['baseline', 'candidate']);
  });

  it('that is slow to open its port is waited for', async () => {
    const service = await started(fixture('serve', '--delay=600'));
    expect(nsToMs(service.startTime)).toBeGreaterThan(590);
  });
});

describe('a service that fails to start', () => {
  it.each([1, 0])(
    'and exits with code %i is noticed at once, with side, code and last lines',
    async (code) => {
      const { value: error, took } = await inTime(
        failureOf(
          `for i in $(seq 60); do echo "line $i"; done; echo "no config" >&2; sleep 0.2; exit ${code}`,
        ),
      );
      expect(error.code).toBe('service-failed');
      expect(error.message).toContain(`candidate: the service exited with code ${code}`);
      expect(error.tail.length).toBe(50);
      expect(error.tail).toContain('no config');
      expect(error.tail).toContain('line 60');
      expect(error.tail).not.toContain('line 10');
      expect(took).toBeLessThan(2500);
    },
  );

  it('because its program does not exist names the shell code, and a missing directory is named', async () => {
    const program = await failureOf('no-such-server-here --port {port}');
    expect(program.message).toContain('exited with code 127');
    expect(program.hint).toContain('did not find the program');
    const place = await failureOf('true', { cwd: '/no/such/place' });
    expect(place.message).toContain('the directory /no/such/place does not exist');
    expect((await failureOf('  ')).message).toContain('the command is empty');
  });

  it('and fails while a child of it still runs does not wait for the child', async () => {
    const { value: error, took } = await inTime(failureOf('sleep 30 & exit 3'));
    expect(error.message).toContain('exited with code 3');
    expect(took).toBeLessThan(4000);
  });

  it('because it never listens ends with what was heard last', async () => {
    const error = await failureOf('echo thinking; sleep 30', { startTimeout: msToNs(700) });
    expect(error.message).toContain('was not ready 700 ms after its start');
    expect(error.message).toContain('connection refused');
    expect(error.hint).toContain('start-timeout');
    expect(error.tail).toEqual(['thinking']);
  });

  it('because it redirects or does not know the path says which status came and what to write', async () => {
    const rule = { status: [{ from: 200, to: 299 }], headers: {} };
    const startTimeout = msToNs(1500);
    const moved = await failureOf(fixture('serve'), { ready: { ...rule, path: '/moved' }, startTimeout });
    expect(moved.message).toContain('/moved: status 301');
    expect(moved.message).toContain('wanted: status 200–299');
    expect(moved.hint).toContain('Redirects are not followed');
    const missing = await failureOf(fixture('serve'), { ready: { ...rule, path: '/nowhere' }, startTimeout });
    expect(missing.message).toContain('/nowhere: status 404');
  });

  it('because it ignores PORT is told where it listens instead', async () => {
    const elsewhere = await freePort();
    const error = await failureOf(fixture('serve', `--port=${elsewhere}`), { startTimeout: msToNs(1500) });
    expect(error.message).toContain('ignores PORT');
    expect(error.message).toContain(`listens on ${elsewhere} instead`);
    expect(error.hint).toContain('{port}');
  });

  it('because the other side took its fixed port is told about PORT too', async () => {
    const fixed = await freePort();
    const error = await (async () => {
      const server = createServer().listen(fixed);
      await new Promise((resolve) => server.once('listening', resolve));
      const failure = await failureOf(fixture('serve', `--port=${fixed}`));
      await new Promise((resolve) => server.close(resolve));
      return failure;
    })();
    expect(error.message).toContain('exited with code 1');
    expect(error.hint).toContain('must listen on PORT');
  });

  it.each(['127.0.0.1', '::1', '0.0.0.0'])(
    'is not even started when its port is taken on %s',
    async (host) => {
      const options = await optionsFor(fixture('serve'));
      const server = createServer((_request, response) => response.end('a stranger'));
      await new Promise<void>((resolve) => server.listen({ port: options.port, host }, resolve));
      const error = await startService(options).catch((thrown) => thrown);
      await new Promise((resolve) => server.close(resolve));
      expect(error.code).toBe('service-failed');
      expect(error.message).toContain(`port ${options.port} is already in use on ${host}`);
      expect(error.message).toContain(`by process ${process.pid}`);
    },
  );

  it('because a stranger answers on its port is refused, unless the check is off', async () => {
    const port = await freePort();
    const strange = createServer((_request, response) => response.end('a stranger'));
    const open = (): Promise<void> => new Promise((resolve) => strange.listen(port, resolve));
    const close = (): Promise<unknown> => new Promise((resolve) => strange.close(resolve));
    const handle = await spawned('sleep 30', { port });
    await open();
    const error = await handle.waitUntilReady().catch((thrown) => thrown);
    await close();
    expect(error.message).toContain(`port ${port} on 127.0.0.1 is answered by process ${process.pid}`);
    expect(error.hint).toContain('listener-check: off');

    const unchecked = await spawned('sleep 30', { port, listenerCheck: false });
    await open();
    expect((await unchecked.waitUntilReady()).origin).toBe(`http://127.0.0.1:${port}`);
    await close();
    expect((await unchecked.stop()).listener).toBe('gone');
  });

  it('because an answer comes from nobody we can see is not believed', async () => {
    const error = await failureOf('sleep 30', {
      httpGet: async () => ({ status: 200 }),
      startTimeout: msToNs(500),
    });
    expect(error.message).toContain('answered, but no process of the service listened on it');
    expect(error.hint).toContain('listener-check: off');
  });

  it('because we were asked to stop says cancelled and leaves nothing', async () => {
    const controller = new AbortController();
    const handle = await spawned('sleep 30', { signal: controller.signal });
    const waiting = handle.waitUntilReady().catch((thrown) => thrown);
    controller.abort();
    expect((await waiting).code).toBe('cancelled');
    expect(handle.state().kind).not.toBe('running');
    await expect(startService(await optionsFor('true', { signal: controller.signal }))).rejects.toThrow(
      'cancelled',
    );
  });
});

describe('a service that forks its server', () => {
  it('and stays is measured and ended with it', async () => {
    const service = await started(fixture('forks', 'stay'));
    const serving = (await getJson(service.origin))['pid'];
    expect(serving).not.toBe(service.pid);
    const before = service.cost()!;
    await getJson(`${service.origin}/burn?ms=100`);
    expect(service.cost()!.cpu - before.cpu).toBeGreaterThan(99e6);
    expect((await service.stop()).left).toEqual([]);
  });

  it.each(['leave', 'daemon'])('and exits at once (%s) is running while the server is', async (how) => {
    const service = await started(fixture('forks', how));
    expect(service.state()).toEqual({ kind: 'running' });
    const before = service.cost()!;
    await getJson(`${service.origin}/burn?ms=100`);
    expect(service.cost()!.cpu - before.cpu).toBeGreaterThan(99e6);
    const serving = Number((await getJson(service.origin))['pid']);
    process.kill(serving, 'SIGKILL');
    expect(await service.exited).toEqual({ kind: 'exited', code: 0 });
    expect(() => service.throwIfExited()).toThrow('while it was measured');
  });

  it('and whose server then dies before it is ready is noticed at once', async () => {
    const { value: error, took } = await inTime(failureOf('(sleep 0.3; echo broken; exit 4) & exit 0'));
    expect(error.message).toContain('exited with code 0');
    expect(error.tail).toEqual(['broken']);
    expect(took).toBeLessThan(2500);
  });

  it('and exits is stopped with its server, also in a session of its own', async () => {
    const service = await started(fixture('forks', 'daemon'));
    const report = await service.stop();
    expect(report).toMatchObject({ how: 'signal', left: [], listener: 'gone' });
  });
});

describe('stopping', () => {
  it('ends a service that ignores TERM after the grace', async () => {
    const service = await started(fixture('serve', '--ignore-term'), {
      stop: { signal: 'SIGTERM', grace: msToNs(400) },
    });
    const report = await service.stop();
    expect(report.how).toBe('killed');
    expect(nsToMs(report.duration)).toBeGreaterThan(390);
    expect(service.tail()).toContain('TERM is ignored');
  });

  it('ends children that end only on SIGINT', async () => {
    const service = await started(fixture('stubborn-children'), {
      stop: { signal: 'SIGTERM', grace: msToNs(300) },
    });
    expect(findMembers({ group: service.pid, leaderStart: null, mark: null }).length).toBeGreaterThanOrEqual(
      3,
    );
    const report = await service.stop();
    expect(report.killed.length).toBeGreaterThanOrEqual(2);
    const polite = await started(fixture('stubborn-children'), {
      stop: { signal: 'SIGINT', grace: msToNs(3000) },
    });
    expect((await polite.stop()).how).toBe('signal');
  });

  it('ends a service that was frozen', async () => {
    const service = await started(fixture('serve'));
    process.kill(service.pid, 'SIGSTOP');
    expect((await service.stop()).how).toBe('signal');
  });

  it('may be asked for twice and is told apart from an end of its own', async () => {
    const service = await started(fixture('serve'));
    const [one, other] = await Promise.all([service.stop(), service.stop()]);
    expect(one).toBe(other);
    expect(await service.exited).toEqual({ kind: 'stopped' });
    const disposed = await started(fixture('serve'));
    await disposed[Symbol.asyncDispose]();
    expect(disposed.state()).toEqual({ kind: 'stopped' });
  });

  it('is in the ledger until then, so that a sweep finds it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'service-'));
    const ledger = openLedger(join(directory, 'ledger'));
    const service = await started(fixture('forks', 'daemon'), { ledger });
    expect(readLedger(ledger.path)).toMatchObject([{ kind: 'group', group: service.pid }]);
    await sweep(ledger.path);
    expect(await service.exited).toEqual({ kind: 'exited', code: 0 });
    const other = await started(fixture('serve'), { ledger });
    await other.stop();
    expect(
      readLedger(ledger.path).filter((entry) => entry.kind === 'group' && entry.group === other.pid),
    ).toEqual([]);
    rmSync(directory, { recursive: true });
  });
});

describe('a service that talks', () => {
  it('50 MB neither blocks nor fills our memory', async () => {
    const before = process.memoryUsage().rss;
    const service = await started(fixture('serve', '--flood=50'));
    await expect.poll(() => service.tail().at(-1), { timeout: 15_000 }).toBe('the flood is over');
    expect(service.tail().length).toBe(50);
    expect(service.tail()[0]).toBe('f'.repeat(127));
    expect(process.memoryUsage().rss - before).toBeLessThan(40e6);
    expect((await getJson(service.origin))['ok']).toBe(true);
  });

  it('without line ends, 2 KB a request, stays bounded and answers', async () => {
    const service = await started(fixture('serve'));
    for (let count = 0; count < 300; count++) await getJson(`${service.origin}/print`);
    expect(service.tail().length).toBeLessThanOrEqual(2);
    expect(service.tail().at(-1)?.length).toBe(2001);
  });

  it('and exits in the middle is seen, with its last words', async () => {
    const service = await started(fixture('serve'));
    await getJson(`${service.origin}/exit?code=7`);
    expect(await service.exited).toEqual({ kind: 'exited', code: 7 });
    expect(() => service.throwIfExited()).toThrow(
      'candidate: the service exited with code 7 while it was measured',
    );
    expect(service.tail()).toContain('asked to leave');
  });
});

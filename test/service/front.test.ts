import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { msToNs, type Nanoseconds, ratio, secondsToNs } from '../../src/kernel/units.ts';
import { type Clock, realClock } from '../../src/kernel/world.ts';
import { behindFront, frontVariable, nothingPlanted, type Planted } from '../../src/service/front-order.ts';
import { addressOf, startFront } from '../../src/service/front-proxy.ts';
import { failureOf, fixture, freePort, getJson, nothingIsLeft, started } from './started.ts';

afterEach(nothingIsLeft);

const folder = mkdtempSync(join(tmpdir(), 'front-'));
const entry = join(folder, 'front.mjs');
beforeAll(async () => {
  await build({
    entryPoints: [new URL('../../src/service/front.ts', import.meta.url).pathname],
    outfile: entry,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A service of Node behind a front inside this process; `ask` keeps its connection. */
async function front(planted: Planted, clock: Clock = realClock) {
  const bodies: string[] = [];
  const service = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.once('end', () => {
      const body = Buffer.concat(chunks);
      bodies.push(`${incoming.method} ${incoming.url} ${body.length}`);
      response.setHeader('x-port', String(incoming.socket.remotePort));
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const servicePort = (service.address() as AddressInfo).port;
  const server = await startFront({ host: '127.0.0.1', port: 0, servicePort, planted, clock });
  const { port } = server.address() as AddressInfo;
  const ask = (path: string, body: Buffer = Buffer.alloc(0), agent: unknown = undefined) =>
    new Promise<Buffer>((resolve, reject) => {
      const sent = request({ port, path, method: 'POST', agent: agent as never }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('end', () => resolve(Buffer.concat(chunks)));
      });
      sent.once('error', reject);
      sent.end(body);
    });
  return {
    port,
    bodies,
    ask,
    [Symbol.dispose]: () => {
      server.close();
      service.close();
      service.closeAllConnections();
    },
  };
}

/** Counts what it is asked to wait, and waits for nothing. */
function countingClock(): Clock & { readonly waited: Nanoseconds[] } {
  const waited: Nanoseconds[] = [];
  return {
    ...realClock,
    waited,
    sleep: async (duration) => {
      waited.push(duration);
    },
  };
}

describe('the bytes of a front', () => {
  it('are the bytes of the service, large bodies and many at once included', async () => {
    using one = await front(nothingPlanted);
    const body = Buffer.alloc(3_000_000, 'abcdefg');
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => one.ask(`/${index}`, body)));
    for (const answer of answers) expect(answer.equals(body)).toBe(true);
    expect(one.bodies.toSorted()).toEqual(Array.from({ length: 8 }, (_, index) => `POST /${index} 3000000`));
  });

  it('end where the service ends its side, and a client that leaves is let go', async () => {
    using one = await front(nothingPlanted);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect({ port: one.port, host: '127.0.0.1' }, () =>
        socket.write('GET /bye HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      );
      socket.on('data', (data) => {
        text += data;
      });
      socket.once('end', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(one.bodies).toEqual(['GET /bye 0']);
  });
});

describe('what is planted', () => {
  it('holds back the share of requests that was asked for, evenly, also on kept connections', async () => {
    const clock = countingClock();
    using one = await front({ ...nothingPlanted, delay: msToNs(7), delayed: ratio(0.04) }, clock);
    const { Agent } = await import('node:http');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const after: number[] = [];
    for (let count = 1; count <= 75; count++) {
      await one.ask('/', Buffer.from('x'), agent);
      after.push(clock.waited.length);
    }
    agent.destroy();
    expect(
      after
        .map((waits, index) => waits - (after[index - 1] ?? 0))
        .flatMap((one, at) => (one ? [at + 1] : [])),
    ).toEqual([25, 50, 75]);
    expect(clock.waited).toEqual([msToNs(7), msToNs(7), msToNs(7)]);
  });

  it('is a timer without a wait on the side that is compared with', async () => {
    const clock = { ...countingClock(), waits: 0, sleep: () => new Promise<void>(() => (clock.waits += 1)) };
    using one = await front({ ...nothingPlanted, delay: msToNs(7), delayed: ratio(1), held: false }, clock);
    expect(String(await one.ask('/', Buffer.from('at once')))).toBe('at once');
    expect(clock.waits).toBe(1);
  });

  it('is no wait at all for anyone where the share is not reached', async () => {
    const clock = countingClock();
    using one = await front({ ...nothingPlanted, delay: msToNs(7), delayed: ratio(0.04) }, clock);
    for (let count = 1; count < 25; count++) await one.ask('/');
    expect(clock.waited).toEqual([]);
  });

  it('answers later by the delay', async () => {
    using one = await front({ ...nothingPlanted, delay: msToNs(40), delayed: ratio(1) });
    const began = realClock.now();
    expect(String(await one.ask('/', Buffer.from('late')))).toBe('late');
    expect(realClock.now() - began).toBeGreaterThan(msToNs(38));
  });

  it('burns CPU for each request, once however many pieces it comes in', async () => {
    using plain = await front(nothingPlanted);
    using planted = await front({ ...nothingPlanted, cpu: msToNs(20) });
    const body = Buffer.alloc(1_000_000);
    const used = async (one: typeof plain): Promise<number> => {
      const before = process.cpuUsage();
      for (let count = 0; count < 10; count++) await one.ask('/', body);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    await used(plain);
    const more = (await used(planted)) - (await used(plain));
    expect(more).toBeGreaterThan(150);
    expect(more).toBeLessThan(400);
  });
});

describe('a service behind a front process', () => {
  async function behind(command: string, planted: Planted = nothingPlanted, port?: number) {
    const inner = port ?? (await freePort());
    const { command: fronted, env } = behindFront(entry, { start: command, port: inner, planted });
    return { fronted, env, inner };
  }

  it('gets a port of its own and sees nothing of the front; its CPU time counts, and all of it is ended', async () => {
    const { fronted, env, inner } = await behind(fixture('serve'), { ...nothingPlanted, cpu: msToNs(100) });
    const service = await started(fronted, { env: { ...env, COLOUR: 'blue' } });
    const seen = await getJson(`${service.origin}/env`);
    expect(seen).toMatchObject({ PORT: String(inner), COLOUR: 'blue' });
    expect(seen[frontVariable]).toBeUndefined();
    const before = service.cost();
    await getJson(`${service.origin}/burn?ms=100`);
    const after = service.cost();
    // 100 ms in the service and 100 ms planted in front of it.
    expect(after!.cpu - before!.cpu).toBeGreaterThan(msToNs(195));
    await service.stop();
    expect(await addressOf(inner)).toBeNull();
  });

  it('listens where the service listens, and {port} is the port behind it', async () => {
    const { fronted, env, inner } = await behind(`${fixture('serve')} --host=::1 --port={port}`);
    const service = await started(fronted, { env });
    expect(service.origin).toBe(`http://[::1]:${service.port}`);
    expect(inner).not.toBe(service.port);
  });

  it('is not ready before the service is', async () => {
    const { fronted, env } = await behind(`${fixture('serve')} --delay=600`);
    const service = await started(fronted, { env });
    expect(service.startTime).toBeGreaterThan(msToNs(600));
  });

  it('fails as the service fails: with its exit code and its last words', async () => {
    const { fronted, env } = await behind("echo 'no database' >&2; exit 3");
    const failure = await failureOf(fronted, { env });
    expect(failure.code).toBe('service-failed');
    expect(failure.message).toMatch(/\b3\b/);
    expect(failure.tail.join()).toContain('no database');
  });

  it('ends in the middle when the service does', async () => {
    const { fronted, env } = await behind(fixture('serve'));
    const service = await started(fronted, { env });
    await getJson(`${service.origin}/exit?code=9`);
    expect(await service.exited).toEqual({ kind: 'exited', code: 9 });
  });

  it('goes on when the first process of the service hands over to a daemon, and ends with it', async () => {
    const { fronted, env } = await behind(`${fixture('serve')} & sleep 0.2`);
    const service = await started(fronted, { env });
    await realClock.sleep(msToNs(500));
    expect(service.state()).toEqual({ kind: 'running' });
    await getJson(`${service.origin}/exit?code=0`);
    expect(await service.exited).toEqual({ kind: 'exited', code: 0 });
  });

  it('cannot be started by hand', async () => {
    const failure = await failureOf(`'${process.execPath}' '${entry}'`, { startTimeout: secondsToNs(10) });
    expect(failure.tail.join('\n')).toContain(`${frontVariable} is not set`);
  });
});

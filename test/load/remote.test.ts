import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { startGenerator } from '../../src/load/remote.ts';
import { type BundledGenerator, bundleGenerator } from './bundled-generator.ts';
import { answer, get, rawServer, sliceOrder } from './slices.ts';

let bundle: BundledGenerator;
beforeAll(async () => {
  bundle = await bundleGenerator();
});
afterAll(() => bundle[Symbol.asyncDispose]());

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const open = (origin: string, sockets: number) => ({
  target: { origin, host: null },
  request: get,
  sockets,
  timeout: msToNs(2000),
});

describe('the generator process', () => {
  test('carries out orders one after the other and leaves nothing behind', async () => {
    await using server = await rawServer((socket) => socket.write(answer('ok')));
    const generator = await startGenerator({ entry: bundle.entry });
    expect(isAlive(generator.pid)).toBe(true);
    expect(await generator.open(open(server.origin, 8))).toEqual({ opened: 8, problem: null });
    const order = sliceOrder({ origin: server.origin, shots: 60 });
    const [first, second] = await Promise.all([generator.slice(order), generator.slice(order)]);
    for (const result of [first, second]) {
      expect(result.counts.ok).toBe(60);
      // Written by the bundle, read by the sources.
      expect(LatencyHistogram.decode(result.histograms.response).count).toBe(60);
      expect(LatencyHistogram.decode(result.histograms.response).percentile(0.5)).toBeGreaterThan(1000);
      expect(result.generator.cpu).toBeGreaterThan(0);
      expect(result.generator.peakMemory).toBeGreaterThan(10e6);
    }
    expect(second.generator.socketsOpened).toBe(0);
    await generator.close(server.origin);
    await generator[Symbol.asyncDispose]();
    expect(isAlive(generator.pid)).toBe(false);
  });

  test('says what was wrong when sockets are opened', async () => {
    let origin = '';
    {
      await using server = await rawServer((socket) =>
        socket.write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'),
      );
      origin = server.origin;
      await using generator = await startGenerator({ entry: bundle.entry });
      expect((await generator.open(open(origin, 2))).problem).toBe('GET /: status 500');
    }
    await using generator = await startGenerator({ entry: bundle.entry });
    expect(await generator.open(open(origin, 2))).toEqual({
      opened: 0,
      problem: 'GET /: connection refused',
    });
  });

  test('refuses what it cannot do and stays usable', async () => {
    await using server = await rawServer((socket) => socket.write(answer('ok')));
    await using generator = await startGenerator({ entry: bundle.entry });
    const order = sliceOrder({ origin: server.origin, shots: 20 });
    const nothing = { ...order, schedule: { ...order.schedule, leadIn: order.schedule.due.length } };
    await expect(generator.slice(nothing)).rejects.toMatchObject({ code: 'invalid' });
    expect((await generator.slice(order)).counts.ok).toBe(20);
  });

  test('that dies is an invalid measurement, for what is pending and for what comes after', async () => {
    await using server = await rawServer(() => {});
    await using generator = await startGenerator({ entry: bundle.entry });
    const order = sliceOrder({ origin: server.origin });
    const pending = generator.slice(order);
    process.kill(generator.pid, 'SIGKILL');
    await expect(pending).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('SIGKILL'),
    });
    await expect(generator.slice(order)).rejects.toMatchObject({ code: 'invalid' });
  });

  test('ends at once when the job is cancelled', async () => {
    await using server = await rawServer(() => {});
    const controller = new AbortController();
    await using generator = await startGenerator({ entry: bundle.entry, signal: controller.signal });
    const pending = generator.slice(sliceOrder({ origin: server.origin }));
    controller.abort();
    await expect(pending).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('that cannot be started says why', async () => {
    await expect(startGenerator({ entry: `${bundle.entry}.missing.mjs` })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('exit code 1'),
      tail: expect.arrayContaining([expect.stringContaining('MODULE_NOT_FOUND')]),
    });
  });
});

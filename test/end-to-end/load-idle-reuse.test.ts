import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import { msToNs } from '../../src/kernel/units.ts';
import { toWire } from '../../src/load/sender.ts';
import { SocketPool } from '../../src/load/sockets.ts';
import { get } from '../load/slices.ts';
import { loadService, sleep } from './load-service.ts';

const turns = 200;
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;

test('an idle socket is reused without delay: less than 0.7 ms beyond a raw socket in the same run', async () => {
  await using service = await loadService();
  const { hostname, port, host } = new URL(service.origin);
  const raw = createConnection({ host: hostname, port: Number(port), noDelay: true });
  await once(raw, 'connect');
  const pool = new SocketPool(service.origin);
  const [wire] = toWire([get], { origin: service.origin, host: null });

  const throughClient = () =>
    new Promise<number>((resolve, reject) => {
      const from = performance.now();
      pool.send(
        {
          onWritten: () => {},
          onAnswered: () => resolve(performance.now() - from),
          onFailed: (_shot, _at, cause) => reject(new Error(cause)),
        },
        0,
        wire!,
        false,
        1,
      );
    });
  const throughRawSocket = () =>
    new Promise<number>((resolve) => {
      const from = performance.now();
      raw.once('data', () => resolve(performance.now() - from));
      raw.write(`GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    });

  const clientTimes: number[] = [];
  const rawTimes: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    clientTimes.push(await throughClient());
    await sleep(1);
    rawTimes.push(await throughRawSocket());
    await sleep(1);
  }
  raw.destroy();
  expect(pool.opened).toBe(1);
  await pool.close();
  expect(median(clientTimes) - median(rawTimes)).toBeLessThan(msToNs(0.7) / 1e6);
});

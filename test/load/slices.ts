/** Orders, servers and a generator within the test's own process. */
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { Transport } from '../../src/config/transport.ts';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import type { Nanoseconds } from '../../src/kernel/units.ts';
import { msToNs, perSecond } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { runSlice } from '../../src/load/driver.ts';
import { Metronome } from '../../src/load/metronome.ts';
import type { PreparedRequest, SliceOrder, SliceResult } from '../../src/load/protocol.ts';
import { planSchedule } from '../../src/load/schedule.ts';
import { SocketPool } from '../../src/load/sockets.ts';

export const get: PreparedRequest = {
  method: 'GET',
  path: '/',
  headers: [],
  body: null,
  expected: [{ from: 200, to: 399 }],
};

export interface OrderShape {
  readonly origin: string;
  readonly transport?: Transport;
  readonly rate?: number;
  readonly shots?: number;
  readonly leadIn?: number;
  readonly timeout?: Nanoseconds;
  readonly maxSockets?: number;
  readonly maxInFlight?: number;
  readonly requests?: readonly PreparedRequest[];
}

export function sliceOrder(shape: OrderShape): SliceOrder {
  const requests = shape.requests ?? [get];
  return {
    target: { origin: shape.origin, host: null, ...(shape.transport ? { transport: shape.transport } : {}) },
    requests,
    schedule: planSchedule(
      {
        rate: perSecond(shape.rate ?? 400),
        extent: { kind: 'count', shots: shape.shots ?? 120 },
        arrivals: 'constant',
        leadIn: shape.leadIn ?? 8,
        weights: requests.map(() => 1),
      },
      seededRandom('slices'),
    ),
    timeout: shape.timeout ?? msToNs(1000),
    maxSockets: shape.maxSockets ?? 64,
    maxInFlight: shape.maxInFlight ?? 10_000,
  };
}

/** One slice from within this process, with sockets of its own. */
export async function shoot(shape: OrderShape): Promise<SliceResult> {
  await using metronome = await Metronome.start();
  const pool = new SocketPool(shape.origin, shape.transport);
  try {
    return await runSlice(sliceOrder(shape), {
      pool,
      metronome,
      newHistogram: () => new LatencyHistogram(),
    });
  } finally {
    await pool.close();
  }
}

export interface RawServer extends AsyncDisposable {
  readonly origin: string;
}

/**
 * A TCP server that calls `onRequest` for each complete request without a body, with the number of the request on
 * its connection.
 */
export async function rawServer(onRequest: (socket: Socket, index: number) => void): Promise<RawServer> {
  const open = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    open.add(socket);
    let text = '';
    let index = 0;
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    socket.on('end', () => socket.end());
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        text = text.slice(end + 4);
        onRequest(socket, index++);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export const answer = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

export const percentileMs = (encoded: string, share: number): number =>
  (LatencyHistogram.decode(encoded).percentile(share) ?? Number.NaN) / 1e6;

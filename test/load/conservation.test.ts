import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { msToNs } from '../../src/kernel/units.ts';
import type { SliceResult } from '../../src/load/protocol.ts';
import { answer, get, percentileMs, rawServer, shoot } from './slices.ts';

type Behaviour = (socket: Socket, index: number) => void;

const later = (delayMs: number, act: () => void) => setTimeout(act, delayMs);
const body = 'a body of a certain length';

const behaviours = {
  answers: (socket) => socket.write(answer(body)),
  resets: (socket) => socket.resetAndDestroy(),
  resetsInTheMiddle: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes.');
    later(2, () => socket.resetAndDestroy());
  },
  saysNothing: () => {},
  stopsInTheMiddle: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes.');
  },
  halfClosesUnanswered: (socket) => socket.end(),
  halfClosesInTheMiddle: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes.'),
  answersWithoutContent: (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  pausesBetweenChunks: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    // One after the other: on a busy machine, timers of two lengths may fire out of order.
    later(4, () => {
      socket.write('5\r\nhello\r\n');
      later(5, () => socket.write('6\r\n world\r\n0\r\n\r\n'));
    });
  },
  endsByClosing: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nuntil the ');
    later(3, () => socket.end('end'));
  },
  closesAfterEveryAnswer: (socket) => socket.end(answer(body)),
  redirects: (socket) => socket.write('HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n'),
  breaks: (socket) => socket.write('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n'),
  talksNonsense: (socket) => socket.write('+OK ready\r\n\r\n'),
  answersLate: (socket) => later(260, () => socket.write(answer(body))),
} as const satisfies Record<string, Behaviour>;

function expectConserved(result: SliceResult, scheduled: number): void {
  const { counts, histograms } = result;
  expect(counts.scheduled).toBe(scheduled);
  expect(counts.ok + counts.failed + counts.timedOut + counts.dropped + counts.unfinished).toBe(scheduled);
  expect(LatencyHistogram.decode(histograms.response).count).toBe(scheduled);
  expect(Object.values(result.errors).reduce((sum, count) => sum + count, 0)).toBe(counts.failed);
}

const timeout = msToNs(200);

async function against(behaviour: Behaviour): Promise<SliceResult> {
  await using server = await rawServer(behaviour);
  const result = await shoot({ origin: server.origin, timeout });
  expectConserved(result, 120);
  return result;
}

describe('every scheduled shot ends in exactly one way', () => {
  test('when the service answers', async () => {
    const { counts, statuses, bodies } = await against(behaviours.answers);
    expect(counts.ok).toBe(120);
    expect(statuses).toEqual({ 200: 120 });
    expect([bodies.minBytes, bodies.maxBytes, bodies.totalBytes]).toEqual([26, 26, 26 * 120]);
    const checksum = createHash('sha256').update(body).digest('hex').slice(0, 16);
    expect(bodies.checksums).toEqual({ 0: checksum, 50: checksum, 100: checksum });
  });

  test('when it resets connections, before and in the middle of an answer', async () => {
    expect((await against(behaviours.resets)).errors).toEqual({ 'connection reset': 120 });
    expect((await against(behaviours.resetsInTheMiddle)).counts.failed).toBe(120);
  });

  test('when it never answers, or stops in the middle', async () => {
    const silent = await against(behaviours.saysNothing);
    expect(silent.counts.timedOut).toBe(120);
    expect(percentileMs(silent.histograms.response, 0.01)).toBeGreaterThanOrEqual(199.8);
    expect((await against(behaviours.stopsInTheMiddle)).counts.timedOut).toBe(120);
  });

  test('when an answer comes after the deadline it is none', async () => {
    const { counts, statuses } = await against(behaviours.answersLate);
    expect(counts.timedOut).toBe(120);
    expect(statuses).toEqual({});
  });

  test('when it half-closes unanswered or in the middle of an answer', async () => {
    expect((await against(behaviours.halfClosesUnanswered)).counts.failed).toBe(120);
    expect((await against(behaviours.halfClosesInTheMiddle)).counts.failed).toBe(120);
  });

  test('when it answers 204 without a length', async () => {
    const { counts, statuses } = await against(behaviours.answersWithoutContent);
    expect([counts.ok, statuses]).toEqual([120, { 204: 120 }]);
  });

  test('when chunks come with pauses, which are part of the response time', async () => {
    const { counts, bodies, histograms } = await against(behaviours.pausesBetweenChunks);
    expect([counts.ok, bodies.minBytes, bodies.maxBytes]).toEqual([120, 11, 11]);
    // The service's timers count from the start of its event loop's turn, so single pauses come out short.
    expect(percentileMs(histograms.response, 0.5)).toBeGreaterThan(8);
  });

  test('when the end of the connection is the end of the answer', async () => {
    const { counts, bodies } = await against(behaviours.endsByClosing);
    expect([counts.ok, bodies.minBytes, bodies.maxBytes]).toEqual([120, 13, 13]);
  });

  test('when it closes after every answer without a word', async () => {
    const { counts, errors } = await against(behaviours.closesAfterEveryAnswer);
    // Some shots meet the closing socket: the keep-alive race, which has a class of its own.
    expect(counts.ok + (errors['reset on reuse'] ?? 0)).toBe(120);
    expect(counts.ok).toBeGreaterThan(60);
  });

  test('when it redirects, which is an answer and is not followed', async () => {
    const { counts, statuses } = await against(behaviours.redirects);
    expect([counts.ok, statuses]).toEqual([120, { 302: 120 }]);
  });

  test('when its answers are errors: quick ones count as the whole time-out', async () => {
    const { counts, errors, histograms } = await against(behaviours.breaks);
    expect([counts.failed, errors]).toEqual([120, { 'status 503': 120 }]);
    expect(percentileMs(histograms.response, 0.01)).toBeGreaterThanOrEqual(199.8);
    expect(percentileMs(histograms.onTime, 0.01)).toBeGreaterThanOrEqual(199.8);
    expect(LatencyHistogram.decode(histograms.success).count).toBe(0);
    expect(percentileMs(histograms.service, 0.5)).toBeLessThan(100);
  });

  test('when it speaks no HTTP', async () => {
    expect((await against(behaviours.talksNonsense)).errors).toEqual({ 'not HTTP': 120 });
  });

  test('when nobody listens', async () => {
    let origin = '';
    {
      await using server = await rawServer(() => {});
      origin = server.origin;
    }
    const result = await shoot({ origin, timeout });
    expectConserved(result, 120);
    expect(result.errors).toEqual({ 'connection refused': 120 });
  });

  test('when all of this happens at once, shot by shot', async () => {
    const all = Object.values(behaviours) as readonly Behaviour[];
    let turn = 0;
    await using server = await rawServer((socket, index) => all[turn++ % all.length]!(socket, index));
    const result = await shoot({ origin: server.origin, timeout, shots: 450, rate: 900 });
    expectConserved(result, 450);
    expect(result.counts.ok).toBeGreaterThan(0);
    expect(result.counts.failed).toBeGreaterThan(0);
    expect(result.counts.timedOut).toBeGreaterThan(0);
  });
});

test('beyond the cap in flight shots are dropped and counted, at no less than the time-out', async () => {
  await using server = await rawServer(behaviours.saysNothing);
  const result = await shoot({
    origin: server.origin,
    timeout: msToNs(400),
    maxInFlight: 50,
    leadIn: 0,
    shots: 80,
  });
  expectConserved(result, 80);
  expect(result.counts.dropped).toBe(30);
  expect(result.released).toBe(50);
  expect(result.inFlight.peak).toBe(50);
  expect(percentileMs(result.histograms.response, 0.01)).toBeGreaterThan(399);
});

test('shots that find no free socket wait inside their response time', async () => {
  await using server = await rawServer((socket) => later(20, () => socket.write(answer(body))));
  const result = await shoot({
    origin: server.origin,
    maxSockets: 2,
    rate: 500,
    shots: 60,
    timeout: msToNs(4000),
  });
  expectConserved(result, 60);
  expect(result.counts.ok).toBe(60);
  expect(result.generator.poolQueued).toBeGreaterThan(40);
  expect(result.generator.socketsOpened).toBe(2);
  // 68 shots through two sockets of 50/s each take 680 ms, of which the schedule took 136.
  expect(percentileMs(result.histograms.response, 1)).toBeGreaterThan(400);
  expect(percentileMs(result.histograms.service, 0.5)).toBeLessThan(100);
  expect(percentileMs(result.histograms.lateness, 0.5)).toBeLessThan(20);
});

test('a socket that failed serves the shots that wait for one', async () => {
  await using server = await rawServer((socket) => later(4, () => socket.resetAndDestroy()));
  const result = await shoot({
    origin: server.origin,
    maxSockets: 2,
    rate: 1000,
    shots: 60,
    timeout: msToNs(4000),
  });
  expectConserved(result, 60);
  expect(result.generator.poolQueued).toBeGreaterThan(20);
  expect(result.errors).toEqual({ 'connection reset': 60 });
});

test('lead-in shots are sent and not counted anywhere', async () => {
  let requests = 0;
  await using server = await rawServer((socket) => {
    requests++;
    socket.write(answer(body));
  });
  const result = await shoot({ origin: server.origin, leadIn: 30, shots: 50 });
  expectConserved(result, 50);
  expect(requests).toBe(80);
  expect(LatencyHistogram.decode(result.histograms.lateness).count).toBe(50);
});

test('requests of a mix go out with their own method, headers, body and rule of what is right', async () => {
  const seen: string[] = [];
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      seen.push(
        [
          request.method,
          request.url,
          request.headers['x-id'],
          request.headers['content-length'],
          text,
          request.headers.host,
        ].join(' '),
      );
      response.statusCode = request.url === '/missing' ? 404 : 200;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as { port: number };
  const origin = `http://127.0.0.1:${address.port}`;
  const result = await shoot({
    origin,
    shots: 60,
    leadIn: 0,
    requests: [
      { ...get, path: '/missing', expected: [{ from: 404, to: 404 }] },
      {
        ...get,
        method: 'POST',
        path: '/items',
        headers: ['X-Id', '7', 'host', 'example.test'],
        body: new TextEncoder().encode('{"a":1}'),
      },
    ],
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expectConserved(result, 60);
  expect(result.counts.ok).toBe(60);
  expect(Object.keys(result.statuses).sort()).toEqual(['200', '404']);
  expect([...new Set(seen)].sort()).toEqual([
    `GET /missing    127.0.0.1:${address.port}`,
    'POST /items 7 7 {"a":1} example.test',
  ]);
});

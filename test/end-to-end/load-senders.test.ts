import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { isSaturated, unsoundReasons } from '../../src/evidence/soundness.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { planSenders, startSenders } from '../../src/senders.ts';
import { type BundledGenerator, bundleGenerator } from '../load/bundled-generator.ts';
import { get, sliceOrder } from '../load/slices.ts';
import { sleep } from './load-service.ts';

let bundle: BundledGenerator;
beforeAll(async () => {
  bundle = await bundleGenerator();
});
afterAll(() => bundle[Symbol.asyncDispose]());

/** Notes when each request comes and over which connection. */
async function noting() {
  const seen: { at: number; connection: number }[] = [];
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = connections++;
    socket.on('error', () => {});
    socket.on('data', () => {
      seen.push({ at: performance.now(), connection });
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, origin, close: () => server.close() };
}

test('two senders send one slice in turns, and every shot is accounted for once', async () => {
  const service = await noting();
  await using senders = await startSenders({ entry: bundle.entry }, 2);
  expect(senders.pids).toHaveLength(2);
  const order = sliceOrder({
    origin: service.origin,
    rate: 400,
    shots: 800,
    leadIn: 8,
    timeout: msToNs(4000),
  });
  const opened = await senders.open({
    target: order.target,
    request: get,
    sockets: 4,
    timeout: msToNs(4000),
  });
  expect(opened).toEqual({ opened: 4, problem: null });
  service.seen.length = 0;
  const result = await senders.slice(order);
  expect(result.counts).toEqual({
    scheduled: 800,
    ok: 800,
    failed: 0,
    timedOut: 0,
    dropped: 0,
    unfinished: 0,
  });
  expect(LatencyHistogram.decode(result.histograms.response).count).toBe(800);
  expect(unsoundReasons(result, isSaturated(result))).toEqual([]);
  expect(service.seen).toHaveLength(808);
  // In bunches half of the gaps would be next to nothing; in turns nearly all are 2.5 ms.
  const gaps = service.seen.slice(9).map(({ at }, index) => at - service.seen[index + 8]!.at);
  const even = gaps.filter((gap) => gap > 1.25 && gap < 3.75).length / gaps.length;
  expect(even).toBeGreaterThan(0.6);
  expect(result.span).toBe(order.schedule.due.at(-1)! - order.schedule.due[8]!);
  await senders.close(service.origin);
  service.close();
});

test('a sender that dies ends the slice with its name, and leaves no other behind', async () => {
  const service = await noting();
  const senders = await startSenders({ entry: bundle.entry }, 2);
  const slice = senders.slice(sliceOrder({ origin: service.origin, rate: 100, shots: 500 }));
  await sleep(300);
  process.kill(senders.pids[1]!, 'SIGKILL');
  await expect(slice).rejects.toThrow(/load generator stopped working: it was ended by SIGKILL/);
  await senders[Symbol.asyncDispose]();
  const alive = (pid: number) => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  expect(senders.pids.filter(alive)).toEqual([]);
  service.close();
});

test('a stop while several senders are at work keeps what was measured', async () => {
  const service = await noting();
  const stopping = new AbortController();
  await using senders = await startSenders(
    { entry: bundle.entry, signal: stopping.signal, keepPartial: true },
    2,
  );
  const slice = senders.slice(sliceOrder({ origin: service.origin, rate: 200, shots: 2000 }));
  await sleep(1500);
  stopping.abort();
  const { counts } = await slice;
  expect(counts.ok).toBe(counts.scheduled);
  expect(counts.scheduled).toBeGreaterThan(100);
  expect(counts.scheduled).toBeLessThan(600);
  service.close();
});

test('the plan says who sends, and warns when the rate is beyond that', () => {
  const codes = (wanted: number | 'auto', rate: number, cpus: number) =>
    planSenders(wanted, rate, cpus).warnings.map(({ code }) => code);
  expect(codes('auto', 5000, 2)).toEqual([]);
  expect(codes('auto', 15_000, 4)).toEqual(['several-senders']);
  expect(codes('auto', 15_000, 2)).toEqual(['rate-beyond-senders']);
  expect(planSenders('auto', 15_000, 2).warnings[0]!.hint).toContain('lower the rate to 10,000');
  expect(codes(2, 15_000, 2)).toEqual(['several-senders', 'more-senders-than-cpus']);
});

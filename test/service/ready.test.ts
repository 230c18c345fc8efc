import { describe, expect, it } from 'vitest';
import type { Nanoseconds } from '../../src/kernel/units.ts';
import { ns } from '../../src/kernel/units.ts';
import type { Clock } from '../../src/kernel/world.ts';
import type { HttpGet, Probe } from '../../src/service/ready.ts';
import { untilReady } from '../../src/service/ready.ts';

/** Sleeps end at once and move the clock; nothing waits for real. */
function quickClock(): Clock {
  let now = 0;
  return {
    now: () => ns(now),
    today: () => new Date(0),
    sleep: async (duration: Nanoseconds, signal?: AbortSignal) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      now += duration;
    },
  };
}

type Answer = number | Error;

function service(four: readonly Answer[], six: readonly Answer[]): { httpGet: HttpGet; asked: string[] } {
  const asked: string[] = [];
  const left = { four: [...four], six: [...six] };
  return {
    asked,
    httpGet: async (url) => {
      asked.push(url);
      const queue = url.includes('[::1]') ? left.six : left.four;
      const answer = queue.length > 1 ? queue.shift()! : queue[0]!;
      if (answer instanceof Error) throw answer;
      return { status: answer };
    },
  };
}

const refused = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' });

function ask(httpGet: HttpGet, more: Partial<Parameters<typeof untilReady>[0]> = {}) {
  const probes: [string, Probe][] = [];
  const ready = untilReady({
    place: { port: 23456 },
    rule: { path: '/health?full=1', status: [{ from: 200, to: 299 }], headers: { 'x-ready': 'yes' } },
    httpGet,
    clock: quickClock(),
    signal: new AbortController().signal,
    onProbe: (address, probe) => probes.push([address, probe]),
    ...more,
  });
  return { ready, probes };
}

describe('readiness', () => {
  it('is asked on both addresses of localhost, with path and headers', async () => {
    const { httpGet, asked } = service([refused, 200], [refused]);
    const headers: unknown[] = [];
    const { ready } = ask((url, options) => {
      headers.push(options.headers);
      return httpGet(url, options);
    });
    expect(await ready).toEqual({ address: '127.0.0.1', origin: 'http://127.0.0.1:23456' });
    expect(asked).toContain('http://127.0.0.1:23456/health?full=1');
    expect(asked).toContain('http://[::1]:23456/health?full=1');
    expect(headers[0]).toEqual({ 'x-ready': 'yes' });
  });

  it('takes the address that answers', async () => {
    const { ready } = ask(service([refused], [refused, refused, 204]).httpGet);
    expect(await ready).toEqual({ address: '::1', origin: 'http://[::1]:23456' });
  });

  it('prefers 127.0.0.1 when it answers a moment after ::1, so that both sides use the same', async () => {
    const { ready } = ask(service([refused, 200], [200]).httpGet);
    expect((await ready).address).toBe('127.0.0.1');
  });

  it('waits through statuses the rule does not accept, redirects among them', async () => {
    const { ready, probes } = ask(service([503, 301, 404, 200], [refused]).httpGet);
    await ready;
    const four = probes.filter(([address]) => address === '127.0.0.1').map(([, probe]) => probe);
    expect(four).toEqual([
      { kind: 'unready', status: 503 },
      { kind: 'unready', status: 301 },
      { kind: 'unready', status: 404 },
      { kind: 'ready', status: 200 },
    ]);
  });

  it('accepts whatever the rule lists', async () => {
    const rule = {
      path: '/',
      status: [
        { from: 301, to: 308 },
        { from: 404, to: 404 },
      ],
      headers: {},
    };
    expect((await ask(service([200, 404], [refused]).httpGet, { rule }).ready).address).toBe('127.0.0.1');
  });

  it('says why there was no answer, from the innermost cause', async () => {
    const wrapped = new TypeError('fetch failed', { cause: refused });
    const other = new Error('outer', { cause: new Error('socket hang up') });
    const { ready, probes } = ask(service([wrapped, other, 200], [refused]).httpGet);
    await ready;
    expect(probes).toContainEqual(['127.0.0.1', { kind: 'no-answer', why: 'connection refused' }]);
    expect(probes).toContainEqual(['127.0.0.1', { kind: 'no-answer', why: 'socket hang up' }]);
  });

  it('ends when the signal fires, also one that fired before', async () => {
    const controller = new AbortController();
    const { ready } = ask(service([refused], [refused]).httpGet, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(ready).rejects.toThrow();
    const { httpGet, asked } = service([200], [200]);
    await expect(ask(httpGet, { signal: controller.signal }).ready).rejects.toThrow('enough');
    expect(asked).toEqual([]);
  });
});

/** The floor of `tailgate load` as a user meets it: a line, a key of the JSON, and nothing where there is none. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { measureFloor } from '../../src/floor.ts';
import type { RoundJob } from '../../src/job.ts';
import { builtFile } from '../../src/kernel/installation.ts';
import { msToNs, perSecond } from '../../src/kernel/units.ts';
import { startGenerator } from '../../src/load/remote.ts';
import { Desk } from '../microbench/terminal.ts';
import { loadService } from './load-service.ts';

interface Said {
  readonly out: string;
  readonly err: string;
  readonly json: { readonly floor: { readonly p50: number; readonly p99: number } | null };
}

async function load(...args: readonly string[]): Promise<Said> {
  using desk = new Desk();
  const { out, err } = await desk.run('load', ...args, '--json', 'load.json');
  return { out, err, json: JSON.parse(readFileSync(join(desk.directory, 'load.json'), 'utf8')) };
}

const line = /^floor: p50 (\S+ \S+), p99 (\S+ \S+) against a responder that does nothing$/m;

describe('an open loop at this machine', () => {
  test.each([
    ['at even gaps', []],
    ['in bursts', ['--arrivals', 'burst']],
    ['with a connection a request', ['--no-keep-alive']],
  ])('is told its floor %s', async (_, flags) => {
    await using service = await loadService(20);
    const { out, json } = await load(service.origin, '--rate', '50', '--duration', '500ms', ...flags);
    expect(out).toMatch(line);
    expect(json.floor!.p50).toBeGreaterThan(0);
    expect(json.floor!.p99).toBeGreaterThanOrEqual(json.floor!.p50);
    // The service alone takes 20 ms: what was read came from somewhere else.
    expect(json.floor!.p50).toBeLessThan(20);
  });

  test('is warned where the floor is a good part of its p50', async () => {
    await using service = await loadService();
    const { err, json } = await load(service.origin, '--rate', '100', '--duration', '500ms');
    expect(json.floor).not.toBeNull();
    expect(err).toMatch(/^warning: (\d+ % of the p50 is|the floor \()/m);
  });

  test('has none below 50 a second, which is no error', async () => {
    await using service = await loadService();
    const { out, err, json } = await load(service.origin, '--rate', '49', '--duration', '200ms');
    expect(out).not.toContain('floor');
    expect(err).not.toContain('floor');
    expect(json.floor).toBeNull();
  });

  test('has none over a Unix socket', async () => {
    using desk = new Desk();
    const path = join(desk.directory, 'app.sock');
    const server = createServer((_, response) => void response.end('ok'));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    try {
      const { out, json } = await load(
        'http://app/',
        '--unix-socket',
        path,
        '--rate',
        '100',
        '--duration',
        '200ms',
      );
      expect(out).not.toContain('floor');
      expect(json.floor).toBeNull();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

test('a gate has one for each of its scenarios', async () => {
  await using generator = await startGenerator({ entry: builtFile('generator.js') });
  const scenarios = [
    { name: 'often', rate: perSecond(400) },
    { name: 'seldom', rate: perSecond(100) },
    { name: 'hardly ever', rate: perSecond(0.1) },
  ];
  const config = { arrivals: 'constant', timeout: msToNs(2000), maxSockets: 64, maxInFlight: 1000 };
  // Of a job the floor reads nothing but these.
  const job = { generator, plan: { seed: 5, scenarios }, config } as unknown as RoundJob;
  const began = performance.now();
  const floors = await measureFloor(job);
  // At their own rate the shots of the last one would take minutes.
  expect(performance.now() - began).toBeLessThan(60_000);
  expect(floors.map(({ scenario }) => scenario)).toEqual(['often', 'seldom', 'hardly ever']);
  for (const { p50, p99 } of floors) {
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
  }
});

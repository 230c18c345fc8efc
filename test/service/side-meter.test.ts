import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CostSettings } from '../../src/config/settings-services.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { readCgroupCpu, readCgroupMemory } from '../../src/service/cost-cgroup.ts';
import { scrape } from '../../src/service/scrape.ts';
import type { RunningService } from '../../src/service/service.ts';
import { type SideMeter, type SideMeterOptions, sideMeter } from '../../src/service/side-meter.ts';
import { fixture, freePort, getJson, nothingIsLeft, started } from './started.ts';

afterEach(nothingIsLeft);

const page = { path: '/metrics', port: null };
const prometheus: CostSettings = {
  kind: 'prometheus',
  endpoint: page,
  metric: 'process_cpu_seconds_total',
  labels: {},
};

function meterOf(service: RunningService, more: Partial<SideMeterOptions> = {}): SideMeter {
  return sideMeter({
    cost: prometheus,
    counters: [],
    trees: [service],
    target: service.target,
    fill: (text) => text.replaceAll('{port}', String(service.port)),
    ...more,
  });
}

const counter = (name: string, metric: string, labels: Record<string, string> = {}) => ({
  name,
  metric,
  labels,
  endpoint: page,
  judge: null,
});

async function cpuOf(meter: SideMeter): Promise<number> {
  const { cpu } = await meter.read();
  if (cpu.kind === 'unread') throw new Error(cpu.reason);
  return cpu.cpu;
}

async function reasonOf(meter: SideMeter): Promise<string> {
  const { cpu } = await meter.read();
  return cpu.kind === 'unread' ? cpu.reason : 'was read';
}

describe('CPU time from a metrics page', () => {
  it('of a known piece of work is that work, as the process tree says too', async () => {
    const service = await started(fixture('metrics'));
    const [meter, tree] = [meterOf(service), meterOf(service, { cost: { kind: 'process-tree' } })];
    expect([meter.disturbs, tree.disturbs, meter.peakMemory()]).toEqual([true, false, null]);
    await getJson(`${service.origin}/burn?ms=10`);
    const before = [await cpuOf(meter), await cpuOf(tree)] as const;
    await getJson(`${service.origin}/burn?ms=150`);
    const spent = [(await cpuOf(meter)) - before[0], (await cpuOf(tree)) - before[1]] as const;
    expect(spent[0] / 1e6).toBeGreaterThan(140);
    expect(spent[0] / 1e6).toBeLessThan(220);
    expect(Math.abs(spent[0] - spent[1]) / 1e6).toBeLessThan(40);
    expect([meter.precise(), tree.precise()]).toEqual([true, true]);
    expect(meter.peakMemory()).toBeGreaterThan(20e6);
  });

  it('is called coarse while only ticks were seen', async () => {
    const service = await started(fixture('metrics'));
    const cost = { ...prometheus, metric: 'pages_total' };
    const meter = meterOf(service, { cost });
    for (let turn = 0; turn < 3; turn++) await cpuOf(meter);
    expect(meter.precise()).toBe(false);
  });

  it.each([
    ['broken', 'GET /metrics answered 503, wanted 200'],
    ['torn', 'GET /metrics got no answer: '],
    ['endless', 'GET /metrics answered more than 8 MiB'],
  ])('of a page that is %s is unread, with the reason', async (mode, reason) => {
    const service = await started(fixture('metrics'));
    const meter = meterOf(service);
    await getJson(`${service.origin}/mode?is=${mode}`);
    expect(await reasonOf(meter)).toContain(reason);
    await getJson(`${service.origin}/mode?is=right`);
    expect(await reasonOf(meter)).toBe('was read');
  });

  it('of a page that does not come is unread after its time', async () => {
    const service = await started(fixture('metrics'));
    await getJson(`${service.origin}/mode?is=slow`);
    expect(await scrape(service, '/metrics', msToNs(80))).toEqual({
      kind: 'none',
      reason: 'GET /metrics gave no whole answer within 80 ms',
    });
  });

  it('where nobody listens is unread', async () => {
    const answer = await scrape({ origin: `http://127.0.0.1:${await freePort()}` }, '/metrics');
    expect(answer).toMatchObject({ kind: 'none', reason: expect.stringContaining('ECONNREFUSED') });
  });

  it('without its metric, or with two series of it, is unread', async () => {
    const service = await started(fixture('metrics'));
    const of = (metric: string, labels = {}) =>
      reasonOf(meterOf(service, { cost: { ...prometheus, metric, labels } }));
    expect(await of('cpu_total')).toBe('the answer has no `cpu_total`');
    expect(await of('queries_total', { db: 'main' })).toContain('2 series match');
    expect(await of('queries_total', { db: 'other' })).toContain('is NaN');
  });

  it('may stand on another port, with the port of the side in a label', async () => {
    const service = await started(fixture('metrics'));
    const other = await started(fixture('metrics'));
    const endpoint = { path: '/metrics', port: String(other.port) };
    const labels = { of: '{port}' };
    const counters = [{ ...counter('pages', 'pages_total', labels), endpoint }];
    const told = async (fill: SideMeterOptions['fill']) =>
      (await meterOf(service, { cost: { kind: 'process-tree' }, counters, fill }).read()).counters['pages'];
    expect(await told((text) => text.replaceAll('{port}', String(other.port)))).toEqual({
      kind: 'value',
      value: 1,
    });
    expect(await told((text) => text.replaceAll('{port}', String(service.port)))).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('no series'),
    });
  });
});

describe('other counters', () => {
  it('come from one page with the CPU time, each with its own labels and its own reason', async () => {
    const service = await started(fixture('metrics'));
    const meter = meterOf(service, {
      counters: [
        counter('pages', 'pages_total'),
        counter('queries', 'queries_total', { table: 'b' }),
        counter('all queries', 'queries_total'),
      ],
    });
    await meter.read();
    await getJson(`${service.origin}/query?times=5`);
    const { counters } = await meter.read();
    expect(counters).toMatchObject({
      pages: { kind: 'value', value: 2 },
      queries: { kind: 'value', value: 15 },
      'all queries': { kind: 'none', reason: expect.stringContaining('3 series match') },
    });
  });

  it('are read beside a process tree, before whose reading no page is rendered', async () => {
    const service = await started(fixture('metrics'));
    const meter = meterOf(service, {
      cost: { kind: 'process-tree' },
      counters: [{ ...counter('pages', 'pages_total'), endpoint: { path: '/metrics?ms=60', port: null } }],
    });
    expect(meter.disturbs).toBe(true);
    const { cpu } = await meter.read();
    if (cpu.kind === 'unread') throw new Error(cpu.reason);
    expect((service.cost()!.cpu - cpu.cpu) / 1e6).toBeGreaterThan(50);
  });
});

describe('CPU time from a cgroup', () => {
  const folder = (stat: string | null): string => {
    const path = mkdtempSync(join(tmpdir(), 'tailgate-cgroup-'));
    if (stat !== null) writeFileSync(join(path, 'cpu.stat'), stat);
    return path;
  };

  it('is usage_usec of its cpu.stat, in nanoseconds', () => {
    const path = folder('usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n');
    expect(readCgroupCpu(path)).toEqual({ kind: 'read', cpu: 1_234_567_000 });
    expect(readCgroupMemory(path)).toBeNull();
    writeFileSync(join(path, 'memory.current'), '4096\n');
    expect(readCgroupMemory(path)).toBe(4096);
    writeFileSync(join(path, 'memory.peak'), '8192\n');
    expect(readCgroupMemory(path)).toBe(8192);
    rmSync(path, { recursive: true });
  });

  it('is unread where there is no cgroup, or one of version 1', () => {
    const old = folder('nr_periods 0\nnr_throttled 0\n');
    expect(readCgroupCpu(old)).toEqual({
      kind: 'unread',
      reason: `${old}/cpu.stat has no usage_usec: it is not a cgroup of version 2`,
    });
    rmSync(old, { recursive: true });
    expect(readCgroupCpu(old)).toMatchObject({ kind: 'unread', reason: expect.stringContaining('ENOENT') });
  });

  it('is read for the path with the port in it', async () => {
    const service = await started(fixture('metrics'));
    const parent = folder(null);
    mkdirSync(join(parent, String(service.port)));
    writeFileSync(join(parent, String(service.port), 'cpu.stat'), 'usage_usec 7\n');
    const meter = meterOf(service, { cost: { kind: 'cgroup', path: `${parent}/{port}` } });
    expect(await cpuOf(meter)).toBe(7000);
    expect([meter.disturbs, meter.precise()]).toEqual([false, true]);
    rmSync(parent, { recursive: true });
  });

  it('of a process that the kernel counts in a cgroup of its own is what it burns there', async () => {
    const made = makeCgroup();
    if (made === null) {
      // Nobody may make one here: then the root of the hierarchy, or its absence, is what can be read.
      const root = cgroupRoot();
      const reading = readCgroupCpu(root ?? '/sys/fs/cgroup/none');
      expect(reading.kind).toBe(root === null ? 'unread' : 'read');
      return;
    }
    const before = readCgroupCpu(made);
    const script = 'while (process.cpuUsage().user < 150_000);';
    const child = spawn('sh', [
      '-c',
      `echo $$ > '${made}/cgroup.procs' && exec "$0" -e "$1"`,
      process.execPath,
      script,
    ]);
    const code = await new Promise((resolve) => child.once('close', resolve));
    const after = readCgroupCpu(made);
    rmdirSync(made);
    expect(code).toBe(0);
    if (before.kind === 'unread' || after.kind === 'unread') throw new Error('could not be read');
    expect((after.cpu - before.cpu) / 1e6).toBeGreaterThan(100);
  });
});

function cgroupRoot(): string | null {
  const mounts = readFileSync('/proc/self/mounts', 'latin1').split('\n');
  return mounts.find((line) => line.split(' ')[2] === 'cgroup2')?.split(' ')[1] ?? null;
}

function makeCgroup(): string | null {
  const root = cgroupRoot();
  if (root === null) return null;
  const path = join(root, `tailgate-test-${process.pid}`);
  try {
    mkdirSync(path);
    return path;
  } catch {
    return null;
  }
}

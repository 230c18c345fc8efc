import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { findMembers, readProcess } from '../../src/kernel/processes.ts';
import { realClock } from '../../src/kernel/world.ts';
import { meterFor } from '../../src/service/cost.ts';
import { hasThreadTimes, readTimes } from '../../src/service/process-files.ts';
import type { RunningService } from '../../src/service/service.ts';
import { fixture, getJson, nothingIsLeft, started } from './started.ts';

afterEach(nothingIsLeft);

/** CPU by our reading less what the process says of itself, in ms; the answer itself is written in between. */
async function excess(service: RunningService, path: string): Promise<number> {
  const answer = await getJson(`${service.origin}${path}`);
  const said = Number(answer['used']) + Number(answer['child'] ?? 0);
  return service.cost()!.cpu / 1e6 - said / 1e3;
}

describe('the cost of a service', () => {
  it('is what the process says of itself, to a few milliseconds', async () => {
    const service = await started(fixture('serve'));
    for (let turn = 0; turn < 4; turn++) {
      const difference = await excess(service, '/burn?ms=60');
      // A thread of the start-up that ended before the first reading is known in rounded ticks only.
      expect(difference).toBeGreaterThan(-24);
      expect(difference).toBeLessThan(8);
    }
    expect(service.cost()).toMatchObject({ precise: hasThreadTimes() });
  });

  it('of a known piece of work is that work', async () => {
    const service = await started(fixture('serve'));
    await getJson(`${service.origin}/burn?ms=10`);
    const before = service.cost()!.cpu;
    await getJson(`${service.origin}/burn?ms=150`);
    const spent = (service.cost()!.cpu - before) / 1e6;
    expect(spent).toBeGreaterThan(145);
    expect(spent).toBeLessThan(180);
  });

  it('counts threads that ended between two readings, and does not lose them afterwards', async () => {
    const service = await started(fixture('serve'));
    service.cost();
    const differences: number[] = [];
    for (let turn = 0; turn < 3; turn++) differences.push(await excess(service, '/thread?ms=80'));
    // Ended threads are only known in ticks of 10 ms, rounded down twice.
    for (const difference of differences) expect(difference).toBeGreaterThan(-24);
    for (const difference of differences) expect(difference).toBeLessThan(8);
    const last = service.cost()!.cpu;
    expect(service.cost()!.cpu).toBeGreaterThanOrEqual(last);
  });

  it('counts children that came and ended between two readings', async () => {
    const service = await started(fixture('serve'));
    const first = await getJson(`${service.origin}/burn?ms=0`);
    const before = service.cost()!;
    const answer = await getJson(`${service.origin}/child?ms=120`);
    const after = service.cost()!;
    const own = Number(answer['used']) - Number(first['used']);
    // A child spends a little more after it last looked at its own clock.
    const spent = (after.cpu - before.cpu) / 1e6 - (own + Number(answer['child'])) / 1e3;
    expect(spent).toBeGreaterThan(-21);
    expect(spent).toBeLessThan(60);
    expect(after.processes).toBe(before.processes);
  });

  it('counts a living child, and once only when it has ended', async () => {
    const service = await started(fixture('serve'));
    const before = service.cost()!;
    const answer = await getJson(`${service.origin}/living-child?ms=120`);
    const during = service.cost()!;
    expect(during.processes).toBe(before.processes + 1);
    expect(during.memory).toBeGreaterThan(before.memory + 10e6);
    expect(during.cpu - before.cpu).toBeGreaterThan(Number(answer['child']) * 1e3);
    await getJson(`${service.origin}/end-child?pid=${answer['pid']}`);
    const after = service.cost()!;
    expect(after.processes).toBe(before.processes);
    expect(after.cpu).toBeGreaterThanOrEqual(during.cpu);
    expect((after.cpu - during.cpu) / 1e6).toBeLessThan(40);
    expect(service.peakMemory()).toBe(during.memory);
  });

  it('never goes backwards, also over the end of the service', async () => {
    const service = await started(fixture('forks', 'stay'));
    let last = 0;
    const read = (): void => {
      const { cpu } = service.cost()!;
      expect(cpu).toBeGreaterThanOrEqual(last);
      last = cpu;
    };
    for (let turn = 0; turn < 5; turn++) {
      read();
      await Promise.all([
        getJson(`${service.origin}/thread?ms=10`),
        getJson(`${service.origin}/child?ms=10`),
        getJson(`${service.origin}/burn?ms=10`),
      ]);
      read();
    }
    await service.stop();
    read();
    expect(service.cost()).toMatchObject({ processes: 0, memory: 0 });
  });

  it('stands still while the service is idle', async () => {
    const service = await started(fixture('serve'));
    await getJson(`${service.origin}/burn?ms=20`);
    await realClock.sleep(300e6 as never);
    const before = service.cost()!.cpu;
    for (let turn = 0; turn < 20; turn++) service.cost();
    await realClock.sleep(200e6 as never);
    expect((service.cost()!.cpu - before) / 1e6).toBeLessThan(4);
  });

  it('is cheap to read', async () => {
    const service = await started(fixture('serve'));
    service.cost();
    const spent = process.cpuUsage();
    for (let turn = 0; turn < 50; turn++) service.cost();
    const { user, system } = process.cpuUsage(spent);
    expect((user + system) / 50).toBeLessThan(2000);
  });
});

describe('a meter', () => {
  it('of a group that does not exist reads nothing', () => {
    const meter = meterFor({ group: 0, leaderStart: null, mark: null }, realClock);
    expect(meter.peakMemory()).toBeNull();
    expect(meter.sample()).toMatchObject({ cpu: 0, memory: 0, processes: 0 });
  });

  it('remembers what a process used when nobody waits for it in the tree', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const meter = meterFor(
      { group: child.pid!, leaderStart: readProcess(child.pid!)!.start, mark: null },
      realClock,
    );
    const before = meter.sample()!;
    expect(before.cpu).toBeGreaterThanOrEqual(readTimes(child.pid!)!.own - 20e6);
    expect(before.cpu).toBeGreaterThan(0);
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(findMembers({ group: child.pid!, leaderStart: null, mark: null })).toEqual([]);
    expect(meter.sample()!.cpu).toBeGreaterThanOrEqual(before.cpu);
  });
});

import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { ReadText } from '../../src/service/machine.ts';
import {
  allowedCpus,
  isOnThisMachine,
  noiseBetween,
  readEnvironment,
  readMachine,
  usableCpus,
  usableMemory,
} from '../../src/service/machine.ts';

const filesOf =
  (files: Readonly<Record<string, string>>): ReadText =>
  (path) =>
    files[path] ?? null;

const stat = (idle: number, steal: number, running = 1): string =>
  `cpu  100 0 50 ${idle} 0 0 0 ${steal} 40 0\ncpu0 1 2 3\nprocs_running ${running}\n`;
const psi = (total: number): string =>
  `some avg10=0.00 avg60=0.00 avg300=0.00 total=${total}\nfull avg10=0.00 total=9\n`;

describe('the noise of the machine', () => {
  it('is the share of time stolen and of time in which someone waited', () => {
    const before = readMachine(filesOf({ '/proc/stat': stat(800, 50), '/proc/pressure/cpu': psi(1000) }), 0);
    const after = readMachine(
      filesOf({ '/proc/stat': stat(880, 70), '/proc/pressure/cpu': psi(251_000) }),
      1e9,
    );
    expect(noiseBetween(before, after)).toEqual({ steal: 0.2, pressure: 0.25 });
  });

  it('without pressure information is the tasks beyond the CPUs', () => {
    const reading = (running: number, now: number) => ({
      ...readMachine(filesOf({ '/proc/stat': stat(800 + now, 50, running) }), now),
      cpus: 2,
    });
    expect(noiseBetween(reading(1, 0), reading(5, 10))).toEqual({ steal: 0, pressure: 1.5 });
  });

  it('is unknown, not zero, where nothing is told or no time has passed', () => {
    const silent = readMachine(filesOf({}), 0);
    expect(noiseBetween(silent, silent)).toEqual({ steal: null, pressure: null });
    const told = readMachine(filesOf({ '/proc/stat': stat(1, 1), '/proc/pressure/cpu': psi(5) }), 7);
    expect(noiseBetween(told, told)).toEqual({ steal: null, pressure: null });
  });

  it('stays within its bounds when a counter steps back', () => {
    const before = readMachine(filesOf({ '/proc/stat': stat(800, 50), '/proc/pressure/cpu': psi(1000) }), 0);
    const after = readMachine(filesOf({ '/proc/stat': stat(900, 49), '/proc/pressure/cpu': psi(900) }), 1e9);
    expect(noiseBetween(before, after)).toEqual({ steal: 0, pressure: 0 });
  });
});

describe('what may be used', () => {
  const group = { '/proc/self/cgroup': '1:cpu:/x\n0::/jobs/one\n' };

  it('is limited by every cgroup above us', () => {
    const files = filesOf({
      ...group,
      '/sys/fs/cgroup/jobs/one/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/jobs/cpu.max': '150000 100000\n',
      '/sys/fs/cgroup/jobs/one/memory.max': '4096\n',
      '/sys/fs/cgroup/jobs/memory.max': 'max\n',
    });
    expect(usableCpus(files, 8)).toBe(1.5);
    expect(usableCpus(files, 1)).toBe(1);
    expect(usableMemory(files, 1e9)).toBe(4096);
  });

  it('is the whole machine without limits', () => {
    expect(usableCpus(filesOf(group), 4)).toBe(4);
    expect(usableCpus(filesOf({}), 4)).toBe(4);
    expect(usableMemory(filesOf({}), 1e9)).toBe(1e9);
  });

  it('is limited by cgroups of version 1 too, whose lack of a limit is a number', () => {
    const old = { '/proc/self/cgroup': '5:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n1:name=systemd:/x\n' };
    const files = filesOf({
      ...old,
      '/sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us': '50000\n',
      '/sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes': '9223372036854771712\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '8192\n',
    });
    expect(usableCpus(files, 8)).toBe(0.5);
    expect(usableMemory(files, 1e9)).toBe(8192);
    expect(usableCpus(filesOf({ ...old, '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1' }), 8)).toBe(8);
  });

  it('is limited where the container sees its own group as the root', () => {
    const files = filesOf({
      '/proc/self/cgroup': '0::/docker/a\n',
      '/sys/fs/cgroup/cpu.max': '200000 100000\n',
    });
    expect(usableCpus(files, 8)).toBe(2);
    expect(usableCpus(filesOf({ ...group, '/sys/fs/cgroup/jobs/cpu.max': 'max 100000\n' }), 8)).toBe(8);
  });

  it('knows its CPUs by number', () => {
    const status = (list: string) =>
      filesOf({ '/proc/self/status': `Name:\tx\nCpus_allowed_list:\t${list}\n` });
    expect(allowedCpus(status('0-1'))).toEqual([0, 1]);
    expect(allowedCpus(status('2,8-11'))).toEqual([2, 8, 9, 10, 11]);
    expect(allowedCpus(filesOf({}))).toBeNull();
  });

  it('describes this machine', () => {
    const facts = readEnvironment({ ImageOS: 'ubuntu24', ImageVersion: '1.2' });
    expect(facts).toMatchObject({ node: process.version, runner: 'ubuntu24 1.2' });
    expect(facts.cpus).toBeGreaterThan(0);
    expect(facts.memory).toBeGreaterThan(0);
    expect(readEnvironment({}).runner).toBeNull();
  });
});

describe('what is sent to an address', () => {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => (address.includes(':') ? `[${address}]` : address));

  it.each(['0.0.0.0', '[::]', '127.9.9.9', '[::1]', 'app.localhost', hostname().toUpperCase(), ...own])(
    'stays on this machine: %s',
    (host) => {
      expect(isOnThisMachine({ origin: new URL(`http://${host}:8080/`).origin })).toBe(true);
    },
  );

  it('stays here through a Unix socket, whatever the host', () => {
    const origin = 'http://example.org';
    expect(isOnThisMachine({ origin, transport: { socketPath: '/run/app.sock' } })).toBe(true);
    expect(isOnThisMachine({ origin, transport: { socketPath: null } })).toBe(false);
  });

  it('leaves it for every other host', () => {
    const names = ['build-7', '192.168.7.9'];
    const at = (host: string): boolean => isOnThisMachine({ origin: `http://${host}` }, names);
    expect(['build-7', '192.168.7.9'].map(at)).toEqual([true, true]);
    expect(['build-70', '192.168.7.99', 'build-7.example.org', '128.0.0.1'].map(at)).not.toContain(true);
  });
});

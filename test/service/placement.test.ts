import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pin, pinService, planPlacement } from '../../src/service/placement.ts';

describe('placement', () => {
  it('gives the generator a CPU of its own where there are four or more', () => {
    expect(planPlacement(4)).toEqual({ kind: 'apart', generator: '0', services: '1-3' });
    expect(planPlacement(16)).toEqual({ kind: 'apart', generator: '0', services: '1-15' });
  });

  it('shares where there are fewer, a container with a limit of 3.5 CPUs included', () => {
    expect(planPlacement(2)).toEqual({ kind: 'shared', cpus: 2 });
    expect(planPlacement(3.5)).toEqual({ kind: 'shared', cpus: 3.5 });
  });

  it('pins a real process, and says so when it cannot', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      expect(await pinService(child.pid!, { kind: 'apart', generator: '1', services: '0' })).toBe(true);
      expect(allowedCpus(child.pid!)).toBe('0');
      expect(await pin(child.pid!, '4095')).toBe(false);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
});

function allowedCpus(pid: number): string | undefined {
  return /Cpus_allowed_list:\s*(\S+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
}

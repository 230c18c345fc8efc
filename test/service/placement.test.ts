import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pin, pinService, placementWarnings, planPlacement } from '../../src/service/placement.ts';

describe('placement', () => {
  it('gives the generator a CPU of its own where there are four or more', () => {
    expect(planPlacement(4, 1, null)).toEqual({ kind: 'apart', generator: '0', services: '1,2,3' });
    expect(planPlacement(6, 2, null)).toEqual({ kind: 'apart', generator: '0,1', services: '2,3,4,5' });
  });

  it('takes CPUs that may be used, and no more than the limit of the container', () => {
    expect(planPlacement(4, 1, [8, 9, 10, 11, 12, 13])).toEqual({
      kind: 'apart',
      generator: '8',
      services: '9,10,11',
    });
  });

  it('shares where there are fewer, a container with a limit of 3.5 CPUs included', () => {
    expect(planPlacement(2, 1, null)).toEqual({ kind: 'shared', cpus: 2 });
    expect(planPlacement(3.5, 1, null)).toEqual({ kind: 'shared', cpus: 3.5 });
    expect(planPlacement(4, 4, null)).toEqual({ kind: 'shared', cpus: 4 });
  });

  it('warns of less than two CPUs by name, with what it means and the way out', () => {
    expect(placementWarnings(2)).toEqual([]);
    const [one] = placementWarnings(1);
    expect(one).toMatchObject({ code: 'too-few-cpus' });
    expect(one!.message).toContain('1 CPU:');
    expect(one!.hint).toContain('2 CPUs or more');
    expect(placementWarnings(1.5)[0]!.message).toContain('1.5 CPUs:');
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

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import {
  endGroup,
  findMembers,
  killGroupNow,
  markedEnvironment,
  readProcess,
} from '../../src/kernel/processes.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { realClock } from '../../src/kernel/world.ts';

const begun: { group: number; leaderStart: null; mark: string }[] = [];

afterEach(() => {
  for (const identity of begun.splice(0)) {
    for (const member of findMembers(identity)) process.kill(member.pid, 'SIGKILL');
  }
});

const quick = { signal: 'SIGTERM', grace: msToNs(1000), clock: realClock } as const;

/** A group whose leader runs this script; `words` are the first line it prints. */
async function group(
  script: string,
  detached = true,
): Promise<{ child: ChildProcess; pid: number; words: string }> {
  const mark = randomUUID();
  const child = spawn('/bin/sh', ['-c', script], {
    detached,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TAILGATE_MARK: mark },
  });
  const words = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (data) => resolve(String(data))),
  );
  begun.push({ group: detached ? child.pid! : 0, leaderStart: null, mark });
  return { child, pid: child.pid!, words: words.trim() };
}

const isAlive = (pid: number): boolean => readProcess(pid)?.zombie === false;

describe('ending a group', () => {
  it('ends every member, and says that nobody is there the second time', async () => {
    const { pid } = await group('sleep 50 & sleep 50 & echo up; wait');
    expect(findMembers({ group: pid, leaderStart: null, mark: null }).length).toBe(3);
    expect(await endGroup(pid, quick)).toMatchObject({ how: 'signal', killed: [], left: [] });
    expect(findMembers({ group: pid, leaderStart: null, mark: null })).toEqual([]);
    expect((await endGroup(pid, quick)).how).toBe('already-gone');
  });

  it('remembers a descendant that moved to a group of its own before its parent goes', async () => {
    const { pid, words } = await group('env -i setsid sleep 50 & echo $!; wait');
    const moved = Number(words);
    await expect.poll(() => readProcess(moved)?.group).toBe(moved);
    await endGroup(pid, quick);
    expect(isAlive(moved)).toBe(false);
  });

  it('ends what was known before, also when nothing connects it to the group any more', async () => {
    const { pid, words } = await group('env -i setsid sleep 50 & echo $!; sleep 0.3');
    const daemon = Number(words);
    await expect.poll(() => readProcess(daemon)?.group).toBe(daemon);
    const known = findMembers({ group: pid, leaderStart: null, mark: null });
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect((await endGroup(pid, quick)).how).toBe('already-gone');
    expect(isAlive(daemon)).toBe(true);
    await endGroup(pid, { ...quick, known });
    expect(isAlive(daemon)).toBe(false);
  });

  it('spares a group whose leader is not the process it was', async () => {
    const { pid } = await group('echo up; sleep 50');
    const leaderStart = readProcess(pid)!.start - 1;
    expect((await endGroup(pid, { ...quick, leaderStart })).how).toBe('already-gone');
    killGroupNow({ group: pid, leaderStart, mark: randomUUID() });
    expect(isAlive(pid)).toBe(true);
  });

  it('never signals our own group, whoever asks', async () => {
    const { child, pid } = await group('echo up; sleep 50', false);
    const own = readProcess(process.pid)!.group;
    expect(readProcess(pid)?.group).toBe(own);
    expect((await endGroup(own, quick)).how).toBe('already-gone');
    killGroupNow({ group: own, leaderStart: null, mark: null });
    killGroupNow({ group: 1, leaderStart: null, mark: null });
    expect(isAlive(pid)).toBe(true);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  });

  it('kills whoever forks on TERM', async () => {
    const { pid } = await group(
      `trap 'sleep 50 & sleep 50 & wait' TERM; echo up; while true; do sleep 0.05; done`,
    );
    const report = await endGroup(pid, { ...quick, grace: msToNs(200) });
    expect(report.left).toEqual([]);
    expect(findMembers({ group: pid, leaderStart: null, mark: null })).toEqual([]);
  });
});

describe('the mark', () => {
  it('nests, so that the outer command still finds what the inner one started', () => {
    const outer = markedEnvironment({ A: '1', B: undefined });
    expect(outer.env).toEqual({ A: '1', TAILGATE_MARK: outer.mark });
    const inner = markedEnvironment(outer.env);
    expect(inner.env['TAILGATE_MARK']).toBe(`${outer.mark}:${inner.mark}`);
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandOptions, CommandResult } from '../../src/kernel/command.ts';
import { explain, runCommand } from '../../src/kernel/command.ts';
import { findMembers, readProcess } from '../../src/kernel/processes.ts';
import { bytes, msToNs, nsToMs, secondsToNs } from '../../src/kernel/units.ts';

let directory = '';
let groups: { group: number; leaderStart: number | null; mark: string }[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'command-'));
  groups = [];
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
  for (const group of groups) expect(findMembers(group)).toEqual([]);
});

function run(
  command: string | readonly string[],
  more: Partial<CommandOptions> = {},
): Promise<CommandResult> {
  return runCommand({
    command,
    cwd: directory,
    env: process.env,
    timeout: secondsToNs(20),
    onStart: (group) => groups.push(group),
    ...more,
  });
}

const node = (script: string): readonly string[] => [process.execPath, '-e', script];

describe('a command', () => {
  it('gives its exit code, its output and both streams in the tail', async () => {
    const result = await run('echo out; echo err >&2; exit 3');
    expect(result.exit).toEqual({ kind: 'exited', code: 3 });
    expect(result.stdout).toBe('out\n');
    expect(result.truncated).toBe(false);
    expect([...result.tail].sort()).toEqual(['err', 'out']);
    expect(result.duration).toBeGreaterThan(0);
  });

  it('as a string is run by the shell, as a list without one', async () => {
    expect((await run('echo "$HOME" | tr a-z A-Z', { env: { ...process.env, HOME: '/abc' } })).stdout).toBe(
      '/ABC\n',
    );
    expect((await run(['echo', '$HOME; |'])).stdout).toBe('$HOME; |\n');
  });

  it('sees only the environment it was given, without undefined values', async () => {
    const result = await run([process.execPath, '-p', 'Object.keys(process.env).sort().join()'], {
      env: { ONE: '1', NONE: undefined },
    });
    expect(result.stdout.trim()).toBe('ONE,TAILGATE_MARK');
  });

  it('that a signal ends says which', async () => {
    expect((await run('kill -USR1 $$')).exit).toEqual({ kind: 'signalled', signal: 'SIGUSR1' });
  });

  it('that does not exist is named, and so is a directory that does not', async () => {
    const program = await run(['no-such-program-here']);
    expect(program.exit).toEqual({ kind: 'not-found', message: 'no-such-program-here was not found' });
    const place = await run('true', { cwd: join(directory, 'nowhere') });
    expect(place.exit.kind).toBe('not-found');
    expect(JSON.stringify(place.exit)).toContain('nowhere does not exist');
    expect((await run([])).exit).toEqual({ kind: 'not-found', message: 'the command is empty' });
  });

  it('hands over lines of both streams as they come, cut at line ends and clamped', async () => {
    const lines: string[] = [];
    await run(
      node(
        `process.stdout.write('grün\\r\\nx'); process.stdout.write('y'.repeat(5000) + '\\n'); process.stderr.write('open')`,
      ),
      { onLine: (line) => lines.push(line) },
    );
    expect(lines).toContain('grün');
    expect(lines).toContain('open');
    const long = lines.find((line) => line.startsWith('xy'));
    expect(long?.length).toBe(2001);
    expect(long?.endsWith('…')).toBe(true);
  });

  it('that floods its output is drained: the end is in the tail, the beginning in the capture', async () => {
    const result = await run(
      node(`const line = 'a'.repeat(99) + '\\n'; const block = line.repeat(1000);
        let left = 200; const write = () => { while (left-- > 0) if (!process.stdout.write(block)) return process.stdout.once('drain', write); process.stdout.write('the end\\n') }; write();`),
      { captureLimit: bytes(1000), tailLines: 5 },
    );
    expect(result.exit).toEqual({ kind: 'exited', code: 0 });
    expect(result.stdout.length).toBe(1000);
    expect(result.truncated).toBe(true);
    expect(result.tail.length).toBe(5);
    expect(result.tail.at(-1)).toBe('the end');
    expect(result.tail[0]).toBe('a'.repeat(99));
  });
});

describe('ending a command', () => {
  it('past its time-out ends it with its children', async () => {
    const result = await run('sleep 60 & echo $! > child; sleep 60', { timeout: msToNs(300) });
    expect(result.exit).toEqual({ kind: 'timed-out' });
    expect(nsToMs(result.duration)).toBeLessThan(5000);
    const child = Number(readFileSync(join(directory, 'child'), 'utf8'));
    expect(readProcess(child)?.zombie ?? true).toBe(true);
  });

  it('that ignores TERM is killed after the grace', async () => {
    const result = await run(`trap '' TERM; echo ready; while true; do sleep 0.05; done`, {
      timeout: msToNs(400),
      grace: msToNs(300),
    });
    expect(result.exit).toEqual({ kind: 'timed-out' });
    expect(nsToMs(result.duration)).toBeGreaterThanOrEqual(690);
  });

  it('by a signal given as an argument says cancelled, also when it came before the start', async () => {
    const controller = new AbortController();
    const result = await run('echo begun; sleep 60', {
      signal: controller.signal,
      onLine: () => controller.abort(),
    });
    expect(result.exit).toEqual({ kind: 'cancelled' });
    expect(result.tail).toEqual(['begun']);
    expect((await run('echo never', { signal: controller.signal })).stdout).toBe('');
  });

  it('also ends what it left running behind it, without waiting for the open output', async () => {
    const result = await run('sleep 60 & exit 0');
    expect(result.exit).toEqual({ kind: 'exited', code: 0 });
    expect(nsToMs(result.duration)).toBeLessThan(4000);
  });

  it('finds a daemon in a session of its own by its mark', async () => {
    const result = await run('setsid sleep 60 >/dev/null 2>&1 < /dev/null & echo $!; sleep 0.2');
    expect(result.exit).toEqual({ kind: 'exited', code: 0 });
    const daemon = Number(result.stdout);
    expect(daemon).toBeGreaterThan(1);
    expect(readProcess(daemon)?.zombie ?? true).toBe(true);
  });

  it('whose time-out is longer than a timer can be still waits', async () => {
    expect((await run('sleep 0.1; echo late', { timeout: secondsToNs(1e8) })).stdout).toBe('late\n');
  });
});

describe('a machine that has too little of something', () => {
  it.each([
    ['EMFILE', /^git could not be started: too many files are open \(EMFILE\); raise .*ulimit -n/],
    ['EAGAIN', /too many processes \(EAGAIN\); .*ulimit -u/],
    ['ENOMEM', /too little memory/],
  ])('is told of %s with the way out', (code, sentence) => {
    const error = Object.assign(new Error(`spawn git ${code}`), { code });
    expect(explain(error, { command: ['git', 'log'], cwd: directory })).toMatch(sentence);
  });

  it('is told apart from a program that does not exist', async () => {
    const env = { ...process.env, LONG: 'x'.repeat(4_000_000) };
    expect((await run(['true'], { env })).exit).toMatchObject({
      kind: 'not-found',
      message: expect.stringContaining('longer than this system takes (E2BIG)'),
      shortage: true,
    });
    const { exit } = await run(['no-such-program-here']);
    expect(exit).toEqual({ kind: 'not-found', message: 'no-such-program-here was not found' });
  });
});

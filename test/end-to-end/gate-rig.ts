/** A temporary repository with a service on both sides, and the real bundle run on it as a process. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const bundle = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/**
 * A plan of a few seconds: p90 of short slices, seven rounds, nothing confirmed. So few requests on a shared machine
 * tell little about latency: only CPU is judged narrowly.
 */
export const tinyPlan = `
rate: 1000
slices: 4
slice-requests: 50
rounds: { aim: 7, least: 7, most: 7 }
warm-up: { requests: 200, rate: 2000 }
confirm: false
time-budget: 2m
judge:
  p50: { min: 100%, detect: 900% }
  p99: { min: 400%, detect: 5000% }
  cpu: { min: 10%, detect: 50% }
  cpu-total: { min: 15%, detect: 100% }
  tail: { min: 60 points }
`;

/** A service that spins for some microseconds a request. */
export const service = (microseconds: number, more = ''): string => `
import { createServer } from 'node:http';
import { appendFileSync } from 'node:fs';
const pids = process.env.PIDS;
if (pids) appendFileSync(pids, process.pid + '\\n');
${more}
createServer((request, response) => {
  const until = process.hrtime.bigint() + ${microseconds}000n;
  while (process.hrtime.bigint() < until);
  response.end('ok');
}).listen(Number(process.env.PORT), globalThis.host ?? '127.0.0.1');
`;

export interface Sides {
  readonly baseline: Readonly<Record<string, string>>;
  readonly candidate: Readonly<Record<string, string>>;
}

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly seconds: number;
}

export class Rig implements Disposable {
  readonly parent = mkdtempSync(join(tmpdir(), 'rig-'));
  readonly repository = join(this.parent, 'project');
  /** Every temporary file of a run goes here, so that what is left can be seen. */
  readonly temporary = join(this.parent, 'tmp');
  readonly pidFile = join(this.parent, 'pids');
  readonly #started: ChildProcess[] = [];
  #disposed = false;

  constructor(sides: Sides) {
    // A test that runs into its time-out never comes to the end of its block.
    onTestFinished(() => this[Symbol.dispose]());
    mkdirSync(this.temporary);
    mkdirSync(this.repository);
    this.git('init', '--quiet', '--initial-branch=main');
    this.commit(sides.baseline);
    this.git('checkout', '--quiet', '-b', 'candidate');
    this.commit(sides.candidate);
  }

  git(...args: string[]): string {
    const own = ['-c', 'user.name=Rig', '-c', 'user.email=rig@example.invalid', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...own, ...args], { cwd: this.repository, encoding: 'utf8' });
  }

  commit(files: Readonly<Record<string, string>>): void {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.repository, name), content);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'Change');
  }

  start(...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [bundle, ...args], {
      cwd: this.repository,
      env: { ...process.env, TMPDIR: this.temporary, PIDS: this.pidFile },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, as a terminal gives every command.
      detached: true,
    });
    this.#started.push(child);
    return child;
  }

  run(...args: string[]): Promise<Run> {
    const began = performance.now();
    const child = this.start(...args);
    let out = '';
    let err = '';
    child.stdout!.on('data', (data) => {
      out += data;
    });
    child.stderr!.on('data', (data) => {
      err += data;
    });
    return new Promise((resolve) => {
      child.once('close', (code) => resolve({ code, out, err, seconds: (performance.now() - began) / 1000 }));
    });
  }

  read<Content>(name: string): Content {
    return JSON.parse(readFileSync(join(this.repository, name), 'utf8')) as Content;
  }

  /** How many processes have written their id down. */
  servicesStarted(): number {
    return this.#writtenPids().length;
  }

  #writtenPids(): readonly string[] {
    try {
      return readFileSync(this.pidFile, 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  }

  /** Process ids that services wrote down and that still run, worktrees beside the main one, and temporary files. */
  leftovers(): { pids: number[]; worktrees: number; files: string[] } {
    const pids = [...this.#writtenPids()].map(Number).filter((pid) => {
      try {
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      } catch {
        return false;
      }
    });
    const worktrees = this.git('worktree', 'list').trim().split('\n').length - 1;
    return {
      pids,
      worktrees,
      files: readdirSync(this.temporary).filter((name) => name.startsWith('tailgate')),
    };
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    // A test that failed may have left the command itself running; what it started comes after it.
    for (const child of this.#started) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    }
    for (const pid of this.leftovers().pids) process.kill(pid, 'SIGKILL');
    rmSync(this.parent, { recursive: true, force: true });
  }
}

export const nothing = { pids: [], worktrees: 0, files: [] };

// Runs the product's own command line as a process, bounded, and leaves nothing of it behind.
import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bundle = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
/** For an orderly end: services get their signal and grace, worktrees are removed. */
const graceMs = 20_000;
const tailLines = 40;

/**
 * One command to its end. The signal, or `limitMs`, asks it to end as Ctrl-C would.
 * @returns `{ code, seconds, out, tail }`, `tail` being the last lines of standard error, `code` null when it was killed.
 */
export function tailgate(args, { folder, temporary, limitMs, signal }) {
  const began = performance.now();
  const child = spawn(process.execPath, [bundle, ...args], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C reaches this process alone, which passes it on once.
    detached: true,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out = (out + data).slice(-100_000);
  });
  child.stderr.on('data', (data) => {
    err = (err + data).slice(-100_000);
  });
  let force;
  const end = () => {
    child.kill('SIGTERM');
    force ??= setTimeout(() => killBelow(child.pid, temporary), graceMs);
  };
  const limit = setTimeout(end, limitMs);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(limit);
      clearTimeout(force);
      signal.removeEventListener('abort', end);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (code) => {
      settle();
      const tail = err.trim().split('\n').slice(-tailLines);
      resolve({ code, seconds: (performance.now() - began) / 1000, out, tail });
    });
  });
}

/** The command's own group, and whatever works in a folder that only this run uses. */
function killBelow(pid, temporary) {
  const kill = (target) => {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  kill(-pid);
  for (const entry of process.platform === 'linux' ? readdirSync('/proc') : []) {
    if (/^\d+$/.test(entry) && worksIn(entry).startsWith(`${temporary}/`)) kill(Number(entry));
  }
}

function worksIn(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

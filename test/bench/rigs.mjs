// What the benches share: the responder's process, pinning, runs of `tailgate load`, and figures from arrival times.
import { execFile, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const cli = here('../../dist/cli.js');
const lots = { maxBuffer: 64 * 1024 * 1024 };

/** With two cores or more and `taskset`, generators get the first and the responder the second. */
export const pinned = cpus().length >= 2 && spawnSync('taskset', ['--version']).status === 0;
export const onCore = (core, command) => (pinned ? ['taskset', '-c', String(core), ...command] : command);

export async function startResponder({ pin = pinned } = {}) {
  const child = fork(here('responder.mjs'), [], { serialization: 'advanced' });
  const [{ port }] = await once(child, 'message');
  if (pin) spawnSync('taskset', ['-a', '-c', '-p', '1', String(child.pid)]);
  return {
    url: `http://127.0.0.1:${port}/`,
    /** When requests came since the last call, in ns. */
    async arrivals() {
      child.send('take');
      const [{ came }] = await once(child, 'message');
      return came;
    },
    /** Nothing is answered for `length` ms, from `after` ms after the next request on. */
    freeze(after, length) {
      child.send({ after, length });
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** One run of the built command line; its JSON. Exit code 3 (unsound) is a result, too. */
export async function load(url, rate, duration, { pin = true, flags = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  const file = join(folder, 'load.json');
  const bare = [
    process.execPath,
    cli,
    'load',
    url,
    '--rate',
    String(rate),
    '--duration',
    duration,
    '--json',
    file,
    ...flags,
  ];
  const [command, ...rest] = pin ? onCore(0, bare) : bare;
  try {
    await run(command, rest, lots).catch((problem) => {
      if (problem.code !== 3) throw problem;
    });
    return JSON.parse(await readFile(file, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function autocannon(url, rate, seconds) {
  const [command, ...rest] = onCore(0, [
    process.execPath,
    here('autocannon.mjs'),
    url,
    String(rate),
    String(seconds),
  ]);
  const { stdout } = await run(command, rest, lots);
  return JSON.parse(stdout);
}

/**
 * Evenness of a constant-rate run as the responder saw it: the coefficient of variation of the gaps, and how far
 * behind the best even grid the requests came. Socket openings and the first tenth are left out.
 */
export function evenness(came, rate) {
  const times = came.slice(Math.floor(came.length * 0.1)).sort();
  const gaps = times.subarray(1).map((at, index) => at - times[index]);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
  const step = 1e9 / rate;
  const behind = times.map((at, index) => at - times[0] - index * step).sort();
  const earliest = behind[Math.floor(behind.length * 0.01)];
  const at = (share) => (behind[Math.floor(behind.length * share)] - earliest) / 1e6;
  return { gapCv: deviation / mean, offGridMs: { p50: at(0.5), p90: at(0.9), p99: at(0.99) } };
}

/** One line of figures; numbers with sensible digits. */
export function row(name, figures) {
  const shown = Object.entries(figures).map(
    ([key, value]) => `${key} ${typeof value === 'number' ? short(value) : value}`,
  );
  console.log(`  ${name.padEnd(22)}${shown.join('   ')}`);
}

/** A target of the project beside what was measured. */
export function target(what, measured, reached) {
  console.log(
    `    ${reached ? 'reached' : 'MISSED '}  ${what}: ${typeof measured === 'number' ? short(measured) : measured}`,
  );
}

const short = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

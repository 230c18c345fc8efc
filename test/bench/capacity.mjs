// The reference services through ramp, sweep and the load models: what is said of each, beside what is known.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadModels, sweep } from './load-models.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const sources = fileURLToPath(new URL('../capacity/services/', import.meta.url));
const services = {
  'cpu-and-wait': { start: 'node', args: ['--objective', '50ms', '--from', '200'] },
  collapses: { start: 'node', args: ['--objective', '60ms', '--from', '100'] },
  'never-recovers': {
    start: 'node',
    args: ['--objective', '60ms', '--from', '100', '--recovery-limit', '10s'],
  },
  leaks: { start: 'node --max-old-space-size=128', args: ['--objective', '200ms', '--from', '100'] },
  'rejects-fast': { start: 'node', args: ['--objective', '60ms', '--from', '100'] },
};

/** What a request of the candidate costs, where the baseline's costs 1 ms of the thread. */
const candidates = { unchanged: 1, 'a quarter more work': 1.25 };

const parts = { pairs, ramps, sweep, models: loadModels };
export const capacityOptions = { only: { type: 'string' } };

export async function capacity({ only }) {
  const names = only?.split(',') ?? Object.keys(parts);
  const unknown = names.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0)
    throw new Error(`--only ${unknown.join(',')}: capacity has ${Object.keys(parts).join(', ')}`);
  for (const name of names) await parts[name]();
}

function pairs() {
  for (const [name, busy] of Object.entries(candidates)) inFolder((folder) => pair(folder, name, busy));
}

function ramps() {
  for (const [name, { start, args }] of Object.entries(services)) {
    const result = inFolder((folder) => ramp(folder, name, start, args));
    if (name === 'cpu-and-wait') compare(result);
  }
}

function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-capacity-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pair(folder, name, busy) {
  const git = repository(folder, 'cpu-and-wait', 'node');
  git('checkout', '--quiet', '-b', 'candidate');
  const file = join(folder, 'cpu-and-wait.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace('busy(1)', `busy(${busy})`));
  git('commit', '--quiet', '--allow-empty', '--all', '--message', name);
  const words = [
    'ramp',
    '--config',
    'tailgate.yml',
    '--baseline',
    'main',
    '--objective',
    '100ms',
    '--from',
    '600',
  ];
  console.log(`\n${name}: tailgate ${words.join(' ')}`);
  const began = performance.now();
  const { stdout, status } = spawnSync(process.execPath, [cli, ...words], { cwd: folder, encoding: 'utf8' });
  console.log(`exit code ${status} after ${((performance.now() - began) / 1000).toFixed(0)} s\n${stdout}`);
}

/** A repository of one commit with a service of known behaviour. @returns git in it. */
function repository(folder, name, start) {
  for (const file of ['serve', name]) copyFileSync(join(sources, `${file}.mjs`), join(folder, `${file}.mjs`));
  writeFileSync(join(folder, 'tailgate.yml'), `start: exec ${start} ${name}.mjs\n`);
  const own = [
    '-c',
    'user.name=Bench',
    '-c',
    'user.email=bench@example.invalid',
    '-c',
    'commit.gpgsign=false',
  ];
  const git = (...words) => execFileSync('git', [...own, ...words], { cwd: folder });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Service');
  return git;
}

function ramp(folder, name, start, args) {
  repository(folder, name, start);
  const json = join(folder, 'ramp.json');
  const words = ['ramp', '--config', 'tailgate.yml', '--to-failure', ...args, '--json', json];
  console.log(`\n${name}: tailgate ${words.slice(0, -2).join(' ')}`);
  const { stdout, status } = spawnSync(process.execPath, [cli, ...words], { cwd: folder, encoding: 'utf8' });
  console.log(`exit code ${status}\n${stdout}`);
  return JSON.parse(readFileSync(json, 'utf8'));
}

/** One thread: its ceiling is what its CPU time a request allows where it does nothing but work. */
function compare({ steps, knee, plateauMs }) {
  if (knee === null) {
    console.log('no knee was found, so there is nothing to hold against the CPU ceiling');
    return;
  }
  const known = steps.filter((step) => step.cpu?.perRequestMs);
  const full = known.filter((step) => step.cpu.cores >= 0.9);
  if (full.length === 0) {
    const most = known.length === 0 ? 'none was read' : Math.max(...known.map((step) => step.cpu.cores));
    console.log(
      `knee ${knee}/s; its CPU ceiling is not known: no step kept 0.9 of a core busy (most: ${most}), something else had the CPU`,
    );
  } else {
    const costs = full.map((step) => step.cpu.perRequestMs).sort((a, b) => a - b);
    const cpuCeiling = 1000 / costs[(costs.length - 1) >> 1];
    console.log(
      `knee ${knee}/s ÷ CPU ceiling ${cpuCeiling.toFixed(0)}/s = ${(knee / cpuCeiling).toFixed(2)} (wanted 0.8 to 1.0)`,
    );
  }
  const beyond = steps.filter((step) => step.rate >= 1.28 * knee).sort((a, b) => a.rate - b.rate)[0];
  if (beyond === undefined) {
    console.log('no step at 1.28× the knee or more was measured');
    return;
  }
  const times = beyond.successTimeMs.p50 / plateauMs;
  console.log(
    `p50 at ${(beyond.rate / knee).toFixed(2)}× the knee: ${times.toFixed(0)}× the plateau (wanted 20 or more)`,
  );
}

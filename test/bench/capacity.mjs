// The reference services through `tailgate ramp`: what it says of each, and how its knee stands to what is known.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const services = fileURLToPath(new URL('../capacity/services/', import.meta.url));
const ramps = {
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
const pairs = { unchanged: 1, 'a quarter more work': 1.25 };

export function capacity() {
  for (const [name, busy] of Object.entries(pairs)) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-capacity-'));
    try {
      pair(folder, name, busy);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  for (const [name, { start, args }] of Object.entries(ramps)) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-capacity-'));
    try {
      const result = ramp(folder, name, start, args);
      if (name === 'cpu-and-wait') compare(result);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
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
  for (const file of ['serve', name])
    copyFileSync(join(services, `${file}.mjs`), join(folder, `${file}.mjs`));
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
  const full = steps.filter((step) => step.cpu?.perRequestMs && step.cpu.cores >= 0.9);
  const costs = full.map((step) => step.cpu.perRequestMs).sort((a, b) => a - b);
  const cpuCeiling = 1000 / costs[(costs.length - 1) >> 1];
  console.log(
    `knee ${knee}/s ÷ CPU ceiling ${cpuCeiling.toFixed(0)}/s = ${(knee / cpuCeiling).toFixed(2)} (wanted 0.8 to 1.0)`,
  );
  const beyond = steps.filter((step) => step.rate >= 1.28 * knee).sort((a, b) => a.rate - b.rate)[0];
  if (beyond === undefined) return;
  const times = beyond.successTimeMs.p50 / plateauMs;
  console.log(
    `p50 at ${(beyond.rate / knee).toFixed(2)}× the knee: ${times.toFixed(0)}× the plateau (wanted 20 or more)`,
  );
}

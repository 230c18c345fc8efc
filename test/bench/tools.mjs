// Load generators beside ours, each as its users call it: how it is started at a fixed rate, and how its p99 is read.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const run = promisify(execFile);
const loadtestVersion = '8.2.1';

const isThere = (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const number = (text, pattern) => {
  const found = pattern.exec(text);
  return found === null ? null : Number(found[1]);
};
const scale = { us: 1e-3, µs: 1e-3, ms: 1, s: 1e3 };

/** loadtest pulls in old packages, so it is no dependency of the project: it is installed for the length of a bench. */
async function installLoadtest() {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-peers-'));
  const flags = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--no-package-lock',
    '--omit=optional',
  ];
  try {
    await run('npm', ['install', '--prefix', folder, ...flags, `loadtest@${loadtestVersion}`]);
  } catch (problem) {
    rmSync(folder, { recursive: true, force: true });
    console.log(`  loadtest is left out: ${String(problem.message).split('\n')[0]}`);
    return null;
  }
  return { folder, bin: join(folder, 'node_modules/loadtest/bin/loadtest.js') };
}

/**
 * Every generator that is there.
 * @returns tools with `command(url, rate, seconds)` and `p99(output)` in ms, and `remove()` for what was installed.
 */
export async function findTools() {
  const loadtest = await installLoadtest();
  const tools = [
    {
      name: 'tailgate',
      fixedRate: true,
      command: (url, rate, seconds) => [
        ...[process.execPath, here('../../dist/cli.js'), 'load', url],
        ...['--rate', String(rate), '--duration', `${seconds}s`],
      ],
      p99: (output) => durationIn(output, /^ {2}p99 +([\d.]+) (µs|ms|s)\b/m),
    },
    {
      name: 'autocannon',
      fixedRate: true,
      command: (url, rate, seconds) => [
        process.execPath,
        here('autocannon.mjs'),
        url,
        String(rate),
        String(seconds),
      ],
      p99: (output) => number(output, /"p99":([\d.]+)/),
    },
  ];
  if (loadtest !== null) {
    tools.push({
      name: 'loadtest',
      fixedRate: true,
      command: (url, rate, seconds) => [
        ...[process.execPath, loadtest.bin, '--rps', String(rate), '-c', '10', '-k', '--cores', '1'],
        ...['-t', String(seconds), url],
      ],
      p99: (output) => number(output, /99%\s+(\d+(?:\.\d+)?) ms/),
    });
  }
  if (isThere('wrk2')) {
    tools.push({
      name: 'wrk2',
      fixedRate: true,
      command: (url, rate, seconds) => ['wrk2', '-t1', '-c8', `-R${rate}`, `-d${seconds}s`, '--latency', url],
      p99: wrkP99,
    });
  }
  if (isThere('hey')) {
    // Its rate is one of each worker.
    tools.push({
      name: 'hey',
      fixedRate: true,
      command: (url, rate, seconds) => ['hey', '-z', `${seconds}s`, '-c', '10', '-q', String(rate / 10), url],
      p99: (output) => {
        const seconds = number(output, /99%%? in ([\d.]+) secs/);
        return seconds === null ? null : seconds * 1e3;
      },
    });
  }
  if (isThere('wrk')) {
    tools.push({
      name: 'wrk (no rate)',
      fixedRate: false,
      command: (url, _, seconds) => ['wrk', '-t1', '-c10', `-d${seconds}s`, '--latency', url],
      p99: wrkP99,
    });
  }
  return {
    tools,
    remove: () => loadtest !== null && rmSync(loadtest.folder, { recursive: true, force: true }),
  };
}

const wrkP99 = (output) => durationIn(output, /99(?:\.000)?% +([\d.]+)(us|ms|s)\b/);

/** A figure and its unit, in ms. */
function durationIn(output, pattern) {
  const found = pattern.exec(output);
  return found === null ? null : Number(found[1]) * scale[found[2]];
}

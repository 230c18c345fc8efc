// The tables of docs/load-models.md: a sweep with and without a time-out, and one freeze through three load models.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Levels of a closed loop at a service that admits 8 at a time, 40 to 48 ms each. */
export async function sweep() {
  const plain = await swept([]);
  const hasty = await swept(['--timeout', '150ms']);
  table(
    [
      'concurrency',
      'QPS',
      'p50 ms',
      'p95 ms',
      'errors',
      'X·R',
      'with 150 ms: attempted',
      'successful',
      'errors',
    ],
    plain.levels.map((level, index) => {
      const { attemptedQps, successfulQps, errorRate } = hasty.levels[index];
      return [
        level.concurrency,
        short(level.successfulQps),
        short(level.p50Ms),
        short(level.p95Ms),
        percent(level.errorRate),
        level.littlesLaw.inFlight.toFixed(1),
        short(attemptedQps),
        short(successfulQps),
        percent(errorRate),
      ];
    }),
  );
  const { kneeBetween, limit, theory, noise } = plain;
  if (noise.tooNoisy) console.log('too noisy: what follows is of repeats that lie too far apart');
  const where = kneeBetween === null ? 'not reached' : `between ${kneeBetween.join(' and ')}`;
  const value = limit.value === undefined ? '' : ` ${limit.value.toFixed(2)}`;
  console.log(`knee ${where} (wanted 5 and 10); limit ${limit.kind}${value} (wanted 8 ± 1)`);
  if (theory !== null)
    console.log(`theory ${short(theory.qps)}/s; the best level is ${percent(theory.share)} of it`);
  const [attempted, successful] = [hasty.levels.at(-1).attemptedQps, hasty.levels.at(-1).successfulQps];
  const plateau = plain.levels.at(-1).successfulQps;
  console.log(
    `time-out at the highest level: attempted ${(attempted / plateau).toFixed(2)}× the plateau (wanted above 1), successful ${(successful / plateau).toFixed(2)}× (wanted below 0.25)`,
  );
}

const swept = (flags) =>
  against('admission', ['sweep', '--levels', '5,10,20,40', '--requests', '400', ...flags]);

const models = {
  'closed, 10 workers': ['--model', 'closed', '--concurrency', '10'],
  'closed-intended, 10 workers, 500/s': [
    '--model',
    'closed-intended',
    '--concurrency',
    '10',
    '--rate',
    '500',
  ],
  'open, 500/s': ['--model', 'open', '--rate', '500'],
};

/** One thread, 1 ms of CPU and 10 ms of waiting a request, stopped for a second in the middle of six. */
export async function loadModels() {
  const rows = [];
  for (const [name, flags] of Object.entries(models)) {
    const words = ['load', ...flags, '--duration', '6s', '--timeout', '10s'];
    let stoodStill = 0;
    const run = await against('cpu-and-wait', words, async (service) => {
      await once(service.stdout, 'data');
      await sleep(2800);
      const from = performance.now();
      service.kill('SIGSTOP');
      await sleep(1000);
      service.kill('SIGCONT');
      stoodStill = performance.now() - from;
    });
    const { p50, p99, max } = run.responseTimeMs;
    const sent = run.sent ?? run.scheduled - run.dropped;
    const planned = run.planned ?? run.scheduled;
    rows.push([name, `${sent} of ${planned}`, ...[p50, p99, max, stoodStill].map(short)]);
  }
  table(['model', 'sent', 'p50 ms', 'p99 ms', 'longest ms', 'stood still ms'], rows);
}

/** Has a service say when load has begun: sockets are opened with fewer requests. */
const saysWhenBusy = `
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
const channel = 'http.server.request.start';
let requests = 0;
function count() {
  if (++requests < 100) return;
  unsubscribe(channel, count);
  console.log('busy');
}
subscribe(channel, count);
`;

/** Runs a command at a service in a process of its own. @returns its JSON. Exit code 3 (unsound) is a result, too. */
async function against(name, [command, ...flags], meanwhile = async () => {}) {
  const file = fileURLToPath(new URL(`../capacity/services/${name}.mjs`, import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'bench-models-'));
  const preload = `data:text/javascript,${encodeURIComponent(saysWhenBusy)}`;
  const service = spawn(process.execPath, ['--import', preload, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(service, 'exit');
  try {
    const [port] = await once(service.stdout, 'data');
    const json = join(folder, 'result.json');
    const words = [command, `http://127.0.0.1:${String(port).trim()}/`, ...flags, '--json', json];
    console.log(`\n${name}: tailgate ${words.slice(0, -2).join(' ')}`);
    const running = new Promise((resolve, reject) => {
      execFile(process.execPath, [cli, ...words], (problem, stdout, stderr) => {
        if (problem !== null && problem.code !== 3) reject(new Error(stderr, { cause: problem }));
        else resolve(stdout);
      });
    });
    const [stdout] = await Promise.all([running, meanwhile(service)]);
    console.log(stdout);
    return JSON.parse(readFileSync(json, 'utf8'));
  } finally {
    service.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }
}

function table(heads, rows) {
  const line = (cells) => console.log(`| ${cells.join(' | ')} |`);
  line(heads);
  line(heads.map(() => '---'));
  rows.forEach(line);
}

const short = (value) =>
  value === null ? '–' : value === 0 ? '0' : value >= 100 ? value.toFixed(0) : value.toPrecision(3);
const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

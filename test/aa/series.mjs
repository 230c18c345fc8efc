// Runs the gates of a series one after another; each leaves its evidence and a line before the next one starts.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { costOfRequest } from './calibrate.mjs';
import { makeRepository, plantText } from './plant.mjs';

const root = new URL('../..', import.meta.url).pathname;
const cli = join(root, 'dist', 'cli.js');
/** Gates that end without a verdict, one after the other, before a series gives up. */
const mostErrors = 3;

/** Tolerances that no early look can meet, so that every planned round is measured; `min`, which flags, is the default. */
const neverEarly = `judge:
  p50: { min: 5%, detect: 5.01% }
  p99: { min: 5%, detect: 5.01% }
  cpu: { min: 2%, detect: 2.01% }
  cpu-total: { min: 3%, detect: 3.01% }
`;

const plain = (rate) => `start: node server.mjs\nrate: ${rate}\ncomment: never\n`;

/** Runs until the series has `options.jobs` jobs. @returns the exit code: 0, 130 after a signal, 1 after too many errors. */
export async function runSeries(options, product) {
  const stopping = new AbortController();
  let gate = null;
  let stoppedAt = Number.NEGATIVE_INFINITY;
  const stop = (signal) => {
    // npm passes on the Ctrl-C that the terminal has already sent to us.
    if (performance.now() - stoppedAt < 1000) return;
    stoppedAt = performance.now();
    console.error(`${signal}: ending the running gate …`);
    // The gate ends what it has started by itself; told twice, it does so at once.
    gate?.kill('SIGINT');
    stopping.abort(new Error(`stopped by ${signal}`));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, stop);
  const scratch = mkdtempSync(join(tmpdir(), 'tailgate-aa-run-'));
  try {
    const series = await openSeries(options, scratch, stopping.signal);
    const lines = readLines(options.out);
    console.log(`series in ${options.out}: ${lines.length} of ${options.jobs} jobs are there`);
    let errors = 0;
    for (let job = (lines.at(-1)?.job ?? 0) + 1; job <= options.jobs; job++) {
      const line = await runJob({
        job,
        series,
        options,
        scratch,
        product,
        started: (child) => {
          gate = child;
        },
      });
      // A gate that was cut short by us is no job of the series.
      stopping.signal.throwIfAborted();
      appendFileSync(join(options.out, 'jobs.jsonl'), `${JSON.stringify(line)}\n`);
      console.log(lineText(line, options.jobs));
      errors = line.outcome === 'error' ? errors + 1 : 0;
      if (line.exitCode === 2 || errors === mostErrors) {
        console.error(`the series ends here: ${line.reason}`);
        return 1;
      }
    }
    return 0;
  } catch (problem) {
    if (!stopping.signal.aborted) throw problem;
    console.error(`stopped; go on with: npm run aa -- --resume --jobs ${options.jobs} --out ${options.out}`);
    return 130;
  } finally {
    for (const signal of signals) process.off(signal, stop);
    if (gate !== null && gate.exitCode === null && gate.signalCode === null) gate.kill('SIGTERM');
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The settings of a series are written once and read by every piece of it. */
async function openSeries(options, scratch, signal) {
  const file = join(options.out, 'series.json');
  if (options.resume) {
    if (!existsSync(file))
      throw new Error(`${options.out} holds no series to resume: series.json is missing`);
    const series = JSON.parse(readFileSync(file, 'utf8'));
    const now = bundleHash();
    if (series.bundle !== now) {
      throw new Error(
        `the series was begun with the bundle ${series.bundle}, dist/cli.js is now ${now}: check out commit ${series.commit}, or begin another series`,
      );
    }
    return series;
  }
  mkdirSync(options.out, { recursive: true });
  if (readdirSync(options.out).length > 0) {
    throw new Error(`${options.out} is not empty: give --resume to go on with its series, or another --out`);
  }
  const config =
    options.config === null
      ? `${plain(options.rate)}${options.full ? neverEarly : ''}`
      : readFileSync(options.config, 'utf8');
  const plant = options.slow === null ? null : await measured(options, scratch, signal);
  const series = {
    createdAt: new Date().toISOString(),
    commit: commitOf(),
    bundle: bundleHash(),
    timeBudget: options.timeBudget,
    full: options.full,
    slow: plant === null ? null : { asked: plant.asked, planted: plantText(plant), plant },
    config,
    // What the verdict is made with: in a full series the defaults, not what keeps the gate measuring.
    tolerances: options.full ? plain(options.rate) : config,
  };
  writeFileSync(file, `${JSON.stringify(series, null, 2)}\n`);
  return series;
}

/** A share of CPU becomes microseconds, measured once before the series. */
async function measured(options, scratch, signal) {
  if (options.slow.kind !== 'cpu-share') return options.slow;
  const repository = join(scratch, 'calibration');
  makeRepository({ cli, folder: repository, plant: null });
  const cost = await costOfRequest({ cli, repository, rate: options.rate, scratch, signal });
  return { ...options.slow, kind: 'cpu', microseconds: options.slow.share * cost, costMicroseconds: cost };
}

async function runJob({ job, series, options, scratch, product, started }) {
  const name = `job-${String(job).padStart(3, '0')}`;
  const place = join(scratch, name);
  // Everything that the gate puts into a temporary folder goes with the place.
  const temporary = join(place, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const repository = join(place, 'catalogue');
  makeRepository({ cli, folder: repository, plant: series.slow?.plant ?? null });
  const config = join(place, 'aa.yml');
  writeFileSync(config, series.config);
  const [verdictFile, evidenceFile] = [join(place, 'verdict.json'), join(place, 'evidence.json')];
  const command = ['gate', '--baseline', 'main', '--config', config, '--time-budget', series.timeBudget];
  const log = createWriteStream(join(options.out, `${name}.txt`));
  const [startedAt, load] = [new Date(), loadavg()[0]];
  // A group of its own: a Ctrl-C at the terminal reaches the gate once, through us.
  const child = spawn(
    process.execPath,
    [cli, ...command, '--json', verdictFile, '--evidence', evidenceFile],
    {
      cwd: repository,
      detached: true,
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  started(child);
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      log.write(data);
      tail = `${tail}${data}`.slice(-2000);
    });
  }
  const exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  await new Promise((resolve) => log.end(resolve));
  const base = {
    job,
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    load,
  };
  const line = { ...base, ...withoutEvidence(exitCode, verdictFile, tail) };
  if (!existsSync(evidenceFile)) return done(line, place);
  const source = readFileSync(evidenceFile, 'utf8');
  writeFileSync(join(options.out, `${name}.json.gz`), gzipSync(source));
  const found = product.lineFromEvidence(source, product.judgeOf(series.tolerances));
  // A service that failed half-way left evidence, but its verdict is not in it.
  const verdict = line.outcome === 'service-failed' || line.outcome === 'error' ? line : found;
  return done(
    {
      ...line,
      ...found,
      outcome: verdict.outcome,
      exitCode: verdict.exitCode,
      reason: verdict.reason,
      evidence: `${name}.json.gz`,
    },
    place,
  );
}

function done(line, place) {
  rmSync(place, { recursive: true, force: true });
  return line;
}

function withoutEvidence(exitCode, verdictFile, tail) {
  const verdict = existsSync(verdictFile) ? JSON.parse(readFileSync(verdictFile, 'utf8')) : null;
  return {
    exitCode,
    outcome: verdict?.verdict ?? 'error',
    reason:
      verdict === null
        ? `the gate ended with exit code ${exitCode}: ${tail.trim().split('\n').slice(-2).join(' / ')}`
        : verdict.reason,
    rounds: { decided: 0, confirming: 0, run: 0 },
    slices: { measured: 0, rejected: 0 },
    seed: verdict?.seed ?? null,
    onTime: null,
    steal: null,
    pressure: null,
    rows: [],
    evidence: null,
  };
}

export function readLines(folder) {
  const file = join(folder, 'jobs.jsonl');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      try {
        return JSON.parse(line);
      } catch (cause) {
        throw new Error(
          `line ${index + 1} of ${file} is not whole JSON: take it out, and its job is run again`,
          { cause },
        );
      }
    });
}

function lineText(line, of) {
  const flagged = line.rows.filter((row) => row.flagged).map((row) => row.metric);
  const spread = (metric) => {
    const row = line.rows.find((one) => one.metric === metric);
    return row?.spread == null ? '–' : `±${(row.spread * 100).toFixed(1)} %`;
  };
  return (
    `job ${line.job} of ${of}: ${line.outcome} after ${line.rounds.decided} rounds (${line.rounds.run} run), ${line.seconds.toFixed(0)} s, ` +
    `spread p99 ${spread('p99')}, cpu ${spread('cpu')}${flagged.length > 0 ? `, flagged: ${flagged.join(', ')}` : ''}`
  );
}

const bundleHash = () => createHash('sha256').update(readFileSync(cli)).digest('hex').slice(0, 12);

function commitOf() {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

// The time of ten reference operations by our measurement, by mitata and by tinybench, in turns, each in a fresh process.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { oursIn } from './ours.mjs';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const others = ['mitata', 'mitata-kept', 'tinybench', 'tinybench-batched'];
/** Ratios this far from 1 or further are explained below the table; all others count as agreeing. */
const agrees = (ratio) => ratio > 1 / 1.1 && ratio < 1.1;

export const accuracyOptions = { rounds: { type: 'string', default: '3' }, only: { type: 'string' } };

export async function accuracy({ rounds, only }) {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-accuracy-'));
  const file = 'operations.bench.mjs';
  copyFileSync(here('operations.mjs'), join(folder, file));
  const ours = await oursIn(folder, file);
  try {
    const names = ours.names.filter((name) => only === undefined || only.split(',').includes(name));
    console.log(
      `accuracy: ${rounds} rounds, each tool in a fresh process, order drawn; mitata ${versionOf('mitata')}, tinybench ${versionOf('tinybench')}`,
    );
    const taken = new Map(names.map((name) => [name, []]));
    for (let round = 0; round < Number(rounds); round++) {
      for (const name of shuffle(names)) taken.get(name).push(await once(ours, join(folder, file), name));
    }
    table(taken);
  } finally {
    ours.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function once(ours, path, name) {
  const values = {};
  for (const tool of shuffle(['ours', ...others])) {
    values[tool] = tool === 'ours' ? await ours.round(name) : await other(tool, path, name);
  }
  return values;
}

/** @returns {Promise<{median: number, mean: number, low: number | null, high: number | null}>} ns an operation */
export async function other(tool, path, name) {
  // A collection before it measures is mitata's own wish; the others are started alike.
  const { stdout } = await run(process.execPath, ['--expose-gc', here('other-tool.mjs'), tool, path, name]);
  return JSON.parse(stdout);
}

function table(taken) {
  const line = (cells) =>
    console.log(
      `  ${cells[0].padEnd(18)}${cells
        .slice(1)
        .map((cell) => cell.padStart(21))
        .join('')}`,
    );
  console.log('  ns an operation: medians of the rounds; ratios: median [least, greatest] of the rounds');
  line(['', 'ours', ...others]);
  for (const [name, rounds] of taken) {
    const oursNow = rounds.map(({ ours }) => Math.sqrt(ours[0] * ours[1]));
    line([
      name,
      short(middle(oursNow)),
      ...others.map((tool) => short(middle(rounds.map((round) => round[tool].median)))),
    ]);
  }
  console.log('');
  line(['ours /', 'ours', ...others]);
  const far = [];
  for (const [name, rounds] of taken) {
    const ratios = others.map((tool) =>
      rounds.map(({ ours, ...by }) => Math.sqrt(ours[0] * ours[1]) / by[tool].median),
    );
    line([name, ...[rounds.map(({ ours }) => ours[1] / ours[0]), ...ratios].map(spread)]);
    if (ratios.some((one) => !agrees(middle(one)))) far.push(name);
  }
  console.log(`
  ours / ours: the second of two processes to the first, in turns: what a ratio of two equal things looks like.
  More than 10 % apart from one of them: ${far.join(', ') || 'none'}. Where that comes from:
  - mitata drops results, so that the engine takes out work that nothing reads (an empty function, an addition, a
    look-up); -kept is the same with its do_not_optimize. Ours and the batched loop keep every result in a field.
  - A few nanoseconds: no tool takes its own loop off, and the loops differ (mitata's has four calls a turn).
  - tinybench reads the clock before and after every single call, which is then part of the call: for quick operations
    it shows the clock. -batched is the same with many calls in each timed one.
  - Garbage: ours, the batched loops and mitata below 65 µs a call pay for the collections that a stretch of calls
    causes; the median of single calls leaves them out.`);
}

const spread = (ratios) =>
  `${middle(ratios).toFixed(2)} [${Math.min(...ratios).toFixed(2)}, ${Math.max(...ratios).toFixed(2)}]`;
const short = (value) => (value >= 1000 ? value.toFixed(0) : value.toPrecision(3));

export function middle(values) {
  const sorted = [...values].sort((one, another) => one - another);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

export function shuffle(values) {
  const all = [...values];
  for (let index = all.length - 1; index > 0; index--) {
    const to = Math.floor(Math.random() * (index + 1));
    [all[index], all[to]] = [all[to], all[index]];
  }
  return all;
}

const versionOf = (name) =>
  createRequire(import.meta.url)(here(`../../node_modules/${name}/package.json`)).version;

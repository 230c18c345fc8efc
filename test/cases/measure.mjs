// One row: its project, the gate on it, and what the gate said.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { observe } from './observe.mjs';
import { tailgate } from './processes.mjs';
import { writeProject } from './project.mjs';

const setupMs = 300_000;

/**
 * @param options `{ budget, out, signal }`: seconds at least, and the folder that keeps verdicts and evidence.
 * @returns what is stored: `{ id, at, seconds, budget, … }` and the observations.
 */
export async function measure(row, { budget, out, signal }) {
  const began = performance.now();
  const at = new Date().toISOString();
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'tailgate-case-')));
  try {
    const folder = join(parent, 'project');
    const temporary = join(parent, 'tmp');
    mkdirSync(temporary);
    writeProject(folder, row);
    const command = (args, limitMs) => tailgate(args, { folder, temporary, limitMs, signal });
    const enough = await enoughTime(budget, command);
    const [file, evidence] = ['gate', 'evidence'].map((name) =>
      join(out, `${fileName(row.id)}.${name}.json`),
    );
    rmSync(file, { force: true });
    rmSync(evidence, { force: true });
    const files = ['--json', file, '--evidence', evidence];
    const gate = await command(
      ['gate', '--baseline', 'main', '--time-budget', `${enough}s`, ...files],
      2000 * enough + setupMs,
    );
    const seconds = Math.round((performance.now() - began) / 1000);
    return { id: row.id, at, seconds, budget: enough, ...observe({ ...gate, json: readJson(file) }) };
  } finally {
    rmSync(parent, { recursive: true, force: true, maxRetries: 3 });
  }
}

export const fileName = (id) => id.replaceAll(/[^\w.-]/g, '_');

/** At low rates a round takes long: the budget that was asked for, or the shortest of whole tens that the planner takes. */
async function enoughTime(budget, command) {
  const refused = async (seconds) => {
    const run = await command(
      ['gate', '--baseline', 'main', '--time-budget', `${seconds}s`, '--dry-run'],
      setupMs,
    );
    const wanted = /wanted at least `time-budget: (\d+)(s|m)`/.exec(run.tail.join('\n'));
    return wanted === null ? null : Number(wanted[1]) * (wanted[2] === 'm' ? 60 : 1);
  };
  const least = await refused(budget);
  if (least === null) return budget;
  // The planner names whole minutes above two.
  for (let seconds = Math.max(budget, least - 50); seconds < least; seconds += 10) {
    if ((await refused(seconds)) === null) return seconds;
  }
  return least;
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

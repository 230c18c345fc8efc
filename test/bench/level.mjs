// How often one benchmark is called a regression when nothing changed and when it does 3, 5 and 10 % more work: by the
// whole of `tailgate bench`, and by one run a side of mitata and of tinybench under the rules in use with them.
// Long series are measured in pieces: --out DIR keeps every job, --resume adds to them.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { other, shuffle } from './accuracy.mjs';
import { interior } from './interior.mjs';
import { target } from './rigs.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const tools = ['mitata', 'tinybench'];

/** Benchmarks whose cost is their number of steps. */
const works = {
  arithmetic: (extra) => `
let seed = 1;
export function steps() {
  let value = seed;
  for (let index = 0; index < ${count(20_000, extra)}; index++) value = (value * 1103515245 + 12345) & 0x7fffffff;
  seed = value | 1;
  return typeof value;
}`,
  parsing: (extra) => `
const text = JSON.stringify({ id: 1, name: 'somebody', list: [1, 2, 3, 4], open: true });
export function steps() {
  let sum = 0;
  for (let index = 0; index < ${count(200, extra)}; index++) sum += JSON.parse(text).list.length;
  return typeof sum;
}`,
};
const count = (steps, extra) => Math.round(steps * (1 + extra));

export const levelOptions = {
  jobs: { type: 'string', default: '3' },
  effect: { type: 'string', default: '0,3,5,10' },
  work: { type: 'string', default: 'arithmetic' },
  out: { type: 'string' },
  resume: { type: 'boolean', default: false },
};

export async function level({ jobs, effect, work, out, resume }) {
  if (!Object.hasOwn(works, work))
    throw new Error(`--work ${work}: there are ${Object.keys(works).join(', ')}`);
  const effects = effect.split(',').map(Number);
  if (!effects.every((one) => one >= 0 && one <= 100))
    throw new Error(`--effect ${effect}: percents such as 0,3,5,10`);
  const wanted = Number(jobs);
  if (!Number.isInteger(wanted) || wanted < 0)
    throw new Error(`--jobs ${jobs}: a whole number of jobs an effect`);
  const store = openStore(out ?? null, resume, work);
  console.log(`microbench-level: ${wanted} ${wanted === 1 ? 'job' : 'jobs'} more an effect, work: ${work}`);
  for (let job = 0; job < wanted; job++) {
    for (const percent of shuffle(effects)) store.add(await oneJob(works[work], percent));
  }
  const { inside, end } = await interior("export { clopperPearsonUpper } from './test/aa/summary.ts';");
  tally(store.jobs, inside.clopperPearsonUpper);
  end();
}

/** @returns {{jobs: object[], add: (job: object) => void}} jobs of one build, one Node and one kind of work */
function openStore(directory, resume, work) {
  const jobs = [];
  if (directory === null) {
    if (resume) throw new Error('--resume wants --out DIR, the folder of the earlier jobs');
    return { jobs, add: (job) => jobs.push(job) };
  }
  const file = join(directory, 'jobs.jsonl');
  const head = JSON.stringify({ build: fingerprint(), node: process.version, work });
  if (existsSync(file)) {
    if (!resume) throw new Error(`${file} exists; give --resume to add to it, or another folder`);
    const [first, ...rest] = readFileSync(file, 'utf8').trim().split('\n');
    if (first !== head) throw new Error(`${file} is of ${first}, this is ${head}: give another folder`);
    jobs.push(...rest.map((line) => JSON.parse(line)));
  } else {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, `${head}\n`);
  }
  const add = (job) => {
    jobs.push(job);
    appendFileSync(file, `${JSON.stringify(job)}\n`);
  };
  return { jobs, add };
}

/** Of what measures and decides: another build is another series. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const name of ['cli.js', 'microbench-child.js']) hash.update(readFileSync(join(dist, name)));
  return hash.digest('hex').slice(0, 12);
}

async function oneJob(textOf, percent) {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-level-'));
  try {
    const texts = { baseline: textOf(0), candidate: textOf(percent / 100) };
    const job = { percent };
    for (const tool of shuffle(['ours', ...tools])) {
      job[tool] = tool === 'ours' ? await ours(folder, texts) : await theirs(folder, texts, tool);
    }
    return job;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ours(folder, texts) {
  const repository = join(folder, 'repository');
  mkdirSync(repository);
  const own = ['-c', 'user.name=Rig', '-c', 'user.email=rig@example.invalid', '-c', 'commit.gpgsign=false'];
  const git = (...args) => execFileSync('git', [...own, ...args], { cwd: repository, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main');
  for (const side of ['baseline', 'candidate']) {
    writeFileSync(join(repository, 'steps.bench.mjs'), texts[side]);
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', side);
    if (side === 'baseline') git('checkout', '--quiet', '-b', 'candidate');
  }
  const verdict = join(folder, 'verdict.json');
  const began = performance.now();
  const { code, said } = await new Promise((resolve) => {
    const command = [join(dist, 'cli.js'), 'bench', '--baseline', 'main', '--json', verdict];
    execFile(process.execPath, command, { cwd: repository }, (error, _, stderr) =>
      resolve({ code: error === null ? 0 : error.code, said: stderr }),
    );
  });
  const seconds = (performance.now() - began) / 1000;
  if (!existsSync(verdict)) throw new Error(`tailgate bench ended with ${code} and no verdict: ${said}`);
  const { outcome, findings, rounds, seed } = JSON.parse(readFileSync(verdict, 'utf8'));
  return {
    outcome,
    state: findings[0].state,
    change: findings[0].change?.effect ?? null,
    rounds: rounds.measured + rounds.confirming,
    seconds,
    seed,
  };
}

/** One run a side, as a job that compares with a stored result has it; here at least minutes and machine are the same. */
async function theirs(folder, texts, tool) {
  const runs = {};
  for (const side of shuffle(['baseline', 'candidate'])) {
    const file = join(folder, `${side}.mjs`);
    writeFileSync(file, texts[side]);
    runs[side] = await other(tool, file, 'steps');
  }
  return runs;
}

const grewBy = (share) => (runs) => runs.candidate.mean > runs.baseline.mean * (1 + share);
/** Neither has a compare of its own: what its users do with its figures. */
const rules = [
  ['ours', 'verdict', (verdict) => verdict.outcome === 'regression'],
  ['mitata', 'mean > 10 % up', grewBy(0.1)],
  ['mitata', 'mean > 3 % up', grewBy(0.03)],
  ['tinybench', 'mean > 10 % up', grewBy(0.1)],
  ['tinybench', 'mean > 3 % up', grewBy(0.03)],
  ['tinybench', 'above, intervals apart', (runs) => runs.candidate.low > runs.baseline.high],
];

/** @param upper one-sided bound of a counted share (Clopper and Pearson 1934): hits, trials, level */
function tally(jobs, upper) {
  const shareOf = (percent, is) => share(jobs, percent, is, upper);
  const effects = [...new Set(jobs.map((job) => job.percent))].sort((one, two) => one - two);
  console.log('  share of jobs called a regression, with exact 95 % intervals');
  const line = (cells) =>
    console.log(
      `  ${cells[0].padEnd(36)}${cells
        .slice(1)
        .map((cell) => cell.padStart(29))
        .join('')}`,
    );
  line(['', ...effects.map((percent) => (percent === 0 ? 'nothing planted' : `+${percent} % planted`))]);
  for (const [tool, rule, isCaught] of rules) {
    line([`${tool}: ${rule}`, ...effects.map((percent) => shareOf(percent, (job) => isCaught(job[tool])))]);
  }
  line([
    'ours: undecided or invalid',
    ...effects.map((percent) => shareOf(percent, ({ ours }) => isOpen(ours))),
  ]);
  line([
    'ours: called an improvement',
    ...effects.map((percent) => shareOf(percent, ({ ours }) => ours.state === 'improved')),
  ]);
  line(['ours: change found, median', ...effects.map((percent) => changes(jobs, percent))]);
  line(['ours: seconds, median and longest', ...effects.map((percent) => lengths(jobs, percent))]);
  targets(jobs);
}

const isOpen = ({ outcome, state }) =>
  outcome !== 'regression' && (state === 'undecided' || state === 'invalid');
const of = (jobs, percent) => jobs.filter((job) => job.percent === percent);

function share(jobs, percent, is, upper) {
  const all = of(jobs, percent);
  const hits = all.filter(is).length;
  const low = 1 - upper(all.length - hits, all.length, 0.025);
  const high = upper(hits, all.length, 0.025);
  return `${hits}/${all.length} [${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)}] %`;
}

function changes(jobs, percent) {
  const found = of(jobs, percent)
    .map(({ ours }) => ours.change)
    .filter((change) => change !== null);
  return found.length === 0 ? '–' : `${(middle(found) * 100).toFixed(2)} %`;
}

function lengths(jobs, percent) {
  const seconds = of(jobs, percent).map(({ ours }) => ours.seconds);
  return `${middle(seconds).toFixed(1)}, ${Math.max(...seconds).toFixed(1)}`;
}

const middle = (values) => [...values].sort((one, two) => one - two)[values.length >> 1];

function targets(jobs) {
  const [unchanged, five] = [of(jobs, 0), of(jobs, 5)];
  const caught = (some) => some.filter(({ ours }) => ours.outcome === 'regression').length;
  if (unchanged.length > 0) {
    const alarms = caught(unchanged) / unchanged.length;
    target(`false alarms ≤ 1 % (of ${unchanged.length} jobs)`, alarms, alarms <= 0.01);
  }
  if (five.length > 0) {
    const power = caught(five) / five.length;
    target(`+5 % caught ≥ 95 % (of ${five.length} jobs)`, power, power >= 0.95);
  }
  const longest = Math.max(...jobs.map(({ ours }) => ours.seconds));
  target('one benchmark decided in ≤ 20 s, longest', longest, longest <= 20);
}

/** Exported functions measured in real processes: what counts as a benchmark, how it is sampled, and what may go wrong. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { maskValues } from '../../src/kernel/masking.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import type { BenchResult } from '../../src/microbench/evidence.ts';
import { discoverFunctions, measureFunctions } from '../../src/microbench/functions.ts';
import { typeOptions } from '../../src/microbench/node.ts';
import { quads, samplingOf, valuesInTurns } from '../../src/microbench/sampling.ts';
import { spellings } from '../../src/microbench/typescript.ts';
import { Projects } from './projects.ts';

const spin = (microseconds: number): string => `
export function spin() {
  const until = process.hrtime.bigint() + ${microseconds}000n;
  while (process.hrtime.bigint() < until);
  return 'done';
}`;

const measured = (result: BenchResult | undefined, side: 'baseline' | 'candidate') => {
  const found = result?.[side];
  if (found?.kind !== 'measured') throw new Error(`not measured: ${JSON.stringify(found)}`);
  return found;
};

describe('what is found', () => {
  test('every exported function is a benchmark, and nothing else is', async () => {
    using projects = new Projects();
    projects.both({
      'a.bench.mjs': `
        export const number = 1;
        export class Thing {}
        export function sync() { return 1 + number; }
        export const arrow = async () => 5;
        export function setup() {}
        export function teardown() {}
        export default function () { return 2; }`,
      'deep/b.bench.js': 'module.exports = { common() { return 3; }, other: 7 };',
      'node_modules/c.bench.js': 'module.exports = { hidden() {} };',
      'plain.js': 'export function no() {}',
    });
    const { subjects, plans } = await discoverFunctions(await projects.job(), seededRandom(1));
    const names = [
      'a.bench.mjs > arrow',
      'a.bench.mjs > default',
      'a.bench.mjs > sync',
      'deep/b.bench.js > common',
    ];
    expect(subjects.map((subject) => subject.name)).toEqual(names);
    expect(subjects.every((subject) => subject.presence === 'both' && subject.problem === null)).toBe(true);
    expect(plans.map((plan) => plan.name)).toEqual(names);
  });

  test('a function of one side only is told with its side and a value, and is not measured in turns', async () => {
    using projects = new Projects();
    projects.both({ 'a.bench.mjs': spin(50) });
    projects.write('baseline', { 'old.bench.mjs': spin(60) });
    projects.write('candidate', { 'a.bench.mjs': `${spin(50)} export const fresh = () => 1;` });
    const { subjects, plans } = await discoverFunctions(await projects.job(), seededRandom(1));
    expect(plans.map((plan) => plan.name)).toEqual(['a.bench.mjs > spin']);
    expect(subjects.map(({ name, presence }) => [name, presence])).toEqual([
      ['a.bench.mjs > fresh', 'candidate'],
      ['a.bench.mjs > spin', 'both'],
      ['old.bench.mjs > spin', 'baseline'],
    ]);
    const old = subjects.find((subject) => subject.presence === 'baseline');
    expect(old?.alone).toBeGreaterThanOrEqual(60_000);
    expect(old?.alone).toBeLessThan(1e6);
  });

  test.each([
    [
      'does not load',
      'throw new Error("no such thing");',
      /candidate: the file cannot be used: no such thing/,
    ],
    ['has no function', 'export const a = 1;', /candidate: the file cannot be used: it exports no function/],
    [
      'ends its process',
      'console.error("bye"); process.exit(7);',
      /candidate: the file ended its process with exit code 7: bye/,
    ],
    [
      'has a broken setup',
      `${spin(9)} export function setup() { throw new Error('no database'); }`,
      /no database/,
    ],
  ])(
    'a file that %s on one side is a problem of its functions, and the others are measured',
    async (_, text, why) => {
      using projects = new Projects();
      projects.both({ 'a.bench.mjs': spin(20), 'b.bench.mjs': spin(20) }, { 'a.bench.mjs': text });
      const { subjects, plans } = await discoverFunctions(await projects.job(), seededRandom(1));
      expect(plans.map((plan) => plan.name)).toEqual(['b.bench.mjs > spin']);
      expect(subjects.find((subject) => subject.name === 'a.bench.mjs > spin')?.problem).toMatch(why);
    },
  );

  test.each([
    ['throws', 'export function spin() { throw new Error("not today"); }', /^candidate: it threw: not today/],
    [
      'rejects',
      'export async function spin() { throw new Error("not today"); }',
      /^candidate: it threw: not today/,
    ],
    [
      'ends its process',
      'export function spin() { process.exit(3); }',
      /^candidate: it ended its process with exit code 3/,
    ],
    ['never ends', 'export function spin() { for (;;); }', /^candidate: it did not end within 1 s/],
    [
      'waits for ever',
      'export function spin() { return new Promise(() => setInterval(() => {}, 1e6)); }',
      /did not end within/,
    ],
  ])('a function that %s on one side is a problem, and the next is measured', async (_, text, why) => {
    using projects = new Projects();
    projects.both({ 'a.bench.mjs': spin(20), 'b.bench.mjs': spin(20) }, { 'a.bench.mjs': text });
    const job = await projects.job({ patience: msToNs(1000) });
    const { subjects, plans } = await discoverFunctions(job, seededRandom(1));
    expect(subjects.find((subject) => subject.name === 'a.bench.mjs > spin')?.problem).toMatch(why);
    expect(plans.map((plan) => plan.name)).toEqual(['b.bench.mjs > spin']);
  });

  test.each([
    ['waits for ever', 'new Promise(() => setInterval(() => {}, 1e6))'],
    ['spins for ever', '(() => { for (;;); })()'],
  ])('a teardown that %s gives its file up, and the next is measured', async (_, end) => {
    using projects = new Projects();
    projects.both(
      { 'a.bench.mjs': spin(20), 'b.bench.mjs': spin(20) },
      { 'a.bench.mjs': `${spin(20)} export const teardown = () => ${end};` },
    );
    const waits: string[] = [];
    const onWait = (what: string) => waits.push(what);
    const job = await projects.job({ patience: msToNs(1000), onWait });
    const { subjects, plans } = await discoverFunctions(job, seededRandom(1));
    expect(subjects.map((one) => one.problem)).toEqual([
      'candidate: its teardown did not end within 1 s',
      null,
    ]);
    expect(plans.map((plan) => plan.name)).toEqual(['b.bench.mjs > spin']);
    expect(waits).toContain('teardown of a.bench.mjs on the candidate');
    const late = [{ ...plans[0]!, name: 'late', benchmark: { file: 'a.bench.mjs', name: 'spin' } }];
    const [result] = await measureFunctions(job, late, seededRandom(2));
    expect(result).toEqual({
      name: 'late',
      baseline: { kind: 'unmeasured' },
      candidate: { kind: 'failed', reason: 'its teardown did not end within 1 s' },
    });
  });

  test('benchmarks that never end do not take more than the time for finding, one after the other', async () => {
    using projects = new Projects();
    const never = 'new Promise(() => setInterval(() => {}, 1e6))';
    projects.both({
      'a.bench.mjs': [1, 2, 3, 4].map((n) => `export const n${n} = () => ${never};`).join('\n'),
    });
    const waits: string[] = [];
    const onWait = (what: string) => waits.push(what);
    const job = await projects.job({ patience: msToNs(1500), finding: msToNs(100), onWait });
    const { subjects } = await discoverFunctions(job, seededRandom(1));
    const [first, ...rest] = subjects.map((one) => one.problem);
    expect(first).toBe('both sides: it did not end within 1.5 s');
    expect(rest).toHaveLength(3);
    for (const problem of rest) expect(problem).toMatch(/^both sides: it was not tried/);
    expect(new Set(waits.map((what) => what.split(' on ')[0]))).toEqual(new Set(['a.bench.mjs > n1']));
  });

  test('secrets are in no name and no reason', async () => {
    using projects = new Projects();
    const secret = 's3cr3t-value';
    projects.both({
      'a.bench.mjs': `
        const secret = process.env.TOKEN;
        const throws = () => { throw new Error('tok ' + secret); };
        const ends = () => { console.error('x'.repeat(295) + secret); process.exit(3); };
        const fine = () => 1;
        export { throws, ends, fine as '${secret} fine' };
        export function teardown() { throw new Error(secret); }`,
      'b.bench.mjs': 'throw new Error(process.env.TOKEN)',
    });
    const env = { PATH: process.env['PATH'], TOKEN: secret };
    const job = await projects.job({ env, mask: maskValues([secret]) });
    const found = await discoverFunctions(job, seededRandom(1));
    expect(found.subjects.map((one) => one.name).sort()).toEqual([
      'a.bench.mjs > *** fine',
      'a.bench.mjs > ends',
      'a.bench.mjs > throws',
      'b.bench.mjs',
    ]);
    expect(found.subjects.find((one) => one.name.endsWith('ends'))?.problem).toMatch(/x\*\*\*$/);
    expect(found.warnings).toHaveLength(2);
    const told = JSON.stringify([found.subjects, found.warnings]);
    // Not even a part of it.
    expect(told).not.toContain('s3cr');
    const [result] = await measureFunctions(job, found.plans, seededRandom(2));
    expect(measured(result, 'candidate').value).toBeGreaterThan(0);
    expect(result?.name).toBe('a.bench.mjs > *** fine');
  });

  test('messages that a benchmark sends are nobody’s answer, whatever they look like', async () => {
    using projects = new Projects();
    const messages = [
      'null',
      '7',
      '{}',
      '{ kind: "ready" }',
      '{ kind: "failed", id }',
      '{ kind: "calibrated", id, iterations: "many" }',
      '{ kind: "finished", id }',
    ];
    projects.both({
      'a.bench.mjs': `export const a = () => {
        for (let id = 0; id < 9; id++) for (const one of [${messages}]) process.send(one);
        return 1;
      }`,
    });
    const job = await projects.job();
    const { subjects, plans } = await discoverFunctions(job, seededRandom(1));
    expect(subjects.map(({ name, problem }) => [name, problem])).toEqual([['a.bench.mjs > a', null]]);
    const [plan] = plans;
    const short = { ...plan!, iterations: 1, warmUpIterations: 1, samples: 4 };
    const [result] = await measureFunctions(job, [short], seededRandom(2));
    expect(measured(result, 'candidate').samples).toHaveLength(4);
  });

  test.each([
    [
      'vitest',
      `import { bench, describe } from 'vitest'; describe('a', () => { bench('x', () => {}); });`,
      /not supported.*export const.*--command "npx vitest bench .*--format vitest/,
    ],
    [
      'vitest with globals',
      `describe('a', () => { bench('x', () => {}); });`,
      /bench\(\) of another tool are not supported.*export const/,
    ],
    [
      'tinybench',
      `import { Bench } from "tinybench"; const b = new Bench(); b.add('x', () => {}); await b.run();`,
      /bench\(\) of tinybench are not supported.*export const.*--format tinybench/,
    ],
    [
      'mitata, and exports something else',
      `import { run, bench } from 'mitata'; bench('x', () => {}); export const size = 3; await run();`,
      /bench\(\) of mitata are not supported.*export const.*--format mitata/,
    ],
  ])(
    'a file written for %s says what to do instead, and does not run where it need not',
    async (_, text, why) => {
      using projects = new Projects();
      const trace = `import { writeFileSync } from 'node:fs'; writeFileSync('ran', '');`;
      projects.both({ 'a.bench.mjs': `${trace} ${text}`, 'b.bench.mjs': spin(20) });
      const { subjects, plans } = await discoverFunctions(await projects.job(), seededRandom(1));
      expect(subjects.find((subject) => subject.name === 'a.bench.mjs')?.problem).toMatch(why);
      expect(plans.map((plan) => plan.name)).toEqual(['b.bench.mjs > spin']);
      expect(existsSync(join(projects.folder, 'baseline', 'ran'))).toBe(false);
    },
  );

  test('a benchmark that only mentions such a tool, or a function called bench, is measured', async () => {
    using projects = new Projects();
    projects.both({
      'a.bench.mjs': `// was: import { bench } from 'vitest'\nexport const bench = () => 'bench("x")'.length;`,
    });
    const { plans } = await discoverFunctions(await projects.job(), seededRandom(1));
    expect(plans.map((plan) => plan.name)).toEqual(['a.bench.mjs > bench']);
  });

  test.each([
    [
      'a module',
      { 'a.bench.mjs': 'export const a = () => 1;\n\nexport const b = {\n  c: = 1 };' },
      'a.bench.mjs:4',
    ],
    [
      'what it imports',
      { 'a.bench.mjs': "import './deep/b.mjs';", 'deep/b.mjs': '\nlet x..y;' },
      'deep/b.mjs:2',
    ],
    ['CommonJS', { 'a.bench.js': 'module.exports = {\n a() { return ( } };' }, 'a.bench.js:2'],
    [
      'a name that is not there',
      { 'a.bench.mjs': "\nimport { no } from './b.mjs';", 'b.mjs': '' },
      'a.bench.mjs:2',
    ],
    ['what runs while it loads', { 'a.bench.mjs': '\n\nconst a = nothing;' }, 'a.bench.mjs:3'],
  ])('an error in %s is told with its file and line', async (_, files, place) => {
    using projects = new Projects();
    projects.both(files);
    const { subjects } = await discoverFunctions(await projects.job(), seededRandom(1));
    expect(subjects[0]?.problem).toMatch(/^baseline and candidate: the file cannot be used: /);
    expect(subjects[0]?.problem).toContain(`(${place})`);
  });

  test.each([
    ['unhandled rejection: too late', 'Promise.reject(new Error("too late"))'],
    ['uncaught exception: too late', 'setTimeout(() => { throw new Error("too late"); })'],
    ['unhandled rejection: 7', 'Promise.reject(7)'],
  ])('an error that comes late is told: %s', async (words, late) => {
    using projects = new Projects();
    projects.both({
      'a.bench.mjs': `export const a = () => { ${late}; return new Promise((done) => setTimeout(done, 50)); };`,
    });
    const { subjects } = await discoverFunctions(await projects.job(), seededRandom(1));
    expect(subjects[0]?.problem).toBe(`both sides: it ended its process with exit code 1: ${words}`);
  });

  test('a project that watches for such errors itself is left to it', async () => {
    using projects = new Projects();
    projects.both({
      'a.bench.mjs': `
        process.on('uncaughtException', () => {});
        export const a = () => { Promise.reject(new Error('known')); return 1; };`,
    });
    const { subjects } = await discoverFunctions(await projects.job(), seededRandom(1));
    expect(subjects[0]?.problem).toBe(null);
  });

  test('a function that throws on both sides is nobody’s change, and says so', async () => {
    using projects = new Projects();
    projects.both({ 'a.bench.mjs': 'export function spin() { throw new Error("never"); }' });
    const { subjects } = await discoverFunctions(await projects.job(), seededRandom(1));
    expect(subjects[0]?.problem).toMatch(/^both sides: it threw: never/);
  });
});

describe('TypeScript', () => {
  test('is imported by the names that compilers look for', () => {
    expect(spellings('./parse.js')).toEqual(['./parse.ts']);
    expect(spellings('../a/parse.mjs')).toEqual(['../a/parse.mts']);
    expect(spellings('./parse')).toEqual(['./parse.ts', './parse.mts', './parse/index.ts']);
    expect(spellings('..')).toContain('../index.ts');
  });

  test('needs an option of some versions of Node, and none of others', () => {
    const options = ([major, minor]: readonly [number, number]) => typeOptions(major, minor).length;
    const told = [
      [22, 6],
      [22, 17],
      [23, 5],
    ] as const;
    const untold = [
      [20, 20],
      [22, 5],
      [22, 18],
      [23, 6],
      [24, 0],
    ] as const;
    expect(told.map(options)).toEqual([1, 1, 1]);
    expect(untold.map(options)).toEqual([0, 0, 0, 0, 0]);
  });

  test('runs with everything it imports where Node runs it; elsewhere its error names the version that does', async () => {
    using projects = new Projects();
    projects.both({
      'a.bench.ts': `
        import { one } from './one.js';
        import { two, type Two } from './two';
        export function add(): number { const more: Two = two; return one + more; }`,
      'one.ts': 'export const one: number = 1;',
      'two/index.ts': 'export type Two = number; export const two: Two = 2;',
    });
    const { subjects } = await discoverFunctions(await projects.job(), seededRandom(1));
    const native = Boolean((process.features as { typescript?: unknown }).typescript);
    if (native)
      expect(subjects.map(({ name, problem }) => [name, problem])).toEqual([['a.bench.ts > add', null]]);
    else expect(subjects[0]?.problem).toMatch(/does not run TypeScript; it wants Node 22\.18/);
  });
});

describe('a round', () => {
  const round = async (projects: Projects, seed = 1) => {
    const job = await projects.job();
    const { plans } = await discoverFunctions(job, seededRandom(seed));
    return { plans, results: await measureFunctions(job, plans, seededRandom(seed).fork('round')) };
  };

  test('gives one value a side, of equally many samples of equally many calls, wall and CPU', async () => {
    using projects = new Projects();
    projects.both({ 'a.bench.mjs': spin(50) }, { 'a.bench.mjs': spin(100) });
    const { plans, results } = await round(projects);
    const [plan] = plans;
    // Calibrated to 1 ms on each side; the larger count, the quicker side's, stands for both.
    expect(plan?.iterations).toBeGreaterThan(13);
    expect(plan?.iterations).toBeLessThan(30);
    const [baseline, candidate] = [measured(results[0], 'baseline'), measured(results[0], 'candidate')];
    expect([baseline.samples.length, candidate.samples.length]).toEqual([plan!.samples, plan!.samples]);
    expect(plan!.samples % 4).toBe(0);
    expect(Math.min(...baseline.samples)).toBeGreaterThanOrEqual(50_000);
    expect(baseline.value).toBeGreaterThan(45_000);
    expect(candidate.value / baseline.value).toBeGreaterThan(1.5);
    expect(candidate.value / baseline.value).toBeLessThan(3);
    // A busy loop costs as much CPU as time, where it has a CPU to itself.
    expect(baseline.cpu! / baseline.value).toBeGreaterThan(0.3);
    // Threads of the garbage collector count as well.
    expect(baseline.cpu! / baseline.value).toBeLessThan(2);
  });

  test('waiting costs time and no CPU', async () => {
    using projects = new Projects();
    projects.both({
      'a.bench.mjs': 'export const wait = () => new Promise((resolve) => setTimeout(resolve, 10));',
    });
    const { results } = await round(projects);
    const one = measured(results[0], 'baseline');
    expect(one.value).toBeGreaterThan(9e6);
    expect(one.cpu!).toBeLessThan(one.value / 2);
  });

  test('runs in the project of its side, setup once and first, teardown once and last', async () => {
    using projects = new Projects();
    projects.both({
      'a.bench.mjs': `
        import { appendFileSync } from 'node:fs';
        let ready = 0;
        export async function setup() { await null; ready += 1; appendFileSync('log', 'setup\\n'); }
        export function teardown() { appendFileSync('log', 'teardown\\n'); }
        export function use() { if (ready !== 1) throw new Error('not ready'); return ready; }`,
    });
    const { results } = await round(projects);
    expect(measured(results[0], 'candidate').value).toBeGreaterThan(0);
    for (const side of ['baseline', 'candidate']) {
      // One process to calibrate, one for the round.
      expect(readFileSync(join(projects.folder, side, 'log'), 'utf8')).toBe('setup\nteardown\n'.repeat(2));
    }
  });

  test('fresh processes every round: nothing of an earlier one is left', async () => {
    using projects = new Projects();
    projects.both({ 'a.bench.mjs': 'export const pid = () => process.pid;' });
    const job = await projects.job();
    const { plans } = await discoverFunctions(job, seededRandom(1));
    const digests = new Set<unknown>();
    for (const index of [1, 2]) {
      const [result] = await measureFunctions(job, plans, seededRandom(index));
      digests.add(measured(result, 'baseline').digest).add(measured(result, 'candidate').digest);
    }
    expect(digests.size).toBe(4);
  });

  test('what a function returns has the same digest on both sides, unless it differs; one that varies has none', async () => {
    using projects = new Projects();
    projects.both({
      'a.bench.mjs': `
          export const same = () => ({ b: [1, 'x'], a: new Map([[1, Buffer.from('y')]]) });
          export const other = () => 'baseline';
          export const random = () => Math.random();`,
    });
    projects.write('candidate', {
      'a.bench.mjs': `
          export const same = () => ({ a: new Map([[1, Buffer.from('y')]]), b: [1, 'x'] });
          export const other = () => 'candidate';
          export const random = () => Math.random();`,
    });
    const { results } = await round(projects);
    const digests = (name: string) => {
      const result = results.find((one) => one.name.endsWith(name));
      return [measured(result, 'baseline').digest, measured(result, 'candidate').digest];
    };
    expect(digests('same')[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(digests('same')[0]).toBe(digests('same')[1]);
    expect(digests('other')[0]).not.toBe(digests('other')[1]);
    expect(digests('random')).toEqual([null, null]);
  });

  test('a function that fails only later fails on its side; the other side and the next function are safe', async () => {
    using projects = new Projects();
    projects.both({ 'a.bench.mjs': spin(20), 'b.bench.mjs': spin(20) });
    const job = await projects.job();
    const { plans } = await discoverFunctions(job, seededRandom(1));
    projects.write('candidate', {
      'a.bench.mjs': 'let n = 0; export function spin() { if (n++ > 50) process.exit(9); }',
    });
    const results = await measureFunctions(job, plans, seededRandom(2));
    const byName = new Map(results.map((result) => [result.name, result]));
    expect(byName.get('a.bench.mjs > spin')).toMatchObject({
      baseline: { kind: 'unmeasured' },
      candidate: { kind: 'failed', reason: expect.stringContaining('exit code 9') },
    });
    expect(measured(byName.get('b.bench.mjs > spin'), 'candidate').value).toBeGreaterThan(18_000);
  });

  test('leaves no process behind, not even one that a benchmark has started', async () => {
    using projects = new Projects();
    projects.both({
      'a.bench.mjs': `
        import { spawn } from 'node:child_process';
        import { writeFileSync } from 'node:fs';
        export function setup() {
          const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
          child.unref();
          writeFileSync('pid', String(child.pid));
        }
        export const one = () => 1;`,
    });
    await discoverFunctions(await projects.job(), seededRandom(1));
    const pid = Number(readFileSync(join(projects.folder, 'baseline', 'pid'), 'utf8'));
    expect(
      existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
    ).toBe(false);
  });

  test('ends at once when the job is stopped', async () => {
    using projects = new Projects();
    projects.both({ 'a.bench.mjs': 'export const forever = () => { for (;;); };' });
    const stopping = new AbortController();
    const job = await projects.job({ signal: stopping.signal });
    const running = discoverFunctions(job, seededRandom(1));
    const reason = new Error('stopped');
    const timer = setTimeout(() => stopping.abort(reason), 700);
    await expect(running).rejects.toBe(reason);
    clearTimeout(timer);
  });
});

describe('the order', () => {
  test('has equally many of each side in every quad, and both kinds of quads equally often', () => {
    const order = quads(32, seededRandom(5));
    expect(order.length).toBe(64);
    const kinds = Array.from({ length: 16 }, (_, index) =>
      order
        .slice(4 * index, 4 * index + 4)
        .map((side) => side[0])
        .join(''),
    );
    expect(kinds.filter((kind) => kind === 'bccb').length).toBe(8);
    expect(kinds.filter((kind) => kind === 'cbbc').length).toBe(8);
    expect(quads(32, seededRandom(5))).toEqual(order);
    expect(quads(32, seededRandom(6))).not.toEqual(order);
  });
});

describe('the plan of samples', () => {
  const calibrated = { iterations: 1000, elapsed: 1e6, collection: 2e6 };

  test('quick functions get many short samples, slow ones fewer, always whole quads', () => {
    expect(samplingOf([calibrated, calibrated])).toEqual({
      iterations: 1000,
      warmUpIterations: 4000,
      samples: 96,
      collectFully: 'often',
    });
    const slow = { ...calibrated, iterations: 1, elapsed: 30e6 };
    expect(samplingOf([slow, slow])).toMatchObject({ iterations: 1, warmUpIterations: 1, samples: 8 });
    const slower = { ...slow, elapsed: 900e6 };
    expect(samplingOf([slow, slower]).samples).toBe(4);
  });

  test('the quicker side’s count stands for both, and a large heap is collected once', () => {
    const half = { iterations: 500, elapsed: 1e6, collection: 40e6 };
    expect(samplingOf([half, calibrated])).toMatchObject({ iterations: 1000, collectFully: 'once' });
  });
});

describe('the values of a process', () => {
  test('differ by what differs within quads, even when most of the machine’s time belonged to others', () => {
    // Twice as slow from the third quad on; the candidate takes 5 % longer throughout, and one sample stalls.
    const machine = [100, 101, 99, 100, 200, 203, 198, 200, 201, 199];
    const stalled = machine.map((value, index) => value * (index === 6 ? 9 : 1.05));
    const { baseline, candidate } = valuesInTurns(machine, stalled);
    expect(candidate / baseline).toBeCloseTo(1.05, 6);
    // Level of the medians of all samples: 198.5 and 209.475.
    expect(Math.sqrt(baseline * candidate)).toBeCloseTo(Math.sqrt(198.5 * 209.475), 3);
  });

  test('do not depend on which side is called which', () => {
    const one = [3, 4, 5, 6, 5, 4, 9, 1];
    const other = [4, 4, 4, 7, 5, 5, 2, 3];
    const values = valuesInTurns(one, other);
    const turned = valuesInTurns(other, one);
    expect(turned.baseline).toBeCloseTo(values.candidate, 12);
    expect(turned.candidate).toBeCloseTo(values.baseline, 12);
  });

  test('are the medians where a clock stood still for a whole sample', () => {
    expect(valuesInTurns([0, 0, 2, 0], [1, 1, 1, 1])).toEqual({ baseline: 0, candidate: 1 });
  });
});

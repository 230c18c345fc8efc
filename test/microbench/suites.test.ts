/** Commands as benchmarks, with real processes: suites of other tools, and what one execution of a tool costs. */
import { describe, expect, test } from 'vitest';
import { maskValues } from '../../src/kernel/masking.ts';
import { ns, secondsToNs } from '../../src/kernel/units.ts';
import { realClock, seededRandom } from '../../src/kernel/world.ts';
import {
  runSuite,
  type Suite,
  type SuiteJob,
  suiteResults,
  suiteSubjects,
} from '../../src/microbench/suites.ts';
import { meterFor } from '../../src/service/cost.ts';
import { Projects } from './projects.ts';

const jobIn = (projects: Projects, more: Partial<SuiteJob> = {}): SuiteJob => ({
  directories: { baseline: `${projects.folder}/baseline`, candidate: `${projects.folder}/candidate` },
  env: { PATH: process.env['PATH'] },
  timeout: secondsToNs(20),
  mask: (text) => text,
  clock: realClock,
  signal: new AbortController().signal,
  meterOf: (identity) => meterFor(identity, realClock),
  ...more,
});

const suite: Suite = { kind: 'command', name: 'go', command: 'cat out.txt', format: 'auto' };
const goBench = (name: string, time: string): string =>
  `goos: linux\npkg: example.test/p\nBenchmark${name}-8   1000   ${time}\n`;

describe('a command that prints results', () => {
  test('is run in each worktree and read by the adapter: rows with unit, direction and samples', async () => {
    using projects = new Projects();
    projects.both(
      { 'out.txt': goBench('A', '100 ns/op  0 B/op') },
      { 'out.txt': goBench('A', '130 ns/op  8 B/op') },
    );
    const runs = await runSuite(jobIn(projects), suite, seededRandom(1));
    const subjects = suiteSubjects(suite, runs);
    expect(
      subjects.map(({ name, unit, presence, problem }) => [name, unit.normalised, presence, problem]),
    ).toEqual([
      [expect.stringMatching(/^go > BenchmarkA/), 'ns', 'both', null],
      [expect.stringMatching(/^go > BenchmarkA.*\[B\/op\]/), 'bytes', 'both', null],
    ]);
    const results = suiteResults(suite, runs, new Set([subjects[0]!.name]), subjects);
    expect(results).toEqual([
      {
        name: subjects[0]!.name,
        baseline: { kind: 'measured', value: 100, samples: [100], cpu: null, digest: null },
        candidate: { kind: 'measured', value: 130, samples: [130], cpu: null, digest: null },
      },
    ]);
  });

  test.each(['utf16le', 'utf8'] as const)('prints them in %s, with a mark or without', async (encoding) => {
    using projects = new Projects();
    const text = Buffer.from(`\ufeff${goBench('Größe', '100 ns/op')}`, encoding);
    projects.both({ 'out.txt': text, 'plain.txt': text.subarray(encoding === 'utf8' ? 3 : 2) });
    for (const file of ['out.txt', 'plain.txt']) {
      const one = { ...suite, command: `cat ${file}` };
      const [subject] = suiteSubjects(one, await runSuite(jobIn(projects), one, seededRandom(1)));
      expect([subject?.problem, subject?.name]).toEqual([null, expect.stringContaining('BenchmarkGröße')]);
    }
  });

  test.each([
    ['its last words', 'printf "%0295d%s" 0 "$TOKEN" >&2; exit 3'],
    ['what is no result', 'echo "tok=$TOKEN"'],
    ['what is no result, where it is cut', 'printf "%050d%s" 0 "$TOKEN"'],
    ['a name and a unit', `echo '[{"name":"a '$TOKEN'","unit":"'$TOKEN'","value":1}]'`],
  ])('secrets are taken out of %s', async (_, command) => {
    using projects = new Projects();
    projects.both({ x: '' });
    const env = { PATH: process.env['PATH'], TOKEN: 's3cr3t-value' };
    const job = jobIn(projects, { env, mask: maskValues(['s3cr3t-value']) });
    for (const one of [{ ...suite, command }, { kind: 'execution', name: 'go', exec: command } as const]) {
      const subjects = suiteSubjects(one, await runSuite(job, one, seededRandom(1)));
      expect(JSON.stringify(subjects)).not.toContain('s3c');
      expect(subjects.length).toBeGreaterThan(0);
    }
  });

  test('keeps what the adapter says, without secrets: the format, its warnings, and that a direction is a guess', async () => {
    using projects = new Projects();
    const rows = `[{"name":"a","unit":"s3cr3t-value","value":1},{"name":"b","unit":"ns","value":2}]`;
    projects.both({ 'out.txt': rows });
    const job = jobIn(projects, { mask: maskValues(['s3cr3t-value']) });
    const runs = await runSuite(job, suite, seededRandom(1));
    expect(runs.candidate).toMatchObject({
      format: 'github-action-benchmark',
      warnings: [{ code: 'direction-guessed', message: 'smaller was taken to be better for "***"' }],
    });
    const subjects = suiteSubjects(suite, runs);
    expect(subjects.map((one) => one.directionGuessed ?? false)).toEqual([true, false]);
  });

  test('a row of one side is new or missing; a unit that changed is a problem of its row', async () => {
    using projects = new Projects();
    projects.both(
      { 'out.txt': `${goBench('Gone', '5 ns/op')}${goBench('Kept', '5 ns/op')}` },
      { 'out.txt': `${goBench('Kept', '5 B/op')}${goBench('Fresh', '7 ns/op')}` },
    );
    const named = { ...suite, format: 'go-bench' as const };
    const subjects = suiteSubjects(named, await runSuite(jobIn(projects), named, seededRandom(1)));
    const byName = (part: string) => subjects.find(({ name }) => name.includes(part));
    expect(byName('Gone')).toMatchObject({ presence: 'baseline', alone: 5 });
    expect(byName('Fresh')).toMatchObject({ presence: 'candidate', alone: 7 });
  });

  test('a unit that changes its kind is a problem of the row', async () => {
    using projects = new Projects();
    const custom = (unit: string) => JSON.stringify([{ name: 'size', unit, value: 5 }]);
    projects.both({ 'out.txt': custom('ns') }, { 'out.txt': custom('B') });
    const [subject] = suiteSubjects(suite, await runSuite(jobIn(projects), suite, seededRandom(1)));
    expect(subject?.problem).toBe('the unit changed from ns to B');
  });

  test.each([
    [
      'ends with another code than 0',
      { 'out.txt': 'x' },
      'test -e here || { echo "no build" >&2; exit 3; }',
      /^candidate: the command ended with exit code 3: no build/,
    ],
    [
      'prints no benchmark',
      {},
      'cat here 2>/dev/null || echo hello',
      /^candidate: output of go is in no known benchmark format/,
    ],
    ['prints nothing', {}, 'cat here 2>/dev/null || true', /^candidate: output of go is empty/],
    [
      'does not end',
      {},
      'cat here 2>/dev/null || sleep 60',
      /^candidate: the command did not end within 1 s/,
    ],
  ])('a command that %s is a problem with its side', async (_, files, command, problem) => {
    using projects = new Projects();
    projects.write('baseline', { ...files, here: goBench('A', '5 ns/op') });
    projects.write('candidate', { 'some.txt': '' });
    const own = { ...suite, command: command.startsWith('test') ? `${command}; cat here` : command };
    const job = jobIn(projects, { timeout: secondsToNs(1) });
    const subjects = suiteSubjects(own, await runSuite(job, own, seededRandom(1)));
    expect(subjects.map((subject) => subject.name)).toEqual(['go']);
    expect(subjects[0]?.problem).toMatch(problem);
  });

  test('a row that is not there in a later round, or has no value, fails on its side', async () => {
    using projects = new Projects();
    projects.both({ 'out.txt': goBench('A', '5 ns/op') });
    const job = jobIn(projects);
    const subjects = suiteSubjects(suite, await runSuite(job, suite, seededRandom(1)));
    const wanted = new Set(subjects.map((subject) => subject.name));
    projects.write('candidate', { 'out.txt': goBench('B', '5 ns/op') });
    const later = suiteResults(suite, await runSuite(job, suite, seededRandom(2)), wanted, subjects);
    expect(later[0]).toMatchObject({
      baseline: { kind: 'measured' },
      candidate: { kind: 'failed', reason: 'the output has no such benchmark this time' },
    });
  });

  test('ends when the job is stopped, and leaves nothing in the ledger', async () => {
    using projects = new Projects();
    projects.both({ 'out.txt': '' });
    const stopping = new AbortController();
    const alive = new Set<unknown>();
    const ledger = {
      add: (entry: unknown) => alive.add(entry),
      remove: (entry: unknown) => alive.delete(entry),
    };
    const job = jobIn(projects, { signal: stopping.signal, ledger });
    const running = runSuite(job, { ...suite, command: 'sleep 60' }, seededRandom(1));
    const timer = setTimeout(() => stopping.abort(new Error('stopped')), 200);
    await expect(running).rejects.toThrow('stopped');
    clearTimeout(timer);
    expect(alive.size).toBe(0);
  });
});

describe('what one execution costs', () => {
  const burn = (loops: number): string =>
    `const big = Buffer.alloc(${loops} * 1e6, 1); let s = 0; for (let i = 0; i < ${loops}e7; i++) s += i; console.log(s, big[1]);`;
  const exec: Suite = { kind: 'execution', name: 'cli', exec: 'node burn.js' };

  test('user and system time and peak memory of the process tree, an execution, on both sides', async () => {
    using projects = new Projects();
    projects.both({ 'burn.js': burn(10) }, { 'burn.js': burn(40) });
    const runs = await runSuite(jobIn(projects), exec, seededRandom(1));
    const subjects = suiteSubjects(exec, runs);
    expect(subjects.map(({ name, unit }) => [name, unit.normalised])).toEqual([
      ['cli > cpu', 'ns'],
      ['cli > peak memory', 'bytes'],
    ]);
    const [cpu, memory] = suiteResults(exec, runs, new Set(subjects.map(({ name }) => name)), subjects);
    const value = (result: typeof cpu, side: 'baseline' | 'candidate'): number => {
      const one = result?.[side];
      return one?.kind === 'measured' ? one.value : Number.NaN;
    };
    // Node alone starts in some tens of milliseconds; a hundred million steps more take longer.
    expect(value(cpu, 'baseline')).toBeGreaterThan(20e6);
    expect(value(cpu, 'candidate') / value(cpu, 'baseline')).toBeGreaterThan(1.3);
    expect(value(memory, 'candidate') - value(memory, 'baseline')).toBeGreaterThan(20e6);
    expect(value(memory, 'candidate')).toBeLessThan(400e6);
  });

  test('counts the time of what the command itself starts', async () => {
    using projects = new Projects();
    const child =
      'for (let i = 0, until = process.hrtime.bigint() + 150000000n; process.hrtime.bigint() < until; i++);';
    projects.both({
      'child.js': child,
      'cli.js': 'require("node:child_process").execFileSync(process.execPath, ["child.js"]);',
    });
    const runs = await runSuite(jobIn(projects), { ...exec, exec: 'node cli.js' }, seededRandom(1));
    const run = runs.baseline;
    if (run.kind !== 'rows') throw new Error(run.reason);
    const cpu = run.rows.find((row) => row.name === 'cpu')!;
    expect(cpu.value).toBeGreaterThan(60e6);
    expect(cpu.samples.length).toBe(4);
  });

  test('a command that fails is a problem with its side and its last words', async () => {
    using projects = new Projects();
    projects.both({ 'cli.js': '' }, { 'cli.js': 'console.error("cannot read big.json"); process.exit(2);' });
    const own: Suite = { ...exec, exec: 'node cli.js' };
    const runs = await runSuite(jobIn(projects), own, seededRandom(1));
    const [subject] = suiteSubjects(own, runs);
    expect(subject?.problem).toBe('candidate: the command ended with exit code 2: cannot read big.json');
  });

  test.each(['KILL', 'SEGV'])('one that is ended by %s is told in words of its own', async (signal) => {
    using projects = new Projects();
    projects.both({ x: '' });
    const own = { ...exec, exec: `echo "almost done" >&2; kill -${signal} $$` };
    const [subject] = suiteSubjects(own, await runSuite(jobIn(projects), own, seededRandom(1)));
    expect(subject?.problem).toBe(`both sides: the command was ended by SIG${signal}: almost done`);
  });

  test('without bash it is refused with what is needed', async () => {
    using projects = new Projects();
    projects.both({ 'cli.js': '' });
    const job = jobIn(projects, { env: { PATH: '/nowhere' }, timeout: ns(5e9) });
    await expect(runSuite(job, exec, seededRandom(1))).rejects.toThrow(/measured with bash/);
  });
});

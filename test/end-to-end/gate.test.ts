import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nothing, Rig, type Run, service, tinyPlan } from './gate-rig.ts';

interface VerdictFile {
  readonly verdict: string;
  readonly findings: readonly { metric: string; state: string; baseline: number; candidate: number }[];
  readonly waivers: readonly unknown[];
}
interface EvidenceFile {
  readonly rounds: readonly {
    readonly first: unknown;
    readonly trials: readonly { side: string; pair: number }[];
  }[];
}

const start = 'start: node server.mjs\n';
const same = (files: Record<string, string>) => ({ baseline: files, candidate: {} });
const project = (code: string, settings = start): Record<string, string> => ({
  'server.mjs': code,
  'tailgate.yml': `${settings}${tinyPlan}`,
});

const cpuOf = (file: VerdictFile) => file.findings.find(({ metric }) => metric === 'cpu')!;

/** Both streams, for a message that tells what went wrong. */
const said = (run: Run): string => `${run.out}\n${run.err}`;

describe('the gate on a real repository', () => {
  it('finds a regression, and stored evidence gives the same answer again', async () => {
    using rig = new Rig({ baseline: project(service(100)), candidate: { 'server.mjs': service(400) } });
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    expect(said(run)).toContain('Regression: ');
    expect(run.code).toBe(1);
    expect(rig.read<VerdictFile>('verdict.json').verdict).toBe('regression');
    const again = await rig.run('judge', 'tailgate-evidence.json', '--json', 'again.json');
    expect(again.code).toBe(1);
    const files = ['verdict.json', 'again.json'].map((name) => rig.read<VerdictFile>(name));
    expect(files[1]!.verdict).toBe('regression');
    expect(files[1]!.findings).toEqual(files[0]!.findings);
    expect(cpuOf(files[0]!).state).toBe('regressed');
    const report = await rig.run('report', 'tailgate-evidence.json');
    expect(report.out.split('\n')[0]).toContain('**Regression: ');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('does not call an unchanged candidate a regression, and repeats the same order from the same seed', async () => {
    using rig = new Rig(same(project(service(100))));
    const orders: unknown[] = [];
    for (const name of ['one.json', 'two.json']) {
      const run = await rig.run(
        ...['gate', '--baseline', 'main', '--seed', '5', '--evidence', name, '--json', 'verdict.json'],
      );
      expect([0, 3], said(run)).toContain(run.code);
      expect(said(run)).not.toContain('Regression: ');
      expect(cpuOf(rig.read<VerdictFile>('verdict.json')).state, said(run)).toBe('unchanged');
      const { rounds } = rig.read<EvidenceFile>(name);
      orders.push(rounds.map(({ first, trials }) => [first, trials.map(({ side, pair }) => [side, pair])]));
    }
    const [one, two] = orders as [unknown[], unknown[]];
    const length = Math.min(one.length, two.length);
    expect(length).toBeGreaterThan(0);
    expect(one.slice(0, length)).toEqual(two.slice(0, length));
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('never passes a candidate that takes the CPU away from the generator', async () => {
    const burn = `
      import { Worker } from 'node:worker_threads';
      for (let thread = 0; thread < 3; thread++) new Worker('for (;;);', { eval: true });
    `;
    const narrow = tinyPlan
      .replace(/p50: .*/, 'p50: { min: 10%, detect: 200% }')
      .replace(/p99: .*/, 'p99: { min: 50%, detect: 900% }');
    using rig = new Rig({
      baseline: { 'server.mjs': service(100), 'tailgate.yml': start + narrow },
      candidate: { 'server.mjs': service(100, burn) },
    });
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    const { verdict } = rig.read<VerdictFile>('verdict.json');
    expect(['regression', 'inconclusive', 'invalid'], said(run)).toContain(verdict);
    expect(rig.leftovers()).toEqual(nothing);
  });
});

describe('a regression that somebody accepts', () => {
  it('is held against the ceiling of its commit, and passes by judging again with waivers', async () => {
    using rig = new Rig({ baseline: project(service(100)), candidate: { 'server.mjs': service(400) } });
    const trailers = 'Perf-Accepted: default/cpu <= +1% | a little\nPerf-Accepted: as it is';
    rig.git('commit', '--quiet', '--amend', '--message', `Change\n\n${trailers}`);
    const commit = `commit ${rig.git('rev-parse', 'HEAD').slice(0, 10)}`;
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    expect(run.code, said(run)).toBe(1);
    expect(run.err).toContain(`${commit} accepts nothing with the line “Perf-Accepted: as it is”`);
    const { findings, waivers } = rig.read<VerdictFile>('verdict.json');
    expect(waivers).toMatchObject([{ metric: 'cpu', ceiling: 0.01, origin: commit }]);
    expect(cpuOf(rig.read('verdict.json'))).toMatchObject({
      state: 'regressed',
      reason: expect.stringContaining(`above the ceiling of +1 % that ${commit} accepts, by `),
    });

    const red = findings.filter(({ state }) => state === 'regressed').map(({ metric }) => metric);
    const accepted = red.map(
      (metric) => `{ metric: ${metric}, ceiling: 9900%, reason: "four times the work" }`,
    );
    // The trailer is the stricter one: a baseline that is trusted alone leaves it out.
    const config = `${tinyPlan}trust-config: baseline\nwaivers: [${accepted.join(', ')}]\n`;
    writeFileSync(join(rig.repository, 'accept.yml'), config);
    const again = await rig.run(
      ...['judge', 'tailgate-evidence.json', '--config', 'accept.yml', '--json', 'again.json'],
    );
    const after = rig.read<VerdictFile>('again.json');
    expect(after.verdict, said(again)).not.toBe('regression');
    expect(again.code, said(again)).toBe(0);
    expect(again.out).toContain('four times the work');
    expect(
      after.findings
        .filter(({ state }) => state === 'accepted')
        .map(({ metric }) => metric)
        .sort(),
    ).toEqual([...red].sort());
    expect(rig.leftovers()).toEqual(nothing);
  });
});

describe('a regression that its own commits accept', () => {
  it('ends green, with the rows in sight and the commit named', async () => {
    using rig = new Rig({ baseline: project(service(100)), candidate: { 'server.mjs': service(400) } });
    const lines = ['p50', 'p99', 'cpu', 'cpu-total'].map(
      (metric) => `Perf-Accepted: default/${metric} <= +900% | four times the work`,
    );
    const trailers = [...lines, 'Perf-Accepted: default/tail <= +100 points | four times the work'];
    rig.git('commit', '--quiet', '--amend', '--message', `Change\n\n${trailers.join('\n')}`);
    const commit = `commit ${rig.git('rev-parse', 'HEAD').slice(0, 10)}`;
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    const file = rig.read<VerdictFile>('verdict.json');
    expect(run.code, said(run)).toBe(0);
    // A row that nobody shows to be worse may be undecided on a shared machine; none is red.
    expect(['pass', 'inconclusive'], said(run)).toContain(file.verdict);
    expect(file.findings.map(({ state }) => state)).not.toContain('regressed');
    expect(cpuOf(file)).toMatchObject({
      state: 'accepted',
      reason: `accepted by ${commit} up to +900 %: “four times the work”`,
    });
    expect(run.out.replace(/\s+/g, ' ')).toContain(`ccepted by ${commit} up to +900 %`);
    const again = await rig.run('judge', 'tailgate-evidence.json', '--json', 'again.json');
    expect(again.code, said(again)).toBe(0);
    expect(rig.read<VerdictFile>('again.json').findings).toEqual(file.findings);
    expect(rig.leftovers()).toEqual(nothing);
  });
});

describe('a service that is started oddly', () => {
  it.each([
    [
      'forks its server and waits',
      "import { spawn } from 'node:child_process'; spawn(process.execPath, ['server.mjs'], { stdio: 'inherit' });",
    ],
    [
      'forks its server and goes',
      "import { spawn } from 'node:child_process'; spawn(process.execPath, ['server.mjs'], { stdio: 'inherit' }); setTimeout(() => process.exit(0), 50);",
    ],
  ])('is measured and ended when it %s', async (_, wrapper) => {
    using rig = new Rig(
      same({ ...project(service(100), 'start: node wrapper.mjs\n'), 'wrapper.mjs': wrapper }),
    );
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    const file = rig.read<VerdictFile>('verdict.json');
    expect(['pass', 'inconclusive'], said(run)).toContain(file.verdict);
    // The server spins for 100 µs a request; the wrapper that was started spins for nothing.
    expect(cpuOf(file).baseline).toBeGreaterThan(100_000);
    expect(cpuOf(file).candidate).toBeGreaterThan(100_000);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it.each([
    ['ignores TERM', "process.on('SIGTERM', () => {});", 'stop: { signal: SIGTERM, grace: 200ms }\n'],
    [
      'floods its output',
      "const line = 'x'.repeat(1000) + '\\n'; setInterval(() => process.stdout.write(line.repeat(100)), 5);",
      '',
    ],
    ['listens on ::1 only', "globalThis.host = '::1';", ''],
  ])('is measured and ended when it %s', async (_, more, settings) => {
    using rig = new Rig(same(project(service(100, more), start + settings)));
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    expect(['pass', 'inconclusive'], said(run)).toContain(rig.read<VerdictFile>('verdict.json').verdict);
    expect(rig.leftovers()).toEqual(nothing);
  });
});

import { describe, expect, it } from 'vitest';
import { nothing, Rig, type Run, service, tinyPlan } from './gate-rig.ts';

interface VerdictFile {
  readonly verdict: string;
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
    expect(rig.read<VerdictFile>('again.json').verdict).toBe('regression');
    const report = await rig.run('report', 'tailgate-evidence.json');
    expect(report.out.split('\n')[0]).toContain('**Regression: ');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('does not call an unchanged candidate a regression, and repeats the same order from the same seed', async () => {
    using rig = new Rig(same(project(service(100))));
    const orders: unknown[] = [];
    for (const name of ['one.json', 'two.json']) {
      const run = await rig.run('gate', '--baseline', 'main', '--seed', '5', '--evidence', name);
      expect([0, 3], said(run)).toContain(run.code);
      expect(said(run)).not.toContain('Regression: ');
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
    using rig = new Rig({ baseline: project(service(100)), candidate: { 'server.mjs': service(100, burn) } });
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    expect(rig.read<VerdictFile>('verdict.json').verdict, said(run)).not.toBe('pass');
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
    expect(['pass', 'inconclusive'], said(run)).toContain(rig.read<VerdictFile>('verdict.json').verdict);
    expect(run.out).toMatch(/CPU per request +\d/);
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

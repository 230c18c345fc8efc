/** A change that takes a scenario out of tailgate.yml, and a file of benchmarks out of the project. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nothing, Rig, type Run, service, tinyPlan } from './gate-rig.ts';

interface VerdictFile {
  readonly verdict: string;
  readonly exitCode: number;
  readonly findings: readonly { scenario: string; metric: string; state: string; reason: string }[];
}

const benchmark = 'export function spin() {\n  return Math.sqrt(2) > 1;\n}\n';
const settings = (scenarios: string, failOn: string): string =>
  `start: node server.mjs\nscenarios: [${scenarios}]\nfail-on: [regression, invalid, service-failed${failOn}]\n${tinyPlan}`;
const home = '{ name: home, path: / }';
const checkout = '{ name: checkout, path: /checkout }';

const said = (run: Run): string => `${run.out}\n${run.err}`;
const missing = (file: VerdictFile) =>
  file.findings.filter(({ state }) => state === 'missing').map(({ scenario, metric }) => [scenario, metric]);

/** Both sides are the same but for what the change takes out. */
function leavingOut(failOn: string, more = ''): Rig {
  const rig = new Rig({
    baseline: {
      'server.mjs': service(100),
      'tailgate.yml': settings(`${home}, ${checkout}`, failOn),
      'gone.bench.mjs': benchmark,
    },
    candidate: {},
  });
  rmSync(join(rig.repository, 'gone.bench.mjs'));
  rig.commit({ 'tailgate.yml': `${settings(home, failOn)}${more}` });
  return rig;
}

const rows = [
  ['checkout', 'cpu'],
  ['gone.bench.mjs > spin', 'microbenchmark'],
];

describe('a gate on a change that leaves out a scenario and a benchmark', () => {
  it('fails with rows of both where missing shall fail, and judges the same again', async () => {
    using rig = leavingOut(', missing');
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    const file = rig.read<VerdictFile>('verdict.json');
    expect(missing(file)).toEqual(rows);
    // What so few rounds leave open is no failure either: the exit code is that of the missing rows.
    expect(['pass', 'inconclusive'], said(run)).toContain(file.verdict);
    expect([run.code, file.exitCode]).toEqual([1, 1]);
    expect(run.out.replace(/\s+/g, ' ')).toContain(
      "scenario `checkout`: the baseline's `tailgate.yml` measures it, this change's does not.",
    );
    expect(run.out).toMatch(/every metric.*of checkout.*missing/);
    expect(run.out).toMatch(/gone\.bench\.mjs > spin.*missing/);
    const asked = ['--config', 'tailgate.yml', '--json', 'again.json'];
    const again = await rig.run('judge', 'tailgate-evidence.json', ...asked);
    expect(again.code).toBe(1);
    expect(rig.read<VerdictFile>('again.json').findings).toEqual(file.findings);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('passes with the same rows where it shall not', async () => {
    using rig = leavingOut('');
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    const file = rig.read<VerdictFile>('verdict.json');
    expect(missing(file)).toEqual(rows);
    expect(['pass', 'inconclusive'], said(run)).toContain(file.verdict);
    expect(run.code).toBe(0);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('shows them, and fails by them, when the service of the change does not start', async () => {
    using rig = leavingOut(', missing');
    const failing = settings(home, ', missing').replace('start: node server.mjs', "start: 'false'");
    rig.commit({ 'tailgate.yml': failing });
    const asked = ['--baseline', 'main', '--fail-on', 'missing', '--json', 'verdict.json'];
    const run = await rig.run('gate', ...asked);
    const file = rig.read<VerdictFile>('verdict.json');
    expect([file.verdict, missing(file)], said(run)).toEqual(['service-failed', [['checkout', 'cpu']]]);
    expect(run.out).toMatch(
      /every metric.*of checkout.*missing|Scenario checkout\n.*\nevery metric .*missing/,
    );
    expect(run.code).toBe(1);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('shows them without measuring where paths skip the job', async () => {
    using rig = leavingOut(', missing', 'paths: [src/**]\n');
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    const file = rig.read<VerdictFile>('verdict.json');
    expect([file.verdict, missing(file)]).toEqual(['skipped', [['checkout', 'cpu']]]);
    expect(run.out).toMatch(/Scenario checkout\n.*\nevery metric .*missing/);
    expect(run.code).toBe(1);
    expect(rig.servicesStarted()).toBe(0);
  });
});

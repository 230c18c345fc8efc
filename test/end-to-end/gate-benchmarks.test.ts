/** Microbenchmarks in the gate: found by their files, measured beside the load test, one verdict. */
import { describe, expect, it } from 'vitest';
import { nothing, Rig, type Run, service, tinyPlan } from './gate-rig.ts';

interface VerdictFile {
  readonly verdict: string;
  readonly findings: readonly { scenario: string; metric: string; state: string }[];
  readonly warnings: readonly { message: string }[];
}

const benchmarks = (loops: number): string => `
export function spin() {
  let sum = 0;
  for (let i = 0; i < ${loops}; i++) sum += Math.sqrt(i);
  return sum > 0;
}
export function steady() {
  let sum = 0;
  for (let i = 0; i < 20000; i++) sum += Math.sqrt(i);
  return sum > 0;
}
`;
// Of a runner with its own globals: it cannot be loaded by anything else.
const foreign = "describe('parser', () => bench('small', () => 1));\n";

const project = (settings: string): Record<string, string> => ({
  'server.mjs': service(100),
  'tailgate.yml': `start: node server.mjs\n${settings}${tinyPlan}`,
  'spin.bench.mjs': benchmarks(20_000),
  'other.bench.mjs': foreign,
});
const said = (run: Run): string => `${run.out}\n${run.err}`;

describe('a gate on a project with benchmark files', () => {
  it('finds the slower function by its name, passes over what is not its own, and judges the same again', async () => {
    using rig = new Rig({ baseline: project(''), candidate: { 'spin.bench.mjs': benchmarks(40_000) } });
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    expect(said(run)).toMatch(/Regression: microbenchmark `spin.bench.mjs > spin`\s+rose/);
    expect(said(run)).toContain('other.bench.mjs is passed over');
    expect(run.code).toBe(1);
    const { findings } = rig.read<VerdictFile>('verdict.json');
    const own = findings.filter(({ metric }) => metric === 'microbenchmark');
    expect(own.map(({ scenario, state }) => [scenario, state])).toContainEqual([
      'spin.bench.mjs > spin',
      'regressed',
    ]);
    expect(own.find(({ scenario }) => scenario.endsWith('steady'))?.state).not.toBe('regressed');
    expect(own).toHaveLength(2);
    const again = await rig.run('judge', 'tailgate-evidence.json', '--json', 'again.json');
    expect(again.code).toBe(1);
    expect(rig.read<VerdictFile>('again.json').findings).toEqual(findings);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('says before the load test that nothing matches what was named', async () => {
    using rig = new Rig({ baseline: project('microbenchmarks: ["bench/**"]\n'), candidate: {} });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code).toBe(2);
    expect(said(run)).toContain('no file of either side matches bench/**');
    expect(said(run)).not.toContain('round 1');
    expect(rig.leftovers()).toEqual(nothing);
  });
});

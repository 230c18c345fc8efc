import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nothing, Rig, service, tinyPlan } from './gate-rig.ts';

interface Result {
  readonly exitCode: number;
  readonly sizes: { readonly cpu: { burnt: number; rise: number }; readonly latency: { delay: number } };
  readonly checks: readonly {
    readonly planting: string;
    readonly result: string;
    readonly found: readonly { readonly metric: string }[];
  }[];
}

/** Two slowdowns are planted in sizes that these tolerances ask for: several times the noise of a busy machine. */
const plan = tinyPlan
  .replace(/p99: .*/, 'p99: { min: 50%, detect: 400% }')
  .replace('rate: 1000', 'rate: 300')
  .replace('rate: 2000', 'rate: 600');
const project = (code: string): Record<string, string> => ({
  'server.mjs': code,
  'tailgate.yml': `start: node server.mjs\nsetup: echo built >> "$PIDS-setup"\n${plan}`,
});

describe('tailgate self-test', () => {
  it('catches what was planted by the right metric, finds nothing in nothing, and leaves nothing behind', async () => {
    using rig = new Rig({ baseline: project(service(300)), candidate: {} });
    const run = await rig.run('self-test', '--json', 'self-test.json', '--seed', '7');
    const said = `${run.out}\n${run.err}`;
    const { checks, sizes, exitCode } = rig.read<Result>('self-test.json');
    expect(run.code, said).toBe(exitCode);
    const [none, cpu, latency] = checks;
    expect([none?.planting, none?.result], said).toEqual(['nothing', 'shown']);
    expect([cpu?.planting, cpu?.result], said).toEqual(['cpu', 'shown']);
    expect(latency?.planting).toBe('latency');
    // On a machine that is busy with other work latency may stay undecided; then the exit code says so.
    expect(['shown', 'undecided'], said).toContain(latency?.result);
    expect(exitCode).toBe(latency?.result === 'shown' ? 0 : 6);
    expect(run.out).toContain(exitCode === 0 ? 'Self-test passed' : 'Self-test failed: 1 of 3');
    // The service spins for 300 µs a request, and detect is 50 %.
    expect(sizes.cpu.rise).toBeGreaterThanOrEqual(1);
    expect(sizes.cpu.burnt).toBeGreaterThan(300_000);
    expect(cpu!.found[0]!.metric).toMatch(/^cpu/);
    expect(latency!.found.filter((row) => row.metric.startsWith('cpu'))).toEqual([]);
    // Three jobs of seven rounds, built once.
    expect(rig.servicesStarted()).toBe(42);
    expect(readFileSync(`${rig.pidFile}-setup`, 'utf8')).toBe('built\nbuilt\n');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('ends with 4 and the last words of a service that does not start, without planting anything', async () => {
    const broken = "console.error('no database here'); process.exit(3);";
    using rig = new Rig({ baseline: project(broken), candidate: {} });
    const run = await rig.run('self-test', '--json', 'self-test.json');
    expect(run.code, run.err).toBe(4);
    const { checks } = rig.read<Result>('self-test.json');
    expect(checks.map(({ result }) => result)).toEqual(['not-measured', 'not-measured', 'not-measured']);
    expect(run.out).toContain('Self-test failed');
    expect(run.out).toContain('code 3');
    expect(run.out).toContain('no database here');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('refuses what it does not know, and a file that cannot be written, before any work', async () => {
    using rig = new Rig({ baseline: project(service(10)), candidate: {} });
    const unknown = await rig.run('self-test', '--rates', '5');
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('did you mean --rate?');
    const unwritable = await rig.run('self-test', '--json', 'nowhere/a.json');
    expect(unwritable.code).toBe(2);
    expect(unwritable.err).toContain('"nowhere/a.json", which cannot be written');
    expect(rig.servicesStarted()).toBe(0);
  });

  it('refuses a time budget that is too short in its own words, before anything is announced', async () => {
    using rig = new Rig({ baseline: project(service(10)), candidate: {} });
    const run = await rig.run('self-test', '--time-budget', '10s');
    expect(run.code).toBe(2);
    expect(run.err).toContain('self-test runs three whole gates with these settings');
    expect(run.err).toContain('self-test takes up to three times as long');
    expect(run.err).not.toContain('job 1 of 3');
    expect(rig.servicesStarted()).toBe(0);
  });
});

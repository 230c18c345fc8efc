import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nothing, Rig, service, tinyPlan } from './gate-rig.ts';

interface Result {
  readonly exitCode: number;
  readonly sizes: Readonly<{
    cpu: { readonly burnt: number; readonly rise: number };
    latency: { readonly delay: number; readonly rise: number };
  }>;
  readonly checks: readonly {
    readonly planting: string;
    readonly result: string;
    readonly found: readonly { readonly metric: string; readonly change: { readonly effect: number } }[];
  }[];
}

/**
 * Both slowdowns are planted in sizes that these tolerances ask for, far beyond the noise of a busy machine: the CPU of a
 * request three times, and nineteen times what p90 was. No round of the seven may go the other way.
 */
const plan = tinyPlan
  .replace(/cpu: .*/, 'cpu: { min: 10%, detect: 100% }')
  .replace(/p99: .*/, 'p99: { min: 50%, detect: 900% }')
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
    // Nothing less will do: a slowdown that never took effect ends undecided or missed.
    expect(
      checks.map(({ planting, result }) => [planting, result]),
      said,
    ).toEqual([
      ['nothing', 'shown'],
      ['cpu', 'shown'],
      ['latency', 'shown'],
    ]);
    expect([run.code, exitCode], said).toEqual([0, 0]);
    expect(run.out).toContain('Self-test passed');
    const [, cpu, latency] = checks;
    // The service spins for 300 µs a request, and twice what a pass must exclude is +200 % and +1,800 %.
    expect(sizes.cpu.rise).toBeGreaterThanOrEqual(2);
    expect(sizes.cpu.burnt).toBeGreaterThan(600_000);
    expect(sizes.latency.rise).toBeGreaterThanOrEqual(18);
    expect(sizes.latency.delay).toBeGreaterThan(19 * 300_000);
    // Found in about the size in which it was planted.
    const changeOf = (check: typeof cpu, metric: string) =>
      check!.found.find((row) => row.metric === metric)!.change.effect;
    expect(changeOf(cpu, 'cpu'), said).toBeGreaterThan(0.5 * sizes.cpu.rise);
    expect(changeOf(latency, 'p90'), said).toBeGreaterThan(3);
    expect(latency!.found.filter((row) => row.metric.startsWith('cpu'))).toEqual([]);
    // Three jobs of seven rounds, built once.
    expect(rig.servicesStarted()).toBe(42);
    expect(readFileSync(`${rig.pidFile}-setup`, 'utf8')).toBe('built\nbuilt\n');
    expect(rig.leftovers()).toEqual(nothing);
  }, 360_000);

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

  it.each(['https: true', 'http2: true', 'unix-socket: true'])(
    'refuses a service with %s before anything is built or announced',
    async (setting) => {
      const start = setting === 'unix-socket: true' ? 'node server.mjs {socket}' : 'node server.mjs';
      const files = project(service(10));
      const settings = files['tailgate.yml']!.replace('start: node server.mjs', `start: ${start}`);
      const given = { ...files, 'tailgate.yml': `${settings}transport: { ${setting} }\n` };
      using rig = new Rig({ baseline: given, candidate: {} });
      const run = await rig.run('self-test', '--json', 'self-test.json');
      expect(run.code, run.err).toBe(2);
      expect(run.err).toContain(
        `\`transport: { ${setting} }\`: the self-test plants what it finds in plain HTTP/1.1`,
      );
      expect(run.err).not.toContain('job 1 of 3');
      expect(existsSync(`${rig.pidFile}-setup`)).toBe(false);
      expect(rig.servicesStarted()).toBe(0);
      expect(rig.leftovers()).toEqual(nothing);
    },
  );

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

import { describe, expect, it } from 'vitest';
import { planJob } from '../../src/config/planner.ts';
import { readConfig } from '../../src/config/read.ts';
import { typicalAssumptions } from '../../src/config/timing.ts';
import { ratio } from '../../src/kernel/units.ts';
import { leastRounds, lookRounds } from '../../src/verdict/looks.ts';
import { nothing, Rig, service, tinyPlan } from './gate-rig.ts';

interface Result {
  readonly exitCode: number;
  readonly fragment: string;
  readonly rounds: number;
  readonly slices: number;
  readonly benchmarks: number;
  readonly rates: readonly {
    readonly fits: boolean;
    readonly advised: Readonly<Record<'least' | 'aim' | 'most', number>>;
  }[];
  readonly strays: readonly { readonly metric: string; readonly rounds: number; readonly spread: number }[];
  readonly wanted: readonly {
    readonly metric: string;
    readonly cells: readonly { readonly wanted: number }[];
  }[];
  readonly capacities: readonly {
    readonly steps: readonly { readonly rate: number; readonly held: boolean }[];
    readonly capacity: { readonly held: number; readonly failed: number | null };
  }[];
}

const settings = `start: node server.mjs\n${tinyPlan.replace('rate: 1000', 'rate: 100').replace('rate: 2000', 'rate: 200')}`;
const project = (code: string): Record<string, string> => ({
  'server.mjs': code,
  'tailgate.yml': settings,
});

describe('tailgate calibrate', () => {
  it('measures spread and capacity of a service, and gives settings that can be pasted', async () => {
    // 5 ms of the one thread a request: no more than 200/s, whatever the machine.
    const benchmark = { 'sum.bench.mjs': 'export const sum = () => 1 + 1;\n' };
    using rig = new Rig({ baseline: { ...project(service(5000)), ...benchmark }, candidate: {} });
    const run = await rig.run(
      'calibrate',
      '--json',
      'calibration.json',
      '--detect',
      'cpu=20%',
      '--seed',
      '3',
    );
    const said = `${run.out}\n${run.err}`;
    expect(run.code, said).toBe(0);
    const result = rig.read<Result>('calibration.json');
    expect(result.strays.map(({ metric }) => metric)).toContain('cpu');
    // Every planned round is measured: nothing passes or fails early.
    for (const { rounds, spread } of result.strays) {
      expect(rounds).toBe(7);
      expect(spread).toBeGreaterThan(0);
    }
    expect(result.wanted.map(({ metric, cells }) => [metric, cells.map(({ wanted }) => wanted)])).toEqual([
      ['cpu', [0.2]],
    ]);
    const [{ capacity, steps }] = result.capacities as [Result['capacities'][number]];
    expect(capacity.held).toBeLessThan(215);
    expect(steps.some(({ held }) => !held)).toBe(true);
    const { config } = readConfig(`start: node server.mjs\n${result.fragment}\n`, {
      source: 'the fragment',
      overrides: {},
      environment: {},
    });
    expect(config.rounds.aim).toBe(result.rounds);
    // The advised rate is that of what was held, and what is pasted is 40 to 50 % of it, in two digits.
    const [rate] = result.rates as [Result['rates'][number]];
    for (const [share, part] of [
      [0.4, rate.advised.least],
      [0.45, rate.advised.aim],
      [0.5, rate.advised.most],
    ] as const)
      expect(part).toBe(Number((share * capacity.held).toPrecision(2)));
    const pasted = config.scenarios[0]!.rate;
    expect(pasted).toBe(rate.fits ? 100 : rate.advised.aim);
    expect(pasted).toBeGreaterThanOrEqual(rate.advised.least);
    expect(pasted).toBeLessThanOrEqual(rate.advised.most);
    // A gate of this project keeps a third for its microbenchmark, and with the settings it can be run.
    expect(result.benchmarks).toBeCloseTo(1 / 3);
    expect(result.slices).toBe(4);
    const assumptions = { ...typicalAssumptions, benchmarks: ratio(result.benchmarks) };
    const own = readConfig(settings, { source: 'the project', overrides: {}, environment: {} }).config;
    const scenarios = own.scenarios.map((one) => ({ ...one, rate: pasted }));
    const { rounds, timeBudget } = config;
    const rules = { lookRounds, leastRounds };
    const gate = planJob({ ...own, scenarios, rounds, timeBudget }, 1, assumptions, rules);
    expect(gate.rounds).toBeGreaterThanOrEqual(result.rounds);
    expect(run.out).toContain(result.fragment);
    expect(run.out).toContain('False alarms');
    // Two processes in each of seven rounds, and two for the climb.
    expect(rig.servicesStarted()).toBe(16);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('ends with 4 when the service does not start', async () => {
    using rig = new Rig({
      baseline: project("console.error('no database here'); process.exit(3);"),
      candidate: {},
    });
    const run = await rig.run('calibrate', '--json', 'calibration.json');
    expect(run.code, run.err).toBe(4);
    expect(run.out).toContain('Nothing could be calibrated');
    expect(run.err).toContain('no database here');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it.each([
    ['p98=10%', 'p98'],
    ['p99=10', '"10"'],
    ['cpu=0.1%', '0.5% to 1000%'],
    ['cpu', 'cpu ""'],
    ['cpus=3%', 'did you mean cpu?'],
  ])('refuses --detect %s before any work', async (asked, named) => {
    using rig = new Rig({ baseline: project(service(10)), candidate: {} });
    const run = await rig.run('calibrate', '--detect', asked);
    expect(run.code).toBe(2);
    expect(run.err).toContain(named);
    expect(run.err).toContain('--detect p99=10%,cpu=3%');
    expect(rig.servicesStarted()).toBe(0);
  });

  it('refuses a time budget that is too short in its own words, before anything is announced', async () => {
    using rig = new Rig({ baseline: project(service(10)), candidate: {} });
    const run = await rig.run('calibrate', '--time-budget', '10s');
    expect(run.code).toBe(2);
    expect(run.err).toContain('calibrate measures the rounds of a gate with these settings');
    expect(run.err).toContain('calibrate itself leaves out the rounds to confirm');
    expect(run.err).not.toMatch(/^Calibration/m);
    expect(rig.servicesStarted()).toBe(0);
  });
});

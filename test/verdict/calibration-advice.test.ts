import { describe, expect, it } from 'vitest';
import { adviseFrom } from '../../src/calibration-advice.ts';
import { settingText } from '../../src/calibration-budget.ts';
import type { JobPlan } from '../../src/config/plan.ts';
import { planJob } from '../../src/config/planner.ts';
import { readConfig } from '../../src/config/read.ts';
import type { GateConfig } from '../../src/config/settings.ts';
import { typicalAssumptions } from '../../src/config/timing.ts';
import { ns, parseDuration, perSecond, ratio } from '../../src/kernel/units.ts';
import { fragment } from '../../src/report/calibration-fragment.ts';
import type { Asked } from '../../src/report/calibration-text.ts';
import { leastRounds, lookRounds } from '../../src/verdict/looks.ts';
import { changed, evidence, finding, verdict } from '../report/verdicts.ts';
import { evidenceOf } from './evidence-builder.ts';

const read = (settings: string): GateConfig =>
  readConfig(`start: node server.js\n${settings}\n`, {
    ...{ source: 'a test', overrides: {}, environment: {} },
  }).config;
const config = read('rate: 300');
const measured = evidence(['checkout']);
const calibration = (outcome: 'pass' | 'invalid', rows = [finding({ change: changed(0, 0.06) })]) => ({
  verdict: verdict(outcome, rows),
  evidence: measured,
  capacities: [
    {
      ...{ scenario: 'checkout', rate: perSecond(300), steps: [] },
      capacity: {
        ...{ held: perSecond(390), failed: perSecond(431) },
        ...({ bound: 'cpu', busy: 1 } as const),
      },
    },
  ],
  benchmarks: ratio(0),
  cores: 2,
});

it('gives neither rounds for a change nor tolerances from an invalid job, but a rate to calibrate again at', () => {
  const advice = adviseFrom(calibration('invalid'), config, new Map())!;
  expect(advice.strays).toHaveLength(1);
  expect(advice).toMatchObject({ wanted: [], tolerances: [], tooWide: [] });
  const [rate] = advice.rates;
  // Its rounds were not saturated, so nothing contradicts the climb, and its 45 % are the only advice.
  expect(rate).toMatchObject({ contradicted: false, instead: rate!.advised!.aim });
  expect(adviseFrom(calibration('pass'), config, new Map())!.rates[0]!.instead).toBeNull();
});

it('gives no tolerance that is of no use, and names its key', () => {
  const wide = calibration('pass', [finding({ change: changed(0, 0.9) })]);
  expect(adviseFrom(wide, config, new Map())).toMatchObject({ tolerances: [], tooWide: ['p99'] });
  const narrow = adviseFrom(calibration('pass'), config, new Map())!;
  expect(narrow.tooWide).toEqual([]);
  expect(narrow.tolerances.map(({ key }) => key)).toEqual(['p99']);
});

it('advises the one rate that the verdict names where the climb held what the rounds could not', () => {
  const disturbed = (saturated: boolean, held: number) => {
    const given = calibration('invalid');
    const [climbed] = given.capacities;
    const capacity = { ...climbed!.capacity, held: perSecond(held), failed: perSecond(held * 1.1) };
    const capacities = [{ ...climbed!, scenario: 'home', rate: perSecond(800), capacity }];
    const saturatedEvidence = evidenceOf({ measuring: 2, slice: () => ({ saturated }) });
    const advice = adviseFrom({ ...given, evidence: saturatedEvidence, capacities }, config, new Map());
    return advice!.rates[0];
  };
  // 45 % of 2,000/s would be 900/s; "about 550/s would do" is what the verdict of these rounds says.
  expect(disturbed(true, 2000)).toMatchObject({ contradicted: true, instead: 550 });
  expect(disturbed(true, 600)).toMatchObject({ contradicted: false, instead: 270 });
  expect(disturbed(false, 2000)).toMatchObject({ contradicted: false, instead: null });
});

describe('of a service that did not keep up', () => {
  it.each([
    [300, 95, true],
    [300, 300, true],
    [300, 320, true],
    [300, 340, false],
    [300, 700, false],
  ])('%d/s where %d/s was held: %s', (rate, held, overrun) => {
    const { advice, pasted } = advised({ settings: `rate: ${rate}`, held: [held] });
    expect(advice.rates[0]!.overrun).toEqual(overrun ? { kind: 'beyond-capacity' } : null);
    expect(advice.strays.length > 0).toBe(!overrun);
    expect(advice.wanted.length > 0).toBe(!overrun);
    expect(advice.tolerances.length > 0).toBe(!overrun);
    expect(gateOf(pasted).rounds).toBeGreaterThanOrEqual(advice.rounds);
  });

  it('nothing follows for a change that was asked for: rounds and minutes stay as configured', () => {
    const asked: Asked = new Map([['p99', ratio(0.02)]]);
    const { advice, plan } = advised({ settings: 'rate: 300\ntime-budget: 10m', held: [95], asked });
    expect(advice).toMatchObject({ rounds: plan.rounds, raisedFrom: null, timeBudget: '10m', unreached: [] });
  });

  it('tells by the slices of the rounds too, but not by those of one disturbed round', () => {
    const overrun = (disturbed: number) => {
      const given = calibration('pass');
      const capacities = [{ ...given.capacities[0]!, scenario: 'home' }];
      const slice = ({ round, side }: { round: number; side: string }) => ({
        saturated: round < disturbed && side === 'candidate',
      });
      const slices = evidenceOf({ measuring: 12, slice });
      const advice = adviseFrom({ ...given, capacities, evidence: slices }, config, new Map())!;
      return advice.rates[0]!.overrun;
    };
    expect(overrun(0)).toBeNull();
    expect(overrun(1)).toBeNull();
    expect(overrun(3)).toEqual({ kind: 'saturated', share: 0.25 });
  });

  it('tells nothing of it after an invalid job, nor where the generator was the limit', () => {
    const given = calibration('invalid');
    const [climbed] = given.capacities;
    const held = (capacity: object) => ({
      capacities: [{ ...climbed!, capacity: { ...climbed!.capacity, ...capacity } }],
    });
    const slow = held({ held: perSecond(95), failed: perSecond(109) });
    expect(adviseFrom({ ...given, ...slow }, config, new Map())!.rates[0]!.overrun).toBeNull();
    const limited = { ...calibration('pass'), ...held({ held: perSecond(300), failed: null }) };
    expect(adviseFrom(limited, config, new Map())!.rates[0]!.overrun).toBeNull();
    const nothing = { ...calibration('pass'), ...held({ held: null, failed: perSecond(1) }) };
    expect(adviseFrom(nothing, config, new Map())!.rates[0]!.overrun).toEqual({ kind: 'beyond-capacity' });
  });
});

/** The gate that settings give. */
const gateOf = (settings: GateConfig, benchmarks = ratio(0)): JobPlan =>
  planJob(settings, 7, { ...typicalAssumptions, benchmarks }, { lookRounds, leastRounds });

interface Job {
  readonly settings: string;
  /** Rates that were held, in the order of the scenarios. */
  readonly held: readonly number[];
  readonly asked?: Asked;
  readonly benchmarks?: number;
  /** What a round took, of what was planned. */
  readonly slower?: number;
  readonly spread?: number;
}

/** What is advised after all rounds of the plan that these settings give. */
function advised({ settings, held, asked = new Map(), benchmarks = 0, slower = 1, spread = 0.1 }: Job) {
  const own = read(settings);
  const plan = gateOf(own);
  const names = plan.scenarios.map(({ name }) => name);
  const rounds = measured.rounds.map((round) => ({ ...round, duration: ns(plan.roundTime * slower) }));
  const rows = names.map((scenario) =>
    finding({ scenario, change: changed(0, spread), rounds: { used: plan.rounds, dropped: 0 } }),
  );
  const capacities = plan.scenarios.map(({ name, rate }, index) => ({
    ...{ scenario: name, rate, steps: [] },
    capacity: { ...calibration('pass').capacities[0]!.capacity, held: perSecond(held[index]!) },
  }));
  const given = { ...calibration('pass', rows), evidence: { ...measured, plan, rounds }, capacities };
  const advice = adviseFrom({ ...given, benchmarks: ratio(benchmarks) }, own, asked)!;
  return { advice, plan, pasted: read(fragment(advice)) };
}

it.each([
  [320, false],
  [390, false],
  [400, true],
  [450, true],
  [500, true],
  [510, false],
  [600, false],
])('of a service that held 1,000/s a rate of %d/s fits: %s', (rate, fits) => {
  const { advice, pasted } = advised({ settings: `rate: ${rate}`, held: [1000] });
  expect(advice.rates[0]!.fits).toBe(fits);
  expect(pasted.scenarios[0]!.rate).toBe(fits ? rate : 450);
});

it.each([
  ['71s', 71e9],
  ['120s', 120e9],
  ['3m', 180e9],
  ['181s', 181e9],
  ['1500ms', 1.5e9],
])('%s is a setting that holds exactly %d ns', (text, duration) => {
  expect(settingText(ns(duration))).toBe(text);
  expect(parseDuration(text)).toBe(duration);
});

describe('the advised settings', () => {
  it.each([
    [45, 70, '4m'],
    [140, 200, '4m'],
    [700, 900, '90s'],
    [15, 20, '10m'],
    [300, 2000, '4m'],
    [5000, 9000, '4m'],
  ])('of %d/s at a capacity of %d/s within %s can be run', (rate, held, budget) => {
    const { advice, pasted } = advised({ settings: `rate: ${rate}\ntime-budget: ${budget}`, held: [held] });
    expect(pasted.scenarios[0]!.rate).not.toBe(rate);
    const gate = gateOf(pasted);
    expect(gate.rounds).toBeGreaterThanOrEqual(advice.rounds);
    expect(gate.totalTime).toBeLessThanOrEqual(pasted.timeBudget);
    expect(advice.notes).toEqual(gate.notes);
  });

  it('have a longer time budget where the configured one would be refused at the advised rate, and say so', () => {
    const { advice, pasted } = advised({ settings: 'rate: 45\ntime-budget: 4m', held: [70] });
    expect(() => gateOf({ ...pasted, timeBudget: ns(240e9) })).toThrow('is too short');
    expect(advice).toMatchObject({ raisedFrom: '4m', keptSlices: null });
    expect(pasted.timeBudget).toBeGreaterThan(240e9);
    // As it was configured, not as one would write it.
    const odd = 'rate: 300\ntime-budget: 71s';
    expect(advised({ settings: odd, held: [95] }).advice.raisedFrom).toBe('71s');
    const enough = advised({ settings: odd, held: [700] });
    expect(enough.advice).toMatchObject({ raisedFrom: null, timeBudget: '71s' });
    expect(enough.pasted.timeBudget).toBe(71e9);
    // Where it does, it stays.
    const quick = advised({ settings: 'rate: 300\ntime-budget: 4m', held: [2000] });
    expect(quick.advice).toMatchObject({ raisedFrom: null, timeBudget: '4m' });
  });

  it('make room for microbenchmarks, which a calibration does not measure', () => {
    const job = { settings: 'rate: 1000\ntime-budget: 4m', held: [2200], benchmarks: 1 / 3 };
    const { advice, plan, pasted } = advised(job);
    expect(gateOf({ ...pasted, timeBudget: ns(240e9) }, ratio(1 / 3)).scenarios[0]).not.toEqual(
      plan.scenarios[0],
    );
    expect(gateOf(pasted, ratio(1 / 3)).scenarios).toEqual(plan.scenarios);
    expect(advice).toMatchObject({ raisedFrom: '4m', timeBudget: '6m' });
    const [cell] = advised({ ...job, benchmarks: 0 }).advice.wanted[0]!.cells.slice(-1);
    expect(advice.wanted[0]!.cells.at(-1)!.time).toBeCloseTo(cell!.time! * 1.5, -3);
  });

  describe('for a change that was asked for', () => {
    const asked: Asked = new Map([['p99', ratio(0.1)]]);

    it.each([
      [1000, '4m', 0.05, 1],
      [1000, '4m', 0.13, 1],
      [2000, '6m', 0.13, 1.4],
      [2000, '6m', 0.13, 0.8],
      [300, '4m', 0.1, 1.4],
    ])(
      'at %d/s within %s have slices and rounds as reckoned with (case %#)',
      (rate, budget, spread, slower) => {
        const settings = `rate: ${rate}\ntime-budget: ${budget}`;
        const { advice, plan, pasted } = advised({ settings, held: [rate * 2.2], asked, spread, slower });
        expect(advice.unreached).toEqual([]);
        const gate = gateOf(pasted);
        expect(gate.scenarios[0]!.slices).toBe(plan.scenarios[0]!.slices);
        expect(gate.scenarios[0]!.tailPercentile).toBe(plan.scenarios[0]!.tailPercentile);
        expect(gate.rounds).toBeGreaterThanOrEqual(advice.rounds);
        // Also when rounds take as long as they did.
        const needed = (advice.rounds + gate.confirmationRounds) * plan.roundTime * slower;
        expect(pasted.timeBudget).toBeGreaterThanOrEqual(needed - 1);
      },
    );

    it('keep the slices that were measured where the time for slow rounds would be planned as more slices', () => {
      const job = { settings: 'rate: 2000\ntime-budget: 6m', held: [4400], asked, spread: 0.13, slower: 1.4 };
      const { advice, plan, pasted } = advised(job);
      expect(advice.keptSlices).toBe(plan.scenarios[0]!.slices);
      expect(gateOf({ ...pasted, slices: 'auto' }).scenarios[0]!.slices).toBeGreaterThan(advice.keptSlices!);
    });

    it('have rounds enough for the counters of the service too', () => {
      const metrics =
        'cost: { prometheus: { path: /m, metric: cpu } }\nmetrics: [{ name: q, metric: q, judge: { min: 5% } }]';
      const wide: Asked = new Map([['p99', ratio(5)]]);
      const job = { settings: `rate: 1000\n${metrics}`, held: [2200], asked: wide };
      expect(advised(job).advice.rounds).toBe(8);
      expect(advised({ ...job, settings: 'rate: 1000' }).advice.rounds).toBe(7);
    });
  });

  it('of a table have the measured slices within its minutes, also where rounds were quicker than planned', () => {
    for (const slower of [0.8, 1, 1.3]) {
      const { advice, plan } = advised({ settings: 'rate: 1000\ntime-budget: 4m', held: [2200], slower });
      expect(advice.slices).toBe(plan.scenarios[0]!.slices);
      const cells = advice.wanted[0]!.cells.filter(({ rounds }) => rounds !== null);
      expect(cells.length).toBeGreaterThan(0);
      for (const { rounds, time } of cells) {
        const gate = gateOf({
          ...read('rate: 1000'),
          rounds: { aim: rounds!, least: 6, most: Math.max(15, rounds!) },
          timeBudget: ns(time! + 1),
        });
        expect(gate.scenarios[0]!.slices).toBeGreaterThanOrEqual(advice.slices);
        expect(gate.rounds).toBeGreaterThanOrEqual(rounds!);
      }
    }
  });

  it('of several scenarios are for the configured rates, and name the time budget of the advised ones', () => {
    const scenario = (name: string, rate: number) =>
      `  - { name: ${name}, rate: ${rate}, requests: [{ path: / }] }`;
    const settings = `time-budget: 6m\nscenarios:\n${scenario('a', 100)}\n${scenario('b', 100)}`;
    const { advice } = advised({ settings, held: [60, 220] });
    expect(advice.raisedFrom).toBeNull();
    const minutes = Number(/^(\d+)m$/.exec(advice.withRates!)![1]);
    expect(minutes).toBeGreaterThan(6);
    const own = read(settings);
    const slower = own.scenarios.map((one, index) => ({ ...one, rate: [perSecond(27), one.rate][index]! }));
    const rounds = { aim: advice.rounds, least: advice.least, most: advice.most };
    const later = { ...own, scenarios: slower, rounds, timeBudget: ns(minutes * 60e9) };
    expect(gateOf(later).rounds).toBe(advice.rounds);
    expect(advised({ settings, held: [220, 220] }).advice.withRates).toBeNull();
  });
});

it('takes no tolerance of p99 from a counter of the service', () => {
  const counter = finding({ metric: 'counter', scenario: 'checkout > q', change: changed(0, 0.3) });
  expect(adviseFrom(calibration('pass', [counter]), config, new Map())!.tolerances).toEqual([]);
});

it('of a job that ended before its first round is nothing to stumble over', () => {
  const given = { ...calibration('pass', []), evidence: { ...measured, rounds: [] }, capacities: [] };
  const asked: Asked = new Map([['cpu', ratio(0.1)]]);
  expect(adviseFrom(given, config, asked)!.timeBudget).toMatch(/^\d+m$/);
});

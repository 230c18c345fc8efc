import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { logRatio, ns, perSecond, ratio } from '../../src/kernel/units.ts';
import type { Capacity } from '../../src/load/ramp.ts';
import { fragment } from '../../src/report/calibration-fragment.ts';
import { type Advice, calibrationText, settingsText } from '../../src/report/calibration-text.ts';

const cpuBound: Capacity = { held: perSecond(1000), failed: perSecond(1150), bound: 'cpu', busy: 0.98 };
const advised = { least: perSecond(400), aim: perSecond(450), most: perSecond(500) };
const rate = {
  scenario: 'default',
  rate: perSecond(300),
  capacity: cpuBound,
  advised,
  fits: false,
  ...{ instead: null, contradicted: false, overrun: null },
};
const advice: Advice = {
  strays: [
    {
      ...{ scenario: 'default', metric: 'p99', rounds: 12, spread: logRatio(0.063) },
      ...{ singleRun: logRatio(0.083), detectable: ratio(0.092) },
      tolerance: { min: ratio(0.05), detect: ratio(0.2) },
    },
  ],
  wanted: [
    {
      scenario: 'default',
      metric: 'p99',
      cells: [
        { wanted: ratio(0.03), rounds: null, time: null },
        { wanted: ratio(0.1), rounds: 11, time: ns(240e9) },
      ],
    },
  ],
  unreached: [],
  tooWide: [],
  rounds: 12,
  least: 6,
  most: 15,
  timeBudget: '4m',
  ...{ raisedFrom: null, withRates: null, keptSlices: null, notes: [] },
  ...{ slices: 16, benchmarks: ratio(0) },
  tolerances: [
    { key: 'p99', min: ratio(0.05), detect: ratio(0.15) },
    { key: 'cpu-total', min: ratio(0.0075), detect: ratio(0.015) },
  ],
  falseAlarms: {
    ...{ judged: 6, flagged: ratio(0.05), looks: [{ rounds: 12, level: ratio(0.05) }] },
    red: {
      ...{ confirmed: ratio(0.01), settled: ratio(0.005) },
      simulated: { jobs: 1400, red: 7, atMost: ratio(0.0093) },
      onMachine: { jobs: 30, red: 0, atMost: ratio(0.095) },
    },
  },
  rates: [rate],
};
const parsed = (text: string) =>
  readConfig(`start: node server.js\n${text}\n`, { source: 'the fragment', overrides: {}, environment: {} });

describe('the fragment', () => {
  it('is valid tailgate.yml with what was advised', () => {
    const { config, warnings } = parsed(fragment(advice));
    expect(warnings).toEqual([]);
    expect(config.scenarios[0]!.rate).toBe(450);
    expect(config.timeBudget).toBe(240e9);
    expect(config.rounds).toEqual({ aim: 12, least: 6, most: 15 });
    expect(config.judge.p99).toEqual({ min: 0.05, detect: 0.15 });
    expect(config.judge.cpuTotal).toEqual({ min: 0.0075, detect: 0.015 });
  });

  it('says what it replaces, and that a scenario may have a rate of its own', () => {
    expect(fragment(advice).split('\n')[0]).toBe('# In place of the keys of the same names:');
    expect(fragment(advice)).not.toContain('if it has one');
    const named = fragment({ ...advice, rates: [{ ...rate, scenario: 'cart' }] });
    expect(named).toContain('# and in place of the rate of cart itself, if it has one:\nrate: ');
    expect(parsed(named).config.scenarios[0]!.rate).toBe(450);
  });

  it('keeps a rate that fits, and gives none where none was held', () => {
    expect(parsed(fragment({ ...advice, rates: [{ ...rate, fits: true }] })).config.scenarios[0]!.rate).toBe(
      300,
    );
    const none = { ...rate, advised: null, capacity: { ...cpuBound, held: null } };
    expect(fragment({ ...advice, rates: [none] })).not.toContain('rate:');
  });

  it('names the rates of several scenarios without touching them, whatever their names hold', () => {
    const odd = { ...rate, scenario: 'a\nrate: 7' };
    const text = fragment({ ...advice, rates: [odd, rate] });
    expect(text).toContain('# rate of default: 450');
    expect(parsed(text).config.scenarios[0]!.rate).toBe(300);
  });

  it('says why a time budget was raised, and what the advised rates of several scenarios would take', () => {
    const raised = fragment({ ...advice, timeBudget: '6m', raisedFrom: '4m' });
    expect(raised).toContain('time-budget: 6m # 4m does not hold these rounds\n');
    expect(parsed(raised).config.timeBudget).toBe(360e9);
    const two = fragment({ ...advice, rates: [rate, { ...rate, scenario: 'other' }], withRates: '9m' });
    expect(two).toContain('# time-budget with these rates: 9m\ntime-budget: 4m\n');
    expect(fragment(advice)).not.toContain('hold');
  });

  it('keeps the slices that were measured where the planner might take others', () => {
    expect(parsed(fragment({ ...advice, keptSlices: 16 })).config.slices).toBe(16);
    expect(parsed(fragment(advice)).config.slices).toBe('auto');
  });

  it('is valid when nothing was measured but rates', () => {
    expect(parsed(fragment({ ...advice, tolerances: [] })).config.judge.p99.detect).toBe(0.2);
  });
});

describe('the text', () => {
  const text = (more: Partial<Advice> = {}) => calibrationText({ ...advice, ...more }, 'pass', null, 2);
  const flat = (more: Partial<Advice> = {}) => text(more).replace(/\s+/g, ' ');

  it('shows spread, rounds and time, rate, false alarms and the fragment, and no line is too long', () => {
    expect(text()).toMatch(/default +p99 +±6\.5 % +±8\.7 % +9\.2 % +12/);
    expect(text()).toMatch(/3 %: over 60 +10 %: 11, 4 min/);
    expect(flat()).toContain(
      '1,000/s was held, 1,150/s was not. It is bound by CPU: it kept 1.0 of 2 CPUs busy',
    );
    expect(flat()).toContain('40 to 50 % of it is 400/s to 500/s; the configured 300/s is 30 % of it.');
    const fitting = { ...rate, rate: perSecond(460), fits: true };
    expect(flat({ rates: [fitting] })).toContain('the configured 460/s is 46 % of it and fits.');
    expect(flat()).toContain(
      'Rounds of 16 slices a side, and the time budget for them (confirmation included)',
    );
    expect(flat({ benchmarks: ratio(1 / 3) })).toContain(
      '(confirmation and the 33 % for microbenchmarks included)',
    );
    expect(text()).toContain(fragment(advice));
    for (const line of text().split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  it('names both ways to red with their levels, what was seen of them, and the family of their own', () => {
    const said = flat();
    expect(said).toContain('at most 5 % of jobs without a change have one of their 6 judged rows flagged');
    expect(said).toContain('six fresh rounds confirm a flagged row, by a pooled test at 1 %;');
    expect(said).toContain(
      'leaves the job open, and six further rounds show a row beyond doubt, by a pooled test at 0.5 %.',
    );
    expect(said).toContain(
      '7 of 1,400 (0.5 %; at most 0.93 %, with 95 % confidence) in simulation (docs/method.md)',
    );
    expect(said).toContain(
      '0 of 30 (0 %; at most 9.5 %, with 95 % confidence) on a real machine (docs/aa.md)',
    );
    expect(said).toContain('Microbenchmarks are a family of their own');
    expect(said).not.toContain('only when');
    expect(said).not.toContain('well under');
  });

  it('tells what the planner has to say about the settings', () => {
    const notes = [
      { code: 'short', message: 'p95 is judged', hint: '`time-budget: 9m` would make p99 eligible' },
    ];
    expect(flat({ notes })).toContain(
      'With these settings: p95 is judged. `time-budget: 9m` would make p99 eligible.',
    );
    expect(flat()).not.toContain('With these settings');
  });

  it.each([
    ['not-cpu', 'It is not bound by CPU'],
    ['crowded', 'something on this machine was waiting for a CPU'],
    ['not-reached', 'More could not be offered here'],
    ['ended', 'the service ended by itself'],
    ['unknown', 'cannot be read on this system'],
  ] as const)('says plainly that the limit is %s', (bound, words) => {
    const capacity = { ...cpuBound, bound, ...(bound === 'not-reached' ? { failed: null } : {}) };
    expect(flat({ rates: [{ ...rate, capacity }] })).toContain(words);
  });

  it('names what no tolerance of use fits, and what was asked for and is out of reach', () => {
    expect(flat()).not.toContain('strayed too far');
    expect(flat()).not.toContain('out of reach');
    const none = flat({ tooWide: ['p50'], unreached: ['p99'], tolerances: [] });
    expect(none).toContain('p50 strayed too far for a tolerance of use, so none is given');
    expect(none).toContain('asked for of p99 is not detectable here within 60 rounds');
    expect(none).not.toContain('Tolerances that this spread allows');
  });

  describe('of a job that was invalid', () => {
    const reason = 'neither side could hold 300/s in `default`; about 130/s would do';
    const said = (more: Partial<Advice> = {}) =>
      calibrationText({ ...advice, ...more }, 'invalid', reason, 2).replace(/\s+/g, ' ');
    const disturbed = { ...rate, instead: perSecond(130), contradicted: true };

    it('gives no settings, even where rows have a spread, and one rate to calibrate again at', () => {
      for (const strays of [[], advice.strays]) {
        const text = said({ strays, rates: [disturbed] });
        expect(text).toMatch(
          /No settings: the job was invalid; calibrate again at `rate: 130`, and on a quieter machine\.$/,
        );
        for (const words of [
          'tolerances that',
          'For tailgate.yml',
          'aim:',
          'False alarms',
          'Rounds and time',
        ])
          expect(text).not.toContain(words);
        expect(settingsText({ ...advice, strays }, 'invalid')).toBeNull();
      }
    });

    it('says that rounds and climb contradict each other instead of advising by one of them', () => {
      const text = said({ rates: [disturbed] });
      expect(text).toContain(
        'was held, 1,150/s was not in the climb, but the rounds before it could not hold 300/s',
      );
      expect(text).not.toContain('40 to 50 %');
      expect(said()).not.toContain('the machine was disturbed');
    });

    it('sends to a quieter machine where no other rate would help, and names the scenarios of several', () => {
      expect(said()).toMatch(/calibrate again on a quieter machine\.$/);
      const other = { ...rate, scenario: 'other', instead: perSecond(20) };
      expect(said({ rates: [{ ...rate, instead: perSecond(70) }, other] })).toMatch(
        /again at `rate: 70` for default and `rate: 20` for other\.$/,
      );
    });
  });

  describe('of a service that did not keep up', () => {
    const held = { ...cpuBound, held: perSecond(95), failed: perSecond(109) };
    const aims = { least: perSecond(38), aim: perSecond(43), most: perSecond(48) };
    const beyond: Advice['rates'][number] = {
      ...{ ...rate, capacity: held, advised: aims },
      overrun: { kind: 'beyond-capacity' },
    };
    const over: Advice = { ...advice, strays: [], wanted: [], tolerances: [], rates: [beyond] };
    const said = (one: Partial<typeof beyond> = {}) =>
      calibrationText({ ...over, rates: [{ ...beyond, ...one }] }, 'pass', null, 2);
    const flatly = (one: Partial<typeof beyond> = {}) => said(one).replace(/\s+/g, ' ');

    it('says so first, and gives the rate and what it needs, but nothing that follows from a spread', () => {
      expect(flatly()).toMatch(
        /^The service did not keep up default: the rounds offered the configured 300\/s, 316 % of the 95\/s that it held in the climb after them: more than it can take\. At that load queues decide/,
      );
      expect(said()).toContain(settingsText(over, 'pass')!);
      const { config, warnings } = parsed(settingsText(over, 'pass')!);
      expect(warnings).toEqual([]);
      expect(config.scenarios[0]!.rate).toBe(43);
      expect(config.judge).toEqual(parsed('').config.judge);
      for (const words of ['Spread of', 'Tolerances that', 'False alarms', 'detectable', 'judge:'])
        expect(said()).not.toContain(words);
      for (const line of said().split('\n')) expect(line.length).toBeLessThanOrEqual(110);
    });

    it('names the limit, slices whose queue grew, and a service that held nothing', () => {
      expect(flatly({ rate: perSecond(94) })).toContain(
        '99 % of the 95/s that it held in the climb after them: its limit.',
      );
      expect(flatly({ overrun: { kind: 'saturated', share: ratio(0.3) } })).toContain(
        'in 30 % of the slices of a side the queue only grew at the configured 300/s',
      );
      const none = { advised: null, capacity: { ...held, held: null } };
      expect(flatly(none)).toContain('not even 109/s was held');
      expect(flatly(none)).toMatch(/No settings: no rate was held; calibrate again at a much lower one\.$/);
      expect(settingsText({ ...over, rates: [{ ...beyond, ...none }] }, 'pass')).toBeNull();
    });
  });

  it('gives no settings either where nothing has a spread', () => {
    expect(settingsText({ ...advice, strays: [] }, 'inconclusive')).toBeNull();
    expect(settingsText(advice, 'inconclusive')).toBe(fragment(advice));
    expect(text({ strays: [] })).toContain('No settings: the job gave no spread');
  });

  it('does not promise a confirmation that is turned off', () => {
    const said = flat({ falseAlarms: { ...advice.falseAlarms, red: null } });
    expect(said).toContain('Without `confirm` such a job is red.');
    expect(said).not.toContain('docs/aa.md');
  });
});

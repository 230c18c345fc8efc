import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { planCapacity } from '../../src/capacity/plan.ts';
import { readRampResult } from '../../src/capacity/read-result.ts';
import type { RampResult } from '../../src/capacity/result.ts';
import type { FlagValues } from '../../src/commands/command.ts';
import { plan as planCommand } from '../../src/commands/plan.ts';
import { readConfig } from '../../src/config/read.ts';
import { boundTo } from '../../src/ramp-of-config.ts';
import { describeCapacityPlan, prometheusRules } from '../../src/report/capacity-plan.ts';
import { measured, sampleResult } from './sample-result.ts';

const plan = (peak: number, result: RampResult = sampleResult(), headroom = 0.7) =>
  planCapacity(result, { peak, headroom });

const unrecovered = {
  ...sampleResult().recovery!,
  recovered: false,
  seconds: null,
};

describe('planCapacity', () => {
  it('takes 0.7 of the knee, and never fewer than two instances', () => {
    const small = plan(100);
    expect([small.safeRate, small.instances, small.boundBy]).toEqual([658, 2, 'knee']);
    expect(plan(6580).instances).toBe(10);
    expect(plan(6581).instances).toBe(11);
    expect(plan(6580, sampleResult(), 0.5).instances).toBe(14);
  });

  it('stays at what met the objective where that is less', () => {
    const tight = sampleResult([
      measured(100, 100, 12, 30),
      measured(200, 200, 12, 55),
      measured(800, 800, 12, 60),
      measured(900, 700, 90, 900),
    ]);
    expect(tight.knee).toBe(800);
    expect(plan(100, tight)).toMatchObject({ safeRate: 100, boundBy: 'objective' });
    expect(describeCapacityPlan(plan(100, tight), 200)).toContain('would miss it');
  });

  it('says what the loss of one means', () => {
    const limit = { limit: 940, limitIs: 'knee' };
    expect(plan(1300).withoutOne).toEqual({ ratePerInstance: 1300, holds: false, ...limit });
    expect(plan(900).withoutOne).toEqual({ ratePerInstance: 900, holds: true, ...limit });
    expect(describeCapacityPlan(plan(900), 400)).toContain('900/s each, which is within the knee.');
  });

  it('holds nothing beyond what met the objective, however far the knee is', () => {
    // p99 is missed from 800/s on, where half of the answers are still quick.
    const early = sampleResult([
      measured(375, 375, 12, 30),
      measured(750, 750, 12, 40),
      measured(800, 800, 12, 60),
      measured(1000, 1000, 13, 90),
      measured(1100, 900, 90, 900),
    ]);
    expect([early.knee, early.capacity.lastPass]).toEqual([1000, 750]);
    const made = plan(1800, early);
    expect(made.instances).toBe(3);
    expect(made.withoutOne).toEqual({
      ratePerInstance: 900,
      holds: false,
      limit: 750,
      limitIs: 'objective',
    });
    expect(describeCapacityPlan(made, 400)).toContain(
      '900/s each, which is beyond the highest rate that met the objective, 750/s: add one',
    );
    expect(made.alerts.utilisation).toEqual({
      warning: 700,
      critical: 750,
      why: 'warning: the safe rate of an instance; critical: the highest rate that met the objective',
    });
    expect(made.alerts.p99).toMatchObject({ warning: 0.04, critical: 0.05 });
    expect(made.alerts.p99.why).toContain('at the highest rate that met the objective');
    expect(plan(900, early, 0.5).alerts.utilisation).toMatchObject({ warning: 500, critical: 675 });
    expect(plan(1500, early).withoutOne.holds).toBe(true);
  });

  it('takes thresholds from the curve', () => {
    const { alerts, scaleOut } = plan(100);
    expect([alerts.p99.warning, alerts.p99.critical]).toEqual([0.0193, 0.05]);
    expect([alerts.errors.warning, alerts.errors.critical]).toEqual([0.001, 0.01]);
    expect([alerts.utilisation.warning, alerts.utilisation.critical]).toEqual([658, 846]);
    expect(scaleOut.cores).toBeCloseTo(0.658 * 1.05, 3);
  });

  it('is bound to configuration and environment, and says what it does not cover', () => {
    const made = plan(100);
    expect(made.boundTo.configHash).toBe('c0ffee'.repeat(10));
    const text = describeCapacityPlan(made, 110);
    expect(text.split('\n')[0]).toContain('2 instances for a peak of 100/s');
    expect(text.replaceAll('\n', ' ')).toContain('measure again when either changes');
    expect(text).toMatch(/database[\s\S]*variance of real requests[\s\S]*relative/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
  });

  it('says what went wrong beyond the knee, one line each, and nothing of a service that came back', () => {
    const about = (facts: Partial<RampResult>) =>
      describeCapacityPlan(plan(100, { ...sampleResult(), ...facts }), 400);
    expect(plan(100).toKnow).toEqual([]);
    expect(about({})).not.toContain('To know');
    expect(about({ recovery: unrecovered })).toContain(
      'To know:\n- After 1,880/s it did not recover within 30 s: keep it below the knee and shed load before.\n',
    );
    const death = {
      duringRate: 1600,
      afterRequests: 9,
      how: 'it ended with \u001b[2J code 1',
      lastWords: [],
    };
    expect(about({ death })).toContain(
      '- At 1,600/s it died (it ended with \\u{1b}[2J code 1): keep it below',
    );
    const leak = { fromBytes: 1e8, toBytes: 3e8, perRequestBytes: 1000 };
    expect(about({ leak })).toContain('about 1000 B a request: that is 2.21 GiB an hour at the safe rate');
    expect(plan(100, { ...sampleResult(), leak, death, recovery: unrecovered }).toKnow).toHaveLength(3);
  });

  it('lets no escape sequence of a file through', () => {
    const { environment } = sampleResult();
    const hostile = sampleResult(undefined, {
      environment: { ...environment, cpuModel: 'CPU\u001b[2J\u202e\nfake: line' },
      configHash: 'ab\u001b[31m\ncd: evil',
    });
    const texts = [describeCapacityPlan(plan(100, hostile), 110), prometheusRules(plan(100, hostile), 'a')];
    expect(texts[0]).toContain('CPU\\u{1b}[2J\\u{202e}\\nfake: line');
    for (const text of texts) {
      expect(text).not.toContain('\u001b');
      expect(text).not.toContain('\u202e');
    }
    expect(Object.keys(parse(texts[1]!) as object)).toEqual(['groups']);
  });

  it.each<[string, Parameters<typeof sampleResult>[1], RegExp]>([
    ['partial', { stopped: { by: 'signal', why: 'it was stopped' } }, /it is partial/],
    ['dead', { end: { kind: 'died' } }, /died/],
    [
      'never recovering',
      { end: { kind: 'did-not-recover' }, recovery: { ...unrecovered, afterRate: 960 } },
      /after 960\/s the service did not recover/,
    ],
    ['missed', { end: { kind: 'missed-at-start' } }, /missed from the start/],
    ['unsound', { end: { kind: 'unsound' } }, /generator/],
  ])('refuses a %s result', (_, facts, words) => {
    expect(() => plan(100, sampleResult(undefined, facts))).toThrow(words);
  });
});

describe('prometheusRules', () => {
  it('is YAML that Prometheus would load, with the thresholds of the plan', () => {
    const made = plan(100);
    const text = prometheusRules(made, 'check"out');
    const read = parse(text) as { groups: { name: string; rules: Record<string, unknown>[] }[] };
    expect(read.groups).toHaveLength(1);
    const { rules } = read.groups[0]!;
    expect(rules.map((rule) => rule['alert'])).toEqual([
      'CapacityP99High',
      'CapacityP99BeyondObjective',
      'CapacityErrorsHigh',
      'CapacityErrorsBeyondBudget',
      'CapacityScaleOut',
      'CapacityNearKnee',
      'CapacityCpuHigh',
    ]);
    for (const rule of rules) {
      expect(Object.keys(rule)).toEqual(['alert', 'expr', 'for', 'labels', 'annotations']);
      expect(rule['expr']).toContain('job="check\\"out"');
    }
    expect(rules[1]!['expr']).toMatch(/> 0\.05$/);
    expect(text).toContain(made.boundTo.configHash);
  });
});

describe('readRampResult', () => {
  const whole = JSON.stringify(sampleResult(), null, 2);
  const changed = (change: (value: Record<string, unknown>) => void): string => {
    const value = JSON.parse(whole) as Record<string, unknown>;
    change(value);
    return JSON.stringify(value);
  };

  it('reads what was written', () => {
    expect(readRampResult(whole)).toEqual(JSON.parse(whole));
  });

  it.each([
    ['', 'it is empty'],
    [whole.slice(0, 900), 'cut short'],
    ['offered,p99\n1,2\n', 'not JSON'],
    ['[1]', 'a list'],
    ['{"schema":"tailgate-evidence"}', 'its schema is "tailgate-evidence"'],
    ['{"model":"closed","levels":[]}', 'this is a sweep'],
    ['{"schema":"tailgate-ramp-pair"}', 'this is a comparison of two builds'],
    ['{"verdict":"pass"}', 'it names no schema'],
    [changed((value) => (value['version'] = 9)), 'its version is 9'],
    [changed((value) => delete value['capacity']), '"capacity" is missing'],
    [changed((value) => (value['knee'] = 'high')), '"knee" is string "high"'],
    [changed((value) => (value['steps'] = [{}])), '"steps[0].rate" is missing; wanted a rate above 0'],
    [
      changed((value) => (value['end'] = { kind: 'whatever' })),
      '"end.kind" is string "whatever"; wanted one of',
    ],
    [changed((value) => (value['end'] = { kind: 'at-least' })), '"end.limit" is missing; wanted "rate" or'],
    [changed((value) => (value['subject'] = { kind: 'file' })), 'wanted one of url, config'],
    [changed((value) => (value['subject'] = { kind: 'url' })), '"subject.url" is missing; wanted text'],
    [changed((value) => (value['environment'] = {})), '"environment.cpuModel" is missing; wanted text'],
    [
      changed((value) => (value['environment'] = { cpuModel: 'A', cpus: '2' })),
      '"environment.cpus" is string',
    ],
    [
      changed((value) => (value['configHash'] = 'ab\nc: d')),
      '"configHash" is string "ab\\nc: d"; wanted a hash',
    ],
    [
      changed((value) => (value['environmentHash'] = 'xyz')),
      '"environmentHash" is string "xyz"; wanted a hash',
    ],
    [changed((value) => (value['recovery'] = { recovered: 'no' })), '"recovery.rate" is missing'],
    [changed((value) => (value['recovery'] = 3)), '"recovery" is number 3; wanted { rate, afterRate'],
    [
      changed((value) => (value['death'] = { duringRate: 5, afterRequests: 1, how: 7 })),
      '"death.how" is number',
    ],
    [changed((value) => delete value['leak']), '"leak" is missing'],
    [changed((value) => (value['schema'] = 'a\u001b[2Jb\u009bc')), 'its schema is "a\\u001b[2Jb\\u{9b}c"'],
  ])('refuses %#', (content, words) => {
    expect(() => readRampResult(content)).toThrow(words);
  });

  it.each<[unknown, string]>([
    ['x', '"steps[1].responseTimeMs.p99" is string "x"; wanted milliseconds from 0, or null'],
    [-1, '"steps[1].responseTimeMs.p99" is number -1'],
    [undefined, '"steps[1].responseTimeMs.p99" is missing'],
  ])('names the step whose p99 is %j', (p99, words) => {
    const content = changed((value) => {
      (value['steps'] as { responseTimeMs: object }[])[1]!.responseTimeMs = {
        ...sampleResult().steps[1]!.responseTimeMs,
        p99,
      };
    });
    expect(() => readRampResult(content)).toThrow(words);
  });
});

describe('tailgate plan', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plan-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const content = JSON.stringify(sampleResult());
  writeFileSync(join(directory, 'ok.json'), content);
  symlinkSync('ok.json', join(directory, 'link.json'));
  const run = (flags: FlagValues) =>
    planCommand.run({ peak: '100', ...flags }, ['ok.json'], {
      directory,
      environment: {},
      signal: new AbortController().signal,
      print: () => undefined,
      tell: () => undefined,
      interactive: false,
    });

  it.each<[FlagValues, RegExp]>([
    [{ rules: 'ok.json' }, /--rules is "ok\.json", the file that the plan is made from/],
    [{ json: './ok.json' }, /--json is "\.\/ok\.json", the file/],
    [{ rules: 'link.json' }, /--rules is "link\.json", the file/],
    [{ json: 'x', rules: './x' }, /--json and --rules are both "\.\/x"/],
    [{ peak: '0x10' }, /--peak is "0x10"; it wants a decimal number from 0\.001 to/],
    [{ peak: '' }, /--peak is ""/],
    [{ headroom: '0b1' }, /--headroom is "0b1"; it wants a decimal number from 0\.05 to 1/],
  ])('refuses %j and leaves its input as it is', async (flags, words) => {
    await expect(run(flags)).rejects.toThrow(words);
    expect(readdirSync(directory).sort()).toEqual(['link.json', 'ok.json']);
    expect(readFileSync(join(directory, 'ok.json'), 'utf8')).toBe(content);
  });

  it.each(['100', '1e2', '100.5', '.5'])('takes a peak of %s', async (peak) => {
    expect(await run({ peak })).toBe(0);
  });
});

describe('the configuration that a result is bound to', () => {
  const hashOf = (...lines: string[]): string => {
    const text = ['start: node server.js', ...lines].join('\n');
    const { config } = readConfig(text, { source: 'tailgate.yml', overrides: {}, environment: {} });
    const bound = boundTo(config, config.scenarios[0]!, 'c0ffee');
    return createHash('sha256').update(JSON.stringify(bound)).digest('hex');
  };
  const service = (more = '') => `services: [{ name: db, start: "node db.js${more}" }]`;

  it('is the same for the same text, and for what no capacity depends on', () => {
    expect(hashOf(service())).toBe(hashOf(service()));
    expect(hashOf('comment: never')).toBe(hashOf());
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['transport.keep-alive', [], ['transport: { keep-alive: false }']],
    ['transport.http2', [], ['transport: { http2: true }']],
    ['a companion', [], [service()]],
    ['the start of a companion', [service()], [service(' --slow')]],
    [
      'where a companion is',
      [service(), 'env: { A: "{services.db.port}" }'],
      [service(), 'env: { B: "{services.db.port}" }'],
    ],
    ['reset', [], ['reset: node reset.js']],
    ['working-directory', [], ['working-directory: app']],
    ['cost', [], ['cost: { prometheus: {} }']],
    ['setup', [], ['setup: npm ci']],
    ['env', [], ['env: { A: b }']],
  ])('changes with %s', (_, one, other) => {
    expect(hashOf(...one)).not.toBe(hashOf(...other));
  });
});

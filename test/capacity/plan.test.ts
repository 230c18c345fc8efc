import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { planCapacity } from '../../src/capacity/plan.ts';
import { readRampResult } from '../../src/capacity/read-result.ts';
import type { RampResult } from '../../src/capacity/result.ts';
import { describeCapacityPlan, prometheusRules } from '../../src/report/capacity-plan.ts';
import { measured, sampleResult } from './sample-result.ts';

const plan = (peak: number, result: RampResult = sampleResult(), headroom = 0.7) =>
  planCapacity(result, { peak, headroom });

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
    expect(plan(1300).withoutOne).toEqual({ ratePerInstance: 1300, holds: false });
    expect(plan(900).withoutOne).toEqual({ ratePerInstance: 900, holds: true });
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

  it.each<[string, Parameters<typeof sampleResult>[1], RegExp]>([
    ['partial', { stopped: { by: 'signal', why: 'it was stopped' } }, /it is partial/],
    ['dead', { end: { kind: 'died' } }, /died/],
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
    ['{"verdict":"pass"}', 'it names no schema'],
    [changed((value) => (value['version'] = 9)), 'its version is 9'],
    [changed((value) => delete value['capacity']), '"capacity" is missing'],
    [changed((value) => (value['knee'] = 'high')), '"knee" is string "high"'],
    [changed((value) => (value['steps'] = [{}])), '"steps" is a list; wanted a list of steps'],
  ])('refuses %#', (content, words) => {
    expect(() => readRampResult(content)).toThrow(words);
  });
});

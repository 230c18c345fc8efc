/** `tailgate plan` as a command: from the file of a ramp to the files that people paste. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CapacityPlan } from '../../src/capacity/plan.ts';
import { analyseSweep } from '../../src/capacity/sweep.ts';
import { sampleResult } from '../capacity/sample-result.ts';
import { virtualResult } from '../load/virtual-closed.ts';
import { CommandRig } from './command-rig.ts';

interface Rules {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly { readonly alert: string; readonly expr: string; readonly for: string }[];
  }[];
}

const alerts = [
  'CapacityP99High',
  'CapacityP99BeyondObjective',
  'CapacityErrorsHigh',
  'CapacityErrorsBeyondBudget',
  'CapacityScaleOut',
  'CapacityNearKnee',
  'CapacityCpuHigh',
];

describe('tailgate plan', () => {
  it('writes the plan and the alert rules of a ramp, and says how many instances', async () => {
    using rig = new CommandRig();
    rig.write('ramp.json', sampleResult());
    const args = ['--peak', '2000', '--headroom', '0.5', '--job', 'checkout'];
    const run = await rig.run(['plan', 'ramp.json', ...args, '--json', 'plan.json', '--rules', 'alerts.yml']);
    expect(run.code, run.err).toBe(0);
    // Half of the knee, 940/s.
    expect(run.out).toMatch(
      /^5 instances for a peak of 2,000\/s: each carries 400\/s of its safe 470\/s\.\n/,
    );
    expect(run.out).not.toContain('groups:');
    const made = rig.json<CapacityPlan>('plan.json');
    const keys = [
      ...['schema', 'version', 'peak', 'headroom', 'knee', 'kneeIsAtLeast', 'safeRate', 'boundBy'],
      ...['instances', 'ratePerInstance', 'withoutOne', 'scaleOut', 'alerts', 'boundTo', 'notCovered'],
    ];
    expect(Object.keys(made)).toEqual(expect.arrayContaining(keys));
    expect(made).toMatchObject({
      schema: 'tailgate-plan',
      version: 1,
      peak: 2000,
      headroom: 0.5,
      knee: 940,
      safeRate: 470,
      boundBy: 'knee',
      instances: 5,
      withoutOne: { ratePerInstance: 500, holds: true },
      boundTo: { configHash: sampleResult().configHash, environmentHash: sampleResult().environmentHash },
    });
    const { groups } = parse(rig.text('alerts.yml')) as Rules;
    expect(groups.map(({ name }) => name)).toEqual(['tailgate-capacity']);
    const rules = groups[0]!.rules;
    expect(rules.map(({ alert }) => alert)).toEqual(alerts);
    for (const { expr } of rules) expect(expr).toContain('job="checkout"');
    expect(rules[1]!.expr).toMatch(/ > 0\.05$/);
    expect(rules[4]!.expr).toMatch(/ > 470$/);
  });

  it('takes 0.7 of the knee unless told, and prints the rules below the plan without a file for them', async () => {
    using rig = new CommandRig();
    rig.write('ramp.json', sampleResult());
    const run = await rig.run(['plan', 'ramp.json', '--peak', '100']);
    expect(run.code, run.err).toBe(0);
    expect(run.out).toMatch(/^2 instances for a peak of 100\/s: each carries 50\/s of its safe 658\/s\.\n/);
    const below = run.out.slice(run.out.indexOf('# Made by tailgate plan'));
    expect((parse(below) as Rules).groups[0]!.rules.map(({ alert }) => alert)).toEqual(alerts);
  });

  const partial = sampleResult(undefined, { stopped: { by: 'signal', why: 'it was stopped' } });
  const runs = [5, 10, 20, 40].map((concurrency) => ({
    concurrency,
    result: virtualResult(concurrency, 80, { servers: 8, serviceMs: 44 }),
  }));
  const alone = [virtualResult(1, 40, { servers: 8, serviceMs: 44 })];
  const findings = analyseSweep({ runs, alone, knownLimit: null }, () => []);
  const swept = { model: 'closed', comparableWithOpenLoop: false, ...findings };

  it.each<[string, unknown, readonly string[], RegExp]>([
    ['a partial result', partial, [], /this result cannot carry a plan: it is partial: the ramp was stopped/],
    ['the JSON of a sweep', swept, [], /result\.json: (it is not the result of a ramp|this is a sweep)/],
    ['a peak of 0', sampleResult(), ['--peak', '0'], /--peak is "?0"?; it wants/],
    ['a headroom above 1', sampleResult(), ['--headroom', '1.5'], /--headroom is "?1\.5"?; it wants/],
  ])('refuses %s with exit code 2, and writes nothing', async (_, content, more, words) => {
    using rig = new CommandRig();
    rig.write('result.json', content);
    const peak = more.includes('--peak') ? [] : ['--peak', '100'];
    const files = ['--json', 'plan.json', '--rules', 'alerts.yml'];
    const run = await rig.run(['plan', 'result.json', ...peak, ...more, ...files]);
    expect([run.code, run.out], run.err).toEqual([2, '']);
    expect(run.err).toMatch(words);
    for (const name of ['plan.json', 'alerts.yml'])
      expect(existsSync(join(rig.folder, name)), name).toBe(false);
  });

  it('wants a peak', async () => {
    using rig = new CommandRig();
    rig.write('ramp.json', sampleResult());
    const run = await rig.run(['plan', 'ramp.json']);
    expect(run.code).toBe(2);
    expect(run.err).toContain('--peak is missing; it wants requests a second');
  });
});

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nothing, Rig, service, tinyPlan } from './gate-rig.ts';

const works = {
  baseline: { 'server.mjs': service(50), 'tailgate.yml': `start: node server.mjs\n${tinyPlan}` },
  candidate: {},
};

describe('the command line', () => {
  it('lists its commands, and says its version', async () => {
    using rig = new Rig(works);
    const help = await rig.run('--help');
    expect(help.code).toBe(0);
    for (const name of ['gate', 'load', 'judge', 'report', 'demo']) expect(help.out).toContain(`  ${name} `);
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const version = await rig.run('--version');
    expect(version.out.trim()).toBe((JSON.parse(manifest) as { version: string }).version);
    expect((await rig.run()).code).toBe(2);
  });

  it.each(['gate', 'load', 'ramp', 'plan', 'judge', 'report', 'demo'])(
    'explains every flag of %s',
    async (name) => {
      using rig = new Rig(works);
      const help = await rig.run(name, '--help');
      expect(help.code).toBe(0);
      expect(help.out).toMatch(new RegExp(`^usage: tailgate ${name} `));
      for (const line of help.out.split('\n').filter((one) => one.startsWith('  --'))) {
        expect(line).toMatch(/^ {2}--[a-z0-9-]+( \S.*?)? {2,}\S/);
      }
    },
  );

  it.each([
    [['gate', '--baseline', 'main', '--json', 'nowhere/verdict.json'], 'nowhere/verdict.json'],
    [['gate', '--baseline', 'main', '--evidence', 'nowhere/evidence.json'], 'nowhere/evidence.json'],
    [['gate', '--baseline', 'main', '--json', '.git'], '.git'],
    [['load', 'http://127.0.0.1:9/', '--rate', '5', '--json', 'nowhere/load.json'], 'nowhere/load.json'],
    [['judge', 'evidence.json', '--json', 'nowhere/verdict.json'], 'nowhere/verdict.json'],
    [['report', 'evidence.json', '--output', 'nowhere/report.md'], 'nowhere/report.md'],
  ])('refuses before the work a file that cannot be written: %j', async (args, file) => {
    using rig = new Rig(works);
    const run = await rig.run(...args);
    expect(run.code, run.err).toBe(2);
    expect(run.err).toContain(`"${file}", which cannot be written`);
    expect(run.err).not.toContain('defect');
    expect(rig.servicesStarted()).toBe(0);
    expect(existsSync(join(rig.repository, 'nowhere'))).toBe(false);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('goes on to the end, and leaves nothing behind, when nobody reads what it says any more', async () => {
    using rig = new Rig(works);
    const child = rig.start('gate', '--baseline', 'main', '--json', 'verdict.json');
    const closed = once(child, 'close');
    await once(child.stderr!, 'data');
    child.stderr!.destroy();
    child.stdout!.destroy();
    const [code] = await closed;
    expect(code).toBe(0);
    expect(rig.read<{ exitCode: number }>('verdict.json').exitCode).toBe(0);
    expect(rig.servicesStarted()).toBe(14);
    expect(rig.leftovers()).toEqual(nothing);
  });
});

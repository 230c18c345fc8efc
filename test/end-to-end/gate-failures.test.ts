import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { nothing, Rig, type Run, service, tinyPlan } from './gate-rig.ts';

const works = { 'server.mjs': service(50), 'tailgate.yml': `start: node server.mjs\n${tinyPlan}` };
const settings = (lines: string): Record<string, string> => ({ 'tailgate.yml': `${lines}\n${tinyPlan}` });
const said = (run: Run): string => `${run.out}\n${run.err}`;

describe('a side that does not work', () => {
  it('is named with its last lines when the baseline does not build', async () => {
    using rig = new Rig({
      baseline: {
        ...works,
        ...settings('start: node server.mjs\nsetup: node build.mjs'),
        'build.mjs': "console.log('cannot find flux'); process.exit(3);",
      },
      candidate: { 'build.mjs': '' },
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(4);
    expect(run.out).toMatch(/^Service failed: .*baseline/s);
    expect(said(run)).toContain('cannot find flux');
    rig.commit(settings('start: node server.mjs\nsetup: node build.mjs\non-baseline-failure: neutral'));
    expect((await rig.run('gate', '--baseline', 'main')).code).toBe(0);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('is named with its last lines when the candidate does not build, which no setting forgives', async () => {
    using rig = new Rig({
      baseline: {
        ...works,
        ...settings('start: node server.mjs\nsetup: node build.mjs\non-baseline-failure: neutral'),
        'build.mjs': '',
      },
      candidate: { 'build.mjs': "console.error('cannot find flux'); process.exit(3);" },
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(4);
    expect(run.out).toMatch(/^Service failed: .*candidate/s);
    expect(said(run)).toContain('cannot find flux');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it.each([1, 0])('is noticed at once when it exits with code %i', async (code) => {
    const dies = `console.log('no database here'); setTimeout(() => process.exit(${code}), 200);`;
    using rig = new Rig({ baseline: works, candidate: { 'server.mjs': dies } });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(4);
    expect(run.out).toContain('candidate');
    expect(said(run)).toContain('no database here');
    expect(run.out).toMatch(new RegExp(`code ${code}|exit(ed)?( with)? ${code}`));
    expect(run.seconds).toBeLessThan(15);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('is given up after start-timeout when it never becomes ready', async () => {
    const never = service(50).replace("response.end('ok')", "response.writeHead(503).end('starting')");
    using rig = new Rig({
      baseline: { ...works, ...settings('start: node server.mjs\nstart-timeout: 2s') },
      candidate: { 'server.mjs': never },
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(4);
    expect(run.out).toContain('503');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('explains PORT to a service that does not listen on it', async () => {
    const fixed = service(50).replace('Number(process.env.PORT)', '0');
    using rig = new Rig({
      baseline: { ...works, ...settings('start: node server.mjs\nstart-timeout: 2s'), 'server.mjs': fixed },
      candidate: {},
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(4);
    expect(run.out).toContain('PORT');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('explains PORT when both sides want one fixed port', async () => {
    const reserved = createServer().listen(0, '127.0.0.1');
    await once(reserved, 'listening');
    const { port } = reserved.address() as AddressInfo;
    await new Promise((resolve) => reserved.close(resolve));
    const fixed = service(50).replace('Number(process.env.PORT)', String(port));
    using rig = new Rig({
      baseline: { ...works, ...settings('start: node server.mjs\nstart-timeout: 3s'), 'server.mjs': fixed },
      candidate: {},
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(4);
    expect(run.out).toContain('PORT');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('never measures a server that was there before', async () => {
    let asked = 0;
    const stranger = createServer((_, response) => {
      asked++;
      response.end('stranger');
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    try {
      const taken = service(50).replace('Number(process.env.PORT)', String(port));
      using rig = new Rig({
        baseline: { ...works, ...settings('start: node server.mjs\nstart-timeout: 3s'), 'server.mjs': taken },
        candidate: {},
      });
      const run = await rig.run('gate', '--baseline', 'main');
      expect(run.code, said(run)).toBe(4);
      expect(said(run)).toMatch(/EADDRINUSE|in use|PORT/);
      expect(asked).toBe(0);
      expect(rig.leftovers()).toEqual(nothing);
    } finally {
      stranger.close();
    }
  });
});

describe('a load that cannot be sent or answered', () => {
  it('is invalid with its reason, never a regression', async () => {
    const flood = tinyPlan
      .replace('rate: 1000', 'rate: 50000')
      .replace('slice-requests: 50', 'slice-requests: 500');
    using rig = new Rig({
      baseline: { ...works, 'tailgate.yml': `start: node server.mjs\n${flood}` },
      candidate: { 'README.md': 'words' },
    });
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    expect(run.code, said(run)).toBe(3);
    expect(run.out).toMatch(/^Invalid: /);
    expect(rig.leftovers()).toEqual(nothing);
  });
});

describe('a job with nothing to compare or to do', () => {
  it('measures the first commit alone, and fails only when asked to', async () => {
    using rig = new Rig({ baseline: works, candidate: {} });
    rig.git('checkout', '--quiet', '--orphan', 'first');
    rig.commit({});
    const run = await rig.run('gate', '--baseline', 'previous');
    expect(run.code, said(run)).toBe(0);
    expect(run.out).toContain('No baseline');
    expect(run.out).toContain('p99');
    expect((await rig.run('gate', '--baseline', 'previous', '--fail-on', 'no-baseline')).code).toBe(5);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('is skipped, and says so, when no changed file matches paths', async () => {
    using rig = new Rig({
      baseline: { ...works, ...settings('start: node server.mjs\npaths: [src/**]') },
      candidate: { 'README.md': 'words' },
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code, said(run)).toBe(0);
    expect(run.out).toMatch(/^Skipped/);
  });

  it('prints the plan of a dry run, warns of what is odd about its requests, and starts nothing', async () => {
    const odd = '    requests: [{ method: DELETE, path: /cart, body: all }]';
    const plan = tinyPlan.replace('rate: 1000', `scenarios:\n  - rate: 1000\n${odd}`);
    using rig = new Rig({
      baseline: { ...works, 'tailgate.yml': `start: node server.mjs\n${plan}` },
      candidate: {},
    });
    const run = await rig.run('gate', '--baseline', 'main', '--dry-run', '--seed', '7');
    expect(run.code, said(run)).toBe(0);
    expect(said(run)).toContain('seed 7');
    expect(said(run)).toContain('warning: DELETE /cart carries a body, which servers may ignore or refuse.');
    expect(said(run)).toContain('What it will be able to see');
    expect(rig.leftovers()).toEqual(nothing);
  });
});

describe('bad input ends with exit code 2, the value and the way out', () => {
  it.each([
    [['gate', '--basline', 'main'], 'did you mean --baseline?'],
    [['gate', '--baseline', 'mian'], 'mian'],
    [['gate', '--baseline', 'main', '--rate', 'fast'], 'fast'],
    [['gate', '--baseline', 'main', '--config', 'missing.yml'], 'missing.yml'],
    [['gaet'], 'did you mean "gate"?'],
    [['judge', 'tailgate.yml'], 'tailgate.yml'],
    [['judge', 'nowhere.json'], 'nowhere.json'],
    [['load', 'ftp://somewhere', '--rate', '5'], 'ftp://somewhere'],
    [['load', 'http://127.0.0.1:9/', '--rate', 'many'], 'many'],
    [['load', 'http://127.0.0.1:9/'], '--rate'],
  ])('%j', async (args, words) => {
    using rig = new Rig({ baseline: works, candidate: {} });
    const run = await rig.run(...args);
    expect(run.code, said(run)).toBe(2);
    expect(run.err).toContain(words);
    expect(run.err).not.toContain('at async');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('reports every problem of the file in one message', async () => {
    using rig = new Rig({
      baseline: {
        ...works,
        ...settings('start: node server.mjs\nrats: 5\ntimeout: soon\nstop: { signal: SIGNAL }'),
      },
      candidate: {},
    });
    const run = await rig.run('gate', '--baseline', 'main');
    expect(run.code).toBe(2);
    for (const words of ['did you mean', 'soon', 'SIGNAL']) expect(run.err).toContain(words);
  });

  it('outside of a git repository', async () => {
    using rig = new Rig({ baseline: works, candidate: {} });
    const run = await rig.run('gate', '--working-directory', rig.temporary, '--start', 'node x');
    expect(run.code, said(run)).toBe(2);
    expect(run.err).toContain('not in a git repository');
  });
});

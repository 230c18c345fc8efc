/** Reference services whose behaviour is known, each described rightly. Wide bounds: figures are the bench's. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RampResult } from '../../src/capacity/result.ts';
import type { CapacityVerdict } from '../../src/verdict/capacity.ts';
import { nothing, Rig } from './gate-rig.ts';
import { type RampRun, rampOn, serviceFile } from './ramp-rig.ts';

const short = ['--objective', '400ms', '--step', '2s', '--recovery-limit', '10s'];
/** A shared machine may hold everything up for a while: what does not depend on that is asked for. */
const found = ({ result, err }: Pick<RampRun, 'result' | 'err'>): RampResult => {
  expect(result, err).not.toBeNull();
  return result!;
};

describe('tailgate ramp', () => {
  it('finds capacity and knee of one thread with 1 ms of CPU and 10 ms of waiting, and its queue beyond', async () => {
    const args = ['--from', '250', '--most', '3000', '--to-failure', '--time-budget', '3m', ...short];
    const run = await rampOn('cpu-and-wait', args);
    const { capacity, knee, ceiling, plateauMs, steps, end, recovery } = found(run);
    expect([run.code, end.kind], run.err).toEqual([0, 'bracketed']);
    expect(capacity.firstFail! / capacity.lastPass!).toBeLessThanOrEqual(1.06);
    // 1 ms of one thread: no more than 1,000/s, whatever the machine.
    expect(ceiling!).toBeLessThan(1050);
    expect(knee! / ceiling!).toBeGreaterThan(0.5);
    expect(knee! / ceiling!).toBeLessThan(1.1);
    expect(plateauMs!).toBeGreaterThan(10);
    const beyond = steps.filter((step) => step.rate >= 1.28 * ceiling!);
    expect(beyond.length).toBeGreaterThan(0);
    for (const step of beyond) expect(step.successTimeMs.p50!).toBeGreaterThan(20 * plateauMs!);
    expect(recovery!.recovered).toBe(true);
    expect(run.out).toMatch(/^Capacity at p99 ≤ 400 ms: \d+\/s passes, [\d,]+\/s does not/);
  });

  it('describes a service that rejects fast: no collapse, and which errors', async () => {
    const args = ['--from', '150', '--most', '1500', '--to-failure', '--time-budget', '2m', ...short];
    const run = await rampOn('rejects-fast', args);
    const { collapse, recovery, ceiling } = found(run);
    expect(run.code, run.err).toBe(0);
    // Eight at a time, 20 ms each.
    expect(ceiling!).toBeLessThan(440);
    expect(collapse!.collapses).toBe(false);
    expect(Object.keys(collapse!.errors.kinds)[0]).toBe('status 429');
    expect(collapse!.errors.startAtRate!).toBeLessThan(800);
    expect(recovery!.recovered).toBe(true);
    expect(run.out).toContain('status 429');
  });

  it('describes a service that collapses beyond its knee', async () => {
    const args = ['--from', '150', '--most', '2500', '--to-failure', '--time-budget', '2m', ...short];
    const run = await rampOn('collapses', args);
    const { collapse } = found(run);
    expect([0, 4], run.err).toContain(run.code);
    expect(collapse!.collapses).toBe(true);
    expect(collapse!.leastShare).toBeLessThan(0.8);
  });

  it('describes a service that does not recover', async () => {
    const args = ['--from', '150', '--most', '1500', '--to-failure', '--time-budget', '2m', ...short];
    const run = await rampOn('never-recovers', args);
    expect(found(run).recovery).toMatchObject({ recovered: false, seconds: null, withinSeconds: 10 });
    expect(run.out.replaceAll('\n', ' ')).toMatch(/did not recover within 10 s/);
  });

  it('describes a service that leaks until it dies, whose memory is known because it was started by us', async () => {
    const files = {
      'serve.mjs': readFileSync(serviceFile('serve'), 'utf8'),
      'leaks.mjs': readFileSync(serviceFile('leaks'), 'utf8'),
      'tailgate.yml': 'start: exec node --max-old-space-size=128 leaks.mjs\n',
    };
    using rig = new Rig({ baseline: files, candidate: {} });
    const ramp = ['ramp', '--config', 'tailgate.yml', '--objective', '500ms', '--step', '1500ms'];
    const run = await rig.run(...ramp, '--from', '100', '--most', '6000', '--json', 'ramp.json');
    const { end, death, leak, steps } = rig.read<RampResult>('ramp.json');
    expect([run.code, end.kind], run.err).toEqual([4, 'died']);
    expect(death!.how).toMatch(/^it (ended with exit code|was ended by)/);
    expect(death!.afterRequests).toBeGreaterThan(3000);
    expect(leak!.perRequestBytes).toBeGreaterThan(8000);
    expect(steps[0]!.cpu!.perRequestMs!).toBeGreaterThan(0);
    expect(run.out).toMatch(/^The service died at/);
    expect(rig.leftovers()).toEqual(nothing);
  });
});

describe('tailgate ramp --config', () => {
  it('takes CPU time from where the configuration says', async () => {
    // Every request is told as 5 ms of CPU, whatever the process uses.
    const server = `
      import { createServer } from 'node:http';
      let served = 0;
      createServer((request, response) => {
        if (request.url === '/metrics') return response.end('process_cpu_seconds_total ' + served * 0.005 + '\\n');
        served += 1;
        response.end('ok');
      }).listen(Number(process.env.PORT), '127.0.0.1');`;
    const config = 'start: exec node server.mjs\ncost: { prometheus: { path: /metrics } }\n';
    using rig = new Rig({ baseline: { 'server.mjs': server, 'tailgate.yml': config }, candidate: {} });
    const ramp = ['ramp', '--config', 'tailgate.yml', '--objective', '500ms', '--step', '1s'];
    const run = await rig.run(...ramp, '--from', '1000', '--most', '1000', '--json', 'ramp.json');
    const { end, steps } = rig.read<RampResult>('ramp.json');
    expect([run.code, end.kind], run.err).toEqual([0, 'at-least']);
    // Those that open the sockets are told too.
    for (const { cpu } of steps) {
      expect(cpu!.perRequestMs!).toBeGreaterThanOrEqual(5);
      expect(cpu!.perRequestMs!).toBeLessThan(5.5);
    }
    expect(rig.leftovers()).toEqual(nothing);
  });
});

describe('tailgate ramp --baseline', () => {
  it('measures two builds in turns, and keeps the rounds it has when it is interrupted', async () => {
    const server = (busy: number): string =>
      readFileSync(serviceFile('cpu-and-wait'), 'utf8').replace('busy(1)', `busy(${busy})`);
    const baseline = {
      'serve.mjs': readFileSync(serviceFile('serve'), 'utf8'),
      'server.mjs': server(1),
      'tailgate.yml': 'start: exec node server.mjs\n',
    };
    using rig = new Rig({ baseline, candidate: { 'server.mjs': server(2) } });
    const pair = [
      '--baseline',
      'main',
      '--objective',
      '400ms',
      '--step',
      '1s',
      '--from',
      '400',
      '--rounds',
      '6',
    ];
    const child = rig.start('ramp', '--config', 'tailgate.yml', ...pair, '--json', 'pair.json');
    let [out, err] = ['', ''];
    child.stdout!.on('data', (data) => {
      out += data;
    });
    child.stderr!.on('data', (data) => {
      err += data;
      if (err.includes('round 1 of 6') && !err.includes('SIGINT')) child.kill('SIGINT');
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code, err).toBe(130);
    const { verdict, partial } = rig.read<{ verdict: CapacityVerdict; partial: boolean }>('pair.json');
    expect([partial, verdict.state, verdict.rounds.length]).toEqual([true, 'undecided', 1]);
    // Twice the work: half of the capacity, less or more by what a busy machine does to one round.
    expect(verdict.change!).toBeLessThan(-0.15);
    expect(out).toContain('Partial: it was stopped');
    expect(rig.leftovers()).toEqual(nothing);
  });
});

describe('bad input', () => {
  it('refuses a range that the generator cannot reach before anything is built for a comparison', async () => {
    const plan = `setup: 'echo built >> "$PIDS.built"'\nstart: exec node server.mjs\n`;
    using rig = new Rig({ baseline: { 'tailgate.yml': plan }, candidate: { 'server.mjs': '' } });
    const range = ['--objective', '50ms', '--from', '90000', '--most', '100000'];
    const run = await rig.run('ramp', '--config', 'tailgate.yml', '--baseline', 'main', ...range);
    expect(run.code, run.err).toBe(2);
    expect(run.err).toMatch(/--from 90000 cannot be reached: on this machine the generator reaches/);
    expect(existsSync(`${rig.pidFile}.built`)).toBe(false);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('says at once, with the figure, that the first step misses the objective', async () => {
    const run = await rampOn('cpu-and-wait', [
      '--objective',
      '9ms',
      '--from',
      '200',
      '--most',
      '1000',
      '--step',
      '1s',
    ]);
    expect(run.code).toBe(1);
    expect(run.err).toMatch(/the first step already misses the objective: at 200\/s p99 is [\d.]+ m?s/);
    expect(found(run).end).toEqual({ kind: 'missed-at-start' });
  });

  it('refuses before the run a range that the generator cannot reach', async () => {
    const run = await rampOn('cpu-and-wait', ['--objective', '50ms', '--from', '90000', '--most', '100000']);
    expect(run.code).toBe(2);
    expect(run.err).toMatch(
      /--from 90000 cannot be reached: on this machine the generator reaches about \d+\/s/,
    );
    expect(run.result).toBeNull();
  });

  it('keeps what was measured when it is interrupted, and marks it', async () => {
    const args = ['--objective', '400ms', '--from', '250', '--most', '3000', '--step', '1s'];
    const run = await rampOn('cpu-and-wait', args, '  1  bracket');
    expect(run.code, run.err).toBe(130);
    const { partial, steps, stopped } = found(run);
    expect([partial, stopped!.by, steps.length]).toEqual([true, 'signal', 1]);
    expect(run.out).toMatch(/^No capacity yet: it was stopped before its end after 1 step/);
    expect(run.out).toContain('Partial:');
  });
});

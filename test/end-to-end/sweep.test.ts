import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyseSweep } from '../../src/capacity/sweep.ts';
import { closedUnsoundReasons } from '../../src/evidence/closed-summary.ts';
import { msToNs, secondsToNs } from '../../src/kernel/units.ts';
import { realClock, seededRandom } from '../../src/kernel/world.ts';
import { startGenerator } from '../../src/load/remote.ts';
import { runSweep, type SweepJob, type SweepOutcome } from '../../src/sweep.ts';
import { type BundledGenerator, bundleGenerator } from '../load/bundled-generator.ts';
import { get } from '../load/slices.ts';
import { CommandRig } from './command-rig.ts';
import { capacityService } from './load-service.ts';

let bundle: BundledGenerator;
beforeAll(async () => {
  bundle = await bundleGenerator();
});
afterAll(() => bundle[Symbol.asyncDispose]());

async function sweepOf(
  origin: string,
  more: Partial<SweepJob>,
  controller = new AbortController(),
  onRun = () => {},
): Promise<SweepOutcome> {
  await using generator = await startGenerator({
    entry: bundle.entry,
    signal: controller.signal,
    keepPartial: true,
  });
  const job: SweepJob = {
    target: { origin, host: null },
    request: get,
    levels: [5, 10, 20, 40],
    requests: 400,
    repeats: 3,
    timeout: msToNs(5000),
    knownLimit: null,
    budget: secondsToNs(200),
    ...more,
  };
  // The highest level first: what it leaves behind meets the others.
  const random = {
    ...seededRandom('sweep'),
    shuffle: <Item>(items: readonly Item[]) => [...items].reverse(),
  };
  return await runSweep(job, { generator, clock: realClock, random, signal: controller.signal, onRun });
}

describe('a service that admits 8 at a time, 40 to 48 ms each', () => {
  test('has its knee between 5 and 10, a plateau, and 8 ± 1 as its limit', async () => {
    await using service = await capacityService('admission');
    const outcome = await sweepOf(service.origin, {});
    const findings = analyseSweep(outcome, closedUnsoundReasons);
    expect(outcome).toMatchObject({ partial: null, cutShort: [], unrecovered: [] });
    expect(findings.levels.map((level) => [level.concurrency, level.runs, level.requests])).toEqual(
      [5, 10, 20, 40].map((concurrency) => [concurrency, 3, 1200]),
    );
    expect(Math.abs(findings.limit.kind === 'inferred' ? findings.limit.value - 8 : 99)).toBeLessThan(1);
    expect(findings.kneeBetween).toEqual([5, 10]);
    const plateau = findings.levels.slice(1).map((level) => level.successfulQps);
    expect(Math.max(...plateau) / Math.min(...plateau)).toBeLessThan(1.2);
    expect(plateau[0]! / findings.levels[0]!.successfulQps).toBeGreaterThan(1.3);
    for (const { littlesLaw } of findings.levels) {
      expect(littlesLaw.ratio).toBeGreaterThan(0.85);
      expect(littlesLaw.ratio).toBeLessThan(1.15);
    }
  });

  test('with a time-out of 150 ms attempts more than the plateau at 40, and succeeds with less than a quarter', async () => {
    await using service = await capacityService('admission');
    const outcome = await sweepOf(service.origin, { timeout: msToNs(150), repeats: 1 });
    const { levels, collapsesAt } = analyseSweep(outcome, closedUnsoundReasons);
    const plateau = levels[1]!.successfulQps;
    expect(levels[3]!.attemptedQps).toBeGreaterThan(plateau);
    expect(levels[3]!.successfulQps).toBeLessThan(plateau / 4);
    expect(collapsesAt).toBe(40);
    // What was given up is worked off before the next level: no level before the last knows of it.
    expect(levels.slice(0, 2).every((level) => level.errorRate < 0.1)).toBe(true);
    expect(outcome.unrecovered).toEqual([]);
  });
});

describe('a sweep that does not come to its end', () => {
  const small = { levels: [2, 4, 8, 16], requests: 50 } as const;

  test('keeps what was measured when it is stopped', async () => {
    await using service = await capacityService('admission');
    const controller = new AbortController();
    let runs = 0;
    const outcome = await sweepOf(service.origin, small, controller, () => {
      if (++runs === 2) setTimeout(() => controller.abort(), 50);
    });
    expect(outcome.partial).toBe('stopped');
    expect(outcome.runs.length).toBeGreaterThanOrEqual(2);
    expect(outcome.runs.length).toBeLessThan(12);
  });

  test('keeps what was measured when its time is used up', async () => {
    await using service = await capacityService('admission');
    const outcome = await sweepOf(service.origin, {
      ...small,
      repeats: 20,
      budget: secondsToNs(5),
    });
    expect(outcome.partial).toBe('out-of-time');
    expect(outcome.runs.length).toBeGreaterThanOrEqual(1);
  });

  test('says why when nothing is answered in time', async () => {
    await using service = await capacityService('admission');
    await expect(sweepOf(service.origin, { ...small, timeout: msToNs(10) })).rejects.toMatchObject({
      code: 'service-failed',
      message: expect.stringContaining('no answer within 10 ms'),
    });
  });
});

describe('tailgate sweep, the command', () => {
  const quick = ['--levels', '4,8,12,16', '--requests', '50', '--json', 'sweep.json'];
  interface Written {
    readonly levels: readonly { readonly concurrency: number; readonly runs: number }[];
    readonly partial: string | null;
    readonly [key: string]: unknown;
  }

  test('says knee and limit, labelled closed-loop, and writes them', async () => {
    await using service = await capacityService('admission');
    using rig = new CommandRig();
    const run = await rig.run(['sweep', service.origin, ...quick, '--limit', '8', '--seed', '7']);
    expect(run.code, run.err).toBe(0);
    const written = rig.json<Written>('sweep.json');
    expect(Object.keys(written)).toEqual(
      expect.arrayContaining(['levels', 'knee', 'kneeBetween', 'inferredLimit', 'limit', 'theory', 'noise']),
    );
    expect(written).toMatchObject({
      ...{ model: 'closed', comparableWithOpenLoop: false, sound: true, partial: null },
      ...{ knee: 8, kneeBetween: [4, 8], requests: 50, repeats: 3, timeoutMs: 5000, seed: 7 },
      theory: { limit: 8, from: 'given' },
      noise: { limits: { qps: 0.05, p95: 0.1 } },
    });
    expect(Math.abs((written['inferredLimit'] as number) - 8)).toBeLessThanOrEqual(1);
    expect(written.levels.map(({ concurrency, runs }) => [concurrency, runs])).toEqual(
      [4, 8, 12, 16].map((concurrency) => [concurrency, 3]),
    );
    expect(run.out).toContain('closed loop, 50 requests a level, 3 times in random order (seed 7)');
    expect(run.out).toContain('its latencies do not meet open-loop numbers');
    expect(run.out).toMatch(/^concurrency +attempted +successful +growth +p50 +p95 +p99 +errors/m);
    expect(run.err).toContain('repeat 3 of 3, concurrency 16: ');
  });

  test('keeps what was measured, marked partial, on one Ctrl-C', async () => {
    await using service = await capacityService('admission');
    using rig = new CommandRig();
    const run = await rig.run(['sweep', service.origin, ...quick], 'repeat 1 of 3, concurrency');
    expect(run.code, run.err).toBe(130);
    const { levels, partial } = rig.json<Written>('sweep.json');
    expect(partial).toBe('stopped');
    const runs = levels.reduce((sum, level) => sum + level.runs, 0);
    expect(runs).toBeGreaterThanOrEqual(1);
    expect(runs).toBeLessThan(12);
    expect(run.out).toMatch(/^Partial: /);
    expect(run.out).toContain('it was stopped: what is missing was not measured');
  });
});

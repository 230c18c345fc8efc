/** A generator that is kept from its work says so, and no verdict is drawn from what it measured. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isSaturated, unsoundReasons } from '../../src/evidence/soundness.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { msToNs } from '../../src/kernel/units.ts';
import type { SliceResult } from '../../src/load/protocol.ts';
import { startGenerator } from '../../src/load/remote.ts';
import { pin } from '../../src/service/placement.ts';
import { verdictOfFailure } from '../../src/verdict/failure.ts';
import type { Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import { type BundledGenerator, bundleGenerator } from '../load/bundled-generator.ts';
import { get, sliceOrder } from '../load/slices.ts';
import { evidenceOf } from '../verdict/evidence-builder.ts';
import { bareService, loadService } from './load-service.ts';

let bundle: BundledGenerator;
beforeAll(async () => {
  bundle = await bundleGenerator();
});
afterAll(() => bundle[Symbol.asyncDispose]());

/** Processes that do nothing but burn one CPU, for ten seconds at most. */
async function burning(count: number, cpu: string) {
  const code = 'const until = Date.now() + 10_000; while (Date.now() < until);';
  const children: ChildProcess[] = [];
  for (let child = 0; child < count; child++) {
    children.push(spawn(process.execPath, ['-e', code], { stdio: 'ignore' }));
  }
  for (const child of children) expect(await pin(child.pid!, cpu)).toBe(true);
  return {
    async [Symbol.asyncDispose]() {
      const gone = children.filter((child) => child.exitCode === null).map((child) => once(child, 'exit'));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(gone);
    },
  };
}

/** The verdict of a job all of whose slices went like this one, on both sides. */
function verdictOf(result: SliceResult): Verdict {
  const saturated = isSaturated(result);
  const unsound = unsoundReasons(result, saturated);
  const evidence = evidenceOf({ measuring: 12, slice: () => ({ unsound }) });
  const rounds = evidence.rounds.map((round) => ({
    ...round,
    trials: round.trials.map((trial) => ({ ...trial, load: result, saturated, unsound })),
  }));
  const progress = judge({ ...evidence, rounds }, { final: true });
  if (progress.kind !== 'decided') throw new Error('final evidence is always decided');
  return progress.verdict;
}

test('a generator whose core is kept busy by others makes no verdict', async () => {
  await using service = await bareService();
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({ origin: service.origin, rate: 5000, shots: 10_000, timeout: msToNs(2000) });
  await generator.open({ target: order.target, request: get, sockets: 64, timeout: msToNs(5000) });
  expect(await pin(generator.pid, '0')).toBe(true);
  await using _others = await burning(6, '0');
  const result = await generator.slice(order);
  const reasons = unsoundReasons(result, isSaturated(result));
  const verdict = verdictOf(result);
  if (reasons.length > 0) {
    expect(reasons.some((one) => one === 'generator-busy' || one === 'released-too-few')).toBe(true);
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.reason).toContain('were unsound');
  } else {
    expect(verdict.outcome).toBe('inconclusive');
    expect(verdict.reason).toContain('runner too noisy');
  }
});

test('a generator without descriptors to give says so, and the verdict is invalid', async () => {
  await using service = await loadService(5);
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({
    origin: service.origin,
    rate: 400,
    shots: 800,
    timeout: msToNs(3000),
    maxSockets: 256,
  });
  await generator.open({ target: order.target, request: get, sockets: 4, timeout: msToNs(5000) });
  execFileSync('prlimit', ['--pid', String(generator.pid), '--nofile=40:40']);
  const result = await generator.slice(order);
  expect(result.errors['descriptors exhausted']).toBeGreaterThan(0);
  expect(unsoundReasons(result, isSaturated(result))).toContain('descriptors-exhausted');
  const { outcome, reason } = verdictOf(result);
  expect(outcome).toBe('invalid');
  expect(reason).toContain('were unsound');
  expect(reason).toContain('descriptors');
});

test('a generator with too little memory ends by name, and the verdict is invalid', async () => {
  await using service = await bareService();
  await using generator = await startGenerator({
    entry: bundle.entry,
    execArgv: ['--max-old-space-size=14', '--max-semi-space-size=1', '--min-semi-space-size=1'],
  });
  const order = sliceOrder({
    origin: service.origin,
    rate: 50_000,
    shots: 200_000,
    timeout: msToNs(2000),
    maxSockets: 4,
    maxInFlight: 200_000,
  });
  const ended = await generator.slice(order).then(
    () => null,
    (error: unknown) => error,
  );
  expect(ended).toBeInstanceOf(TailgateError);
  const problem = ended as TailgateError;
  expect(problem.code).toBe('invalid');
  expect(problem.message).toContain('the load generator stopped working');
  expect(problem.hint).toContain('memory');
  expect(problem.tail.join('\n')).toContain('heap out of memory');
  expect(verdictOfFailure(problem, { evidence: null, missing: [] }).outcome).toBe('invalid');
});

test('a service that is slow while the generator has all it needs is measured', async () => {
  await using service = await loadService(4);
  await using generator = await startGenerator({ entry: bundle.entry });
  const order = sliceOrder({ origin: service.origin, rate: 100, shots: 300, timeout: msToNs(10_000) });
  await generator.open({ target: order.target, request: get, sockets: 32, timeout: msToNs(5000) });
  const result = await generator.slice(order);
  expect(result.counts.ok).toBe(300);
  expect(unsoundReasons(result, isSaturated(result))).toEqual([]);
  expect(verdictOf(result).outcome).not.toBe('invalid');
});

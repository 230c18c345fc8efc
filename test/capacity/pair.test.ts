import { describe, expect, it } from 'vitest';
import { pairExitCode, pairJson } from '../../src/commands/ramp-baseline.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { noCapacity, type PairResult, stopOf } from '../../src/ramp-pair.ts';
import { pairMarkdown, pairTerminal } from '../../src/report/ramp-pair-text.ts';
import { judgeCapacity } from '../../src/verdict/capacity.ts';
import { step } from './virtual-queue.ts';

describe('a pilot without a capacity', () => {
  const unsound = step(1170, { sound: false, passes: false, reasons: ['generator-busy'] });
  const slow = step(1170, { passes: false, misses: ['p99'] });
  const failing = step(20, { passes: false, misses: ['p99', 'successful'] });

  it.each([
    [
      [step(900), unsound, unsound],
      'rate',
      /at least 900\/s: the generator is the limit .* not the baseline/,
    ],
    [[step(900), step(2000)], 'generator', /at least 2,000\/s: the generator is the limit/],
    [[step(900), step(2000)], 'rate', /at least 2,000\/s: --most is the limit/],
    [[step(900), slow], 'rate', /at least 900\/s, and after the next step it did not answer as quickly/],
    [[slow], 'rate', /after 1,170\/s the baseline is overrun/],
    [[step(400, failing), failing], 'rate', /misses the objective at 20\/s already/],
    [[unsound, unsound], 'rate', /the generator could not send 1,170\/s/],
  ] as const)('says of %j whose limit it is', (steps, mostIs, words) => {
    const { message, hint } = noCapacity(steps, { most: 2000, mostIs });
    expect(message).toMatch(words);
    expect(hint).toMatch(/--(from|most|objective)/);
  });
});

describe('a comparison', () => {
  const died = new TailgateError({
    code: 'service-failed',
    message: 'candidate: the service exited with code 3',
  });
  const revision = { sha: '0'.repeat(40), ref: 'main' };
  const result = (over: Partial<PairResult>): PairResult => ({
    revisions: { baseline: revision, candidate: revision } as PairResult['revisions'],
    verdict: judgeCapacity([{ baseline: 900, candidate: 800 }]),
    ramps: [],
    lost: 0,
    stopped: null,
    failure: null,
    seed: 4242,
    configHash: 'c0ffee',
    ...over,
  });
  const facts = (over: Partial<PairResult> = {}) => ({ ...result(over), objectiveMs: 50, relative: true });

  it('keeps its rounds when the service of one side dies, and tells which', () => {
    expect(stopOf(died, 1, false)).toBe('failure');
    const partial = facts({ stopped: 'failure', failure: died.message });
    expect(pairExitCode(partial)).toBe(4);
    for (const text of [pairTerminal(partial, 110), pairMarkdown(partial)])
      expect(text).toContain('Partial: candidate: the service exited with code 3.');
    expect(pairJson(partial, partial, {})).toMatchObject({ partial: true, failure: died.message });
  });

  it('keeps them when it is stopped, and has nothing to keep before the first', () => {
    expect(stopOf(died, 1, true)).toBe('signal');
    expect([stopOf(died, 0, false), stopOf(died, 0, true)]).toEqual([null, null]);
    expect(stopOf(new Error('a defect'), 1, false)).toBeNull();
  });

  it('tells its seed, and what it is bound to', () => {
    for (const text of [pairTerminal(facts(), 110), pairMarkdown(facts())])
      expect(text).toContain('Seed 4242.');
    const json = pairJson(result({}), facts(), {}) as Record<string, unknown>;
    expect(json).toMatchObject({ seed: 4242, configHash: 'c0ffee', failure: null });
    expect(json['environmentHash']).toMatch(/^[0-9a-f]{64}$/);
  });
});

import { describe, expect, it } from 'vitest';
import { addFloor, addRound, replaceablePairs, startEvidence } from '../../src/evidence/collect.ts';
import { parse, serialise } from '../../src/evidence/store.ts';
import type { LeftOut } from '../../src/evidence/trial.ts';
import { ns } from '../../src/kernel/units.ts';
import { evidence as anyEvidence } from '../report/verdicts.ts';

const stored = anyEvidence();
const none = { ...stored, rounds: [], warnings: [] };
const first = stored.rounds[0]!;
const scenario = stored.plan.scenarios[0]!.name;

describe('evidence as a job gathers it', () => {
  it('warns once when the generator itself is more than a fifth of p50', () => {
    const high = addFloor(none, [{ scenario, p50: ns(400e3), p99: ns(500e3) }]);
    const one = addRound(high, first);
    expect(one.warnings.map(({ code }) => code)).toEqual(['high-floor']);
    expect(addRound(one, first).warnings).toHaveLength(1);
  });

  it('says that the floor was not measured when it is above what the service shows', () => {
    const above = addFloor(none, [{ scenario, p50: ns(444e6), p99: ns(500e6) }]);
    const [warning] = addRound(above, first).warnings;
    expect(warning).toMatchObject({ code: 'floor-not-measured' });
    expect(warning!.message).toMatch(
      /disturbed \(p50 444 ms against .*nothing, [\d.]+ ms against the service/,
    );
    expect(warning!.message).not.toContain('%');
  });

  it('says nothing about a low floor', () => {
    const low = addFloor(none, [{ scenario, p50: ns(1000), p99: ns(2000) }]);
    expect(addRound(low, first).warnings).toEqual([]);
  });

  it('allows a quarter of the plan to be run again, less what was', () => {
    const pairs = stored.plan.rounds * stored.plan.scenarios.reduce((sum, one) => sum + one.slices, 0);
    expect(replaceablePairs(none)).toBe(Math.floor(pairs / 4));
    const replaced = { ...first, trials: first.trials.map((trial) => ({ ...trial, replacement: true })) };
    const slices = first.trials.filter((trial) => trial.side === 'baseline').length;
    expect(replaceablePairs(addRound(none, replaced))).toBe(Math.floor(pairs / 4) - slices);
  });

  it('keeps what the configuration left out, and is read without that as well', () => {
    const startWith = (leftOut: LeftOut | null) =>
      startEvidence({
        ...stored,
        createdAt: new Date(stored.createdAt),
        config: { ...stored, cost: { kind: 'process-tree' }, metrics: [] },
        leftOut,
      });
    const leftOut = {
      file: 'tailgate.yml',
      scenarios: ['basket'],
      routes: [{ scenario: 'checkout', routes: ['GET /old'] }],
      benchmarks: [],
      added: ['checkout'],
    };
    expect(parse(serialise(startWith(leftOut))).leftOut).toEqual(leftOut);
    expect(parse(serialise(startWith(null)))).not.toHaveProperty('leftOut');
    const broken = { ...startWith(leftOut), leftOut: { ...leftOut, scenarios: 'basket' } };
    expect(() => parse(JSON.stringify(broken))).toThrow('`leftOut.scenarios`');
  });
});

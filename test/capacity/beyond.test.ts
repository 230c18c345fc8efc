import { describe, expect, it } from 'vitest';
import { describeBeyond, nextToFailure, recoveredAt } from '../../src/capacity/beyond.ts';
import { findLeak } from '../../src/capacity/result.ts';
import { measured, referenceSteps, sampleResult } from './sample-result.ts';
import { step } from './virtual-queue.ts';

describe('nextToFailure', () => {
  const found = [measured(800, 800, 12, 15), measured(900, 900, 13, 15), measured(950, 900, 90, 200)];

  it('climbs from the first rate beyond the knee to twice the knee', () => {
    const steps = [...found];
    const climbed: number[] = [];
    for (let rate = nextToFailure(steps, 5000); rate !== null; rate = nextToFailure(steps, 5000)) {
      climbed.push(rate);
      steps.push(measured(rate, 900, 500, 900, { phase: 'failure' }));
      expect(climbed.length).toBeLessThan(10);
    }
    expect(climbed).toEqual([1188, 1485, 1800]);
  });

  it('ends early when half of the requests fail, and at the bound', () => {
    const failing = measured(1188, 300, 500, 5000, { phase: 'failure', errorShare: 0.6 });
    expect(nextToFailure([...found, failing], 5000)).toBeNull();
    expect(nextToFailure(found, 1000)).toBe(1000);
    expect(nextToFailure([...found, measured(1000, 900, 500, 900, { phase: 'failure' })], 1000)).toBeNull();
  });

  it('goes once more to where bracketing has been, since the way back is watched from there', () => {
    const steep = [measured(400, 400, 12, 15), measured(900, 420, 900, 1500)];
    expect(nextToFailure(steep, 5000)).toBe(800);
  });

  it('goes on up while latency stays on its plateau', () => {
    const tight = [measured(100, 100, 12, 55), measured(50, 50, 12, 40)];
    expect(nextToFailure(tight, 5000)).toBe(125);
  });
});

describe('describeBeyond', () => {
  it('sees no collapse in the reference curve, and where errors start', () => {
    const collapse = describeBeyond(referenceSteps, 0.01)!;
    expect(collapse).toMatchObject({ collapses: false, shape: 'holds', atRate: null, highestRate: 1880 });
    expect(collapse.errors).toEqual({ startAtRate: 1880, shareAtHighest: 0.02, kinds: { 'timed out': 20 } });
  });

  const before = [measured(400, 400, 12, 15), measured(500, 500, 40, 60)];

  it('tells a gradual loss from a cliff', () => {
    const gradual = [
      ...before,
      measured(600, 420, 90, 200),
      measured(750, 300, 900, 2000),
      measured(900, 180, 3000, 5000),
    ];
    expect(describeBeyond(gradual, 0.01)).toMatchObject({
      collapses: true,
      shape: 'gradual',
      atRate: 750,
      leastShare: 0.36,
    });
    const cliff = [
      ...before,
      measured(600, 480, 90, 200),
      measured(750, 20, 4000, 5000, { errorShare: 0.97 }),
    ];
    expect(describeBeyond(cliff, 0.01)).toMatchObject({ collapses: true, shape: 'cliff', atRate: 750 });
  });

  it('sees the collapse of a service that a first, short overload did not bring down as far', () => {
    // As measured: 1,600/s was the first overload, the others came after it.
    const curve = [
      measured(800, 800, 14.7, 58.8),
      measured(872, 872, 19.2, 27.7),
      measured(911, 357, 2360, 4600),
      measured(951, 372, 2380, 4800),
      measured(1131, 218, 4410, 5000),
      measured(1424, 152, 5000, 5000, { errorShare: 0.63 }),
      measured(1600, 544, 2900, 5000, { errorShare: 0.073 }),
    ];
    const expected = { collapses: true, shape: 'cliff', atRate: 911, leastShare: 0.1743 };
    expect(describeBeyond(curve, 0.01)).toMatchObject(expected);
    const spared = [...curve.slice(0, -1), measured(1600, 800, 900, 5000)];
    expect(describeBeyond(spared, 0.01)).toMatchObject(expected);
  });

  it('does not take a rate below the ceiling for a fall', () => {
    const early = [measured(400, 400, 12, 15), measured(500, 500, 40, 60), measured(1000, 1000, 60, 90)];
    expect(describeBeyond(early, 0.01)!.collapses).toBe(false);
  });

  it('takes one disturbed step for no collapse', () => {
    const curve = [
      ...before,
      measured(600, 350, 90, 200),
      measured(750, 510, 900, 2000),
      measured(900, 505, 900, 2000),
    ];
    expect(describeBeyond(curve, 0.01)!.collapses).toBe(false);
  });

  it('says nothing when nothing beyond the knee was measured', () => {
    expect(describeBeyond([measured(400, 400, 12, 15)], 0.01)).toBeNull();
  });
});

describe('recoveredAt', () => {
  const windows = (...p99: (number | null)[]) =>
    p99.map((p99Ms, index) => ({ fromSeconds: index, p99Ms, errorShare: p99Ms === null ? 1 : 0 }));

  it('is the first of two windows in a row within the objective', () => {
    expect(recoveredAt(windows(900, 40, 60, 30, 20), 50, 0.01)).toBe(3);
    expect(recoveredAt(windows(900, 40, 60, 30), 50, 0.01)).toBeNull();
    expect(recoveredAt(windows(null, null), 50, 0.01)).toBeNull();
    expect(recoveredAt([{ fromSeconds: 0, p99Ms: 3, errorShare: 0.5 }], 50, 0.01)).toBeNull();
  });
});

describe('findLeak', () => {
  const growing = (...megabytes: number[]) =>
    megabytes.map((size, index) => step(100 + index, { memoryBytes: size * 1e6 }));

  it('sees memory that grows in nearly every step', () => {
    const leak = findLeak(growing(60, 90, 130, 160, 158, 200, 260))!;
    expect([leak.fromBytes, leak.toBytes]).toEqual([60e6, 260e6]);
    expect(leak.perRequestBytes).toBe(Math.round(200e6 / 6000));
  });

  it('takes a heap that fills up once for none', () => {
    expect(findLeak(growing(60, 150, 152, 152, 151, 152))).toBeNull();
    expect(findLeak(growing(60, 70, 80, 90, 95))).toBeNull();
    expect(findLeak([step(1), step(2), step(3), step(4)])).toBeNull();
  });
});

describe('concludeRamp', () => {
  it('says at least, and no capacity, without a first fail', () => {
    const steps = [measured(100, 100, 12, 15), measured(200, 200, 12, 15)];
    const result = sampleResult(steps, { end: { kind: 'at-least', limit: 'generator' } });
    expect(result.atLeast).toBe(200);
    expect(sampleResult(steps, { end: { kind: 'open' } }).atLeast).toBeNull();
    expect(result.capacity).toEqual({ lastPass: 200, firstFail: null });
  });

  it('reads the reference curve', () => {
    const { capacity, knee, kneeBeyond, ceiling, atLeast } = sampleResult();
    expect({ capacity, knee, kneeBeyond, ceiling, atLeast }).toEqual({
      capacity: { lastPass: 940, firstFail: 960 },
      knee: 940,
      kneeBeyond: 960,
      ceiling: 952,
      atLeast: null,
    });
  });
});

import { describe, expect, it } from 'vitest';
import { findKnee, nextForKnee } from '../../src/capacity/knee.ts';
import { bracketOf, nextInSearch, type SearchLimits, type SearchNext } from '../../src/capacity/search.ts';
import type { Step } from '../../src/capacity/step.ts';
import { step } from './virtual-queue.ts';

const limits: SearchLimits = { from: 50, most: 5000, mostIs: 'rate', repeats: 3, resolution: 1.05 };
const fails = { passes: false, misses: ['p99', 'successful'] } as const;
/** Everything succeeded, and p99 was missed: a stall of the machine looks like this. */
const doubtful = { passes: false, misses: ['p99'] } as const;
const unsound = { sound: false, passes: false, reasons: ['generator-busy'] } as const;

/** Runs the search against a rule of what a rate does. */
function run(
  rule: (rate: number, run: number) => Partial<Step>,
  over: Partial<SearchLimits> = {},
): { steps: Step[]; last: SearchNext } {
  const steps: Step[] = [];
  for (;;) {
    const next = nextInSearch(steps, { ...limits, ...over });
    if (next.kind === 'done') return { steps, last: next };
    const before = steps.filter((one) => one.rate === next.rate).length;
    steps.push(step(next.rate, { phase: next.phase, ...rule(next.rate, before) }));
    if (steps.length > 100) throw new Error('the search does not end');
  }
}

describe('nextInSearch', () => {
  it('brackets by 2, bisects on a log scale to 5 %, and repeats both ends in turns', () => {
    const { steps, last } = run((rate) => (rate > 900 ? fails : {}));
    expect(steps.slice(0, 6).map((one) => one.rate)).toEqual([50, 100, 200, 400, 800, 1600]);
    expect(steps[6]!.rate).toBe(1131);
    const { lastPass, firstFail } = bracketOf(steps);
    expect(lastPass!).toBeLessThanOrEqual(900);
    expect(firstFail!).toBeGreaterThan(900);
    expect(firstFail! / lastPass!).toBeLessThanOrEqual(1.05);
    const repeats = steps.filter((one) => one.phase === 'repeat').map((one) => one.rate);
    expect(repeats).toEqual([firstFail, lastPass, firstFail, lastPass]);
    expect(last).toEqual({ kind: 'done', end: { kind: 'bracketed' } });
  });

  it('goes less far once latency rises', () => {
    const steps = [step(50), step(100, { successTimeMs: { p50: 14, p90: 0, p99: 0, p999: 0, max: 0 } })];
    expect(nextInSearch(steps, limits)).toEqual({ kind: 'measure', rate: 150, phase: 'bracket' });
  });

  it('goes on above a fail that further runs do not confirm', () => {
    const { steps } = run((rate, before) => (rate > 900 || (rate === 400 && before === 0) ? fails : {}));
    const { lastPass, firstFail } = bracketOf(steps);
    expect(steps.filter((one) => one.rate === 400).length).toBeGreaterThanOrEqual(3);
    expect([lastPass! <= 900, firstFail! > 900]).toEqual([true, true]);
  });

  it('runs a rate again at once where only p99 was missed, and goes by the majority', () => {
    const { steps } = run((rate, before) =>
      rate > 900 ? fails : rate === 400 && before === 0 ? doubtful : {},
    );
    expect(steps.slice(0, 7).map((one) => one.rate)).toEqual([50, 100, 200, 400, 400, 400, 800]);
    const missed = run((rate) => (rate > 900 ? doubtful : {}));
    expect(missed.steps.slice(4, 8).map((one) => one.rate)).toEqual([800, 1600, 1600, 1131]);
  });

  it('goes down when the last pass does not pass again', () => {
    const { steps } = run((rate, before) => (rate > 900 || (rate > 850 && before > 0) ? fails : {}));
    expect(bracketOf(steps).firstFail!).toBeLessThan(900);
    expect(bracketOf(steps).lastPass!).toBeLessThanOrEqual(850);
  });

  it('makes sure of a first step that misses, and ends', () => {
    const { steps, last } = run(() => fails);
    expect(steps.map((one) => one.rate)).toEqual([50, 50]);
    expect(last).toEqual({ kind: 'done', end: { kind: 'missed-at-start' } });
  });

  it('goes on when a first step missed only once', () => {
    const { steps } = run((rate, before) => (rate > 900 || (rate === 50 && before === 0) ? fails : {}));
    expect(bracketOf(steps).lastPass!).toBeGreaterThan(800);
  });

  it('says at least when the bound passes', () => {
    const { steps, last } = run(() => ({}), { most: 300 });
    expect(steps.map((one) => one.rate)).toEqual([50, 100, 200, 300]);
    expect(last).toEqual({ kind: 'done', end: { kind: 'at-least', limit: 'rate' } });
  });

  it('says at least, and no capacity, when the generator is the limit', () => {
    const { steps, last } = run((rate) => (rate > 1000 ? unsound : {}));
    expect(last).toEqual({ kind: 'done', end: { kind: 'at-least', limit: 'generator' } });
    expect(bracketOf(steps).firstFail).toBeNull();
    expect(bracketOf(steps).lastPass!).toBeGreaterThan(800);
    expect(bracketOf(steps).lastPass!).toBeLessThanOrEqual(1000);
  });

  it('measures again where the generator failed once', () => {
    const { steps } = run((rate, before) =>
      rate === 400 && before === 0 ? unsound : rate > 900 ? fails : {},
    );
    expect(steps.filter((one) => one.rate === 400)).toHaveLength(2);
    expect(bracketOf(steps).lastPass!).toBeGreaterThan(850);
  });

  it('ends without an answer when the generator never did its part', () => {
    const { last } = run(() => unsound);
    expect(last).toEqual({ kind: 'done', end: { kind: 'unsound' } });
  });

  it('ends also when a rate inside the bracket cannot be measured soundly', () => {
    const { steps, last } = run((rate) => (rate > 900 ? (rate > 1500 ? fails : unsound) : {}));
    expect(last).toEqual({ kind: 'done', end: { kind: 'bracketed' } });
    expect(bracketOf(steps)).toEqual({ lastPass: 800, firstFail: 1600 });
  });
});

describe('findKnee', () => {
  const at = (p50: number) => ({ successTimeMs: { p50, p90: p50, p99: p50, p999: p50, max: p50 } });

  it('reads the reference curve: the last rate before latency leaves its plateau', () => {
    const curve = [step(600, at(12.2)), step(900, at(13.2)), step(940, at(14.1)), step(960, at(31.8))];
    expect(findKnee(curve)).toEqual({ rate: 940, beyond: 960, plateauMs: 12.2 });
  });

  it('is where answers stop to succeed, also when rejections are quick', () => {
    const curve = [step(200, at(3)), step(400, at(3)), step(800, { ...at(3), successfulPerSecond: 420 })];
    expect(findKnee(curve)).toEqual({ rate: 400, beyond: 800, plateauMs: 3 });
  });

  it('lies open when nothing beyond it was measured', () => {
    expect(findKnee([step(200), step(400)])).toEqual({ rate: 400, beyond: null, plateauMs: 10 });
  });

  it('is not moved by one slow run of three, nor by a step whose generator failed', () => {
    const curve = [
      step(100),
      step(400),
      step(400, at(90)),
      step(400),
      step(500, { ...at(90), sound: false }),
      step(800),
    ];
    expect(findKnee(curve).beyond).toBeNull();
  });

  it('passes over one slow rate between others on the plateau', () => {
    const curve = [
      step(100, at(25)),
      step(200, at(10)),
      step(300, at(90)),
      step(400, at(10)),
      step(500, at(90)),
    ];
    expect(findKnee(curve)).toEqual({ rate: 400, beyond: 500, plateauMs: 10 });
  });

  it('is narrowed down to 10 %, and both sides of it are run three times in turns', () => {
    const steps = [step(100), step(200), step(400, at(90))];
    for (let next = nextForKnee(steps); next !== null; next = nextForKnee(steps)) {
      steps.push(step(next, next > 310 ? at(90) : {}));
      expect(steps.length).toBeLessThan(14);
    }
    const { rate, beyond } = findKnee(steps);
    expect(steps.slice(-4).map((one) => one.rate)).toEqual([beyond, rate, beyond, rate]);
    expect(rate!).toBeLessThanOrEqual(310);
    expect(beyond! / rate!).toBeLessThanOrEqual(1.1);
  });
});

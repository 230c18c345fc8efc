import { describe, expect, test } from 'vitest';
import { analyseSweep, type SweepFindings } from '../../src/capacity/sweep.ts';
import { spreadOf } from '../../src/capacity/sweep-noise.ts';
import { readLevels } from '../../src/commands/sweep.ts';
import { sweepHeadline, sweepMarkdown, sweepText } from '../../src/commands/sweep-text.ts';
import { closedUnsoundReasons } from '../../src/evidence/closed-summary.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { rested, type VirtualService, virtualResult } from '../load/virtual-closed.ts';

const analyse = (
  service: VirtualService,
  more: {
    readonly levels?: readonly number[];
    readonly knownLimit?: number | null;
    readonly requests?: number;
    readonly alone?: VirtualService;
  } = {},
): SweepFindings =>
  analyseSweep(
    {
      alone: [virtualResult(1, 40, more.alone ?? service)],
      runs: (more.levels ?? [5, 10, 20, 40]).flatMap((concurrency) =>
        [1, 2, 3].map(() => ({
          concurrency,
          result: virtualResult(concurrency, more.requests ?? 400, service),
        })),
      ),
      knownLimit: more.knownLimit ?? null,
    },
    closedUnsoundReasons,
  );

/** Admits 8 at a time, 40 to 48 ms each. */
const admission = (timeoutMs?: number): VirtualService => {
  const random = seededRandom('admission');
  const service = { servers: 8, serviceMs: () => 40 + 8 * random.next() };
  return timeoutMs === undefined ? service : { ...service, timeoutMs };
};
const shown = (findings: SweepFindings) => ({
  findings,
  outcome: { partial: null, cutShort: [], unrecovered: [] },
  repeats: 3,
  requests: 400,
  timeoutMs: 5000,
  seed: 1,
});
const near = (value: number | null, wanted: number, share: number): void => {
  expect(value).toBeGreaterThan(wanted * (1 - share));
  expect(value).toBeLessThan(wanted * (1 + share));
};

describe('a service that admits 8 at a time, 40 to 48 ms each', () => {
  test('has its knee between 5 and 10, and 8 is inferred', () => {
    const findings = analyse(admission());
    expect(findings.knee).toBe(10);
    expect(findings.kneeBetween).toEqual([5, 10]);
    expect(findings.inferredLimit).toBe(8);
    near(findings.serviceTimeMs, 44, 0.03);
    expect(findings.levels.map((level) => level.pastKnee)).toEqual([false, false, true, true]);
    expect(findings.theory).toMatchObject({ limit: 8, from: 'inferred' });
    near(findings.theory!.share, 1, 0.05);
    expect(findings.noise.tooNoisy).toBe(false);
    expect(findings.collapsesAt).toBeNull();
  });

  test('gives the table that such a service must give', () => {
    const { levels } = analyse(admission());
    const plateau = 8 / 0.044;
    [5 / 0.044, plateau, plateau, plateau].forEach((wanted, index) => {
      near(levels[index]!.attemptedQps, wanted, 0.05);
      expect(levels[index]!.successfulQps).toBe(levels[index]!.attemptedQps);
      expect(levels[index]!.errorRate).toBe(0);
    });
    near(levels[0]!.p50Ms, 44, 0.05);
    near(levels[2]!.p50Ms, 110, 0.05);
    near(levels[3]!.p50Ms, 220, 0.05);
    near(levels[3]!.p95Ms, 230, 0.05);
  });

  test('tells no knee, limit or collapse when repeats of a level differ too much', () => {
    const calm = analyse(admission(150));
    const noisy = { ...calm, noise: { ...calm.noise, qps: 1.17, p95: 0.4, tooNoisy: true } };
    for (const write of [sweepText, sweepMarkdown]) {
      expect(write(shown(calm))).toMatch(/the knee lies[\s\S]*it collapses: at concurrency 40/);
      const text = write(shown(noisy));
      expect(text).toContain(
        'Too noisy to tell where the knee lies: repeats of one level differ by up to 117 %',
      );
      expect(text).not.toMatch(/collapses|at a time|\bpast\b/);
    }
  });

  test('holds to N = X · R at every level', () => {
    for (const { concurrency, littlesLaw } of analyse(admission()).levels) {
      expect(littlesLaw.holds).toBe(true);
      near(littlesLaw.inFlight, concurrency, 0.05);
    }
  });

  test('with a time-out of 150 ms attempts more at 40 and succeeds with less than a quarter of the plateau', () => {
    const { levels, collapsesAt, inferredLimit, knee } = analyse(admission(150));
    const last = levels[3]!;
    near(last.attemptedQps, 40 / 0.15, 0.05);
    expect(last.successfulQps).toBeLessThan(levels[2]!.successfulQps / 4);
    expect(last.errorRate).toBeGreaterThan(0.8);
    expect(last.timedOut).toBeGreaterThan(900);
    expect([collapsesAt, inferredLimit, knee]).toEqual([40, 8, 10]);
    expect(sweepText(shown(analyse(admission(150))))).toMatch(
      /at concurrency 40 it attempts 26\d\/s and succeeds/,
    );
  });
});

describe('throughput of a D/D/1 service is at most min(N ÷ R, 1 ÷ D), within 5 %', () => {
  test('at every level', () => {
    const { levels, inferredLimit, knee } = analyse({ servers: 1, serviceMs: 10 }, { levels: [1, 2, 4, 8] });
    for (const { concurrency, successfulQps } of levels)
      near(successfulQps, Math.min(concurrency * 100, 100), 0.05);
    expect([inferredLimit, knee]).toEqual([1, 1]);
  });
});

describe('what a sweep cannot tell', () => {
  test('a service that never stops growing has no knee, and only a lower bound for its limit', () => {
    const findings = analyse({ servers: 100, serviceMs: 20 });
    expect([findings.knee, findings.kneeBetween, findings.inferredLimit]).toEqual([null, null, null]);
    expect(findings.limit.kind).toBe('at-least');
    near((findings.limit as { value: number }).value, 40, 0.02);
    expect(sweepHeadline(shown(findings))).toContain('the knee lies above it');
  });

  test('a service that is full at the lowest level has its knee at or below that', () => {
    const findings = analyse({ servers: 2, serviceMs: 10 });
    expect(findings.kneeBetween).toEqual([0, 5]);
    expect(findings.inferredLimit).toBe(2);
    expect(sweepHeadline(shown(findings))).toContain('at or below concurrency 5');
  });

  test('more than so many callers can get by the time of a request alone flags the measurement', () => {
    const findings = analyse({ servers: 8, serviceMs: 44 }, { alone: { servers: 8, serviceMs: 60 } });
    expect(findings.levels[0]).toMatchObject({ aboveTheory: true });
    expect(sweepText(shown(findings))).toContain('do not believe the generator');
    const given = analyse({ servers: 8, serviceMs: 44 }, { knownLimit: 6 });
    expect(given.theory).toMatchObject({ limit: 6, from: 'given' });
    expect(given.levels.map((level) => level.aboveTheory)).toEqual([false, true, true, true]);
    expect(analyse({ servers: 8, serviceMs: 44 }).levels.some((level) => level.aboveTheory)).toBe(false);
  });

  test('repeats that disagree are too noisy, and the first sentence says so', () => {
    const runs = [44, 44, 60].flatMap((serviceMs) =>
      [5, 10, 20, 40].map((concurrency) => ({
        concurrency,
        result: virtualResult(concurrency, 400, { servers: 8, serviceMs }),
      })),
    );
    const alone = [virtualResult(1, 40, { servers: 8, serviceMs: 44 })];
    const findings = analyseSweep({ alone, runs, knownLimit: null }, closedUnsoundReasons);
    expect(findings.noise.tooNoisy).toBe(true);
    near(findings.noise.p95, 16 / 44, 0.05);
    expect(sweepHeadline(shown(findings))).toMatch(/^Too noisy to tell where/);
  });

  test('without a request alone there is no theory and no limit', () => {
    const runs = [{ concurrency: 5, result: virtualResult(5, 100, admission()) }];
    const findings = analyseSweep({ alone: [], runs, knownLimit: null }, closedUnsoundReasons);
    expect(findings).toMatchObject({
      serviceTimeMs: null,
      theory: null,
      limit: { kind: 'unknown' },
      knee: null,
    });
    expect(findings.noise).toMatchObject({ qps: null, p95: null, tooNoisy: false });
    expect(sweepHeadline(shown(findings))).toBe('One level alone tells no knee.');
  });

  test('a generator that was busy is named with its level', () => {
    const busy = { ...rested, utilisation: 0.95 };
    const runs = [5, 10].map((concurrency) => ({
      concurrency,
      result: virtualResult(concurrency, 100, admission(), concurrency === 10 ? busy : rested),
    }));
    const findings = analyseSweep({ alone: [], runs, knownLimit: null }, closedUnsoundReasons);
    expect(findings.unsound).toEqual([{ concurrency: 10, reasons: ['generator-busy'] }]);
    expect(sweepText(shown(findings))).toContain('unsound at concurrency 10: the sending thread was busy');
  });
});

test('every figure is labelled closed-loop, as text and as Markdown', () => {
  const findings = analyse(admission());
  expect(sweepHeadline(shown(findings))).toMatch(
    /^In a closed loop the knee lies between concurrency 5 and 10: 18\d\/s/,
  );
  for (const text of [sweepText(shown(findings)), sweepMarkdown(shown(findings))]) {
    expect(text.startsWith('In a closed loop') || text.startsWith('**In a closed loop')).toBe(true);
    expect(text).toContain('do not meet open-loop numbers');
  }
  expect(sweepMarkdown(shown(findings)).match(/^\| \d+ \|/gm)).toHaveLength(4);
});

test('the spread of repeats is the largest distance from their median', () => {
  expect(spreadOf([100, 104, 98])).toBeCloseTo(0.04);
  expect(spreadOf([1, 3])).toBeCloseTo(0.5);
  expect(spreadOf([0, 0, 0])).toBe(0);
});

describe('levels', () => {
  test('are read in any order', () => {
    expect(readLevels('40, 5,20,10')).toEqual([5, 10, 20, 40]);
  });

  test.each([
    ['5,10,20', 'it wants 4 to 20 different levels'],
    ['5,5,10,20', 'it wants 4 to 20 different levels'],
    ['5,10,20,x', 'whole numbers'],
    ['5,,10,20', 'whole numbers'],
    ['0,5,10,20', 'whole numbers'],
    ['5,10,20,1e9', 'whole numbers'],
    ['5,10,11,20', '10 and 11 are so close'],
  ])('%s is refused with the way out', (given, why) => {
    expect(() => readLevels(given)).toThrow(why);
    expect(() => readLevels(given)).toThrow('--levels 5,10,20,40');
  });
});

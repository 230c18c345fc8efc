import { describe, expect, it } from 'vitest';
import type { JobPlan } from '../../src/config/plan.ts';
import { ratio } from '../../src/kernel/units.ts';
import { checkOf, notRun, selfTestExitCode } from '../../src/verdict/self-test.ts';
import { nothingSized, sizesFor, tooNoisyWords } from '../../src/verdict/self-test-sizes.ts';
import {
  changed,
  evidence,
  finding,
  inconclusive,
  invalid,
  pass,
  points,
  serviceFailed,
  verdict,
} from '../report/verdicts.ts';

const planOf = (...tails: readonly JobPlan['scenarios'][number]['tailPercentile'][]): JobPlan => {
  const { plan } = evidence(tails.map((_, index) => `s${index}`));
  return {
    ...plan,
    scenarios: plan.scenarios.map((scenario, index) => ({ ...scenario, tailPercentile: tails[index]! })),
  };
};
const row = (scenario: string, metric: 'cpu' | 'p99' | 'p95' | 'p90', value: number, spread: number) =>
  finding({ scenario, metric, baseline: value, candidate: value * 0.9, change: changed(0.01, spread) });

describe('sizes of what is planted', () => {
  it('are at least 15 % of CPU and 30 % of the percentile where the machine is quiet and the tolerances narrow', () => {
    const strict = { min: ratio(0.01), detect: ratio(0.05) };
    const quiet = [row('s0', 'cpu', 200e3, 0.01), row('s0', 'p99', 4e6, 0.01)].map((one) => ({
      ...one,
      tolerance: strict,
    }));
    const sizes = sizesFor(verdict('pass', quiet), planOf('p99'));
    expect(sizes.cpu).toMatchObject({ burnt: 30_000, rise: 0.15 });
    // 1.3 times 4 ms is 5.2 ms: whole milliseconds, and one more because timers may come too early.
    expect(sizes.latency).toMatchObject({
      delay: 7e6,
      delayed: expect.closeTo(0.02),
      rise: 0.3,
      metric: 'p99',
    });
  });

  it('are twice what a pass must exclude', () => {
    const sizes = sizesFor(
      verdict(
        'pass',
        [row('s0', 'cpu', 200e3, 0.01), row('s0', 'p99', 4e6, 0.01)].map((one) => ({
          ...one,
          tolerance: { min: ratio(0.05), detect: ratio(0.5) },
        })),
      ),
      planOf('p99'),
    );
    expect(sizes.cpu).toMatchObject({ burnt: 200_000, rise: 1 });
    expect(sizes.latency).toMatchObject({ delay: 9e6, rise: 1 });
  });

  it('are twice what the job could have seen where that is more', () => {
    const cpu = row('s0', 'cpu', 200e3, 0.1);
    const seen = cpu.change.kind === 'ratio' ? cpu.change.smallestDetectable! : 0;
    expect(seen).toBeGreaterThan(0.1);
    expect(sizesFor(verdict('inconclusive', [cpu]), planOf('p99')).cpu!.rise).toBeCloseTo(2 * seen);
  });

  it('reach the dearest and the slowest of several scenarios, and delay enough for each percentile', () => {
    const rows = [
      ...[row('s0', 'cpu', 100e3, 0.01), row('s0', 'p99', 9e6, 0.01)],
      ...[row('s1', 'cpu', 400e3, 0.01), row('s1', 'p90', 2e6, 0.01)],
    ];
    const sizes = sizesFor(verdict('pass', rows), planOf('p99', 'p90'));
    expect(sizes.cpu!.burnt).toBe(60_000);
    // The same 60 µs weigh more where a request costs less, and that is told.
    expect(sizes.cpu!.rises).toEqual([
      { scenario: 's0', rise: expect.closeTo(0.6), unrealistic: false },
      { scenario: 's1', rise: expect.closeTo(0.15), unrealistic: false },
    ]);
    expect(sizes.latency).toMatchObject({ delayed: expect.closeTo(0.2), metric: 'p99', delay: 14e6 });
  });

  describe('on a noisy machine', () => {
    /** The row with the smallest detectable change given. */
    const noisy = (scenario: string, metric: 'cpu' | 'p99', value: number, detectable: number) => ({
      ...row(scenario, metric, value, 0.05),
      change: changed(0.01, 0.05, { smallestDetectable: ratio(detectable) }),
    });

    it('are never above a doubling because of noise', () => {
      const sizes = sizesFor(verdict('pass', [noisy('s0', 'p99', 4e6, 0.8)]), planOf('p99'));
      expect(sizes.latency).toMatchObject({ rise: 1, delay: 9e6 });
      expect(sizes.tooNoisy).toEqual([]);
    });

    it('do not exist where a doubling could not be seen, and the words say how much could', () => {
      const rows = [noisy('s0', 'p99', 57e6, 4.64), noisy('s0', 'cpu', 200e3, 0.1)];
      const sizes = sizesFor(verdict('inconclusive', rows), planOf('p99'));
      expect(sizes.latency).toBeNull();
      expect(sizes.cpu!.rise).toBeCloseTo(0.2);
      expect(tooNoisyWords('latency', sizes)).toMatch(
        /^too noisy to test a realistic size: the smallest change of p99 that could be seen is 464 %/,
      );
      expect(tooNoisyWords('cpu', sizes)).toBeNull();
    });

    it('leave a too noisy scenario out, and keep those of the others', () => {
      const rows = [noisy('s0', 'p99', 50e6, 4), noisy('s1', 'p99', 4e6, 0.1)];
      const sizes = sizesFor(verdict('inconclusive', rows), planOf('p99', 'p99'));
      expect(sizes.latency).toMatchObject({ rise: 0.4, delay: 7e6 });
      expect(sizes.tooNoisy.map(({ scenario }) => scenario)).toEqual(['s0']);
    });

    it('are as large as a tolerance asks for, which is no matter of noise', () => {
      const wide = { ...noisy('s0', 'p99', 4e6, 4), tolerance: { min: ratio(0.5), detect: ratio(4) } };
      expect(sizesFor(verdict('pass', [wide]), planOf('p99')).latency).toMatchObject({
        rise: 8,
        rises: [{ scenario: 's0', unrealistic: true }],
      });
    });
  });

  it('are no delay too short for a timer', () => {
    expect(sizesFor(verdict('pass', [row('s0', 'p95', 2e5, 0.01)]), planOf('p95')).latency!.delay).toBe(2e6);
  });

  it('do not exist where there are no figures', () => {
    const none = finding({ scenario: 's0', metric: 'cpu', change: { kind: 'none', reason: 'not told' } });
    expect(sizesFor(verdict('inconclusive', [none]), planOf('p99'))).toEqual(nothingSized);
  });
});

const regressed = (metric: 'cpu' | 'cpu-total' | 'p50' | 'p99' | 'errors') =>
  finding({
    metric,
    state: 'regressed',
    change: metric === 'errors' ? points(0.05) : changed(0.3, 0.05),
  });
const red = (...metrics: Parameters<typeof regressed>[0][]) => verdict('regression', metrics.map(regressed));

describe('a check', () => {
  it.each([
    ['nothing', pass, 'shown'],
    ['nothing', inconclusive, 'shown'],
    ['nothing', red('p99'), 'false-alarm'],
    ['nothing', invalid, 'not-measured'],
    ['cpu', red('cpu'), 'shown'],
    ['cpu', red('cpu-total', 'p99', 'p50'), 'shown'],
    ['cpu', red('p99'), 'wrong-metric'],
    ['cpu', pass, 'missed'],
    ['cpu', inconclusive, 'undecided'],
    ['cpu', serviceFailed, 'not-measured'],
    ['latency', red('p99'), 'shown'],
    ['latency', red('p50', 'errors'), 'shown'],
    ['latency', red('errors'), 'wrong-metric'],
    ['latency', red('p99', 'cpu'), 'wrong-metric'],
    ['latency', red('cpu-total'), 'wrong-metric'],
    ['latency', pass, 'missed'],
    ['latency', invalid, 'not-measured'],
  ] as const)('of %s planted (case %#) ends as it must', (planting, said, result) => {
    const check = checkOf(planting, said);
    expect(check.result, check.reason).toBe(result);
    expect(check.hint === null).toBe(result === 'shown');
    expect(check.reason.length).toBeGreaterThan(10);
  });

  describe('of nothing planted, with a row that was flagged and not confirmed,', () => {
    const reason = 'not confirmed: +11 % when it was flagged, +6.8 % over all 18 rounds';
    const flagged = finding({ state: 'undecided', confirmation: 'not-confirmed', reason });

    it('is not as it must be, names the row and its figures, and ends with 6', () => {
      const check = checkOf('nothing', verdict('inconclusive', [flagged, finding({ metric: 'cpu' })]));
      expect(check.result).toBe('undecided');
      expect(check.reason).toBe(`nothing was found, but p99 was flagged: ${reason}`);
      expect(check.hint).toContain('up to 5 % of unchanged jobs have a row flagged');
      const caught = [checkOf('cpu', red('cpu')), checkOf('latency', red('p99'))];
      expect(selfTestExitCode([check, ...caught])).toBe(6);
    });

    it('names the scenario of several', () => {
      const rows = [flagged, finding({ scenario: 'search' })];
      expect(checkOf('nothing', verdict('inconclusive', rows)).reason).toContain(
        'p99 of checkout was flagged',
      );
    });

    it('is a false alarm all the same where another row was found, and well where the row is not judged', () => {
      const both = verdict('regression', [flagged, regressed('cpu')]);
      expect(checkOf('nothing', both).result).toBe('false-alarm');
      const shown = verdict('pass', [{ ...flagged, judged: false }]);
      expect(checkOf('nothing', shown).result).toBe('shown');
    });
  });

  it('does not count a row that is only shown for information', () => {
    const shown = { ...regressed('cpu'), judged: false };
    expect(checkOf('cpu', verdict('regression', [shown, regressed('p99')])).result).toBe('wrong-metric');
  });

  it('says with figures what was found, the right metric first', () => {
    const check = checkOf('cpu', red('p99', 'cpu'));
    expect(check.reason).toBe('found CPU per request +30 % [+24 % to +37 %], p99 +30 % [+24 % to +37 %]');
    expect(check.found.map((one) => one.metric)).toEqual(['cpu', 'p99']);
  });

  it('says with figures what was seen of a slowdown that was missed, and the way out', () => {
    const check = checkOf('cpu', pass);
    expect(check.reason).toContain('CPU per request −0.2 %');
    expect(check.hint).toContain('time-budget');
  });
});

it('a check of a metric that stayed undecided beside another that was found says why', () => {
  const undecided = finding({ state: 'undecided', reason: 'runner too noisy for percentiles' });
  const check = checkOf('latency', verdict('regression', [regressed('cpu'), undecided]));
  expect(check.result).toBe('wrong-metric');
  expect(check.reason).toContain('it saw p99 +0.4 %');
  expect(check.reason).toContain('too noisy');
});

describe('of several scenarios', () => {
  const cpuOf = (
    scenario: string,
    state: 'regressed' | 'unchanged' | 'undecided',
    reason: string | null = null,
  ) => finding({ scenario, metric: 'cpu', state, reason, change: changed(0.3, 0.05) });

  it('all that were caught are shown', () => {
    const check = checkOf('cpu', verdict('regression', [cpuOf('a', 'regressed'), cpuOf('b', 'regressed')]));
    expect(check.result).toBe('shown');
    expect(check.scenarios.map(({ scenario, result }) => [scenario, result])).toEqual([
      ['a', 'caught'],
      ['b', 'caught'],
    ]);
  });

  it('one that passed is missed although another was caught', () => {
    const check = checkOf('cpu', verdict('regression', [cpuOf('a', 'regressed'), cpuOf('b', 'unchanged')]));
    expect(check.result).toBe('missed');
    expect(check.reason).toContain('but missed in b (it saw CPU per request');
    expect(selfTestExitCode([check])).toBe(1);
  });

  it('one that stayed undecided is named with its reason', () => {
    const rows = [cpuOf('a', 'regressed'), cpuOf('b', 'undecided', 'the spread is ±28 %')];
    const check = checkOf('cpu', verdict('regression', rows));
    expect(check.result).toBe('undecided');
    expect(check.reason).toContain('not shown in b');
    expect(check.reason).toContain('the spread is ±28 %');
    expect(selfTestExitCode([check])).toBe(6);
  });

  it('one that was too noisy was not checked, and that is said', () => {
    const noisy = { planting: 'cpu', scenario: 'b', metric: 'cpu', detectable: ratio(3) } as const;
    const rows = [cpuOf('a', 'regressed'), cpuOf('b', 'unchanged')];
    const check = checkOf('cpu', verdict('regression', rows), { ...nothingSized, tooNoisy: [noisy] });
    expect(check.result).toBe('undecided');
    expect(check.reason).toContain('b (not checked: too noisy to test a realistic size');
  });

  it('a p50 that a delay of few requests leaves alone does not make its scenario missed', () => {
    const rows = [
      finding({ scenario: 'a', state: 'regressed', change: changed(0.5, 0.05) }),
      finding({ scenario: 'b', metric: 'p50' }),
      finding({ scenario: 'b', state: 'undecided', reason: 'not yet' }),
    ];
    expect(checkOf('latency', verdict('regression', rows)).scenarios[1]).toMatchObject({
      result: 'undecided',
    });
  });
});

describe('the exit code', () => {
  const shown = checkOf('nothing', pass);
  it.each([
    [[shown, checkOf('cpu', red('cpu')), checkOf('latency', red('p99'))], 0],
    [[shown, checkOf('cpu', pass), checkOf('latency', red('p99'))], 1],
    [[checkOf('nothing', red('p99')), checkOf('cpu', serviceFailed), shown], 1],
    [[shown, checkOf('cpu', serviceFailed), checkOf('latency', inconclusive)], 4],
    [[shown, notRun('cpu', 'no counter', null), checkOf('latency', inconclusive)], 3],
    [[shown, checkOf('cpu', inconclusive), checkOf('latency', red('p99'))], 6],
  ])('of case %# is right', (checks, code) => {
    expect(selfTestExitCode(checks)).toBe(code);
  });
});

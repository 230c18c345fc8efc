/** Accepted changes: which row a waiver is for, what its ceiling lets through, and what is said of the rest. */
import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/config/suggestions.ts';
import type { Waiver } from '../../src/evidence/trial.ts';
import { ratio } from '../../src/kernel/units.ts';
import type { Finding } from '../../src/verdict/finding.ts';
import { applyWaivers, type Part } from '../../src/verdict/waivers.ts';
import { changed, finding, points } from '../report/verdicts.ts';

const waiver = (more: Partial<Waiver> = {}): Waiver => ({
  scenario: 'checkout',
  metric: 'cpu',
  ceiling: ratio(0.12),
  expires: null,
  reason: 'the new hash is safer',
  origin: 'the configuration',
  ...more,
});

const slower = (more: Partial<Finding> = {}): Finding =>
  finding({ metric: 'cpu', state: 'regressed', change: changed(0.1, 0.03), ...more });
const calm = finding({ metric: 'p99' });

const regression = (...findings: readonly Finding[]): Part => ({
  outcome: 'regression',
  reason: null,
  findings,
});

function apply(part: Part, waivers: readonly Waiver[], today = '2026-05-04') {
  const { parts, warnings } = applyWaivers([part], waivers, { today, nearest });
  return { part: parts[0]!, row: parts[0]!.findings[0]!, warnings };
}

describe('a row that got worse', () => {
  it('is accepted up to its ceiling, and says by whom and why', () => {
    const { part, row, warnings } = apply(regression(slower(), calm), [waiver()]);
    expect(part.outcome).toBe('pass');
    expect(part.reason).toBeNull();
    expect(row.state).toBe('accepted');
    expect(row.reason).toBe('accepted by the configuration up to +12 %: “the new hash is safer”');
    expect(warnings).toEqual([]);
    expect(part.findings[1]).toBe(calm);
  });

  it('is accepted at the ceiling itself', () => {
    const exact = slower({ change: changed(0.12, 0.03) });
    expect(apply(regression(exact), [waiver()]).row.state).toBe('accepted');
  });

  it.each([
    [0.18, '6 points'],
    [0.1204, '0.04 points'],
    [0.120001, 'less than 0.01 points'],
  ])('stays red above it, at %d, and says by how much', (effect, excess) => {
    const { part, row } = apply(regression(slower({ change: changed(effect, 0.03) })), [waiver()]);
    expect([part.outcome, row.state]).toEqual(['regression', 'regressed']);
    expect(row.reason).toBe(
      `above the ceiling of +12 % that the configuration accepts, by ${excess}: “the new hash is safer”`,
    );
  });

  it('keeps what was said about it before', () => {
    const noted = slower({ reason: 'bodies differ' });
    expect(apply(regression(noted), [waiver()]).row.reason).toMatch(/”; bodies differ$/);
  });

  it('is held against points where it is a share', () => {
    const failing = slower({ metric: 'errors', change: points(0.015) });
    const two = waiver({ metric: 'errors', ceiling: ratio(0.02) });
    const { row } = apply(regression(failing), [two]);
    expect(row).toMatchObject({ state: 'accepted', reason: expect.stringContaining('up to +2 points') });
    expect(apply(regression(failing), [{ ...two, ceiling: ratio(0.01) }]).row.state).toBe('regressed');
  });

  it('counts downwards where bigger is better', () => {
    const rate = { metric: 'microbenchmark', direction: 'bigger-is-better', scenario: 'a/b' } as const;
    const fallen = slower({ ...rate, change: changed(-0.1, 0.03) });
    const own = waiver({ scenario: 'a/b', metric: 'microbenchmark' });
    expect(apply(regression(fallen), [own]).row.state).toBe('accepted');
    const more = slower({ ...rate, change: changed(-0.13, 0.03) });
    expect(apply(regression(more), [own]).row).toMatchObject({
      state: 'regressed',
      reason: expect.stringContaining('accepts, by 1 point: “'),
    });
  });

  it('is not excused by the waiver of another row', () => {
    const { part, row, warnings } = apply(regression(slower(), calm), [waiver({ metric: 'p99' })]);
    expect([part.outcome, row.state]).toEqual(['regression', 'regressed']);
    expect(warnings.map(({ code }) => code)).toEqual(['waiver-unused']);
  });

  it('cannot be accepted when it is saturated: no figure says how much worse it is', () => {
    const stuck = slower({ metric: 'p99', reason: 'saturated: the candidate could not hold 300/s' });
    const { part, row } = apply(regression(stuck), [waiver({ metric: 'p99', ceiling: ratio(9) })]);
    expect([part.outcome, row.state]).toEqual(['regression', 'regressed']);
    expect(row.reason).toBe(
      'saturated: the candidate could not hold 300/s; a waiver of the configuration cannot accept this, because there is no figure to hold against its ceiling of +900 %',
    );
  });

  it('cannot be accepted when it has no ratio', () => {
    const fromZero = slower({ change: { kind: 'none', reason: 'from 0 to 3 bytes' } });
    expect(apply(regression(fromZero), [waiver()]).row).toMatchObject({
      state: 'regressed',
      reason: expect.stringContaining('no figure'),
    });
  });

  it('quotes a reason as one quotation, whatever is in it', () => {
    const { row } = apply(regression(slower()), [waiver({ reason: ' a `b`\n| c ' })]);
    expect(row.reason).toBe("accepted by the configuration up to +12 %: “a 'b' | c”");
  });
});

describe('the outcome', () => {
  it('stays a regression while another row is red', () => {
    const other = slower({ metric: 'p50' });
    expect(apply(regression(slower(), other), [waiver()]).part.outcome).toBe('regression');
  });

  it('is inconclusive with a reason when what is left is undecided', () => {
    const open = finding({ metric: 'p99', state: 'undecided', reason: 'the spread is ±30 %' });
    const { part } = apply(regression(slower(), open), [waiver()]);
    expect(part).toMatchObject({
      outcome: 'inconclusive',
      reason: 'p99 of `checkout`: the spread is ±30 %',
    });
  });

  it.each(['invalid', 'service-failed'] as const)('of a job that is %s is never changed', (outcome) => {
    const part: Part = { outcome, reason: 'the runner was too noisy', findings: [slower()] };
    expect(apply(part, [waiver()]).part).toMatchObject({ outcome, reason: 'the runner was too noisy' });
  });

  it('of one part leaves the other as it is', () => {
    const bench = finding({ scenario: 'parse', metric: 'microbenchmark' });
    const broken: Part = { outcome: 'invalid', reason: 'no rounds', findings: [bench] };
    const terms = { today: '2026-05-04', nearest };
    const { parts } = applyWaivers([regression(slower()), broken], [waiver()], terms);
    expect(parts.map((part) => part.outcome)).toEqual(['pass', 'invalid']);
  });
});

describe('a waiver for p99', () => {
  it.each(['p95', 'p90'] as const)('holds for %s where that is judged in its place', (metric) => {
    const tail = slower({ metric });
    const shown = finding({ metric: 'p99', judged: false, state: 'not-eligible' });
    const { row } = apply(regression(tail, shown), [waiver({ metric: 'p99' })]);
    expect(row.state).toBe('accepted');
    expect(row.reason).toContain(`up to +12 %, a waiver for p99, in whose place ${metric} is judged: “`);
  });

  it('does not hold for a percentile that is only shown', () => {
    const shown = finding({ metric: 'p95', judged: false, state: 'regressed', change: changed(0.1, 0.03) });
    const { part } = apply(regression(shown, slower({ metric: 'p99' })), [waiver({ metric: 'p99' })]);
    expect(part.findings.map(({ state }) => state)).toEqual(['regressed', 'accepted']);
  });
});

describe('expiry', () => {
  it.each([
    ['2026-05-04', 'accepted'],
    ['2026-05-03', 'regressed'],
  ])('with %s as its last day, on 4 May the row is %s', (expires, state) => {
    expect(apply(regression(slower()), [waiver({ expires })]).row.state).toBe(state);
  });

  it('is warned about where the waiver would have been used', () => {
    const { part, row, warnings } = apply(regression(slower()), [waiver({ expires: '2026-01-31' })]);
    expect([part.outcome, row.reason]).toEqual(['regression', null]);
    expect(warnings).toEqual([
      {
        code: 'waiver-expired',
        message:
          'the waiver for `checkout/cpu` up to +12 % (the configuration) expired on 2026-01-31: it accepts nothing any more',
        hint: expect.stringContaining('a later day'),
      },
    ]);
  });
});

describe('a waiver that does nothing', () => {
  it('is told as unused when its row is fine, with the day it expired', () => {
    const fine = { outcome: 'pass', reason: null, findings: [finding({ metric: 'cpu' })] } as const;
    const { part, warnings } = apply(fine, [waiver({ expires: '2026-01-31' })]);
    expect(part.outcome).toBe('pass');
    expect(warnings).toEqual([
      {
        code: 'waiver-unused',
        message:
          'the waiver for `checkout/cpu` up to +12 % (the configuration) was not used: the row is unchanged, and it expired on 2026-01-31',
        hint: 'Remove it once the change that it accepted is merged.',
      },
    ]);
  });

  it('leaves an undecided row undecided, and asks nobody to remove it', () => {
    const open = finding({ metric: 'cpu', state: 'undecided', confirmation: 'not-confirmed' });
    const { part, row, warnings } = apply({ outcome: 'inconclusive', reason: 'x', findings: [open] }, [
      waiver(),
    ]);
    expect([part.outcome, part.reason, row.state]).toEqual(['inconclusive', 'x', 'undecided']);
    expect(warnings[0]?.message).toContain('undecided, and only what is shown to have got worse');
    expect(warnings[0]).not.toHaveProperty('hint');
  });

  it('has a warning with the nearest name when it matches no row', () => {
    const { warnings } = apply(regression(slower()), [waiver({ scenario: 'chekcout' })]);
    expect(warnings).toEqual([
      {
        code: 'waiver-without-row',
        message: 'the waiver for `chekcout/cpu` up to +12 % (the configuration) matches no row of this job',
        hint: 'Did you mean `checkout/cpu`?',
      },
    ]);
  });

  it('is shown what there is when no name is near', () => {
    const { warnings } = apply(regression(slower(), calm), [waiver({ scenario: 'something else' })]);
    expect(warnings[0]?.hint).toBe('This job has rows of `checkout`.');
  });

  it.each([
    ['p95', 'is about a row that is not judged'],
    ['microbenchmark', 'is about no such row'],
  ] as const)('is shown the judged rows when it is about %s', (metric, what) => {
    const shown = finding({ metric: 'p95', judged: false });
    const { warnings } = apply(regression(slower(), shown), [waiver({ metric })]);
    expect(warnings[0]?.message).toContain(what);
    expect(warnings[0]?.hint).toBe('Judged rows of `checkout`: `cpu`.');
  });

  it.each([
    ['p95', 'Did you mean `checkout/p99`? Judged rows of `checkout`: `cpu`, `cpu-total`, `p99`.'],
    [
      'counter',
      'Did you mean `checkout > queries/counter`? Judged rows of `checkout`: `cpu`, `cpu-total`, `p99`.',
    ],
    ['errors', 'Judged rows of `checkout`: `cpu`, `cpu-total`, `p99`.'],
  ] as const)('has the nearest judged metric beside the list when it is about %s', (metric, hint) => {
    const rows = [slower(), slower({ metric: 'cpu-total' }), calm];
    const counter = finding({ scenario: 'checkout > queries', metric: 'counter' });
    const { warnings } = apply(regression(...rows, counter), [waiver({ metric })]);
    expect(warnings).toMatchObject([{ code: 'waiver-without-row', hint }]);
  });

  it('is told so where nothing of its scenario is judged', () => {
    const shown = finding({ scenario: 'home', judged: false });
    const { warnings } = apply(regression(slower(), shown), [waiver({ scenario: 'home' })]);
    expect(warnings[0]?.hint).toBe('No row of `home` is judged.');
  });

  it('is not mentioned where nothing was measured', () => {
    const nothing: Part = { outcome: 'invalid', reason: 'x', findings: [] };
    expect(apply(nothing, [waiver()])).toMatchObject({ part: nothing, warnings: [] });
  });
});

describe('several waivers for one row', () => {
  const wide = waiver({ ceiling: ratio(0.5), origin: 'commit 1a2b3c4' });

  it('count as the strictest, and that is said', () => {
    const { row, warnings } = apply(regression(slower({ change: changed(0.2, 0.03) })), [wide, waiver()]);
    expect(row).toMatchObject({ state: 'regressed', reason: expect.stringContaining('+12 % that the conf') });
    expect(warnings).toEqual([
      {
        code: 'waivers-for-one-row',
        message: '`checkout/cpu` has 2 waivers: the strictest counts, +12 % by the configuration',
        hint: 'Keep the one that is meant.',
      },
    ]);
  });

  it('do not count those that expired', () => {
    const part = regression(slower({ change: changed(0.2, 0.03) }));
    const { row, warnings } = apply(part, [wide, waiver({ expires: '2020-01-01' })]);
    expect(row.state).toBe('accepted');
    expect(warnings.map(({ code }) => code)).toEqual(['waiver-expired']);
  });
});

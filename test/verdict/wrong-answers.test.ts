/** A mix with a route that only one side has: the reason names the status, and the way out. */
import { describe, expect, it } from 'vitest';
import type { Finding, Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import { evidenceOf, type Figures, type Recipe, readPlain, type Where } from './evidence-builder.ts';

function verdictOf(recipe: Recipe): Verdict {
  const progress = judge(evidenceOf(recipe), { readSlice: readPlain, final: true });
  if (progress.kind !== 'decided') throw new Error('not decided');
  return progress.verdict;
}

/** One side answers this many of 500 requests wrongly. */
const failing =
  (side: Where['side'], failed: number, status: number, more: Partial<Figures> = {}) =>
  (where: Where): Partial<Figures> =>
    where.side === side
      ? {
          failed,
          errors: { [`status ${status}`]: failed },
          statuses: { 200: 500 - failed, [status]: failed },
          ...more,
        }
      : {};

const wayOut =
  '; a route that the baseline does not have belongs into a scenario of its own, where it is `new`, so that what is measured here stays comparable';

describe('a route that is new in a mix', () => {
  it.each([404, 405])('is told by its status %d with the way out', (status) => {
    const verdict = verdictOf({ measuring: 6, slice: failing('baseline', 50, status) });
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.reason).toContain(
      `not the same work in \`home\`: the candidate answered 10 % more of the requests rightly (the baseline: mostly status ${status})${wayOut}`,
    );
  });

  it('is told as well when it is most of the mix', () => {
    const { outcome, reason } = verdictOf({ measuring: 2, slice: failing('baseline', 300, 404) });
    expect(outcome).toBe('invalid');
    expect(reason).toContain(`(mostly status 404), so its times say nothing${wayOut}`);
  });

  it('is not what other failures are', () => {
    const { reason } = verdictOf({ measuring: 6, slice: failing('baseline', 50, 500) });
    expect(reason).toContain('more of the requests rightly (the baseline: mostly status 500)');
    expect(reason).not.toContain('scenario of its own');
  });

  it('is not what both sides lack', () => {
    const slice = (where: Where) => failing(where.side, 300, 404)(where);
    const { reason } = verdictOf({ measuring: 2, slice });
    expect(reason).toContain('mostly status 404');
    expect(reason).not.toContain('scenario of its own');
  });
});

describe('failures of the candidate', () => {
  const errors = (recipe: Omit<Recipe, 'measuring'>): Finding =>
    verdictOf({ measuring: 9, confirming: 6, ...recipe }).findings.find(({ metric }) => metric === 'errors')!;

  it('of a route that is gone from a mix say so in their row', () => {
    expect(errors({ slice: failing('candidate', 50, 404) })).toMatchObject({
      state: 'regressed',
      reason:
        'mostly status 404, where the baseline answers rightly: a route that is gone counts as failing; where it is meant to go, take its request out of `home`',
    });
  });

  it('of another kind name it', () => {
    expect(errors({ slice: failing('candidate', 50, 503) })).toMatchObject({
      state: 'regressed',
      reason: 'mostly status 503',
    });
  });

  it('of which no kind is half of them name none', () => {
    const slice = failing('candidate', 10, 503, { timedOut: 40 });
    expect(errors({ slice })).toMatchObject({ state: 'regressed', reason: null });
  });

  it('that are too few to matter name none', () => {
    const slice = (where: Where) => (where.round % 2 === 0 ? failing('candidate', 1, 404)(where) : {});
    const row = errors({ slice });
    expect([row.state === 'regressed', row.reason?.includes('404') ?? false]).toEqual([false, false]);
  });
});

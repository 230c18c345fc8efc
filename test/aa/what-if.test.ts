import { describe, expect, test } from 'vitest';
import { chance, evidenceOf, readPlain, scenarioPlan, settings } from '../verdict/evidence-builder.ts';
import { verdictOf, whatIf, withJudged, withTolerances } from './what-if.ts';

const read = { readSlice: readPlain };
const drift = (side: string, round: number): number => (side === 'candidate' ? Math.exp(chance(round)) : 1);

/** p95 of the builder lies between p50 and p99: with p50 still and p99 judged no more, p95 moves alone. */
const p95Only = (slower: number) =>
  evidenceOf({
    measuring: 12,
    scenarios: [scenarioPlan('home', { judged: ['p50', 'cpu', 'cpu-total', 'tail', 'errors'] })],
    slice: ({ side, round }) => ({
      p50: 1e6 * drift(side, round),
      p99: 4e6 * drift(side, round) * (side === 'candidate' ? slower : 1),
    }),
  });

describe('p95 judged, too', () => {
  test('takes part once, and only then', () => {
    const evidence = evidenceOf({ measuring: 12 });
    const judged = (metric: string, of = evidence) =>
      verdictOf(of, read).findings.filter((finding) => finding.metric === metric && finding.judged).length;
    expect([judged('p95'), judged('p95', withJudged(evidence, 'p95'))]).toEqual([0, 1]);
    expect(withJudged(evidence, 'p99')).toEqual(evidence);
  });

  test('an unchanged job stays a pass', () => {
    const evidence = p95Only(1);
    const both = { before: verdictOf(evidence, read), after: verdictOf(withJudged(evidence, 'p95'), read) };
    expect(whatIf('p95', [both])).toEqual({
      metric: 'p95',
      jobs: 1,
      before: { pass: 1 },
      after: { pass: 1 },
      flagged: 0,
      flaggedAlone: 0,
      lostPasses: 0,
    });
  });

  test('a slowdown that nothing judged sees is flagged by it alone, and nobody confirms it', () => {
    const evidence = p95Only(1.6);
    const both = { before: verdictOf(evidence, read), after: verdictOf(withJudged(evidence, 'p95'), read) };
    expect(whatIf('p95', [both])).toMatchObject({
      before: { pass: 1 },
      after: { inconclusive: 1 },
      flagged: 1,
      flaggedAlone: 1,
      lostPasses: 1,
    });
  });

  test('one that was flagged anyway is not counted as found by it alone', () => {
    const evidence = evidenceOf({
      measuring: 12,
      confirming: 6,
      slice: ({ side, round }) => {
        const factor = drift(side, round) * (side === 'candidate' ? 1.6 : 1);
        return { p50: 1e6 * factor, p99: 4e6 * factor };
      },
    });
    const both = { before: verdictOf(evidence, read), after: verdictOf(withJudged(evidence, 'p95'), read) };
    expect(whatIf('p95', [both])).toMatchObject({
      before: { regression: 1 },
      after: { regression: 1 },
      flagged: 1,
      flaggedAlone: 0,
    });
  });
});

test('a job that was kept measuring is decided by the tolerances it is given, at the look that would have decided', () => {
  const tight = { ...settings, p99: { ...settings.p99, detect: settings.p99.min } };
  const evidence = withTolerances(evidenceOf({ measuring: 12 }), tight);
  const [kept, told] = [verdictOf(evidence, read), verdictOf(withTolerances(evidence, settings), read)];
  expect([told.outcome, told.rounds.measured <= kept.rounds.measured]).toEqual(['pass', true]);
  expect(told.rounds.measured).toBeLessThan(12);
});

/** Counters of a service as rows: compared a request, judged with the other rows of the job or only shown. */
import { describe, expect, it } from 'vitest';
import { parse, serialise } from '../../src/evidence/store.ts';
import type { CounterGrowth, CounterRecord, Evidence, Trial } from '../../src/evidence/trial.ts';
import { ratio } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { renderTerminal } from '../../src/report/terminal.ts';
import { makeView } from '../../src/report/view.ts';
import type { Finding, Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import * as made from '../report/verdicts.ts';
import { evidenceOf, type Recipe, readPlain, scenarioPlan } from './evidence-builder.ts';

const judged: CounterRecord = {
  name: 'queries',
  metric: 'queries_total',
  judge: { min: ratio(0.05), detect: ratio(0.2) },
};
const shown: CounterRecord = { ...judged, judge: null };

type Grow = (trial: Trial, round: number) => CounterGrowth | number;

/** Evidence in which every slice of every round says what its counter grew by. */
function evidenceWith(counter: CounterRecord, grow: Grow, recipe: Recipe = { measuring: 12 }): Evidence {
  const evidence = evidenceOf(recipe);
  return {
    ...evidence,
    counters: [counter],
    rounds: evidence.rounds.map((round) => ({
      ...round,
      trials: round.trials.map((trial) => {
        const growth = grow(trial, round.index);
        return {
          ...trial,
          counters: { [counter.name]: typeof growth === 'number' ? { by: growth } : growth },
        };
      }),
    })),
  };
}

function verdictOf(evidence: Evidence, more: Partial<Evidence> = {}): Verdict {
  const progress = judge({ ...evidence, ...more }, { readSlice: readPlain, final: true });
  if (progress.kind !== 'decided') throw new Error('not decided');
  return progress.verdict;
}

const rowOf = (verdict: Verdict): Finding => {
  const rows = verdict.findings.filter((one) => one.metric === 'counter');
  expect(rows).toHaveLength(1);
  return rows[0]!;
};

/** Requests that the service sees in a slice: the lead-in of 30 too. */
const ok = (trial: Trial): number => trial.load.counts.ok + 30;
const isCandidate = (trial: Trial): boolean => trial.side === 'candidate';
const random = seededRandom('counters');
/** A few percent of noise a slice. */
const noise = (): number => Math.exp(0.02 * (random.next() - 0.5));

describe('a judged counter', () => {
  it('that grows a request as before is unchanged, in its own unit and under its own name', () => {
    const verdict = verdictOf(evidenceWith(judged, (trial) => 3 * ok(trial) * noise()));
    const row = rowOf(verdict);
    expect(row).toMatchObject({
      scenario: 'home > queries',
      state: 'unchanged',
      judged: true,
      unit: 'counted-per-request',
    });
    expect(row.baseline).toBeGreaterThan(2.9);
    expect(row.candidate).toBeLessThan(3.1);
    expect(verdict.outcome).toBe('pass');
  });

  it('that grows by a third more is a regression, confirmed by further rounds', () => {
    const grow: Grow = (trial) => (isCandidate(trial) ? 4 : 3) * ok(trial);
    const evidence = evidenceWith(judged, grow, { measuring: 12, confirming: 6 });
    const row = rowOf(verdictOf(evidence));
    expect(row).toMatchObject({ state: 'regressed', confirmation: 'confirmed' });
    expect(row.change).toMatchObject({ kind: 'ratio', effect: expect.closeTo(1 / 3, 6) });
    expect(verdictOf(evidence).outcome).toBe('regression');
  });

  it('that grows less is improved', () => {
    const row = rowOf(verdictOf(evidenceWith(judged, (trial) => (isCandidate(trial) ? 2 : 3) * ok(trial))));
    expect(row.state).toBe('improved');
  });

  it('that stands still on both sides is unchanged', () => {
    const row = rowOf(verdictOf(evidenceWith(judged, () => 0)));
    expect(row).toMatchObject({ state: 'unchanged', baseline: 0, candidate: 0 });
  });

  it('that the baseline never moved and the candidate does is a regression', () => {
    const evidence = evidenceWith(judged, (trial) => (isCandidate(trial) ? ok(trial) : 0), {
      measuring: 12,
      confirming: 6,
    });
    const row = rowOf(verdictOf(evidence));
    expect(row).toMatchObject({ state: 'regressed', baseline: 0, candidate: 1 });
    expect(row.change).toMatchObject({ effect: expect.closeTo(999, 6) });
  });

  it('that moves in few slices is compared over whole rounds', () => {
    // A collection in one slice of each round: the median over pairs is nothing on both sides.
    const grow: Grow = (trial, round) => (trial.pair === round % 4 ? (isCandidate(trial) ? 0.02 : 0.01) : 0);
    const row = rowOf(verdictOf(evidenceWith(judged, grow, { measuring: 12, confirming: 6 })));
    expect(row).toMatchObject({ state: 'regressed' });
    expect(row.change).toMatchObject({ effect: expect.closeTo(1, 6) });
  });

  it('that was not there never passes, and the row says why', () => {
    const verdict = verdictOf(
      evidenceWith(judged, (trial) =>
        isCandidate(trial) ? { unknown: 'the answer has no `queries_total`' } : 5,
      ),
    );
    expect(verdict.outcome).toBe('inconclusive');
    expect(rowOf(verdict)).toMatchObject({
      state: 'undecided',
      reason: 'the counter could not be compared: the answer has no `queries_total`',
    });
  });

  it('that is missing in a few slices does without them', () => {
    const grow: Grow = (trial) => (trial.pair === 0 ? { unknown: 'it went back' } : 3 * ok(trial));
    expect(rowOf(verdictOf(evidenceWith(judged, grow)))).toMatchObject({ state: 'unchanged' });
  });

  it('is tested with all other rows: one more row makes every other one harder to flag', () => {
    const evidence = evidenceWith(judged, (trial) => 3 * ok(trial) * noise(), {
      measuring: 12,
      confirming: 6,
      slice: ({ side }) => (side === 'candidate' ? { cpu: 500e3 } : {}),
    });
    const adjusted = (verdict: Verdict): number => {
      const { change } = verdict.findings.find((one) => one.metric === 'cpu')!;
      if (change.kind !== 'ratio' || change.adjustedP === null) throw new Error('was not tested');
      return change.adjustedP;
    };
    const alone = adjusted(verdictOf({ ...evidence, counters: [] }));
    expect(adjusted(verdictOf(evidence))).toBeGreaterThan(alone);
  });

  it('of two scenarios is two rows', () => {
    const evidence = evidenceOf({ measuring: 12, scenarios: [scenarioPlan('a'), scenarioPlan('b')] });
    const verdict = verdictOf({
      ...evidence,
      counters: [judged],
      rounds: evidence.rounds.map((round) => ({
        ...round,
        trials: round.trials.map((trial) => ({ ...trial, counters: { queries: { by: ok(trial) } } })),
      })),
    });
    const names = verdict.findings.filter((one) => one.metric === 'counter').map((one) => one.scenario);
    expect(names.sort()).toEqual(['a > queries', 'b > queries']);
  });

  it('can be accepted by its name', () => {
    const evidence = evidenceWith(judged, (trial) => (isCandidate(trial) ? 4 : 3) * ok(trial), {
      measuring: 12,
      confirming: 6,
    });
    const waiver = {
      scenario: 'home > queries',
      metric: 'counter' as const,
      ceiling: ratio(0.5),
      expires: null,
      reason: 'the new index',
      origin: 'the configuration',
    };
    const verdict = verdictOf(evidence, { waivers: [waiver] });
    expect([rowOf(verdict).state, verdict.outcome]).toEqual(['accepted', 'pass']);
  });
});

describe('CPU time that was not read', () => {
  it.each([
    [['candidate'], 'the CPU time of the candidate could not be read: the answer has no `cpu`'],
    [['baseline', 'candidate'], 'the CPU time of the service could not be read: the answer has no `cpu`'],
  ])('on %s says whose and why, and never passes', (unread, reason) => {
    const evidence = evidenceOf({ measuring: 12 });
    const verdict = verdictOf({
      ...evidence,
      rounds: evidence.rounds.map((round) => ({
        ...round,
        trials: round.trials.map((trial) =>
          unread.includes(trial.side)
            ? { ...trial, cost: null, costUnknown: 'the answer has no `cpu`' }
            : trial,
        ),
      })),
    });
    expect(verdict.outcome).toBe('inconclusive');
    const row = verdict.findings.find(({ metric }) => metric === 'cpu')!;
    expect(row).toMatchObject({
      state: 'undecided',
      reason: `CPU per request could not be compared: ${reason}`,
    });
    expect(verdict.warnings).toContainEqual(expect.objectContaining({ code: 'cost-unknown' }));
  });
});

describe('a counter that is only shown', () => {
  it('moves no verdict, whatever it does', () => {
    const verdict = verdictOf(evidenceWith(shown, (trial) => (isCandidate(trial) ? 9 : 3) * ok(trial)));
    expect(verdict.outcome).toBe('pass');
    expect(rowOf(verdict)).toMatchObject({ judged: false });
    const missing = verdictOf(evidenceWith(shown, () => ({ unknown: 'no page' })));
    expect(missing.outcome).toBe('pass');
    expect(rowOf(missing).reason).toContain('no page');
  });
});

describe('counters in evidence and report', () => {
  it('are kept by the file, and a broken one is named', () => {
    const evidence = evidenceWith(judged, (trial) => (trial.pair === 0 ? { unknown: 'x' } : 2));
    expect(parse(serialise(evidence))).toEqual(evidence);
    const broken = evidenceWith(judged, () => Number.NaN);
    expect(() => serialise(broken)).toThrow(/counters\["queries"\]\.by` is NaN/);
    const text = serialise(evidence).replace('"unknown":"x"', '"unknown":7');
    expect(() => parse(text)).toThrow(/counters\["queries"\]\.unknown` is 7, wanted a text/);
  });

  it('stand under their name with their figure a request', () => {
    const evidence = evidenceWith(judged, (trial) => (isCandidate(trial) ? 4 : 3) * ok(trial), {
      measuring: 12,
      confirming: 6,
    });
    const text = renderTerminal(makeView(verdictOf(evidence), made.evidence(), made.context()));
    expect(text).toContain('Regression: counter `home > queries` rose 33 %');
    expect(text).toMatch(/home > queries`? +3 a request +4 a request +\+33 %/);
  });
});

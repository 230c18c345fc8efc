import { describe, expect, test } from 'vitest';
import { classify, isNegative } from './classify.mjs';
import { command, observed, resultOf } from './results.ts';
import { groups, rowOf } from './rows.mjs';

const read = (id: string, states: Record<string, string> = {}, more = {}) =>
  classify(rowOf(id), resultOf(id, states, more));

describe('a pair that became slower', () => {
  const found = { cpu: 'regressed', p90: 'regressed', micro: 'regressed' };

  test('is as expected when every measure says so', () => {
    expect(read('R01', found)).toEqual({ status: 'as expected', reasons: [], remarks: [] });
  });

  test('is found by either of the two CPU metrics', () => {
    const { cpu: _, ...others } = found;
    expect(read('R01', { ...others, 'cpu-total': 'regressed' }).status).toBe('as expected');
  });

  test('is missed, with the limit, when a measure does not say so', () => {
    expect(read('R01', { ...found, micro: 'undecided' })).toMatchObject({
      status: 'missed',
      reasons: ['long_list is undecided (+1.00 %, detectable from +12.0 %)'],
    });
  });

  test('is missed when one of its benchmarks does not say so', () => {
    const { findings, ...result } = resultOf('V04', { cpu: 'regressed', micro: 'regressed' });
    expect(classify(rowOf('V04'), { ...result, findings }).status).toBe('as expected');
    const one = findings.map((finding) =>
      finding.name?.endsWith('named_zone') === true ? { ...finding, state: 'unchanged' } : finding,
    );
    expect(classify(rowOf('V04'), { ...result, findings: one }).reasons[0]).toMatch(
      /^named_zone is unchanged/,
    );
  });

  test('is not missed by a percentile below p99, which is said', () => {
    expect(read('R01', { ...found, p90: 'undecided' })).toMatchObject({
      status: 'as expected',
      remarks: [expect.stringMatching(/^p99 is out of reach, p90 is undecided/)],
    });
  });

  test('is missed by p99 where that is judged', () => {
    const result = resultOf('R01', found);
    const findings = result.findings.map((one) =>
      one.metric === 'p90' ? { ...one, metric: 'p99', state: 'undecided' } : one,
    );
    expect(classify(rowOf('R01'), { ...result, findings }).reasons).toEqual([
      expect.stringMatching(/^p99 is undecided/),
    ]);
  });

  test('must be seen by p50 where CPU does not show it', () => {
    expect(read('R20', { p50: 'regressed', micro: 'regressed' }).status).toBe('as expected');
    expect(read('R20', { micro: 'regressed' }).reasons).toEqual([expect.stringMatching(/^p50 is unchanged/)]);
  });

  test('is wrong when it reads improved', () => {
    expect(read('R01', { ...found, cpu: 'improved', 'cpu-total': 'improved' })).toMatchObject({
      status: 'wrong',
      reasons: expect.arrayContaining(['cpu reads improved, expected up']),
    });
  });

  test('is missed when a measure was not judged', () => {
    const result = resultOf('R01', found);
    const findings = result.findings.filter((one) => one.metric !== 'microbenchmark');
    expect(classify(rowOf('R01'), { ...result, findings }).reasons).toEqual(['micro was not judged']);
  });

  test('gives the reason of a job that did not come to a row', () => {
    const gate = command('service-failed', 'the candidate ended with 1');
    expect(read('R01', {}, { findings: [], gate })).toMatchObject({
      status: 'missed',
      reasons: ['nothing was judged, service-failed: the candidate ended with 1'],
    });
  });
});

describe('a pair in which nothing changed', () => {
  test('is as expected when it passes, and when it cannot be decided', () => {
    expect(read('N03').status).toBe('as expected');
    expect(read('N03', { p90: 'undecided' }, { gate: command('inconclusive') }).status).toBe('as expected');
  });

  test.each(['p50', 'p90', 'cpu', 'cpu-total', 'tail', 'errors', 'micro'])(
    'is wrong when %s is red',
    (metric) => {
      expect(read('N03', { [metric]: 'regressed' }).status).toBe('wrong');
    },
  );

  test('is wrong when the job is red without a red row', () => {
    expect(read('N03', {}, { gate: command('invalid', 'results differ') })).toMatchObject({
      status: 'wrong',
      reasons: ['the gate says invalid: results differ'],
    });
  });

  test('is not as expected when it reads improved', () => {
    expect(read('N03', { cpu: 'improved' })).toMatchObject({
      status: 'unexpected',
      reasons: ['cpu reads improved although nothing changed'],
    });
  });

  test('is missed when nothing was judged, or a benchmark not', () => {
    const gate = command('service-failed', 'no answer');
    expect(read('N03', {}, { findings: [], gate }).status).toBe('missed');
    const result = resultOf('N03');
    const findings = result.findings.filter((one) => one.metric !== 'microbenchmark');
    expect(classify(rowOf('N03'), { ...result, findings }).reasons).toEqual(['micro was not judged']);
  });

  test('does not count what is only told', () => {
    const result = resultOf('N03');
    const told = observed('p99', 'regressed', { route: 'N03', judged: false });
    expect(classify(rowOf('N03'), { ...result, findings: [...result.findings, told] }).status).toBe(
      'as expected',
    );
  });
});

describe('a pair of which little is known', () => {
  test('is wrong only by what is forbidden', () => {
    expect(read('N10', { cpu: 'improved' }).status).toBe('as expected');
    expect(read('N10', { cpu: 'regressed' }).reasons).toContain('cpu reads up, which is forbidden');
    expect(read('R04P', { cpu: 'regressed' }).status).toBe('as expected');
    expect(read('R04P', { cpu: 'improved' }).status).toBe('wrong');
  });

  test('that became faster must read so and never slower', () => {
    expect(read('N19', { cpu: 'improved', micro: 'improved' }).status).toBe('as expected');
    expect(read('N19', { cpu: 'improved' }).status).toBe('missed');
    expect(read('N19', { cpu: 'regressed', micro: 'improved' }).status).toBe('wrong');
  });

  test('that does other work must be told of', () => {
    expect(read('R26').reasons).toEqual(['not told that the sides do not do the same work']);
    expect(read('R26', {}, { bodies: 'the bodies differ' }).status).toBe('as expected');
  });
});

test('two routes of one project are told apart', () => {
  const flagged = {
    'R01 cpu': 'regressed',
    'R01 micro': 'regressed',
    'R01 p90': 'regressed',
  };
  expect(read('N12+R01', flagged).status).toBe('as expected');
  expect(read('N12+R01', { ...flagged, 'N12 cpu': 'regressed' })).toMatchObject({
    status: 'wrong',
    reasons: ['N12 cpu reads up, expected same'],
  });
});

describe('exchanged sides', () => {
  const improved = { cpu: 'improved', p90: 'improved', micro: 'improved' };
  const regressed = { cpu: 'regressed', p90: 'regressed', micro: 'regressed' };

  test('must read improved', () => {
    expect(read('swap:R01', improved).status).toBe('as expected');
    expect(read('swap:R01', { ...improved, cpu: 'unchanged' }).status).toBe('missed');
    expect(read('swap:R01', regressed).status).toBe('wrong');
  });

  test('must mirror the size', () => {
    const back = resultOf('swap:R01', improved);
    const there = resultOf('R01', regressed);
    expect(classify(rowOf('swap:R01'), back, there).status).toBe('as expected');
    const larger = there.findings.map((one) =>
      one.metric === 'cpu' ? { ...one, effect: 3, interval: [2.5, 3.5] } : one,
    );
    expect(classify(rowOf('swap:R01'), back, { ...there, findings: larger })).toMatchObject({
      status: 'missed',
      reasons: ['cpu −50.0 % does not mirror +300 %'],
    });
  });
});

test('exactly the N pairs must never be red', () => {
  const never = groups.pairs.filter((id) => isNegative(rowOf(id)));
  expect(never).toEqual(groups.pairs.filter((id) => /^N\d+$/.test(id)));
});

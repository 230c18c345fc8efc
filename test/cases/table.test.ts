import { describe, expect, test } from 'vitest';
import { observe } from './observe.mjs';
import { command, resultOf } from './results.ts';
import { handMark, judgedRows, page, rowText, summaryText } from './table.mjs';

const red = { cpu: 'regressed', p90: 'regressed', micro: 'regressed' };
const rows = judgedRows([
  resultOf('R01', red),
  resultOf('R02', { cpu: 'regressed' }),
  resultOf('N03', { cpu: 'regressed' }),
  resultOf('N07'),
  resultOf('N10', { p90: 'undecided' }, { gate: command('inconclusive') }),
]);

test('a row shows verdict, estimate, interval, spread and rounds', () => {
  const text = rowText(rows[0]!);
  expect(text).toContain('R01  marked 2.1.3 → 4.0.4  as expected');
  expect(text).toMatch(/cpu\s+regressed \+100 % \[\+80\.0 %, \+125 %\] ±6\.18 %, 9 rounds/);
  expect(text).toMatch(/hot\.bench\.mjs > long_list\s+regressed/);
  expect(text).toContain('2 min 5 s in all');
});

test('a summary counts what was found, missed and false', () => {
  expect(summaryText(rows).split('\n')).toEqual([
    '1 of 2 rows with a change came out as expected',
    '1 of 3 true negatives failed, 1 passed, 1 could not exclude a change',
    'rows with something missed: 1; with an improvement that is none: 0; wrong: 1',
    'rows in all: 5, in 10 min 25 s',
  ]);
});

describe('the page', () => {
  const text = page(rows);

  test('has one complete line a row', () => {
    const lines = text.split('\n').filter((line) => line.startsWith('|'));
    expect(lines).toHaveLength(2 + rows.length);
    expect(new Set(lines.map((line) => line.split('|').length)).size).toBe(1);
  });

  test('names machine, date, plan and product', () => {
    for (const fact of [
      'A processor, 2 CPUs, linux 6.1, Node v20.0.0',
      '2026-01-02',
      '2 min 0 s',
      '1.2.3 (abc1234)',
    ]) {
      expect(text).toContain(fact);
    }
  });

  test('lists what is not as expected, the worst first', () => {
    const list = text.slice(text.indexOf('## What did not come out')).split('\n');
    expect(list.filter((line) => line.startsWith('- **')).map((line) => line.slice(0, 16))).toEqual([
      '- **N03** WRONG:',
      '- **R02** missed',
    ]);
  });

  test('keeps what was written below its mark, and nothing else of an earlier page', () => {
    expect(text.endsWith(`${handMark}\n`)).toBe(true);
    const earlier = `${text.replace('Real pairs', 'Old title')}Said by hand.\n`;
    expect(page(rows, earlier)).toBe(`${text}Said by hand.\n`);
    expect(page(rows, 'no mark')).toBe(text);
  });

  test('holds a swapped row against its counterpart', () => {
    const better = { cpu: 'improved', p90: 'improved', micro: 'improved' };
    const back = resultOf('swap:R01', better);
    const findings = back.findings.map((one) =>
      one.metric === 'cpu' ? { ...one, effect: -0.1, interval: [-0.12, -0.08] } : one,
    );
    const judged = judgedRows([resultOf('R01', red), { ...back, findings }]);
    expect(judged[1]!.reasons).toEqual(['cpu −10.0 % does not mirror +100 %']);
  });
});

describe('an observation', () => {
  const finding = {
    scenario: 'R26',
    metric: 'cpu',
    state: 'regressed',
    judged: true,
    baseline: 1,
    candidate: 2,
    change: { kind: 'ratio', effect: 1, interval: [0.8, 1.2], spread: 0.1, smallestDetectable: 0.2 },
    rounds: { used: 7, dropped: 0 },
    confirmation: 'confirmed',
    reason: 'the bodies of the two sides differ in content',
  };
  const finished = { code: 1, seconds: 12.3, tail: ['first', 'could not start'] };

  test('keeps the figures of routes and microbenchmarks', () => {
    const micro = {
      ...finding,
      scenario: 'hot.bench.mjs > parse_csv',
      metric: 'microbenchmark',
      reason: 'no body',
    };
    const json = {
      verdict: 'regression',
      reason: null,
      findings: [micro, finding],
      tailPercentiles: { R26: 'p90' },
    };
    expect(observe({ ...finished, json })).toMatchObject({
      gate: { outcome: 'regression', exitCode: 1, seconds: 12, reason: null },
      tail: { R26: 'p90' },
      bodies: 'the bodies of the two sides differ in content',
      findings: [
        { route: null, metric: 'microbenchmark', name: 'hot.bench.mjs > parse_csv', judged: true },
        { route: 'R26', name: null, metric: 'cpu', effect: 1, spread: 0.1, detectable: 0.2, rounds: 7 },
      ],
    });
  });

  test('of a gate without a verdict says what it said last', () => {
    const seen = observe({ ...finished, json: null });
    expect(seen.gate).toMatchObject({ outcome: 'not measured', reason: 'first could not start' });
    expect(seen).toMatchObject({ findings: [], bodies: null });
  });
});

import { describe, expect, it } from 'vitest';
import { ns, ratio, secondsToNs } from '../../src/kernel/units.ts';
import { displayWidth } from '../../src/report/columns.ts';
import { describePlan } from '../../src/report/plan-text.ts';
import type { ProgressEvent } from '../../src/report/progress.ts';
import { progressLine } from '../../src/report/progress.ts';
import * as made from './verdicts.ts';

const text = (event: ProgressEvent): string => progressLine(event).text;
const figures = { scenario: 'default', percentile: 'p99' as const, baseline: ns(4.7e6), candidate: ns(5e6) };
const round = { kind: 'round-done', index: 3, of: 12, phase: 'measuring', timeLeft: ns(130e9) } as const;

describe('progress', () => {
  it('tells of a round in one line, with the time that is left', () => {
    expect(text({ ...round, figures })).toBe(
      'round 3 of 12 · baseline p99 4.7 ms · candidate 5 ms · 2 min 10 s left',
    );
    expect(text({ ...round, figures: { ...figures, scenario: 'checkout', percentile: 'p95' } })).toBe(
      'round 3 of 12 · checkout baseline p95 4.7 ms · candidate 5 ms · 2 min 10 s left',
    );
    expect(text({ ...round, figures: null, timeLeft: null })).toBe('round 3 of 12');
    expect(text({ ...round, figures: { ...figures, baseline: null } })).toBe(
      'round 3 of 12 · baseline p99 n/a · candidate 5 ms · 2 min 10 s left',
    );
  });

  it.each([
    [{ kind: 'building', side: 'baseline' }, 'building the baseline'],
    [{ kind: 'built', side: 'candidate', duration: ns(12.3e9) }, 'built the candidate in 12.3 s'],
    [
      { kind: 'round-started', index: 1, of: 6, phase: 'confirming', timeLeft: ns(60e9) },
      'fresh round 1 of 6 · 60 s left',
    ],
    [{ kind: 'looked', rounds: 6, soFar: 'not decided yet' }, 'looked after 6 rounds: not decided yet'],
    [
      { kind: 'confirming', scenarios: ['a', 'b', 'c', 'd'], rounds: 6 },
      'something got worse in `a`, `b`, `c` and 1 more: confirming with 6 fresh rounds',
    ],
    [{ kind: 'settling', scenarios: ['a'], rounds: 6 }, 'not decided in `a`: 6 fresh rounds may settle it'],
    [
      { kind: 'warning', warning: { code: 'x', message: 'the runner is noisy', hint: 'try a larger one' } },
      'warning: the runner is noisy. Try a larger one.',
    ],
  ] as const)('says %j as a sentence', (event, line) => {
    expect(text(event)).toBe(line);
  });

  it('may overwrite what is only passing', () => {
    expect(progressLine({ kind: 'building', side: 'baseline' }).lasting).toBe(false);
    expect(progressLine({ ...round, figures }).lasting).toBe(true);
  });

  it('prints foreign names on one harmless line', () => {
    const name = 'a\n::error::\u001b[2J\u202e';
    const lines = [
      text({ kind: 'confirming', scenarios: [name], rounds: 6 }),
      text({ ...round, figures: { ...figures, scenario: name } }),
      text({ kind: 'looked', rounds: 1, soFar: name }),
      text({ kind: 'warning', warning: { code: 'x', message: name } }),
    ];
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('the plan before a run', () => {
  const { plan, judge, revisions } = made.evidence(['checkout', 'search']);
  const described = describePlan({ plan, judge, counters: [], revisions });
  const all = described.join('\n');

  it('says what will be done, for how long, and what would be seen', () => {
    expect(all).toContain('baseline abc123456789: merge-base with main');
    expect(all).toContain('seed 42');
    expect(all).toContain(
      'at most 12 rounds, each with fresh processes of both sides; may be decided after 6 or 9 already',
    );
    expect(all).toContain('about 15 s a round and 4 min in all');
    expect(all).toContain(
      'checkout: 300/s, 8 slices of 500 requests a side and round; judged: p50, p99, CPU per request',
    );
    expect(all).toContain('p99 fails from +5 %, passes under +20 %');
    expect(all.replace(/\s+/g, ' ')).toContain(
      'the report gives the smallest detectable change of every row',
    );
  });

  it('says what microbenchmarks fail from where there are any, and how their rounds are limited', () => {
    const some = describePlan({
      plan: { ...plan, benchmarks: ratio(1 / 3) },
      judge,
      counters: [],
      revisions,
    })
      .join('\n')
      .replace(/\s+/g, ' ');
    const seen = some.slice(some.indexOf('What it will be able to see'));
    expect(seen).toMatch(
      /microbenchmarks fails from \+\d+ %, passes under \+\d+ %; how many of their rounds fit/,
    );
    expect(all).not.toContain('microbenchmarks');
    const text = progressLine({
      kind: 'bench-timed',
      duration: secondsToNs(5.4),
      budget: secondsToNs(40),
      rounds: 6,
      of: 12,
    }).text;
    expect(text).toContain(
      'a round takes about 5.4 s, and 40 s are kept for microbenchmarks: room for 6 of at most 12',
    );
  });

  it('keeps to its width', () => {
    for (const line of described) expect(displayWidth(line)).toBeLessThanOrEqual(100);
  });

  it('prints a wide tolerance as such, and the notes of the planner', () => {
    const wide = describePlan({
      plan: {
        ...plan,
        notes: [{ code: 'x', message: 'p95 is judged in place of p99', hint: 'a longer budget' }],
      },
      judge: { ...judge, p99: { min: ratio(0.5), detect: ratio(0.5) } },
      counters: [
        { name: 'queries', judge: { min: ratio(0.05), detect: ratio(0.2) } },
        { name: 'pauses', judge: null },
      ],
      revisions: { baseline: null, candidate: null },
    }).join('\n');
    expect(wide).toContain('p99 wide: fails from +50 %, passes under +50 %');
    expect(wide).toContain('p95 is judged in place of p99. A longer budget.');
    expect(wide).toContain('queries a request fails from +5 %, passes under +20 %');
    expect(wide).toContain('shown, never judged: pauses');
    expect(wide).not.toContain('baseline abc');
  });
});

import { describe, expect, it } from 'vitest';
import { logRatio, ratio } from '../../src/kernel/units.ts';
import { markdownName } from '../../src/report/escape.ts';
import {
  commentForms,
  commentLimit,
  renderComment,
  renderSummary,
  sizeOfText,
  summaryForms,
  summaryLimit,
} from '../../src/report/markdown.ts';
import { parseMarker } from '../../src/report/marker.ts';
import { renderTerminal } from '../../src/report/terminal.ts';
import { makeView } from '../../src/report/view.ts';
import type { Finding, Verdict } from '../../src/verdict/finding.ts';
import { actingText, hostileNames, shownText, triggers } from './as-github.ts';
import * as made from './verdicts.ts';

const { changed, finding, verdict } = made;

const many = (nameOf: (index: number) => string, count = 2000): Verdict => {
  const rows = Array.from({ length: count }, (_, index) =>
    finding({
      scenario: nameOf(index),
      metric: 'cpu',
      change: changed(0.001, 0.01),
      reason: 'a body differs',
    }),
  );
  const worst = finding({ scenario: 'the worst', state: 'regressed', change: changed(0.4, 0.05) });
  return verdict('regression', [...rows, worst]);
};

describe('a comment', () => {
  const text = renderComment(makeView(made.regression, made.evidence(), made.context()));

  it('has one table of judged rows, then folded blocks', () => {
    const [open, ...folded] = text.split('<details>');
    expect(open).toContain(
      '| p99 of `checkout` | 4.7 ms | 5.55 ms | +18 % [+11 % to +25 %] | ±6 % | **regressed** |',
    );
    expect(open).not.toContain('p95');
    expect(folded.map((block) => /<summary>(.*)<\/summary>/.exec(block)?.[1])).toEqual([
      'All metrics',
      'Response times',
      'Every round',
      'How it was measured',
      'Environment',
      'Reproduce locally',
      'How to accept this',
    ]);
    expect(text.match(/<\/details>/g)).toHaveLength(folded.length);
  });

  it('draws the percentiles of both sides as a chart and as text', () => {
    expect(text).toContain('```mermaid\nxychart-beta\n');
    expect(text).toMatch(/ {2}x-axis \["p50", "p90", "p95", "p99"\]/);
    expect(text).toMatch(/ {2}bar \[[\d., ]+\]\n {2}line \[[\d., ]+\]\n```/);
    expect(text).toMatch(/baseline {3}[▁-█]{4} {2}p50 1 ms · /);
  });

  it('says how the load really was, on both sides', () => {
    expect(text).toContain('| offered (scheduled requests) | 12,000 (300/s) | 12,000 (300/s) |');
    expect(text).toContain('| successful (answered rightly) | 11,998 (99.98 %) | 11,998 (99.98 %) |');
    expect(text).toContain('| sent within 0.5 ms of the due time | 97 % | 97 % |');
    expect(text).toContain('response time: measured from the intended send time');
    expect(text).toContain('slices rejected as unsound: 2 of 192 (1 %)');
  });

  it('shows both views of a percentile, every round, and what one run would be worth', () => {
    expect(text).toContain('all shots +21 % (+6.1 % to +38 %)');
    expect(text).toContain('| p99 of `checkout` | ▇▆▇▆▅█▆▄▇▆█▆ | 11 of 12 rounds higher | ±7.9 % |');
  });

  it('ends with the command that repeats it and the lines that accept it', () => {
    expect(text).toContain(`npx tailgate gate --baseline ${made.baselineSha} --seed 42`);
    expect(shownText(text)).toContain(
      'waivers:\n  - { scenario: "checkout", metric: p99, ceiling: 26%, reason: "…" }',
    );
    expect(shownText(text)).toContain('Perf-Accepted: checkout/p99 <= +26% | …');
  });

  it('carries the marker of its run and the last five results as its last line', () => {
    const history = [1, 2, 3, 4, 5].map((run) => ({
      run,
      attempt: 1,
      sha: `abcdef${run}`,
      outcome: 'pass' as const,
      tail: ratio(0.01 * run),
      cpu: null,
    }));
    const body = renderComment(makeView(made.regression, null, made.context({ history })));
    const marker = parseMarker(body)!;
    expect(body.trimEnd().split('\n').at(-1)).toMatch(/^<!-- tailgate id=default run=16123456789 attempt=1 /);
    expect(marker.history.map((past) => past.run)).toEqual([2, 3, 4, 5, 16_123_456_789]);
    expect(marker.history.at(-1)).toMatchObject({ outcome: 'regression', tail: 0.181, cpu: -0.002 });
    expect(body).toContain('| `def4567890ab` (this one) | regression | +18 % | −0.2 % |');
    expect(body).toContain('| `abcdef5` | pass | +5 % | n/a |');
    expect(renderSummary(makeView(made.regression, null, made.context()))).not.toContain('<!--');
  });

  it('has no marker outside GitHub', () => {
    expect(renderComment(makeView(made.pass, null, made.context({ run: { kind: 'local' } })))).not.toContain(
      '<!--',
    );
  });

  it('reports a candidate that has nothing to be compared with by itself', () => {
    const alone = [{ scenario: 'checkout', lines: ['p99 4.7 ms (n 3,000)'] }];
    const bare = verdict('no-baseline', [], { reason: 'the baseline has no such service' });
    const body = renderComment(makeView(bare, null, made.context({ measuredAlone: alone })));
    expect(body.split('\n')[0]).toContain('The candidate was measured; nothing was compared.');
    expect(body).toContain('p99 4.7 ms (n 3,000)');
  });
});

describe('the size of a report', () => {
  it.each([
    ['plain names', (index: number) => `benchmark ${index} `.padEnd(120, 'x')],
    ['names of four bytes a character', (index: number) => `${index}${'𝒳'.repeat(116)}`],
    ['names that have to be escaped', (index: number) => `${index}${'@|'.repeat(58)}`],
  ])('stays within its limits with 2,000 rows of %s', (_, nameOf) => {
    const view = makeView(many(nameOf), null, made.context());
    for (const [forms, limit] of [
      [commentForms(view), commentLimit],
      [summaryForms(view), summaryLimit],
    ] as const) {
      expect(forms.length).toBeGreaterThan(0);
      for (const text of forms) {
        expect(sizeOfText(text)).toBeLessThan(limit);
        expect(text.length).toBeLessThan(limit);
      }
    }
  });

  it('keeps the worst rows first, counts the others and says where they are', () => {
    const body = renderComment(
      makeView(
        many((index) => `benchmark ${index} `.padEnd(120, 'x')),
        null,
        made.context(),
      ),
    );
    const rows = body.split('\n').filter((line) => line.startsWith('| p99') || line.startsWith('| CPU'));
    expect(rows[0]).toContain('the worst');
    expect(rows.length).toBeGreaterThan(100);
    expect(body).toContain(
      `The ${rows.length} worst of 2,001 rows; all of them are in [the job summary](https://github.com/acme/shop/actions/runs/16123456789#summary-1)`,
    );
    expect(sizeOfText(body)).toBeGreaterThan(0.98 * commentLimit);
    expect(parseMarker(body)).not.toBeNull();
  });

  it('ends in a form that holds the verdict and a link, whatever else is too large', () => {
    const forms = commentForms(
      makeView(
        many((index) => String(index)),
        made.evidence(),
        made.context(),
      ),
    );
    const last = forms.at(-1)!;
    expect(last.split('\n')[0]).toContain('**Regression: p99 of `the worst` rose 40 %');
    expect(last).toContain('[the job summary]');
    expect(sizeOfText(last)).toBeLessThan(2000);
  });

  it('survives a reason and a log of megabytes', () => {
    const failure = {
      side: 'candidate' as const,
      message: '`@x` '.repeat(300_000),
      hint: '|'.repeat(1_000_000),
      tail: Array.from({ length: 5000 }, () => '<@#'.repeat(5000)),
    };
    const forms = commentForms(makeView(verdict('service-failed', [], { failure }), null, made.context()));
    expect(forms.length).toBeGreaterThan(0);
    for (const text of forms) expect(sizeOfText(text)).toBeLessThan(commentLimit);
  });
});

describe('hostile names', () => {
  const hostile = (name: string): Verdict => {
    const rows: readonly Finding[] = [
      finding({
        scenario: name,
        state: 'regressed',
        change: changed(0.2, 0.05),
        reason: `\`${name}\`: ${name}`,
      }),
      finding({ scenario: name, metric: 'cpu', state: 'undecided', reason: name }),
      finding({ scenario: name, metric: 'p50', state: 'accepted', reason: name }),
    ];
    return verdict('regression', rows, {
      warnings: [{ code: 'x', message: `${name} and \`${name}\``, hint: name }],
      failure: { side: null, message: name, hint: name, tail: [name] },
    });
  };

  it.each(hostileNames)('cannot leave their place: %j', (name) => {
    const evidence = made.evidence([name]);
    const foreign = {
      ...evidence,
      environment: { ...evidence.environment, cpuModel: name, runner: name, kernel: name },
      revisions: {
        baseline: { ...evidence.revisions.baseline, ref: name, how: `merge-base with \`${name}\`` },
        candidate: { ...evidence.revisions.candidate, ref: name, sha: name },
      },
    };
    const alone = [{ scenario: name, lines: [name] }];
    const context = made.context({
      id: name,
      configFile: name,
      measuredAlone: alone,
      links: { run: name, summary: name, evidence: name },
      commands: { reproduce: `npx tailgate gate --baseline ${name}`, judge: name },
    });
    const ordinary = renderComment(
      makeView(
        hostile('ordinary'),
        made.evidence(['ordinary']),
        made.context({ measuredAlone: [{ scenario: 'ordinary', lines: ['ordinary'] }] }),
      ),
    );
    for (const of of [
      hostile(name),
      ...made.allOutcomes.map((one) => ({ ...one, reason: name, failure: null })),
    ]) {
      const text = renderComment(makeView(of, foreign, context));
      for (const trigger of triggers) expect(actingText(text)).not.toMatch(trigger);
      // No markup but ours: the tags and the shape of every table are those of a report on ordinary names.
      const tags = new Set(text.replace(/<!-- tailgate [^\n]*-->\n$/, '').match(/<[^>]*>/g));
      for (const tag of tags) {
        expect([
          '<pre>',
          '</pre>',
          '<sub>',
          '</sub>',
          '<code>',
          '</code>',
          '<details>',
          '</details>',
          '<summary>',
          '</summary>',
        ]).toContain(tag);
      }
      for (const character of '\u202e\u200b\u0000\u001b') expect(text).not.toContain(character);
      expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([]);
    }
    const shape = (text: string): string[] =>
      text
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .map((line) => String(line.split('|').length));
    expect(shape(renderComment(makeView(hostile(name), foreign, context)))).toEqual(shape(ordinary));
  });

  it('stay two rows when they differ in special characters only', () => {
    const names = ['a b', 'a\nb', 'a|b', 'a\\|b', 'a`b', 'a\u200bb'];
    const rows = names.map((scenario) => finding({ scenario }));
    const text = renderComment(makeView(verdict('pass', rows), null, made.context()));
    for (const name of names) expect(text).toContain(`| p99 of ${markdownName(name)} |`);
    expect(new Set(names.map((name) => markdownName(name))).size).toBe(names.length);
  });
});

describe('figures that do not exist', () => {
  const broken: readonly Finding[] = [
    finding({
      baseline: Number.NaN,
      candidate: Infinity,
      change: changed(Number.NaN, 0.1, { smallestDetectable: ratio(Infinity) }),
    }),
    finding({ metric: 'cpu', change: changed(Infinity, 1), perRound: [Number.NaN, Infinity, -Infinity] }),
    finding({
      metric: 'p50',
      change: changed(0.1, 0.1, { interval: [ratio(-1), ratio(Infinity)], spread: logRatio(Infinity) }),
    }),
    finding({ metric: 'errors', baseline: Number.NaN, candidate: null, change: made.points(Number.NaN) }),
    finding({ metric: 'tail', baseline: 0, candidate: 0, change: { kind: 'none', reason: '' } }),
    finding({
      metric: 'cpu-total',
      baseline: 0,
      candidate: 0,
      change: changed(0, 0, { interval: null, spread: null, smallestDetectable: null }),
    }),
  ];

  it.each([
    'regression',
    'pass',
    'inconclusive',
    'invalid',
    'no-baseline',
    'service-failed',
    'skipped',
  ] as const)('are never printed as such in a report of %s', (outcome) => {
    for (const state of ['regressed', 'improved', 'undecided', 'unchanged', 'accepted', 'new'] as const) {
      const rows = broken.map((row) => ({ ...row, state }));
      const of = verdict(outcome, rows, {
        onTimeShare: { baseline: ratio(Number.NaN), candidate: ratio(1) },
      });
      for (const evidence of [null, made.evidence(['checkout'], 0), made.evidence(['checkout'], 1)]) {
        const view = makeView(of, evidence, made.context());
        for (const text of [renderComment(view), renderTerminal(view)]) {
          expect(text).not.toMatch(/NaN|Infinity|∞|undefined|null|\[object/);
        }
      }
    }
  });
});

describe('evidence that cannot be read', () => {
  it('costs the picture and is said, and nothing else', () => {
    const evidence = made.evidence();
    const spoilt = {
      ...evidence,
      rounds: evidence.rounds.map((round) => ({
        ...round,
        trials: round.trials.map((trial) => ({
          ...trial,
          load: {
            ...trial.load,
            histograms: { ...trial.load.histograms, onTime: 'rubbish', lateness: 'rubbish' },
          },
        })),
      })),
    };
    const text = renderComment(makeView(made.regression, spoilt, made.context()));
    expect(text).toContain('The picture of response times is missing');
    expect(text).not.toContain('mermaid');
    expect(text.split('\n')[0]).toContain('**Regression: p99 of `checkout` rose 18 %');
  });
});

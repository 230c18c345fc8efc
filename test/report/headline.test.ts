import { describe, expect, it } from 'vitest';
import { ratio } from '../../src/kernel/units.ts';
import { renderComment } from '../../src/report/markdown.ts';
import { makeView } from '../../src/report/view.ts';
import type { Verdict } from '../../src/verdict/finding.ts';
import * as made from './verdicts.ts';

const { changed, finding, points, verdict } = made;
const comment = (of: Verdict): string => renderComment(makeView(of, null, made.context()));
const firstLine = (of: Verdict): string => comment(of).split('\n')[0]!;
const shown = (of: Verdict): string => comment(of).split('<details>')[0]!;

describe('the first line of a report', () => {
  it('says what regressed, by how much, and what did not', () => {
    expect(firstLine(made.regression)).toBe(
      '**Regression: p99 of `checkout` rose 18 % (spread ±6 %).** CPU per request unchanged.',
    );
    expect(shown(made.regression)).toContain('Confirmed by 6 further rounds with fresh processes.');
  });

  it('says so when all rounds together show what no look had flagged', () => {
    const row = finding({ state: 'regressed', change: changed(0.18, 0.06), confirmation: 'settled' });
    const text = shown(verdict('regression', [row]));
    expect(text).toContain(
      'Shown by all 12 rounds together: the first 6 left it open, so 6 more were measured.',
    );
    expect(text).not.toContain('Confirmed');
  });

  it('leaves out the name of the only scenario when nobody gave it one', () => {
    const unnamed = made.regression.findings.map((one) => ({ ...one, scenario: 'default' }));
    expect(firstLine(verdict('regression', unnamed))).toBe(
      '**Regression: p99 rose 18 % (spread ±6 %).** CPU per request unchanged.',
    );
  });

  it('follows the worst row, however many others got better', () => {
    const better = Array.from({ length: 9 }, (_, index) =>
      finding({ scenario: `s${index}`, state: 'improved', change: changed(-0.05, 0.01) }),
    );
    const worse = finding({ scenario: 's9', state: 'regressed', change: changed(0.4, 0.05) });
    expect(firstLine(verdict('regression', [...better, worse]))).toContain(
      '**Regression: p99 of `s9` rose 40 % (spread ±5 %).**',
    );
  });

  it('names the worst of several regressions and counts the others', () => {
    const rows = [0.1, 0.4, 0.2, 0.15, 0.12].map((effect, index) =>
      finding({ scenario: `s${index}`, state: 'regressed', change: changed(effect, 0.05) }),
    );
    const text = shown(verdict('regression', rows));
    expect(text.split('\n')[0]).toContain('p99 of `s1` rose 40 %');
    expect(text).toContain('Also worse: p99 of `s2` (+20 %), p99 of `s3` (+15 %) and 2 more.');
    // One more than are named is named as well.
    const four = shown(verdict('regression', rows.slice(0, 4)));
    expect(four).toContain('Also worse: p99 of `s2` (+20 %), p99 of `s3` (+15 %), p99 of `s0` (+10 %).');
  });

  it('names the scenarios that a change did not reach', () => {
    const red = finding({ scenario: 'list', state: 'regressed', change: changed(0.4, 0.05) });
    const rest = (scenario: string) => [finding({ scenario }), finding({ scenario, metric: 'cpu' })];
    const open = finding({ scenario: 'search', state: 'undecided' });
    const text = shown(verdict('regression', [red, ...rest('home'), ...rest('search'), open]));
    expect(text).toContain('Unchanged: `home`.');
    const many = ['a', 'b', 'c', 'd'].flatMap(rest);
    expect(shown(verdict('regression', [red, ...many]))).toContain('Unchanged: 4 scenarios.');
    expect(shown(verdict('regression', [red, finding({ scenario: 'list', metric: 'cpu' })]))).not.toContain(
      'Unchanged: ',
    );
  });

  it('does not call CPU undecided beside a total that rose', () => {
    const cpu = finding({ metric: 'cpu', state: 'undecided', change: changed(0.056, 0.031) });
    const p90 = finding({ metric: 'p90', state: 'regressed', change: changed(0.59, 0.028) });
    const total = finding({ metric: 'cpu-total', state: 'regressed', change: changed(0.065, 0.026) });
    const both = shown(verdict('regression', [p90, total, cpu]));
    expect(both).not.toContain('undecided.');
    expect(both).toContain('Also worse: total CPU per request of `checkout` (+6.5 %).');
    expect(firstLine(verdict('regression', [p90, cpu]))).toContain('CPU per request undecided.');
    // Beside a total that leads, the percentile says more than the other cost.
    expect(firstLine(verdict('regression', [total, cpu, finding({ metric: 'p90' })]))).toContain(
      'p90 unchanged.',
    );
  });

  it.each([
    [
      0,
      '**Pass, but scenario `search` (and 1 other row) is missing on the side of this change.** Every other',
    ],
    [
      1,
      '**Missing: scenario `search` (and 1 other row) was not measured on the side of this change, and `fail-on` says that fails.** Every other',
    ],
  ])('never says that every metric passed where one is missing, exit %i', (exitCode, words) => {
    const gone = (metric: 'p99' | 'cpu') =>
      finding({
        scenario: 'search',
        metric,
        state: 'missing',
        change: { kind: 'none', reason: 'it is gone' },
        candidate: null,
      });
    const of = verdict('pass', [gone('p99'), gone('cpu'), finding()]);
    const text = renderComment(makeView(of, null, { ...made.context(), exitCode }));
    expect(text.split('\n')[0]).toContain(words);
    expect(text.split('\n')[0]).not.toContain('every judged metric');
  });

  it('says in the first line that a job fails for what is missing, whatever else it found', () => {
    const gone = finding({
      scenario: 'search',
      metric: 'cpu',
      state: 'missing',
      change: { kind: 'none', reason: 'it is gone' },
      candidate: null,
    });
    const of = verdict('inconclusive', [gone, ...made.inconclusive.findings]);
    const line = (exitCode: number) =>
      renderComment(makeView(of, null, { ...made.context(), exitCode })).split('\n');
    expect(line(1)[0]).toMatch(
      /^\*\*Missing: scenario `search` was not measured .*fails\.\*\* \*\*Inconclusive: this run cannot tell/,
    );
    expect(line(0)[0]).toMatch(/^\*\*Inconclusive: /);
    expect(line(0)[2]).toContain('scenario `search` is missing on the side of this change.');
  });

  it('does not ask for a sharper run where the estimate itself is too near to the limit', () => {
    const near = finding({
      state: 'undecided',
      change: changed(0.13, 0.11, { smallestDetectable: ratio(0.16), upper: ratio(0.25) }),
    });
    expect(shown(verdict('inconclusive', [near]))).toContain(
      'Measured +13 % with a spread of ±11 %; up to +25 % is not ruled out, and a pass has to rule out 20 %.'.replace(
        /\+/g,
        '+',
      ),
    );
  });

  it('gives no reason for information that is not decided: nobody waits for it', () => {
    const p90 = finding({ metric: 'p90', judged: false, state: 'undecided', reason: 'the spread is ±15 %' });
    expect(comment(verdict('pass', [finding(), p90]))).not.toContain('the spread is');
  });

  it('says when fewer rounds decided than there are', () => {
    const evidence = made.evidence(['checkout'], 14);
    const text = (of: Verdict) => renderComment(makeView(of, evidence, made.context()));
    const rounds = { measured: 8, planned: 12, confirming: 0 };
    expect(text({ ...made.pass, rounds })).toContain('8 of the 14 rounds in the evidence decided');
    expect(text({ ...made.pass, rounds: { ...rounds, confirming: 6 } })).not.toContain(
      'rounds in the evidence',
    );
  });

  it('leads with the regression farthest beyond its spread, not with the largest percentage', () => {
    const wild = finding({ metric: 'p50', state: 'regressed', change: changed(100.91, 1.54) });
    const sure = finding({ metric: 'cpu', state: 'regressed', change: changed(0.76, 0.028) });
    const text = shown(verdict('regression', [wild, sure]));
    expect(text.split('\n')[0]).toContain(
      'Regression: CPU per request of `checkout` rose 76 % (spread ±2.8 %)',
    );
    expect(text).toContain('Also worse: p50 of `checkout` (+10,091 %)');
  });

  it.each([
    ['failures', { metric: 'errors', change: points(0.01) }, 'failed requests of `checkout`'],
    [
      'a side that cannot keep up',
      { change: changed(90, 3), reason: 'saturated: it could not' },
      'it could not',
    ],
  ] as const)('leads with %s before any percentage', (_, more, first) => {
    const sure = finding({ metric: 'cpu', state: 'regressed', change: changed(0.76, 0.001) });
    const graver = finding({ state: 'regressed', ...more });
    expect(firstLine(verdict('regression', [sure, graver]))).toContain(first);
  });

  it('writes a wide spread as a factor, and says what that means', () => {
    const wide = finding({ state: 'regressed', change: changed(4, 1.1) });
    const text = shown(verdict('regression', [wide]));
    expect(text).toContain('rose 400 % (spread ×÷2.1)');
    expect(text).toContain('Spread: half the 95 % interval (×÷2: twice or half as much).');
    expect(shown(made.regression)).not.toContain('×÷');
  });

  it('keeps the small letter of what is written small', () => {
    const why = 'p90 is judged in its place';
    const unsure = finding({ state: 'undecided', change: changed(0.1, 0.3), reason: why });
    expect(shown(verdict('inconclusive', [unsure]))).toContain(`${why}.`);
  });

  it('says once what is true of several accepted rows', () => {
    const reason = 'accepted by the configuration up to +25 %: “x”; a body of the candidate has 9 B';
    const rows = (['p99', 'p50'] as const).map((metric) =>
      finding({ metric, state: 'accepted', change: changed(0.18, 0.06), reason }),
    );
    const text = renderComment(makeView(verdict('pass', rows), null, made.context()));
    const [before, after] = text.split('<details>');
    expect(before!.match(/Accepted: /g)).toHaveLength(2);
    expect(before!.match(/a body of the candidate/g)).toHaveLength(1);
    expect(text.split('Reasons:')[1]).toMatch(/p99 of `checkout`, p50 of `checkout`: accepted by/);
    expect(after).toBeDefined();
  });

  it('says of information on which side its whole interval lies', () => {
    const p90 = finding({ metric: 'p90', judged: false, state: 'undecided', change: changed(20, 0.5) });
    const open = finding({ metric: 'p50', judged: false, state: 'undecided', change: changed(0.1, 0.5) });
    const text = comment(verdict('pass', [finding(), p90, open]));
    expect(text).toMatch(/p90 of `checkout`, on time .*\*\*higher\*\* \(not judged\)/);
    expect(text).toMatch(/p50 of `checkout`, on time .*\*\*undecided\*\* \(not judged\)/);
  });

  it('says that errors rose, from what to what', () => {
    const errors = finding({
      metric: 'errors',
      state: 'regressed',
      baseline: 0,
      candidate: 0.042,
      change: points(0.042),
    });
    expect(firstLine(verdict('regression', [errors]))).toBe(
      '**Regression: failed requests of `checkout` rose by 4.2 points, from 0 % to 4.2 %.**',
    );
  });

  it('says that only the candidate cannot keep up, instead of a percentage without meaning', () => {
    const saturated = finding({
      state: 'regressed',
      change: changed(90, 3),
      reason: 'saturated: the candidate could not hold 300/s in 40 of 48 slices, the baseline could in 48',
    });
    expect(firstLine(verdict('regression', [saturated]))).toBe(
      '**Regression in `checkout`: the candidate could not hold 300/s in 40 of 48 slices, the baseline could in 48.**',
    );
  });

  it('shows the figures of a pass', () => {
    expect(firstLine(made.pass)).toBe(
      '**Pass: every judged metric stayed within its tolerance.** p99 of `checkout` +0.4 % (spread ±6 %), CPU per request of `checkout` −0.2 % (spread ±1.2 %).',
    );
  });

  it('leads with an improvement, which never fails', () => {
    const improved = finding({ metric: 'cpu', state: 'improved', change: changed(-0.12, 0.02) });
    expect(firstLine(verdict('pass', [finding(), improved]))).toBe(
      '**Pass: CPU per request of `checkout` fell 12 % (spread ±2 %), and nothing judged got worse than its tolerance.**',
    );
  });

  it('quotes the reason of an accepted change', () => {
    const accepted = finding({
      state: 'accepted',
      change: changed(0.18, 0.06),
      reason: 'we now check stock @octocat',
    });
    expect(shown(verdict('pass', [accepted]))).toContain(
      'Accepted: p99 of `checkout` rose 18 % (spread ±6 %): we now check stock &#64;&#8203;octocat.',
    );
  });

  it('says of a pass with accepted changes that it is one', () => {
    const accepted = (metric: 'p99' | 'cpu' | 'p50' | 'cpu-total') =>
      finding({ metric, state: 'accepted', change: changed(0.18, 0.06), reason: `the reason for ${metric}` });
    expect(firstLine(verdict('pass', [accepted('p99'), finding({ metric: 'cpu' })]))).toMatch(
      /^\*\*Pass with an accepted change: every other judged metric stayed within its tolerance\.\*\*/,
    );
    const improved = finding({ metric: 'p50', state: 'improved', change: changed(-0.12, 0.02) });
    expect(firstLine(verdict('pass', [accepted('p99'), accepted('cpu'), improved]))).toBe(
      '**Pass with 2 accepted changes: p50 of `checkout` fell 12 % (spread ±2 %), and nothing else judged got worse than its tolerance.**',
    );
    const four = (['p99', 'cpu', 'p50', 'cpu-total'] as const).map(accepted);
    expect(shown(verdict('pass', four))).toContain('the reason for p99. 1 more row accepted.');
  });

  it('keeps an accepted change in sight beside one that is red, or open', () => {
    const accepted = finding({
      metric: 'cpu',
      state: 'accepted',
      change: changed(0.1, 0.02),
      reason: 'safer hash',
    });
    const said = 'Accepted: CPU per request of `checkout` rose 10 % (spread ±2 %): safer hash.';
    const red = finding({ state: 'regressed', change: changed(0.18, 0.06) });
    expect(shown(verdict('regression', [red, accepted]))).toContain(said);
    const open = finding({ state: 'undecided', change: changed(0.05, 0.3) });
    expect(shown(verdict('inconclusive', [open, accepted]))).toContain(said);
  });

  it('says what could have been seen and what would settle it', () => {
    const [first, , second] = shown(made.inconclusive).split('\n');
    expect(first).toBe(
      '**Inconclusive: this run cannot tell whether p99 of `checkout` got worse.** CPU per request unchanged.',
    );
    expect(second).toBe(
      'Measured +5.9 % with a spread of ±28 %; a rise below 41 % would mostly go unseen here, and a pass has to rule out 20 %. About 9 more rounds would settle it (<code>rounds: &#123; aim: 15, most: 15 &#125;</code> with a longer `time-budget`), or a quieter runner.',
    );
  });

  it('tells of a flag that was not confirmed', () => {
    const row = finding({
      state: 'undecided',
      change: changed(0.06, 0.07),
      confirmation: 'not-confirmed',
      reason: 'not confirmed: +18 % when it was flagged, +6 % over all 12 rounds',
    });
    expect(shown(verdict('inconclusive', [row]))).toContain(
      'Not confirmed&#58; +18 % when it was flagged, +6 % over all 12 rounds.'
        .replace('&#58;', ':')
        .replaceAll('+', '&#43;'),
    );
  });

  it.each([
    [
      'invalid',
      made.invalid,
      '**Invalid: more than a quarter of the slices were unsound: generator-busy.** This says nothing about the change, good or bad.',
    ],
    [
      'service-failed',
      made.serviceFailed,
      '**Service failed: the candidate ended with exit code 1 before it answered GET /health.** Nothing was compared.',
    ],
    [
      'no-baseline',
      made.noBaseline,
      '**No baseline: this is the first commit.** The candidate was measured; nothing was compared.',
    ],
    [
      'skipped',
      made.skipped,
      '**Skipped: no file of this change matches `paths`.** Nothing was built or measured.',
    ],
  ] as const)('is sufficient by itself when the outcome is %s', (_, of, line) => {
    expect(firstLine(of)).toBe(line);
  });

  it('shows the way out and the last lines of a service that failed', () => {
    const text = shown(made.serviceFailed);
    expect(text).toContain('Run the start command by hand with PORT set.');
    expect(text).toContain('Last lines of the candidate:');
    expect(text).toContain('Error: Cannot find module &#39;express&#39;');
  });

  it('says what a baseline that fails can mean, and blames nobody', () => {
    const broken = {
      ...made.serviceFailed,
      failure: { ...made.serviceFailed.failure!, side: 'baseline' as const, message: 'exit code 1' },
    };
    const text = shown(broken);
    expect(text).toContain('**Service failed on the baseline side: exit code 1.**');
    expect(text).toContain(
      'it was broken before, or `setup` and `start` no longer fit it. `on-baseline-failure: neutral` keeps such a job from failing',
    );
  });

  it('says when a tolerance is wide, because a pass then says little', () => {
    const wide = finding({ tolerance: { min: ratio(0.5), detect: ratio(0.5) } });
    expect(shown(verdict('pass', [wide]))).toContain(
      'Wide tolerance: p99 fails from +50 %, passes under +50 %. Smaller changes are let through.',
    );
    expect(shown(made.pass)).not.toContain('Wide tolerance');
  });

  it('has a reason in the place of a figure that does not exist', () => {
    const none = finding({
      state: 'undecided',
      baseline: 0,
      candidate: 0,
      change: { kind: 'none', reason: 'the baseline measured 0' },
    });
    const text = comment(verdict('inconclusive', [none]));
    expect(text).toContain('| p99 of `checkout` | 0 ms | 0 ms | n/a | n/a | **undecided** |');
    expect(text).toContain('p99 of `checkout`: the baseline measured 0.');
  });
});

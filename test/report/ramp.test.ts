import { describe, expect, it } from 'vitest';
import { curveOf } from '../../src/capacity/curve.ts';
import type { RampFacts, RampResult } from '../../src/capacity/result.ts';
import { rampHtml } from '../../src/report/ramp-html.ts';
import { achievedPicture, latencyPicture, linearScale, logScale } from '../../src/report/ramp-svg.ts';
import { rampMarkdown, rampTerminal } from '../../src/report/ramp-text.ts';
import { type RampView, rampFindings, rampHeadline } from '../../src/report/ramp-view.ts';
import { measured, sampleResult } from '../capacity/sample-result.ts';

const viewOf = (result: RampResult = sampleResult()): RampView => ({ result, curve: curveOf(result.steps) });
const headline = (facts: Partial<RampFacts>, steps?: Parameters<typeof sampleResult>[0]): string =>
  rampHeadline(viewOf(sampleResult(steps, facts)));

const death = {
  duringRate: 200,
  afterRequests: 5000,
  how: 'it ended with exit code 134',
  lastWords: ['out of memory'],
};

describe('the headline', () => {
  it('is the bracket, with what fails there', () => {
    expect(headline({})).toBe('Capacity at p99 ≤ 50 ms: 940/s passes, 960/s does not (p99 is 60.7 ms).');
  });

  const passing = [measured(100, 100, 12, 15), measured(200, 200, 12, 15)];
  it.each<[Partial<RampFacts>, string]>([
    [
      { end: { kind: 'at-least', limit: 'generator' } },
      'At least 200/s at p99 ≤ 50 ms: the generator cannot send more',
    ],
    [{ end: { kind: 'at-least', limit: 'rate' } }, 'the highest rate it was allowed to send'],
    [{ end: { kind: 'unsound' } }, 'No answer'],
    [
      { end: { kind: 'died' }, death },
      'The service died at 200/s, after 5,000 answered requests: it ended with exit code 134; 200/s had passed',
    ],
    [
      { end: { kind: 'open' }, stopped: { by: 'signal', why: 'it was stopped before its end' } },
      'No capacity yet: it was stopped before its end after 2 steps; 200/s had passed',
    ],
  ])('of %j', (facts, words) => {
    expect(headline(facts, passing)).toContain(words);
  });

  it('says the figure when the objective is missed from the start', () => {
    expect(
      headline({ end: { kind: 'missed-at-start' } }, [measured(50, 50, 40, 61), measured(50, 50, 40, 62)]),
    ).toBe('The objective is missed from the start: at 50/s p99 is 61 ms.');
  });
});

describe('the text', () => {
  it('has the sentence first, then the curve, then what it says', () => {
    const text = rampTerminal(viewOf(), 110);
    expect(text.startsWith('Capacity at p99 ≤ 50 ms')).toBe(true);
    expect(text).toMatch(/940\/s +935\/s +935\/s +14\.1 ms .*met · knee/);
    const order = [
      'offered',
      'Knee: 940/s',
      'Ceiling: 952/s',
      'no collapse',
      'timed out (100 %)',
      'after 3.2 s',
      'relative',
    ];
    const places = order.map((word) => text.indexOf(word));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  it('says at least of knee and ceiling in sentences, table and pictures when nothing beyond was measured', () => {
    const open = viewOf(
      sampleResult([measured(100, 100, 12, 15), measured(200, 200, 12, 15)], {
        end: { kind: 'at-least', limit: 'generator' },
        recovery: null,
      }),
    );
    expect([open.result.knee, open.result.kneeBeyond]).toEqual([200, null]);
    const text = rampTerminal(open, 200);
    expect(text).toContain('Knee: 200/s or higher: nothing beyond it was measured.');
    expect(text).toContain('Ceiling: at least 200/s, the highest successful rate that was measured.');
    expect(text).toMatch(/met · knee or higher/);
    const latency = latencyPicture(open);
    expect(latency).toContain('>knee 200/s or higher</text>');
    expect(latency).toContain('knee at 200/s or higher"');
    const achieved = achievedPicture(open);
    expect(achieved).toContain('at least 200/s of up to 200/s offered');
    expect(achieved).toContain('>knee 200/s or higher</text>');
    for (const one of [rampTerminal(viewOf(), 200), latencyPicture(viewOf()), achievedPicture(viewOf())])
      expect(one).not.toMatch(/at least|or higher/);
  });

  it('says nothing of a collapse beyond a knee that there is not', () => {
    // 90 of 100 succeed: no rate is kept up with, so none is on a plateau.
    const errors = { 'status 500': 100 };
    const failing = measured(100, 90, 12, 15, { errors, errorShare: 0.1 });
    const result = sampleResult([failing, failing], { end: { kind: 'missed-at-start' }, recovery: null });
    expect([result.knee, result.collapse?.collapses]).toEqual([null, false]);
    const said = rampFindings(viewOf(result)).join('\n');
    expect(said).not.toMatch(/knee|collapse/);
    expect(said).toContain('Errors: from 100/s on more than 1 % fail, 10 % at 100/s: status 500 (100 %).');
  });

  it('says that a partial ramp is partial, also when the bracket was found', () => {
    const result = sampleResult(undefined, {
      stopped: { by: 'time-budget', why: 'the time budget of 1 min was used up' },
    });
    expect(result.partial).toBe(true);
    expect(rampFindings(viewOf(result))[0]).toContain('Partial: the time budget of 1 min was used up');
  });

  it('names in Markdown what was measured, on what, and the seed that repeats it', () => {
    const text = rampMarkdown(viewOf());
    expect(text).toContain(
      '`c0ffeec0ffeec0ff`, environment `decadedecadedeca`: A CPU, 2 CPUs, linux x64, Node v20.0.0',
    );
    expect(text).toMatch(/127\.0\.0\.1.*seed 7\.<\/sub>/);
    const subject = {
      kind: 'config',
      file: 'tailgate.yml',
      scenario: 'main',
      commit: 'f'.repeat(40),
    } as const;
    expect(rampMarkdown(viewOf(sampleResult(undefined, { subject })))).toContain(
      'Scenario main of tailgate.yml at commit ffffffffffff.',
    );
  });

  it('ends with the last words of a service that died, harmless, wherever they are read', () => {
    const lastWords = ['<script>alert(1)</script>', 'FATAL \u001b[31mout of memory'];
    const dead = viewOf(sampleResult(undefined, { end: { kind: 'died' }, death: { ...death, lastWords } }));
    const texts = [rampTerminal(dead, 110), rampMarkdown(dead), rampHtml(dead, '1.0.0')];
    for (const text of texts) {
      expect(text).toMatch(/FATAL .*out of memory/);
      expect(text).not.toContain('\u001b');
    }
    for (const text of texts.slice(1)) {
      expect(text).not.toContain('<script>');
      expect(text).toContain('&#60;script&#62;');
      expect(text).toContain('Last words of the service');
    }
    for (const text of [rampMarkdown(viewOf()), rampHtml(viewOf(), '1.0.0')])
      expect(text).not.toContain('Last words');
  });

  it('is one table in Markdown, and foreign words stay harmless', () => {
    const steps = [
      ...sampleResult().steps,
      measured(2000, 500, 20, 30, { errors: { '<b>@you|#1</b>': 9 }, errorShare: 0.5 }),
    ];
    const text = rampMarkdown(viewOf(sampleResult(steps)));
    expect(text).not.toContain('<b>');
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(2 + 7);
    expect(new Set(rows.map((row) => row.split('|').length)).size).toBe(1);
  });
});

describe('the pictures', () => {
  it('mark the knee, the objective and the diagonal, inside their frame', () => {
    const latency = latencyPicture(viewOf());
    expect(latency).toContain('knee 940/s');
    expect(latency).toContain('class="objective"');
    const achieved = achievedPicture(viewOf());
    expect(achieved).toContain('class="diagonal"');
    for (const picture of [latency, achieved]) {
      for (const [, x, y] of picture.matchAll(/cx="([\d.-]+)" cy="([\d.-]+)"/g)) {
        expect(Number(x)).toBeGreaterThanOrEqual(62);
        expect(Number(x)).toBeLessThanOrEqual(466);
        expect(Number(y)).toBeGreaterThanOrEqual(14);
        expect(Number(y)).toBeLessThanOrEqual(256);
      }
      expect(picture.match(/<circle/g)!.length).toBeGreaterThanOrEqual(6);
      expect(picture).not.toMatch(/NaN|Infinity/);
    }
  });

  it('have logarithmic places and round ticks', () => {
    const log = logScale([100, 10_000], 0, 100);
    expect(log.at(1000) - log.at(100)).toBeCloseTo(log.at(10_000) - log.at(1000), 6);
    expect(log.ticks).toEqual([100, 300, 1000, 3000, 10_000]);
    expect(linearScale(952, 0, 100).ticks).toEqual([0, 200, 400, 600, 800]);
  });

  it('have two ticks at least in the narrowest range, and not many more', () => {
    expect(logScale([300], 0, 100).ticks).toEqual([280, 300, 320, 340]);
    expect(logScale([250, 400], 0, 100).ticks).toEqual([300, 400]);
    expect(logScale([610, 940], 0, 100).ticks).toEqual([600, 700, 800, 900, 1000]);
    for (let low = 1; low < 10_000; low *= 1.06) {
      for (const share of [1, 1.1, 1.3, 1.6, 2.2, 4, 9]) {
        const { ticks, at } = logScale([low, share * low], 0, 100);
        expect(ticks.length, `${low} to ${share * low}`).toBeGreaterThanOrEqual(2);
        expect(ticks.length, `${low} to ${share * low}`).toBeLessThanOrEqual(9);
        expect(new Set(ticks).size).toBe(ticks.length);
        for (const tick of ticks) expect(Math.abs(at(tick) - 50)).toBeLessThanOrEqual(50);
      }
    }
    const narrow = latencyPicture(viewOf(sampleResult([measured(300, 300, 12, 15)])));
    expect(narrow).toContain('text-anchor="middle">280</text>');
  });

  it('are left out when nothing was measured', () => {
    const empty = viewOf(
      sampleResult([], { end: { kind: 'open' }, stopped: { by: 'signal', why: 'it was stopped' } }),
    );
    expect([latencyPicture(empty), achievedPicture(empty)]).toEqual(['', '']);
    expect(rampHtml(empty, '1.0.0')).toContain('No capacity yet');
  });
});

describe('the HTML', () => {
  const html = rampHtml(viewOf(), '1.0.0');

  it('stands alone: no script, nothing loaded, both colour schemes, tables beside the pictures', () => {
    expect(html).not.toMatch(/<script|<link|@import|url\(|\son\w+=|<img|<iframe/i);
    expect(html).toContain('prefers-color-scheme: dark');
    expect(html).toContain('name="viewport"');
    expect(html.match(/<svg/g)).toHaveLength(2);
    expect(html.match(/<table/g)).toHaveLength(3);
    for (const tag of ['figure', 'table', 'svg', 'div', 'ul', 'p'])
      expect(html.split(new RegExp(`<${tag}[ >]`)).length, tag).toBe(html.split(`</${tag}>`).length);
  });

  it('escapes what is foreign', () => {
    const subject = { kind: 'url', url: 'http://127.0.0.1/<script>alert(1)</script>' } as const;
    expect(rampHtml(viewOf(sampleResult(undefined, { subject })), '1.0.0')).not.toContain('<script');
  });
});

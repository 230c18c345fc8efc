import { describe, expect, it } from 'vitest';
import { displayWidth, tableLines, wrapped } from '../../src/report/columns.ts';
import { renderSummary } from '../../src/report/markdown.ts';
import { renderTerminal } from '../../src/report/terminal.ts';
import { makeView } from '../../src/report/view.ts';
import { hostileNames } from './as-github.ts';
import * as made from './verdicts.ts';

const { changed, finding, verdict } = made;
const lines = (text: string): string[] => text.split('\n');

describe('a report in a terminal', () => {
  it('starts with the same sentence as the comment and shows the same rows', () => {
    const text = renderTerminal(makeView(made.regression, made.evidence(), made.context()));
    expect(lines(text)[0]).toBe(
      'Regression: p99 of `checkout` rose 18 % (spread ±6 %). CPU per request unchanged.',
    );
    expect(text).toMatch(/^p99 +4\.7 ms +5\.55 ms +\+18 % +\+11 % to \+25 % +±6 % +regressed$/m);
    expect(text).toMatch(/^p95 .* \(unchanged\)$/m);
    expect(text).toContain('Reproduce locally:\n  npx tailgate gate --baseline');
    expect(text).toContain('measured from the intended send time');
  });

  it.each(made.allOutcomes.map((one) => [one.outcome, one] as const))(
    'keeps to a hundred columns when the outcome is %s',
    (_, of) => {
      const view = makeView(of, made.evidence(), made.context());
      for (const line of lines(renderTerminal(view))) expect(displayWidth(line)).toBeLessThanOrEqual(100);
    },
  );

  it('keeps to a hundred columns with several scenarios of long names, and tells them apart', () => {
    const long = 'a scenario with a name that goes on '.repeat(6);
    const rows = [1, 2, 3].map((index) =>
      finding({ scenario: `${long}${index}`, change: changed(0.01, 0.02) }),
    );
    const text = renderTerminal(makeView(verdict('pass', rows), null, made.context()));
    const shown = lines(text).filter((line) => line.endsWith('unchanged'));
    expect(new Set(shown).size).toBe(3);
    for (const line of shown) expect(displayWidth(line)).toBeLessThanOrEqual(100);
  });

  it('uses colour only when asked', () => {
    const view = makeView(made.regression, made.evidence(), made.context());
    expect(renderTerminal(view)).not.toContain('\u001b');
    const coloured = renderTerminal(view, { colour: true, width: 100, detail: 'full' });
    expect(coloured).toContain('\u001b[1;31mRegression');
    expect(lines(coloured).find((line) => line.includes('regressed'))).toMatch(/\[31m.*\[0m$/);
  });

  it('can be short', () => {
    const view = makeView(made.regression, made.evidence(), made.context());
    const text = renderTerminal(view, { colour: false, width: 100, detail: 'short' });
    expect(lines(text).length).toBeLessThan(26);
    expect(text).not.toContain('p95');
  });

  it.each(hostileNames)('prints no control or bidi character of %j', (name) => {
    const row = finding({ scenario: name, state: 'regressed', change: changed(0.2, 0.1), reason: name });
    const failure = { side: 'candidate' as const, message: name, hint: name, tail: [name] };
    for (const of of [verdict('regression', [row]), verdict('service-failed', [], { failure })]) {
      const text = renderTerminal(makeView(of, made.evidence([name]), made.context({ id: name })));
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    }
  });
});

it('says once why the whole job has other percentiles than the table', () => {
  const view = makeView(made.pass, made.evidence(['checkout', 'search']), made.context());
  for (const text of [renderTerminal(view), renderSummary(view)]) {
    expect(text.match(/the whole job/g)!.length).toBeGreaterThan(1);
    expect(text.replace(/\s+/g, ' ').match(/all requests merged, stalls included/g)).toHaveLength(1);
  }
});

describe('columns', () => {
  it('cuts long names that end alike in the same way', () => {
    const names = ['hot.bench.mjs > workSmall', 'hot.bench.mjs > parseSmall'];
    const lines = tableLines(
      [{ title: 'name', align: 'left', flexible: true }],
      names.map((one) => [one]),
      23,
    );
    expect(lines.slice(1)).toEqual(['hot.bench.mjs…workSmall', 'hot.bench.mj…parseSmall']);
  });

  it('line up by what a terminal shows, not by code units', () => {
    const table = tableLines(
      [
        { title: 'name', align: 'left' },
        { title: 'n', align: 'right' },
      ],
      [
        ['日本', '1'],
        ['e\u0301a', '22'],
      ],
      80,
    );
    expect(table.map(displayWidth)).toEqual([8, 8, 8]);
  });

  it('wrap at spaces and break no word', () => {
    expect(wrapped('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(wrapped('averyveryverylongword x', 9, '  ')).toEqual(['  averyveryverylongword', '  x']);
  });
});

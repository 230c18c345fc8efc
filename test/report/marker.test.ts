import { describe, expect, it } from 'vitest';
import { ratio } from '../../src/kernel/units.ts';
import type { PastResult } from '../../src/report/context.ts';
import { extendHistory, isNewer, makeMarker, parseMarker } from '../../src/report/marker.ts';

const past = (run: number, more: Partial<PastResult> = {}): PastResult => ({
  run,
  attempt: 1,
  sha: 'def4567890ab',
  outcome: 'regression',
  tail: ratio(0.1812),
  cpu: null,
  ...more,
});

describe('the hidden marker', () => {
  it('comes back as it was written', () => {
    const marker = {
      id: 'api',
      run: 16_123_456_789,
      attempt: 3,
      history: [past(1), past(2, { outcome: 'pass', cpu: ratio(-0.02) })],
    };
    expect(parseMarker(`Some report\n\n${makeMarker(marker)}\n`)).toEqual(marker);
  });

  it.each(['default', 'a--b', '-->', 'ü @x "q" %', '\ud800', 'x'.repeat(500), '<!-- tailgate id=x'])(
    'carries the id %j in one harmless comment',
    (id) => {
      const line = makeMarker({ id, run: 1, attempt: 1, history: [] });
      expect(line).toMatch(/^<!-- tailgate [^<>\n]* -->$/);
      expect(line.slice(4, -3)).not.toContain('--');
      const expected = Array.from(id.replace(/\p{Cs}/gu, '\ufffd'))
        .slice(0, 100)
        .join('');
      expect(parseMarker(line)?.id).toBe(expected);
    },
  );

  it('holds no two dashes, whatever the history encodes to', () => {
    for (let run = 0; run < 3000; run++) {
      const line = makeMarker({
        id: 'x',
        run,
        attempt: 1,
        history: [past(run * 7919, { tail: ratio(run / 1000) })],
      });
      expect(line.slice(4, -3)).not.toContain('--');
      expect(parseMarker(line)).not.toBeNull();
    }
  });

  it('writes what cannot be a number as nothing', () => {
    const line = makeMarker({
      id: 'x',
      run: 1,
      attempt: 1,
      history: [past(1, { tail: ratio(Number.NaN), cpu: ratio(Infinity), sha: 'not hex' })],
    });
    expect(parseMarker(line)!.history[0]).toMatchObject({ tail: null, cpu: null, sha: '' });
  });

  const encode = (value: unknown): string =>
    btoa(JSON.stringify(value)).replace(/\+/g, '.').replace(/\//g, '_').replace(/=+$/, '');
  const line = (history: string, more = ''): string =>
    `<!-- tailgate id=x run=1 attempt=1 history=${history}${more} -->`;

  it.each([
    ['text without a marker', 'hello'],
    ['a marker inside a quote', `> ${line(encode([]))}`],
    ['two markers', `${line(encode([]))}\n${line(encode([]))}`],
    ['no base64', line('!!!')],
    ['base64 of no JSON', line(btoa('hello').replace(/=+$/, ''))],
    ['no list', line(encode({ length: 1 }))],
    ['six results', line(encode(Array.from({ length: 6 }, () => [1, 1, 'abcdef0', 'pass', null, null])))],
    ['an unknown outcome', line(encode([[1, 1, 'abcdef0', 'great', null, null]]))],
    ['a text as figure', line(encode([[1, 1, 'abcdef0', 'pass', '5', null]]))],
    ['a hash that is none', line(encode([[1, 1, '<b>', 'pass', null, null]]))],
    ['a negative run', line(encode([[-1, 1, 'abcdef0', 'pass', null, null]]))],
    ['a huge figure', line(encode([[1, 1, 'abcdef0', 'pass', 1e300, null]]))],
    ['an entry too long', line(encode([[1, 1, 'abcdef0', 'pass', null, null, 1]]))],
    ['a broken id', '<!-- tailgate id=%E0%A4%A run=1 attempt=1 history= -->'],
    ['a run beyond whole numbers', '<!-- tailgate id=x run=9999999999999999 attempt=1 history=W10 -->'],
    ['something more in it', line(encode([]), ' x=1')],
    ['an endless one', `<!-- tailgate id=${'a'.repeat(100_000)} run=1 attempt=1 history=W10 -->`],
  ])('refuses %s', (_, body) => {
    expect(parseMarker(body)).toBeNull();
  });

  it('knows which of two runs is newer', () => {
    const marker = { id: 'x', run: 10, attempt: 2, history: [] };
    expect(isNewer(marker, { id: 9, attempt: 5 })).toBe(true);
    expect(isNewer(marker, { id: 10, attempt: 1 })).toBe(true);
    expect(isNewer(marker, { id: 10, attempt: 2 })).toBe(false);
    expect(isNewer(marker, { id: 11, attempt: 1 })).toBe(false);
  });

  it('keeps five results and one for a run that was repeated', () => {
    const history = [1, 2, 3, 4, 5].map((run) => past(run));
    expect(extendHistory(history, past(6)).map((one) => one.run)).toEqual([2, 3, 4, 5, 6]);
    expect(extendHistory(history, past(3, { attempt: 2 })).map((one) => [one.run, one.attempt])).toEqual([
      [1, 1],
      [2, 1],
      [4, 1],
      [5, 1],
      [3, 2],
    ]);
  });
});

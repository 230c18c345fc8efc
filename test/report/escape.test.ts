import { describe, expect, it } from 'vitest';
import {
  boundedLines,
  isPlainUrl,
  markdownBlock,
  markdownLink,
  markdownName,
  markdownText,
  visible,
} from '../../src/report/escape.ts';
import { actingText, hostileNames, shownText, triggers } from './as-github.ts';

describe('foreign text in Markdown', () => {
  it.each(hostileNames)('makes %j harmless as a sentence and as a name', (text) => {
    for (const markdown of [`before ${markdownText(text)} after`, `before ${markdownName(text)} after`]) {
      expect(markdown).not.toContain('\n');
      expect(markdown.replace(/<\/?code>/g, '')).not.toMatch(/[<>|]/);
      expect(markdown).not.toMatch(/@\w|#\d(?![\d]*;)/);
      for (const trigger of triggers) expect(actingText(markdown)).not.toMatch(trigger);
    }
  });

  it('shows a name as it is, apart from what cannot be seen', () => {
    expect(shownText(markdownName('@org/team #1 <b>|`x`'))).toBe('@org/team #1 <b>|`x`');
    expect(markdownName('GET /users/:id'.replace(':', ''))).toBe('`GET /users/id`');
    expect(shownText(markdownName('a\nb\u202ec'))).toBe('a\\nb\\u{202e}c');
  });

  it('leaves no way out of a code element, whatever the name holds', () => {
    for (const name of hostileNames) {
      const markdown = markdownName(name);
      const inside = markdown.startsWith('`') ? markdown.slice(1, -1) : markdown.slice(6, -7);
      expect(inside).not.toMatch(/[`<>|@*[\]\n]/);
    }
  });

  it('keeps names distinct that differ in special characters only', () => {
    const alike = [
      'a b',
      'a\nb',
      'a\\nb',
      'a\tb',
      'a\rb',
      'a\u00a0b',
      'a\u200bb',
      'a\u202eb',
      'a  b',
      ' a b',
      'a b ',
      'ab',
      'a|b',
      'a\\|b',
      'a`b',
      'a``b',
      'a<b',
      'a&lt;b',
      'a@b',
      'a#b',
      'a\\b',
      'a\\\\b',
      'a\ufe0fb',
      'a\u{e0041}b',
      'a\\u{200b}b',
      '\ud800',
      '\ud801',
      'a*b',
      'a_b',
    ];
    for (const write of [markdownName, markdownText, visible]) {
      const written = alike.map((name) => write(name));
      expect(new Set(written).size).toBe(alike.length);
    }
  });

  it('cuts long names without making two of them one', () => {
    const long = 'x'.repeat(300);
    const [one, two] = [visible(`${long}1`), visible(`${long}2`)];
    expect(one).not.toBe(two);
    expect(Array.from(one).length).toBeLessThanOrEqual(120);
    expect(visible('y'.repeat(120))).toBe('y'.repeat(120));
    expect(visible('é'.repeat(5_000_000)).length).toBeLessThan(200);
  });

  it('stops a tower of combining marks', () => {
    expect(visible(`a${'\u0301'.repeat(50)}`)).toContain('\\u{301}');
    expect(visible('e\u0301')).toBe('e\u0301');
  });
});

describe('blocks of foreign lines', () => {
  it('cannot be closed from within and carry no terminal sequences', () => {
    const block = markdownBlock([
      '</pre><h1>x',
      '\u001b[31mred\u001b[0m \u001b]0;title\u0007 ok',
      '```',
      '@octocat fixes #1',
    ]);
    expect(block.match(/<\/?\w+>/g)).toEqual(['<pre>', '</pre>']);
    expect(block).toContain('red  ok');
    expect(block).not.toMatch(/@octocat|#1(?!\d*;)|`/);
    expect(block).not.toContain('\u001b');
    expect(shownText(block)).toContain('@octocat fixes #1');
  });

  it('keeps the last lines and bounds each', () => {
    const lines = boundedLines([
      ...Array.from({ length: 500 }, (_, index) => `line ${index}`),
      'z'.repeat(10_000),
    ]);
    expect(lines.length).toBe(60);
    expect(lines.at(-1)!.length).toBe(401);
    expect(lines[0]).toBe('line 441');
  });
});

describe('links', () => {
  it('are made of plain http addresses only', () => {
    expect(markdownLink('run', 'https://github.com/a/b/actions/runs/1?pr=2#summary-3')).toBe(
      '[run](https://github.com/a/b/actions/runs/1?pr=2#summary-3)',
    );
    for (const url of [
      'javascript:alert(1)',
      'https://x.y/)[a](b',
      'https://x.y/ z',
      'https://x.y/<b>',
      'https://x@y/',
    ]) {
      expect(isPlainUrl(url)).toBe(false);
      expect(markdownLink('run', url)).toBe('run');
    }
  });
});

/** The text of a feed becomes rows, or an error that names the line. */
import { describe, expect, test } from 'vitest';
import { TailgateError } from '../../src/kernel/errors.ts';
import { readFeed } from '../../src/load/feeds.ts';

const csv = (text: string, columns: readonly string[]) =>
  readFeed(text, { file: 'rows.csv', format: 'csv' }, columns);
const jsonl = (text: string, columns: readonly string[]) =>
  readFeed(text, { file: 'rows.jsonl', format: 'jsonl' }, columns);

function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TailgateError);
    expect((thrown as TailgateError).code).toBe('usage');
    return `${(thrown as TailgateError).message}; ${(thrown as TailgateError).hint}`;
  }
  throw new Error('was accepted');
}

describe('CSV', () => {
  test('is read by its column names, with a byte order mark, CRLF, blank lines and no last line end', () => {
    const feed = csv('\ufeffid,name\r\n1,Ann\r\n\r\n2,Bo', ['name', 'id']);
    expect(feed.rows).toEqual([
      ['Ann', '1'],
      ['Bo', '2'],
    ]);
    expect(feed.lines).toEqual([2, 4]);
  });

  test('quotes commas, line ends and doubled quotes', () => {
    const feed = csv('id,text\n1,"a, ""b""\nc"\n2,""\n3,x\n', ['text', 'id']);
    expect(feed.rows).toEqual([
      ['a, "b"\nc', '1'],
      ['', '2'],
      ['x', '3'],
    ]);
    expect(feed.lines).toEqual([2, 4, 5]);
  });

  test('keeps a quoted empty field of a single column, and leaves out blank lines', () => {
    const feed = csv('id\n""\n\n1\n""', ['id']);
    expect(feed.rows).toEqual([[''], ['1'], ['']]);
    expect(feed.lines).toEqual([2, 4, 5]);
  });

  test('keeps an empty field at the end of a line', () => {
    expect(csv('a,b\n1,\n,2\n', ['a', 'b']).rows).toEqual([
      ['1', ''],
      ['', '2'],
    ]);
  });

  test.each([
    ['id\n1\n', ['user'], 'no column "user", which a request names; it has "id"'],
    ['id;name\n1;a\n', ['id'], 'its fields must be separated by commas'],
    ['id,name\n1,a\n2\n', ['id'], 'line 3: 1 field, wanted 2 as in the first line'],
    ['id,name\n1,a,b\n', ['id'], 'line 2: 3 fields, wanted 2'],
    ['id\n"1\n2\n', ['id'], 'line 2: a quoted field that starts here has no closing quote'],
    ['id\n"1"x\n', ['id'], 'line 2: "x" stands behind the closing quote'],
    ['id\n5" disk\n', ['id'], 'line 2: a quote stands in the middle of a field'],
    ['id,id\n1,2\n', ['id'], 'two columns are named "id"'],
    ['id\n', ['id'], 'it has no rows'],
    ['', ['id'], 'it has no rows'],
  ])('%j is refused by its line: %j', (text, columns, sentence) => {
    expect(refusal(() => csv(text, columns))).toContain(sentence);
  });
});

describe('JSON Lines', () => {
  test('keep their kinds of values; a dot leads into an object, unless a name has it', () => {
    const feed = jsonl(
      '{"id":7,"user":{"name":"Ann"},"a.b":true}\n\n{"id":"x","user":{"name":null},"a.b":[1]}',
      ['id', 'user.name', 'a.b'],
    );
    expect(feed.rows).toEqual([
      [7, 'Ann', true],
      ['x', null, '[1]'],
    ]);
    expect(feed.lines).toEqual([1, 3]);
  });

  test.each([
    ['{"id":1}\n{id:2}\n', 'line 2: this is no JSON'],
    ['[1]\n', 'line 1: this is no JSON object'],
    [
      '{"id":1}\n{"uid":2}\n',
      'line 2: no "id", which a request names; give every line that column; this one has uid',
    ],
    ['\n\n', 'it has no rows'],
  ])('%j is refused by its line: %s', (text, sentence) => {
    expect(refusal(() => jsonl(text, ['id']))).toContain(sentence);
  });

  test.each(['9007199254740993', '-9007199254740993', '{"of":[9007199254740993]}', '1e400'])(
    'refuse the number in %s, which cannot be kept as it is, by its line',
    (value) => {
      expect(refusal(() => jsonl(`{"id":9007199254740991}\n{"id":${value}}\n`, ['id']))).toBe(
        'the feed rows.jsonl: line 2: the number in "id" is beyond 9,007,199,254,740,991 and would be sent as another one; write it as text, in quotes',
      );
    },
  );

  test('may hold any number in columns that no request names, and as text', () => {
    const feed = jsonl('{"id":"9007199254740993","at":9007199254740993,"share":0.1}', ['id', 'share']);
    expect(feed.rows).toEqual([['9007199254740993', 0.1]]);
  });
});

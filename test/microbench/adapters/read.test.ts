import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { benchmarkFileLimit } from '../../../src/microbench/adapters/decode.ts';
import { readBenchmarks } from '../../../src/microbench/adapters/read.ts';
import { parseFormat } from '../../../src/microbench/adapters/registry.ts';
import { brief, readText, refusal, rowOf } from './reading.ts';

const rows =
  'test parse ... bench:       1,234 ns/iter (+/- 5)\ntest µs_write ... bench:  7 ns/iter (+/- 1)\n';
const custom = '[{"name": "parse", "unit": "ns", "value": 12}]';
const readBytes = (bytes: Uint8Array, name = 'results.txt') => readBenchmarks({ name, bytes }, 'auto');
const utf16 = (text: string, order: 'le' | 'be', mark: boolean): Uint8Array => {
  const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};

test.each([
  ['UTF-8', Buffer.from(rows)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${rows}`)],
  ['UTF-16 of PowerShell', utf16(rows, 'le', true)],
  ['UTF-16 of the other order', utf16(rows, 'be', true)],
  ['UTF-16 without a mark', utf16(rows, 'le', false)],
  ['UTF-16 of the other order without a mark', utf16(rows, 'be', false)],
  ['lines that end as on Windows', Buffer.from(rows.replaceAll('\n', '\r\n'))],
  ['terminal colours', Buffer.from(rows.replaceAll('test', '\u001b[32mtest\u001b[0m'))],
  ['gzip', gzipSync(rows)],
])('text is read from %s', (_encoding, bytes) => {
  const result = readBytes(bytes);
  expect(brief(result.rows)).toEqual([
    ['parse', 'ns', 's', 1234],
    ['µs_write', 'ns', 's', 7],
  ]);
  expect(result.warnings).toEqual([]);
});

test.each([
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${custom}`)],
  ['UTF-16', utf16(custom, 'le', true)],
  ['lines that end as on Windows', Buffer.from(custom.replace(' ', '\r\n '))],
])('JSON is read from %s', (_encoding, bytes) => {
  expect(rowOf(readBytes(bytes), 'parse').value).toBe(12);
});

test('bytes that are not UTF-8 are read as Windows-1252, and it is said', () => {
  const result = readBytes(Buffer.from('parse   time:   [1.0 µs 2.0 µs 3.0 µs]\n', 'latin1'));
  expect(rowOf(result, 'parse').value).toBe(2000);
  expect(result.warnings.map((warning) => warning.code)).toEqual(['encoding-guessed']);
});

test('an empty, a binary and a too large file are refused with the reason', () => {
  expect(refusal(() => readBytes(new Uint8Array()))).toMatch(/is empty/);
  expect(refusal(() => readBytes(Buffer.from([1, 0, 0, 2, 3, 0, 0, 0, 9, 9, 9])))).toMatch(/binary/);
  const large = { name: 'all.json', bytes: new Uint8Array(benchmarkFileLimit + 1) };
  expect(refusal(() => readBenchmarks(large, 'auto'))).toMatch(/all\.json has 65 MB; the limit is 64 MB/);
  expect(refusal(() => readBytes(gzipSync('x').subarray(0, 12)))).toMatch(/gzip/);
});

const utf32 = (text: string, order: 'le' | 'be'): Uint8Array => {
  const bytes = Buffer.alloc(4 * text.length);
  [...text].forEach((letter, index) => {
    if (order === 'le') bytes.writeUInt32LE(letter.codePointAt(0)!, 4 * index);
    else bytes.writeUInt32BE(letter.codePointAt(0)!, 4 * index);
  });
  return bytes;
};

test.each([
  ['UTF-16 that is cut', utf16(rows, 'le', true).subarray(0, -1), /UTF-16 that is cut off.* odd number/],
  ['UTF-16 without a mark that is cut', utf16(rows, 'be', false).subarray(0, -1), /UTF-16 that is cut off/],
  ['half a pair', utf16(`${rows}\ud83d`, 'le', true), /UTF-16 with half a character/],
  ['UTF-32', utf32(rows, 'le'), /text in UTF-32.*UTF-8/],
  ['UTF-32 of the other order', utf32(rows, 'be'), /text in UTF-32/],
  ['UTF-32 with a mark', utf32(`\ufeff${rows}`, 'le'), /text in UTF-32/],
  ['UTF-32 of the other order with a mark', utf32(`\ufeff${rows}`, 'be'), /text in UTF-32/],
])('%s is refused as what it is, not as a binary file', (_encoding, bytes, message) => {
  expect(refusal(() => readBytes(bytes))).toMatch(message);
});

test.each([
  ['{"benchmarks": [{"name": "a", "real_time": 1', /cut off: .* line 1, column 45/],
  ['{\n  "benchmarks": [\n    {"name": "a" "real_time": 1}]}', /line 3, column 18: "," or "}" is missing/],
  ['[{"name": "a", "unit": "ns", "value": 12,5}]', /line 1, column 42.*decimal comma/],
  ['[{"name": "a", "unit": "ns", "value": 0x5}]', /column 39: "0x5" is not a JSON value/],
  ['[{"name": "a, "unit": "ns"}]', /line 1, column 16/],
  ['{"name" 1}', /column 9: ":" after the field "name" is missing/],
  ['[{"name": "a\\q"}]', /column 11: a text in double quotes holds a bad escape/],
  [`${'['.repeat(600)}`, /500 levels/],
])('broken JSON is an error with line and column: %s', (text, message) => {
  expect(refusal(() => readText(text))).toMatch(message);
  expect(refusal(() => readText(text, 'google-benchmark'))).toMatch(message);
});

test('bare nan and inf in JSON are missing values, in every spelling that C prints', () => {
  for (const word of ['nan', 'NaN', '-nan', '-nan(ind)', 'inf', '-inf', 'Infinity']) {
    const result = readText(
      `[{"name": "a", "unit": "ns", "value": ${word}}, {"name": "b", "unit": "ns", "value": 2}]`,
    );
    expect(brief(result.rows)).toEqual([
      ['a', 'ns', 's', null],
      ['b', 'ns', 's', 2],
    ]);
    expect(rowOf(result, 'a').problem).toMatch(/NaN|Infinity/);
  }
});

test.each([
  ['0', /0 ns was measured/],
  ['-3', /-3 ns is negative/],
  ['null', /no value/],
  ['"13,5"', /13,5 has a decimal comma/],
  ['"0,123"', /decimal comma/],
  ['"fast"', /"fast" is not a number/],
  ['1e999', /Infinity/],
])('a value of %s becomes a row without a value and with a reason', (value, problem) => {
  const row = rowOf(readText(`[{"name": "a", "unit": "ns", "value": ${value}}]`), 'a');
  expect(row).toMatchObject({ value: null, samples: [], spread: null });
  expect(row.problem).toMatch(problem);
});

test('0 of bytes, of a count and of a unit of its own is a value', () => {
  const result = readText(
    '[{"name": "a", "unit": "B/op", "value": 0}, {"name": "b", "unit": "allocs", "value": 0}, {"name": "c", "unit": "%", "value": 0}]',
  );
  expect(result.rows.map((row) => row.value)).toEqual([0, 0, 0]);
});

test('JSON below the banner of a command and above its last words is read, and it is said', () => {
  const result = readText(`> shop@1.0.0 bench\n> node bench.js\n[info] starting\n${custom}\nDone in 2 s\n`);
  expect(rowOf(result, 'parse').value).toBe(12);
  expect(result.warnings.map((warning) => warning.code)).toEqual(['text-around-json']);
  const given = readText(`banner\n${custom}`, 'custom-bigger-is-better');
  expect(rowOf(given, 'parse').direction).toBe('bigger-is-better');
});

test('JSON that is cut off below a banner is an error, not the part that is whole', () => {
  expect(
    refusal(() => readText(`banner\n[\n{"name": "a", "unit": "ns", "value": 1},\n{"name": "b"`)),
  ).toMatch(/cut off/);
});

test('several JSON values one after the other are all read, and what is foreign among them is said', () => {
  const other = custom.replace('parse', 'write');
  expect(readText(`${custom}\n${other}\n`).rows.map((row) => row.name)).toEqual(['parse', 'write']);
  const mixed = readText(`${custom}\n{"unrelated": 1}\n`);
  expect(mixed.warnings.map((warning) => warning.code)).toContain('json-not-read');
});

test('foreign JSON and foreign text are refused with what they are', () => {
  expect(refusal(() => readText('{"lighthouse": 1, "audits": {}}'))).toMatch(
    /no known benchmark format.*lighthouse, audits/,
  );
  expect(refusal(() => readText('hello'))).toMatch(/text that begins with "hello"/);
  expect(refusal(() => readText('[1]'))).toMatch(/a JSON list/);
});

test('a format given wrongly is an error that names the likely one', () => {
  const criterion = 'parse    time:   [1.0 ns 2.0 ns 3.0 ns]\n';
  expect(refusal(() => readText(criterion, 'libtest'))).toMatch(
    /as libtest; it looks like criterion.*format: criterion/,
  );
  expect(refusal(() => readText(criterion, 'pyperf'))).toMatch(/as pyperf; it looks like criterion/);
  expect(refusal(() => readText(custom, 'jmh'))).toMatch(/as jmh; it looks like github-action-benchmark/);
  expect(refusal(() => readText(custom, 'go-bench'))).toMatch(
    /as go-bench; it looks like github-action-benchmark/,
  );
});

test('zero benchmarks are an error that names the format the file looks like', () => {
  expect(refusal(() => readText('PASS\nok  \texample.com/shop\t0.01s\n'))).toMatch(/looks like go-bench/);
  expect(refusal(() => readText('{"benchmarks": [], "machine_info": {}, "commit_info": {}}'))).toMatch(
    /looks like pytest-benchmark/,
  );
  expect(refusal(() => readText('{"results": []}', 'hyperfine'))).toMatch(
    /no benchmark was read from results\.txt; it looks like hyperfine/,
  );
});

test('two benchmarks of one name that nothing tells apart are an error', () => {
  const twice = '[{"name": "a", "unit": "ns", "value": 1}, {"name": "a", "unit": "ns", "value": 2}]';
  expect(refusal(() => readText(twice))).toMatch(/two benchmarks are called "a"/);
  const targets =
    'test a ... bench: 1 ns/iter (+/- 0)\n\nrunning 1 test\ntest a ... bench: 2 ns/iter (+/- 0)\n';
  expect(refusal(() => readText(targets))).toMatch(/two benchmarks are called "a".*2>&1/);
});

test('both directions of the custom format, and auto that takes the direction of the unit', () => {
  const text = '[{"name": "a", "unit": "req/s", "value": 5}, {"name": "b", "unit": "points", "value": 5}]';
  const directions = (format: 'auto' | 'custom-smaller-is-better' | 'custom-bigger-is-better') =>
    readText(text, format).rows.map((row) => row.direction[0]);
  expect(directions('auto')).toEqual(['b', 's']);
  expect(directions('custom-smaller-is-better')).toEqual(['s', 's']);
  expect(directions('custom-bigger-is-better')).toEqual(['b', 'b']);
  expect(readText(text).warnings[0]?.message).toContain('"points"');
});

test('repetitions beyond the most that are kept are thinned evenly, and it is said', () => {
  const samples = Array.from({ length: 5001 }, (_, index) => index + 1);
  const text = JSON.stringify([{ name: 'a', runs: 1, result: { hz: 1, mean: 2501, sd: 1, samples } }]);
  const result = readText(text);
  const row = rowOf(result, 'a');
  expect(row.samples).toHaveLength(1000);
  expect([row.samples[0], row.samples.at(-1)]).toEqual([1e6, 5001e6]);
  expect(result.warnings.map((warning) => warning.code)).toEqual(['samples-thinned']);
});

test('a name with line ends and control characters becomes one line', () => {
  const result = readText(JSON.stringify([{ name: 'a\n\u0000b', unit: 'ns', value: 1 }]));
  expect(result.rows[0]?.name).toBe('a b');
});

test('a format is asked for by its word, or by the word of github-action-benchmark', () => {
  expect(parseFormat('auto')).toBe('auto');
  expect(parseFormat(' Go-Bench ')).toBe('go-bench');
  expect(parseFormat('customBiggerIsBetter')).toBe('custom-bigger-is-better');
  expect(parseFormat('benchmarkjs')).toBe('benchmark-js');
  expect(parseFormat('gobench2')).toBeNull();
  expect(parseFormat('constructor')).toBeNull();
});

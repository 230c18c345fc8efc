import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { parse, parseStored, serialise, serialiseBench } from '../../src/evidence/store.ts';
import type { Evidence } from '../../src/evidence/trial.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { evidenceOf } from '../verdict/evidence-builder.ts';
import { benchmarks } from '../verdict/stored-job.ts';

const waiver = { scenario: 'home', metric: 'p99', ceiling: 0.1, expires: null, reason: 'x', origin: 'y' };
const evidence = evidenceOf({ measuring: 2, confirming: 1 });

/** The stored text with one place changed; `undefined` takes the field away. */
function changed(path: readonly (string | number)[], value: unknown): string {
  const copy = JSON.parse(serialise(evidence)) as Record<string, unknown>;
  let place = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) place = place[step] as Record<string | number, unknown>;
  place[path.at(-1)!] = value;
  return JSON.stringify(copy);
}

/** Stored text up to the end of what stands there this many times. */
function cutAfter(text: string, times: number): string {
  const parts = serialise(evidence).split(text);
  return parts.slice(0, times).join(text) + text;
}

function refusal(source: string): TailgateError {
  try {
    parse(source);
  } catch (thrown) {
    if (thrown instanceof TailgateError) return thrown;
    throw thrown;
  }
  throw new Error('it was read');
}

it('reads back what it wrote', () => {
  expect(parse(serialise(evidence))).toEqual(evidence);
  expect(parse(`\uFEFF${serialise(evidence)}`)).toEqual(evidence);
});

it('lets fields pass that a later release may add', () => {
  expect(parse(changed(['rounds', 0, 'trials', 0, 'temperature'], 61))).toMatchObject({ version: 1 });
});

it('refuses a later version, and names it and the one it reads', () => {
  const error = refusal(changed(['version'], 2));
  expect(error.code).toBe('usage');
  expect(error.message).toBe('this evidence has `version` 2, this release of Tailgate reads 1');
  expect(error.hint).toMatch(/later one/);
});

it.each([
  [
    'another schema',
    changed(['schema'], 'k6-summary'),
    /its `schema` is "k6-summary", wanted "tailgate-evidence"/,
  ],
  ['no schema', '{}', /its `schema` is missing/],
  ['a list', '[1, 2]', /it holds \[1,2\]/],
  ['an empty file', ' \n', /not whole JSON: it is empty/],
  [
    'a file that was cut in its head',
    '{"schema":"tailgate-evidence","vers',
    /^this evidence is not whole JSON: it ends after `schema`, before its `version`$/,
  ],
  ['a file that was cut at once', '{"sch', /not whole JSON: it ends in its head, before any field/],
  [
    'a file that was cut in the middle of a histogram',
    cutAfter('"onTime":"{', 2),
    /^this evidence of version 1 is not whole JSON: it ends in `rounds\[0\]\.trials\[1\]\.load\.histograms\.onTime`$/,
  ],
  [
    'a file that was cut between two fields',
    cutAfter('"sentGapCv":0.3},', 3),
    /^this evidence of version 1 is not whole JSON: it ends after `rounds\[0\]\.trials\[2\]\.load\.fit`$/,
  ],
  [
    'a cut-off file of a later version',
    serialise(evidence).replace('"version":1', '"version":7').slice(0, 5000),
    /^this evidence of version 7, where this release of Tailgate reads 1, is not whole JSON: it ends (in|after) `/,
  ],
  [
    'cut-off evidence of microbenchmarks',
    serialiseBench(benchmarks(0.1)).slice(0, -30),
    /^this evidence of version 1 is not whole JSON: it ends in `rounds\[11\]\.results\[0\]\.candidate\.cpu`$/,
  ],
  [
    'a cut-off file of another tool',
    '{"schema":"k6-summary","metrics":{"http_req',
    /its `schema` is "k6-summary", wanted "tailgate-evidence"; nor is it whole JSON: it ends after `schema`/,
  ],
  ['a gzip file', gzipSync(serialise(evidence)).toString('utf8'), /compressed with gzip/],
  [
    'a gzip file that was cut short',
    gzipSync(serialise(evidence)).subarray(0, 40).toString('utf8'),
    /compressed with gzip/,
  ],
  ['a zip file', 'PK\x03\x04\x14\x00', /a zip archive/],
  [
    'a bare NaN',
    serialise(evidence).replace('"saturated":false', '"saturated":NaN'),
    /^this evidence of version 1 is not whole JSON: `rounds\[0\]\.trials\[0\]\.saturated` is "NaN,/,
  ],
])('refuses %s and says what it found', (_, source, message) => {
  const error = refusal(source);
  expect(error.code).toBe('usage');
  expect(error.message).toMatch(message);
  expect(error.hint).toBeTruthy();
});

const round = evidence.rounds[1]!;

it.each([
  [
    'the same round twice',
    [evidence.rounds[0], evidence.rounds[0]],
    '`rounds[1].index` is 0, wanted 1: each',
  ],
  ['rounds in another order', [...evidence.rounds].reverse(), '`rounds[0].index` is 2, wanted 0'],
  [
    'a copy under another number',
    [evidence.rounds[0], { ...evidence.rounds[0], index: 1 }],
    '`rounds[1].startedAt` is 0, wanted later than 0 of the round before',
  ],
  [
    'a measuring round after a confirming one',
    [{ ...evidence.rounds[0], phase: 'confirming' }, round],
    '`rounds[1].phase` is "measuring", wanted "confirming"',
  ],
  [
    'a slice twice',
    [evidence.rounds[0], { ...round, trials: [...round.trials, round.trials[0]] }],
    'wanted each slice once',
  ],
])('refuses %s', (_, rounds, message) => {
  expect(refusal(changed(['rounds'], rounds)).message).toContain(message);
});

it.each([
  ['measuring', 12 + 5, 0],
  ['confirming', 1, 6 + 5],
])('reads the %s rounds that were measured again, and refuses more', (phase, measuring, confirming) => {
  const most = evidenceOf({ measuring, confirming });
  expect(parse(serialise(most)).rounds.length).toBe(measuring + confirming);
  const more = evidenceOf(
    phase === 'measuring'
      ? { measuring: measuring + 1, confirming }
      : { measuring, confirming: confirming + 1 },
  );
  expect(refusal(JSON.stringify(more)).message).toContain(
    `${phase} rounds of ${more.plan.scenarios[0]!.name}", wanted at most the`,
  );
});

const bench = benchmarks(0.1);
it.each([
  ['the same round twice', [bench.rounds[0], bench.rounds[0]], '`benchmarks.rounds[1].index` is 0, wanted 1'],
  [
    'more rounds than planned',
    [...bench.rounds, { ...bench.rounds[0], index: 12 }],
    'is "13 measuring rounds of bench/parse.bench.js > small", wanted at most the 12',
  ],
  [
    'a benchmark twice in a round',
    [{ ...bench.rounds[0], results: [bench.rounds[0]!.results[0], bench.rounds[0]!.results[0]] }],
    'wanted each benchmark once',
  ],
])('refuses of microbenchmarks %s', (_, rounds, message) => {
  expect(parse(changed(['benchmarks'], bench)).benchmarks).toEqual(bench);
  expect(refusal(changed(['benchmarks'], { ...bench, rounds })).message).toContain(message);
});

it('refuses evidence of the future, and reads what a clock that is ahead has written', () => {
  const written = (createdAt: string): string => changed(['createdAt'], createdAt);
  const today = new Date('2027-01-01T12:00:00.000Z');
  expect(parse(written('2027-01-02T11:00:00.000Z'), today).createdAt).toContain('2027-01-02');
  expect(() => parse(written('2999-01-01T00:00:00.000Z'), today)).toThrow(
    /is of 2999-01-01T00:00:00.000Z, and today is 2027-01-01/,
  );
  expect(() => parseStored(JSON.stringify({ ...bench, createdAt: '2999-01-01T00:00:00Z' }), today)).toThrow(
    /in the future/,
  );
});

const trial = ['rounds', 1, 'trials', 3] as const;

it.each([
  [['version'], '1', '`version` is "1", wanted 1'],
  [['createdAt'], 'yesterday', '`createdAt` is "yesterday", wanted a moment such as'],
  [['createdAt'], '2026-02-30T10:00:00.000Z', '`createdAt` is "2026-02-30T10:00:00.000Z", wanted a moment'],
  [['benchmarks'], { ...benchmarks(0), createdAt: '' }, '`benchmarks.createdAt` is "", wanted a moment'],
  [['waivers'], [{ ...waiver, expires: '2027-02-31' }], '`waivers[0].expires` is "2027-02-31", wanted a day'],
  [['plan'], undefined, '`plan` is missing, wanted an object'],
  [['plan', 'scenarios', 0, 'rate'], 1e300, 'rate` is 1e+300, wanted a number above 0 and at most 50000'],
  [['plan', 'scenarios', 0, 'rate'], 0, '`plan.scenarios[0].rate` is 0, wanted a number above 0'],
  [
    ['plan', 'warmUp', 'rate'],
    true,
    '`plan.warmUp.rate` is true, wanted a number above 0 and at most 100000',
  ],
  [['plan', 'warmUp', 'rate'], -1, '`plan.warmUp.rate` is -1, wanted a number above 0'],
  [['plan', 'warmUp', 'requests'], 'x', '`plan.warmUp.requests` is "x", wanted a whole number, at least 1'],
  [['plan', 'warmUp', 'requests'], 1e7, 'at least 1 and at most 1000000'],
  [['rounds', 0, 'sides', 'candidate', 'idleRate'], 1e300, 'idleRate` is 1e+300, wanted a number from 0 to'],
  [['plan', 'scenarios'], [], '`plan.scenarios` is [], wanted a list of at least 1'],
  [
    ['plan', 'looks'],
    [6, 12, 9],
    '`plan.looks` is [6,12,9], wanted ascending rounds, the last of them `plan.rounds`, 12',
  ],
  [['plan', 'looks'], [6, 9], '`plan.looks` is [6,9], wanted ascending'],
  [['judge', 'p99', 'detect'], '20 %', '`judge.p99.detect` is "20 %", wanted a finite number, at least 0'],
  [['rounds', 0, 'phase'], 'resting', '`rounds[0].phase` is "resting", wanted "measuring" or "confirming"'],
  [['rounds', 0, 'sides', 'candidate'], null, '`rounds[0].sides.candidate` is null, wanted an object'],
  [[...trial, 'side'], 'base', '`rounds[1].trials[3].side` is "base", wanted "baseline" or "candidate"'],
  [
    [...trial, 'scenario'],
    'basket',
    '`rounds[1].trials[3].scenario` is "basket", wanted a scenario of the plan',
  ],
  [[...trial, 'pair'], 0.5, '`rounds[1].trials[3].pair` is 0.5, wanted a whole number'],
  [[...trial, 'cost'], undefined, '`rounds[1].trials[3].cost` is missing'],
  [[...trial, 'cost', 'cpu'], null, '`rounds[1].trials[3].cost.cpu` is null, wanted a finite number'],
  [
    [...trial, 'load', 'counts', 'ok'],
    -1,
    '`rounds[1].trials[3].load.counts.ok` is -1, wanted a whole number',
  ],
  [
    [...trial, 'load', 'counts', 'ok'],
    501,
    '`rounds[1].trials[3].load.counts.ok` is 501, wanted at most the 500',
  ],
  [[...trial, 'load', 'onTime'], 600, '`rounds[1].trials[3].load.onTime` is 600, wanted at most the 500'],
  [
    [...trial, 'load', 'histograms', 'onTime'],
    7,
    '`rounds[1].trials[3].load.histograms.onTime` is 7, wanted a text',
  ],
  [[...trial, 'load', 'statuses', '200'], 'many', '`rounds[1].trials[3].load.statuses["200"]` is "many"'],
])('names the field %s when it holds %j', (path, value, message) => {
  const error = refusal(changed(path, value));
  expect(error.code).toBe('usage');
  expect(error.message).toContain(message);
  // Where the version itself is wrong, the message is about it.
  expect(error.message).toMatch(path[0] === 'version' ? /`version` is/ : / \(evidence of version 1\)$/);
});

const leftOut = {
  file: 'tailgate.yml',
  scenarios: ['search'],
  routes: [{ scenario: 'home', routes: ['GET /old'] }],
  benchmarks: ['bench/gone.bench.js', 'go'],
  added: ['home'],
};
const many = Array.from({ length: 1001 }, (_, index) => `n${index}`);

it('reads what was left out, up to a thousand names', () => {
  const full = { ...leftOut, scenarios: many.slice(1) };
  expect(parse(changed(['leftOut'], full)).leftOut).toEqual(full);
});

it.each([
  ['`leftOut.file` is " ", wanted a name', { file: ' ' }],
  ['`leftOut.scenarios[1]` is "", wanted a name', { scenarios: ['search', ''] }],
  ['`leftOut.scenarios[2]` is "a", wanted each name once', { scenarios: ['a', 'b', 'a'] }],
  ['`leftOut.scenarios[1]` is "home", wanted a name that is no scenario of', { scenarios: ['a', 'home'] }],
  ['`leftOut.scenarios` is "a list of 1001", wanted a list of at most 1000', { scenarios: many }],
  ['`leftOut.benchmarks[1]` is "go", wanted each name once', { benchmarks: ['go', 'go'] }],
  ['`leftOut.benchmarks[0]` is "", wanted a name', { benchmarks: [''] }],
  ['`leftOut.benchmarks` is "a list of 1001", wanted', { benchmarks: many }],
  [
    '`leftOut.benchmarks[1]` is "bench/parse.bench.js", wanted a name that is not among `benchmarks.subjects`',
    { benchmarks: ['go', 'bench/parse.bench.js'] },
  ],
  [
    '`leftOut.routes[0].scenario` is "search", wanted a scenario of the plan',
    { routes: [{ scenario: 'search', routes: ['GET /old'] }] },
  ],
  [
    '`leftOut.routes[1].scenario` is "home", wanted each name once',
    { routes: [...leftOut.routes, ...leftOut.routes] },
  ],
  [
    '`leftOut.routes[0].routes[1]` is "GET /", wanted each name once',
    { routes: [{ scenario: 'home', routes: ['GET /', 'GET /'] }] },
  ],
  [
    '`leftOut.routes[0].routes` is "a list of 1001", wanted',
    { routes: [{ scenario: 'home', routes: many }] },
  ],
  ['`leftOut.added[0]` is "basket", wanted a scenario of the plan', { added: ['basket'] }],
])('refuses, of what was left out: %s', (message, part) => {
  const source = JSON.stringify({
    ...JSON.parse(changed(['benchmarks'], bench)),
    leftOut: { ...leftOut, ...part },
  });
  const error = refusal(source);
  expect(error.message).toContain(message);
  expect(error.message).toMatch(/ \(evidence of version 1\)$/);
});

it('keeps slices that do not add up as long as they say so', () => {
  const source = changed([...trial, 'load', 'onTime'], 600).replaceAll(
    '"unsound":[]',
    '"unsound":["not-conserved"]',
  );
  expect(parse(source).rounds[1]!.trials[3]!.load.onTime).toBe(600);
});

it('refuses to write a figure that JSON cannot hold', () => {
  const broken: Evidence = {
    ...evidence,
    rounds: evidence.rounds.map((round) => ({
      ...round,
      sides: { ...round.sides, baseline: { ...round.sides.baseline, idleRate: Number.NaN } },
    })),
  };
  expect(() => serialise(broken)).toThrow(/`rounds\[0\]\.sides\.baseline\.idleRate` is NaN/);
});

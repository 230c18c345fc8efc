/** What a configuration means, and what is said about one that means nothing. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Overrides } from '../../src/config/overrides.ts';
import { loadConfig, readConfig, type Variables } from '../../src/config/read.ts';
import { TailgateError } from '../../src/kernel/errors.ts';

const read = (text: string | null, overrides: Overrides = {}, environment: Variables = {}) =>
  readConfig(text, { source: 'tailgate.yml', overrides, environment }).config;

/** The message of the refusal; fails when the text is accepted. */
function refusal(text: string | null, overrides: Overrides = {}, environment: Variables = {}): string {
  return refusalOf(() => read(text, overrides, environment));
}

function refusalOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TailgateError);
    expect((thrown as TailgateError).code).toBe('usage');
    expect((thrown as TailgateError).hint).toBeTruthy();
    return (thrown as TailgateError).message;
  }
  throw new Error('was accepted');
}

/** A start command and more lines, so that each test shows only what it is about. */
const file = (lines: string) => `start: node server.js\n${lines}\n`;

describe('a file', () => {
  test('that spells out every default means the same as one with the start command alone', async () => {
    const everyKey = await readFile(new URL('fixtures/every-key.yml', import.meta.url), 'utf8');
    expect(read(everyKey)).toEqual(read('start: node server.js'));
  });

  test('carries its units into the settings', () => {
    const config = read(
      file('time-budget: 1m30s\njudge: { cpu: { min: 2.5%, detect: 6 % }, errors: { min: 0.2 points } }'),
    );
    expect(config.timeBudget).toBe(90e9);
    expect(config.judge.cpu).toEqual({ min: 0.025, detect: 0.06 });
    expect(config.judge.errors.min).toBeCloseTo(0.002, 12);
    expect(config.judge.p99).toEqual({ min: 0.05, detect: 0.2 });
  });

  test('names statuses as one, as a class or as a list of both', () => {
    const status = (form: string) => read(file(`ready: { status: ${form} }`)).ready.status;
    expect(status('204')).toEqual([{ from: 204, to: 204 }]);
    expect(status('3xx')).toEqual([{ from: 300, to: 399 }]);
    expect(status('[200, "3xx"]')).toEqual([
      { from: 200, to: 200 },
      { from: 300, to: 399 },
    ]);
    expect(refusal(file('ready: { status: 9xx }'))).toContain('"9xx", wanted a status such as 200 or 2xx');
    expect(refusal(file('ready: { status: [] }'))).toContain('wanted a status such as 200 or 2xx');
  });

  test('gives a scenario the rate of the file unless it has its own', () => {
    const config = read(file('rate: 50\nscenarios: [{ name: a }, { name: b, rate: 7, path: /b }]'));
    expect(config.scenarios.map((one) => [one.name, one.rate, one.requests[0]?.path])).toEqual([
      ['a', 50, '/'],
      ['b', 7, '/b'],
    ]);
  });

  test('sends keys and values as JSON', () => {
    const request = (more: string) =>
      read(file(`scenarios: [{ requests: [{ method: POST, body: { a: [1, "x"] }${more} }] }]`)).scenarios[0]
        ?.requests[0];
    expect(request('')?.body).toEqual({ kind: 'json', value: { a: [1, 'x'] } });
    expect(request(', headers: { Content-Type: text/x }')?.headers).toEqual({ 'Content-Type': 'text/x' });
  });

  test('that is empty, or that is not there, leaves everything to the inputs', () => {
    for (const text of ['', '# nothing yet\n', null]) {
      expect(read(text, { start: 'node a.js' }).start).toBe('node a.js');
    }
  });

  test('asks the job for variables, and tells which it does not have', () => {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: this is how a user writes it.
    const text = file('env: { URL: "http://${HOST}:${DB_PORT}/", PLAIN: "$${HOST}", COUNT: 3 }');
    expect(read(text, {}, { HOST: 'db', DB_PORT: '5432' }).env).toEqual({
      URL: 'http://db:5432/',
      PLAIN: '${HOST}',
      COUNT: '3',
    });
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above.
    const message = refusal(text, {}, { HOST: 'db' });
    expect(message).toContain('env.URL (line 2): the job has no variable "DB_PORT"');
    expect(message).not.toContain('HOST"');
  });

  test('warns that HEAD costs a connection a request', () => {
    const text = file('scenarios: [{ name: probe, requests: [{ method: HEAD }] }]');
    const { warnings } = readConfig(text, { source: 'tailgate.yml', overrides: {}, environment: {} });
    expect(warnings.map((one) => one.code)).toEqual(['head-closes-connections']);
    expect(warnings[0]?.message).toContain('"probe"');
  });
});

describe('a refusal', () => {
  test('names every problem in one message, each with its line, what was found and what is wanted', () => {
    const message = refusal(
      [
        'start: "  "',
        'time-budget: 4',
        'slices: 6',
        'rounds: { aim: 5, least: 20, most: 14 }',
        'scenarios:',
        '  - rate: 0',
        '    requests: [{ path: items, weight: 0 }]',
        'timeBudget: 3m',
      ].join('\n'),
    );
    expect(message.split('\n')).toEqual([
      'tailgate.yml has 8 problems:',
      '  - start (line 1): "  ", wanted a command such as node server.js',
      '  - scenarios[0].rate (line 6): 0, wanted requests a second, above 0 and at most 50000',
      '  - scenarios[0].requests[0].path (line 7): "items", wanted a path that starts with / and has no spaces, # or unescaped letters beyond ASCII (/caf%C3%A9); templates may stand in it',
      '  - scenarios[0].requests (line 7): every request has weight 0: give at least one of them a weight above 0',
      '  - time-budget (line 2): 4, wanted a duration from 1s to 6h, with its unit, such as 250ms, 5s or 4m',
      '  - rounds.aim (line 4): 5, wanted a whole number from 6 to 60',
      '  - slices (line 3): 6, wanted auto or a multiple of 4, from 4 to 64',
      '  - timeBudget (line 8): no key of that name; did you mean `time-budget`?',
    ]);
  });

  test('says so when the start command is missing', () => {
    expect(refusal('rate: 5')).toContain('start: missing; wanted a command such as node server.js');
  });

  test.each([
    ['rounds: { least: 14 }', 'aim must not be below least'],
    ['rounds: { aim: 20 }', 'most must not be below aim'],
    ['rounds: { least: 5 }', '5, wanted a whole number from 6 to 60'],
    [
      'judge: { p99: { min: 30% } }',
      'detect must be above min (without a value of their own: min 5%, detect 20%)',
    ],
    ...['-4', '0', '6', '68', '8.5', '"8"', 'many'].map((given) => [
      `slices: ${given}`,
      'wanted auto or a multiple of 4, from 4 to 64',
    ]),
    ['judge: { tail: { min: 5% } }', '"5%", wanted percentage points'],
    ['judge: { cpu: { min: 2 points } }', '"2 points", wanted a share such as 5%'],
    ['rate: 50001', '50001, wanted requests a second'],
    ['rate: .inf', 'wanted requests a second'],
    ['rate: .nan', 'wanted requests a second'],
    ['seed: 1.5', '1.5, wanted random or a whole number'],
    ['seed: soon', '"soon", wanted random or a whole number'],
    ['timeout: 61s', '"61s", wanted a duration from 10ms to 60s'],
    ['warm-up: { most: 0% }', '"0%", wanted a share above 0% and at most 75%'],
    ['warm-up: { requests: many }', '"many", wanted auto or a whole number'],
    ['fail-on: [regresion]', 'fail-on[0] (line 2): "regresion", wanted one of regression,'],
    ['comment: sometimes', '"sometimes", wanted one of always, on-change'],
    ['listener-check: 1', '1, wanted on or off'],
    ['stop: { signal: TERM }', '"TERM", wanted one of SIGTERM'],
    ['baseline: --upload-pack=x', 'wanted merge-base, previous, or a branch'],
    ['working-directory: /srv', '"/srv", wanted a directory inside the repository'],
    ['working-directory: a/../../b', '"a/../../b", wanted a directory inside the repository'],
    ['scenarios: []', 'wanted at least one scenario'],
    ['scenarios: [{ name: a }, { name: a }]', 'two scenarios are named "a": names must differ'],
    ['scenarios: [{ name: "a/b" }]', '"a/b", wanted 1 to 60 letters'],
    [`scenarios: [{ name: ${'a'.repeat(61)} }]`, 'wanted 1 to 60 letters'],
    ['scenarios: [{ path: /, requests: [{}] }]', 'give either `path` or `requests`'],
    ['scenarios: [{ requests: [] }]', 'wanted at least one request'],
    ['scenarios: [{ requests: [{ method: get }] }]', '"get", wanted one of GET, HEAD'],
    ['scenarios: [{ requests: [{ weight: -1 }] }]', '-1, wanted a number from 0'],
    ['scenarios: [{ requests: [{ body: 5 }] }]', '5, wanted text, or keys and values'],
    ['scenarios: [{ requests: [{ method: HEAD, body: x }] }]', 'a HEAD request has no body'],
    ['env: { PORT: 80 }', 'Tailgate sets PORT'],
    ['env: { 1st: x }', 'wanted a name of letters, digits and underscores'],
    ['ready: off', '"off", wanted a group of keys'],
    ['setup:', 'null, wanted a command such as npm ci'],
  ])('of `%s` names the value and the wanted form', (lines, wanted) => {
    const message = refusal(file(lines));
    expect(message).toContain('has a problem:');
    expect(message).toContain(wanted);
  });

  test.each(['expect', 'Transfer-Encoding', 'keep-alive', 'Upgrade', 'connection'])(
    'of the header %s says that the HTTP client sets it',
    (name) => {
      const message = refusal(file(`scenarios: [{ requests: [{ headers: { ${name}: x } }] }]`));
      expect(message).toContain(`the HTTP client sets \`${name.toLowerCase()}\` itself`);
    },
  );

  test.each([
    'env: A_TOKEN=hunter2',
    'env: { 1st: hunter2 }',
    'env: { A_TOKEN: "x\\0hunter2" }',
    'ready: { headers: hunter2 }',
    'ready: { headers: { authorization: "hunter2\\n" } }',
    'ready: { headers: { "a b": hunter2 } }',
  ])('of `%s` does not repeat what may be a secret', (lines) => {
    expect(refusal(file(lines))).not.toContain('hunter2');
  });

  test('of a key that JavaScript has a meaning for is like any other', () => {
    const text = file('__proto__: { rate: 5 }\nconstructor: 1\nrounds: { toString: 8 }');
    const message = refusal(text);
    expect(message).toContain('has 3 problems');
    for (const key of ['__proto__ (line 2)', 'constructor (line 3)', 'rounds.toString (line 4)']) {
      expect(message).toContain(`${key}: no key of that name`);
    }
  });

  test.each([
    ['timeBudget: 3m', 'did you mean `time-budget`?'],
    ['time_budget: 3m', 'did you mean `time-budget`?'],
    ['scenario: []', 'did you mean `scenarios`?'],
    ['rounds: { aims: 8 }', 'no key of that name in `rounds`; did you mean `aim`?'],
    ['scenarios: [{ requests: [{ header: {} }] }]', 'in `scenarios[0].requests[0]`; did you mean `headers`?'],
    ['rounds: { quantity: 8 }', 'known here: aim, least, most'],
  ])('of the unknown key in `%s` suggests what was meant', (lines, suggestion) => {
    expect(refusal(file(lines))).toContain(suggestion);
  });

  test.each([
    ['judge: { microbenchmark: { min: 2%, detect: 5% } }', 'give `microbenchmarks`'],
    ['scenarios: [{ url: "http://localhost/" }]', 'only services that it starts itself'],
    ['judge: { p95: { min: 2%, detect: 5% } }', 'give `p99`'],
    ['path: /health', 'a path belongs to a scenario'],
  ])('of `%s` says why this version does not take it', (lines, sentence) => {
    expect(refusal(file(lines))).toContain(sentence);
  });
});

describe('microbenchmarks', () => {
  const benchmarksOf = (lines: string) => read(file(lines)).microbenchmarks;

  test('are the files of the usual name unless given, found rather than declared', () => {
    expect(benchmarksOf('rate: 5')).toEqual({
      files: ['**/*.bench.{js,mjs,ts,mts}'],
      declared: false,
      suites: [],
    });
  });

  test('are globs, commands and executions in one list; an empty one turns them off', () => {
    const list =
      'microbenchmarks: ["bench/**", { name: go, command: go test -bench ., format: go-bench }, { name: any, command: make bench }, { name: cli, exec: node cli.js }]';
    expect(benchmarksOf(list)).toEqual({
      files: ['bench/**'],
      declared: true,
      suites: [
        { kind: 'command', name: 'go', command: 'go test -bench .', format: 'go-bench' },
        { kind: 'command', name: 'any', command: 'make bench', format: 'auto' },
        { kind: 'execution', name: 'cli', exec: 'node cli.js' },
      ],
    });
    const formatOf = (word: string) =>
      benchmarksOf(`microbenchmarks: [{ name: go, command: make bench, format: ${word} }]`).suites[0];
    expect(formatOf('cargo')).toMatchObject({ format: 'libtest' });
    expect(formatOf('customBiggerIsBetter')).toMatchObject({ format: 'custom-bigger-is-better' });
    expect(formatOf('googlecpp')).toMatchObject({ format: 'google-benchmark' });
    expect(formatOf('auto')).toMatchObject({ format: 'auto' });
    expect(benchmarksOf('microbenchmarks: []')).toEqual({ files: [], declared: true, suites: [] });
  });

  test.each([
    ['microbenchmarks: [{ name: a }]', 'either `command`, a benchmark suite, or `exec`'],
    ['microbenchmarks: [{ name: a, command: b, exec: c }]', 'either `command`, a benchmark suite, or `exec`'],
    ['microbenchmarks: [{ name: a, exec: c, format: go-bench }]', 'a format belongs to `command`'],
    ['microbenchmarks: [{ name: a, command: b, format: gobench }]', 'wanted one of auto, go-bench'],
    ['microbenchmarks: [{ name: a, command: b, format: 5 }]', 'wanted one of auto, go-bench'],
    ['microbenchmarks: [{ name: a, comand: b }]', 'did you mean `command`?'],
    ['microbenchmarks: 5', 'wanted a list of globs and commands'],
    ['microbenchmarks: [5]', 'wanted a glob, or { name, command, format }'],
  ])('of `%s` are refused with what is wanted', (lines, sentence) => {
    expect(refusal(file(lines))).toContain(sentence);
  });
});

describe('arrivals', () => {
  const arrivalsOf = (value: string) => read(file(`arrivals: ${value}`)).arrivals;

  test('are a word, or a form with its figures', () => {
    expect(arrivalsOf('poisson')).toBe('poisson');
    expect(arrivalsOf('ramp')).toEqual({ kind: 'ramp', from: 0.5, to: 1.5 });
    expect(arrivalsOf('{ ramp: { to: 300% } }')).toEqual({ kind: 'ramp', from: 0.5, to: 3 });
    expect(arrivalsOf('burst')).toEqual({ kind: 'burst', every: 1e9, length: 1e8, factor: 5 });
    expect(arrivalsOf('{ burst: { every: 2s, for: 50ms, factor: 10 } }')).toEqual({
      kind: 'burst',
      every: 2e9,
      length: 5e7,
      factor: 10,
    });
  });

  test.each([
    ['waves', 'wanted constant, poisson, ramp, burst, or a group'],
    ['{ ramp: {}, burst: {} }', 'wanted either `ramp` or `burst`'],
    ['{ ramp: { from: 0% } }', 'wanted a share from 1% to 2000%'],
    ['{ burst: { every: 1s, for: 1s } }', '`for` must be shorter than `every`'],
    ['{ burst: { factor: 1 } }', 'wanted a number above 1'],
    ['{ bursts: {} }', 'did you mean `burst`?'],
  ])('of %s are refused with what is wanted', (value, sentence) => {
    expect(refusal(file(`arrivals: ${value}`))).toContain(sentence);
  });
});

describe('waivers', () => {
  test('accept one row each, with a ceiling in the unit of its metric', () => {
    const lines =
      'waivers: [{ scenario: a, metric: cpu, ceiling: 12%, expires: 2027-01-31, reason: new cache }, { metric: tail, ceiling: 6 points, reason: x }]';
    expect(read(file(lines)).waivers).toEqual([
      { scenario: 'a', metric: 'cpu', ceiling: 0.12, expires: '2027-01-31', reason: 'new cache' },
      { scenario: 'default', metric: 'tail', ceiling: 0.06, expires: null, reason: 'x' },
    ]);
  });

  test.each([
    ['{ metric: cpu, ceiling: 12 points, reason: x }', 'wanted a share above 0%'],
    ['{ metric: tail, ceiling: 12%, reason: x }', 'wanted points above 0'],
    ['{ metric: cpu, ceiling: 0%, reason: x }', 'wanted a share above 0%'],
    ['{ metric: cpu, ceiling: 12, reason: x }', 'wanted a share such as 12%'],
    ['{ metric: cpu, ceiling: 12%, reason: "" }', 'wanted the reason'],
    ['{ metric: cpu, ceiling: 12% }', 'wanted the reason'],
    ['{ metric: cpu, ceiling: 12%, reason: "…" }', 'wanted the reason'],
    ['{ metric: speed, ceiling: 12%, reason: x }', 'wanted one of p50'],
    ['{ metric: cpuu, ceiling: 12%, reason: x }', 'did you mean cpu?'],
    ['{ metric: cpu, ceiling: 12%, reason: x, expires: soon }', 'wanted a day such as 2027-01-31'],
    ['{ metric: cpu, ceiling: 12%, reason: x, expires: 2027-02-31 }', 'the calendar has no such day'],
    ['{ metric: cpu, ceiling: 12%, reason: x, expires: 2027-02-29 }', 'the calendar has no such day'],
  ])('of %s are refused with what is wanted', (waiver, sentence) => {
    expect(refusal(file(`waivers: [${waiver}]`))).toContain(sentence);
  });
});

describe('YAML that cannot be read', () => {
  test.each([
    ['start: [a\nrate: 5', 'line 2, column 1'],
    ['start: a\nrate: 5\nstart: b\n', 'line 3, column 1: start stands there twice'],
    ['start: !!shell rm', 'line 1, column 8: Unresolved tag'],
    ['start: a\n---\nstart: b', 'line 2'],
    ['- start: a', 'a list stands at the top'],
    ['node server.js', '"node server.js" stands at the top'],
    ['start: *there', 'there'],
  ])('is refused with its place: %j', (text, place) => {
    const message = refusal(text);
    expect(message).toContain('tailgate.yml cannot be read as YAML');
    expect(message).toContain(place);
  });

  test('does not grow without bounds', () => {
    const levels = Array.from({ length: 12 }, (_, index) => {
      const below = index === 0 ? 'x' : `*l${index - 1}`;
      return `l${index}: &l${index} [${Array(9).fill(below).join(', ')}]`;
    });
    expect(refusal(levels.join('\n'))).toContain('cannot be read as YAML');
  });
});

describe('a value given beside the file', () => {
  test('replaces the key of its name', () => {
    const overrides = {
      start: 'node b.js',
      'time-budget': '2m',
      baseline: 'v1.2',
      'ready-path': '/up',
      'fail-on': 'regression,\n  missing\n',
      confirm: 'false',
      seed: '42',
      comment: '',
      setup: undefined,
    };
    const config = read('setup: make\nstart: node a.js\nready: { status: 204 }\ncomment: never', overrides);
    expect(config).toMatchObject({
      setup: 'make',
      start: 'node b.js',
      timeBudget: 120e9,
      baseline: 'v1.2',
      ready: { path: '/up', status: [{ from: 204, to: 204 }] },
      failOn: ['regression', 'missing'],
      confirm: false,
      seed: 42,
      comment: 'never',
    });
  });

  test('of path and rate counts for the one scenario', () => {
    const pathAndRate = { path: '/x', rate: '70' };
    const brief = (text: string) =>
      read(text, pathAndRate).scenarios.map((one) => [
        one.name,
        one.rate,
        one.requests[0]?.method,
        one.requests[0]?.path,
      ]);
    expect(brief(file(''))).toEqual([['default', 70, 'GET', '/x']]);
    expect(brief(file('scenarios: [{ name: a, rate: 5, path: /y }]'))).toEqual([['a', 70, 'GET', '/x']]);
    expect(brief(file('scenarios: [{ requests: [{ method: PUT }] }]'))).toEqual([
      ['default', 70, 'PUT', '/x'],
    ]);
  });

  test('of path is refused where it is not clear whose path it is', () => {
    expect(refusal(file('scenarios: [{ name: a }, { name: b }]'), { path: '/x' })).toContain(
      'path: the file has 2 scenarios, so it is not clear whose path this is',
    );
    expect(refusal(file('scenarios: [{ requests: [{}, { path: /z }] }]'), { path: '/x' })).toContain(
      '2 requests',
    );
  });

  test('of rate reaches the scenarios without their own, and is refused where there are none', () => {
    const rates = read(file('scenarios: [{ name: a }, { name: b, rate: 9 }]'), { rate: '70' }).scenarios;
    expect(rates.map((one) => one.rate)).toEqual([70, 9]);
    const all = file('scenarios: [{ name: a, rate: 5 }, { name: b, rate: 9 }]');
    expect(refusal(all, { rate: '70' })).toContain(
      'each of the 2 scenarios of the file has a rate of its own',
    );
  });

  test('is named as such when it is wrong', () => {
    expect(refusal(file(''), { rate: 'fast' })).toContain(
      'rate (given as rate): "fast", wanted requests a second',
    );
    expect(refusal(file(''), { path: 'x' })).toContain(
      'scenarios[0].path (given as path): "x", wanted a path',
    );
    expect(refusal(file(''), { 'tme-budget': '4m' })).toContain('did you mean `time-budget`?');
  });
});

describe('the file', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tailgate-config-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const load = (name?: string, overrides: Overrides = {}) =>
    loadConfig({ directory, file: name, overrides, environment: {} });

  test('is tailgate.yml or tailgate.yaml of the directory, and may be absent', () => {
    expect(load(undefined, { start: 'a' })).toMatchObject({ file: null, config: { start: 'a' } });
    writeFileSync(join(directory, 'tailgate.yaml'), 'start: b');
    expect(load()).toMatchObject({ file: join(directory, 'tailgate.yaml'), config: { start: 'b' } });
    writeFileSync(join(directory, 'tailgate.yml'), 'start: c');
    expect(refusalOf(() => load())).toContain('both tailgate.yml and tailgate.yaml');
  });

  test('must exist, be a file and be readable when it is named', () => {
    expect(refusalOf(() => load('perf/gate.yml'))).toContain('perf/gate.yml does not exist');
    mkdirSync(join(directory, 'perf'));
    expect(refusalOf(() => load('perf'))).toContain('the configuration perf is no file');
    writeFileSync(join(directory, 'perf/gate.yml'), 'start: d');
    expect(load('perf/gate.yml').config.start).toBe('d');
    writeFileSync(join(directory, 'perf/latin.yml'), Buffer.from([0x23, 0xe9]));
    expect(refusalOf(() => load('perf/latin.yml'))).toContain('perf/latin.yml cannot be read');
  });

  test('larger than 256 KiB was named by mistake', () => {
    writeFileSync(join(directory, 'tailgate.yml'), `start: a\n#${'x'.repeat(256 * 1024)}`);
    expect(refusalOf(() => load())).toContain('wanted at most 256 KiB');
  });

  test('is named in its problems, and without one the inputs are', () => {
    writeFileSync(join(directory, 'gate.yml'), 'start: a\nrate: x');
    expect(refusalOf(() => load('gate.yml'))).toContain('gate.yml has a problem:\n  - rate (line 2)');
    expect(refusalOf(() => load())).toContain('the configuration has a problem:\n  - start: missing');
  });
});

/** Where cost is read, other counters, companions: what the file means, and what is said about one that means nothing. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how a user writes it.
import { describe, expect, test } from 'vitest';
import { readConfig, type Variables } from '../../src/config/read.ts';
import { TailgateError } from '../../src/kernel/errors.ts';

const read = (lines: string, environment: Variables = {}) =>
  readConfig(`start: node server.js\n${lines}\n`, { source: 'tailgate.yml', overrides: {}, environment })
    .config;

/** The message of the refusal; fails when the text is accepted. */
function refusal(lines: string, environment: Variables = {}): string {
  try {
    read(lines, environment);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TailgateError);
    expect((thrown as TailgateError).code).toBe('usage');
    return (thrown as TailgateError).message;
  }
  throw new Error(`was accepted: ${lines}`);
}

describe('cost', () => {
  test('is the process tree unless a page or a cgroup is named', () => {
    expect(read('').cost).toEqual({ kind: 'process-tree' });
    expect(read('cost: process-tree').cost).toEqual({ kind: 'process-tree' });
    expect(read('cost: { prometheus: {} }').cost).toEqual({
      kind: 'prometheus',
      endpoint: { path: '/metrics', port: null },
      metric: 'process_cpu_seconds_total',
      labels: {},
    });
    expect(
      read('cost: { prometheus: { path: /m, metric: cpu_total, labels: { pod: "app-{port}", n: 1 } } }').cost,
    ).toMatchObject({ endpoint: { path: '/m' }, metric: 'cpu_total', labels: { pod: 'app-{port}', n: '1' } });
    expect(read('cost: { cgroup: "/sys/fs/cgroup/app-{port}" }').cost).toEqual({
      kind: 'cgroup',
      path: '/sys/fs/cgroup/app-{port}',
    });
    expect(read('cost: { cgroup: "/sys/fs/cgroup/{side}/cpu.stat" }').cost).toMatchObject({
      path: '/sys/fs/cgroup/{side}',
    });
  });

  test.each([
    ['cost: docker', '"docker", wanted process-tree, { prometheus: { path, metric } } or { cgroup: PATH }'],
    ['cost:', 'null, wanted process-tree'],
    ['cost: {}', 'wanted process-tree, { prometheus'],
    ['cost: { prometheus: {}, cgroup: /sys/fs/cgroup/a }', 'wanted process-tree, { prometheus'],
    ['cost: { prometeus: {} }', 'did you mean `prometheus`'],
    ['cost: { prometheus: }', 'cost.prometheus (line 2): null, wanted a group of keys'],
    ['cost: { prometheus: { path: metrics } }', 'wanted a path that starts with /'],
    ['cost: { prometheus: { port: 0 } }', '0, wanted a port from 1 to 65535'],
    [
      'cost: { prometheus: { port: "{services.port}" } }',
      'wanted a port from 1 to 65535, or {services.NAME.port}',
    ],
    ['cost: { prometheus: { metric: "a b" } }', 'wanted the name of a counter such as'],
    ['cost: { prometheus: { labels: { "a-b": c } } }', 'wanted the name of a label'],
    ['cost: { prometheus: { labels: [a] } }', 'wanted label names with their values'],
    ['cost: { prometheus: { url: /metrics } }', 'url'],
    ['cost: { cgroup: app }', 'wanted the absolute path of a cgroup'],
    ['cost: { cgroup: /sys/fs/../../etc }', 'without ..'],
    ['cost: { cgroup: [a] }', 'a list, wanted the absolute path of a cgroup'],
  ])('%s is refused', (lines, message) => {
    expect(refusal(lines)).toContain(message);
  });
});

describe('services', () => {
  test('are none unless they are named, and have their defaults', () => {
    expect(read('').services).toEqual([]);
    expect(read('services: [{ name: db, start: postgres }]').services).toEqual([
      {
        name: 'db',
        start: 'postgres',
        startTimeout: 60e9,
        ready: { kind: 'port' },
        stop: { signal: 'SIGTERM', grace: 5e9 },
        env: {},
        scope: 'shared',
        reset: null,
        countCost: false,
      },
    ]);
  });

  test('say when they are ready, how they end and what they are given', () => {
    const config = read(
      `services:
  - { name: a, start: a, ready: { path: /up, status: 204 }, env: { PASS: "\${SECRET}", N: 5 } }
  - { name: b, start: "b {services.a.port}", ready: { command: "ask {port}" }, scope: side, count-cost: true }
  - { name: c, start: c, stop: { signal: SIGINT, grace: 1s }, reset: "fill {port}", start-timeout: 5s }`,
      { SECRET: 'open' },
    );
    expect(config.services).toMatchObject([
      {
        ready: { kind: 'path', path: '/up', status: [{ from: 204, to: 204 }] },
        env: { PASS: 'open', N: '5' },
      },
      { ready: { kind: 'command', command: 'ask {port}' }, scope: 'side', countCost: true },
      { stop: { signal: 'SIGINT', grace: 1e9 }, reset: 'fill {port}', startTimeout: 5e9 },
    ]);
  });

  test('are known to the sides through env, which setup does not see', () => {
    const config = read(
      'services: [{ name: db, start: postgres }]\nenv: { PLAIN: a, URL: "pg://x:${P}@127.0.0.1:{services.db.port}/a" }',
      { P: 'p' },
    );
    expect(config.env).toEqual({ PLAIN: 'a' });
    expect(config.linkedEnv).toEqual({ URL: 'pg://x:p@127.0.0.1:{services.db.port}/a' });
  });

  const db = 'services: [{ name: db, start: postgres }]';
  test.each([
    ['services: postgres', '"postgres", wanted a list of { name, start }'],
    ['services: [postgres]', 'services[0] (line 2): "postgres", wanted a group of keys'],
    ['services: [{ start: postgres }]', 'services[0].name (line 2): missing; wanted 1 to 40 letters'],
    ['services: [{ name: "a b", start: x }]', '"a b", wanted 1 to 40 letters'],
    ['services: [{ name: db }]', 'services[0].start (line 2): missing; wanted a command'],
    ['services: [{ name: db, start: x, ready: soon }]', '"soon", wanted port, { path: /health } or'],
    ['services: [{ name: db, start: x, ready: {} }]', 'wanted port, { path: /health } or'],
    [
      'services: [{ name: db, start: x, ready: { path: /, command: y } }]',
      'wanted port, { path: /health } or',
    ],
    ['services: [{ name: db, start: x, ready: { command: y, status: 200 } }]', 'a status belongs to `path`'],
    ['services: [{ name: db, start: x, ready: { path: up } }]', 'wanted a path that starts with /'],
    ['services: [{ name: db, start: x, scope: both }]', 'wanted one of shared, side'],
    ['services: [{ name: db, start: x, env: { PORT: 1 } }]', 'Tailgate sets PORT'],
    ['services: [{ name: db, start: x, env: { A: "${NOPE}" } }]', 'the job has no variable "NOPE"'],
    ['services: [{ name: db, start: x, scopes: side }]', 'did you mean `scope`'],
    ['services: [{ name: db, start: x, stop: { signal: TERM } }]', 'wanted one of SIGTERM'],
    ['services: [{ name: db, start: x }, { name: db, start: y }]', '"db" is there already'],
    ['services: [{ name: db, start: x, count-cost: true }]', 'give it `scope: side`'],
    [
      'cost: { prometheus: {} }\nservices: [{ name: db, start: x, scope: side, count-cost: true }]',
      'only `cost: process-tree` adds processes up',
    ],
    ['services: [{ name: db, start: "x {side}" }]', 'the service is shared by both sides'],
    [
      'services: [{ name: a, start: "x {services.b.port}" }, { name: b, start: y }]',
      'is started after this one',
    ],
    ['services: [{ name: a, start: "x {services.a.port}" }]', 'is this service itself: write {port}'],
    [
      'services: [{ name: a, start: x, scope: side }, { name: b, start: "y {services.a.port}" }]',
      'is one of two, and this one is shared',
    ],
    [
      `${db}\nenv: { URL: "x:{services.dbb.port}" }`,
      'no entry of `services` is called "dbb"; did you mean {services.db.port}?',
    ],
    [`${db}\nenv: { URL: "x:{services.db}" }`, '{services.db} cannot be read: wanted {services.NAME.port}'],
    [`${db}\nenv: { DIR: "{services.db.directory}" }`, 'that service has no directory'],
    [`${db}\nreset: "psql {services.other.port}"`, 'no entry of `services` is called "other"'],
    [`${db}\nsetup: "psql {services.db.port}"`, 'setup runs before any of `services`'],
    ['env: { A: "{side}" }', 'both sides are started alike'],
    ['reset: [a]', 'a list, wanted a command such as npm run seed'],
    ['reset-timeout: 5', 'wanted a duration from 1s to 1h'],
  ])('%s is refused', (lines, message) => {
    expect(refusal(lines)).toContain(message);
  });

  test('and the cost of a side must be told apart from the other side', () => {
    const same = 'both sides would read the same';
    expect(refusal('cost: { prometheus: { port: 9100 } }')).toContain(`${same} counter on this port`);
    expect(refusal('cost: { prometheus: { port: 9100, labels: { a: b } } }')).toContain(same);
    expect(refusal('cost: { cgroup: /sys/fs/cgroup/app }')).toContain(`${same} cgroup`);
    expect(refusal(`${db}\ncost: { prometheus: { port: "{services.db.port}" } }`)).toContain(same);
    expect(refusal('metrics: [{ name: a, metric: b, port: 9100 }]')).toContain(same);
    expect(refusal(`${db}\ncost: { prometheus: { port: "{services.x.port}" } }`)).toContain('is called "x"');
    read('cost: { prometheus: { port: 9100, labels: { pod: "app-{port}" } } }');
    read(`${db.replace(' }', ', scope: side }')}\ncost: { prometheus: { port: "{services.db.port}" } }`);
  });
});

describe('metrics', () => {
  test('are counters of the page of the service, shown and not judged unless they have tolerances', () => {
    const config = read(
      'metrics: [{ name: gc, metric: gc_seconds_sum, labels: { kind: major } }, { name: q, metric: q_total, path: /m, judge: { min: 1% } }]',
    );
    expect(config.metrics).toEqual([
      {
        name: 'gc',
        metric: 'gc_seconds_sum',
        labels: { kind: 'major' },
        endpoint: { path: '/metrics', port: null },
        judge: null,
      },
      {
        name: 'q',
        metric: 'q_total',
        labels: {},
        endpoint: { path: '/m', port: null },
        judge: { min: 0.01, detect: 0.1 },
      },
    ]);
  });

  test.each([
    ['metrics: gc', '"gc", wanted a list of { name, metric }'],
    ['metrics: [gc]', 'metrics[0] (line 2): "gc", wanted a group of keys'],
    ['metrics: [{ name: gc }]', 'metrics[0].metric (line 2): missing; wanted the name of a counter'],
    ['metrics: [{ metric: gc }]', 'metrics[0].name (line 2): missing'],
    ['metrics: [{ name: a/b, metric: gc }]', '"a/b", wanted 1 to 60'],
    ['metrics: [{ name: a, metric: b }, { name: a, metric: c }]', '"a" is there already'],
    ['metrics: [{ name: a, metric: b, per: second }]', 'wanted one of request'],
    ['metrics: [{ name: a, metric: b, judge: { min: 5%, detect: 2% } }]', 'detect must be above min'],
    ['metrics: [{ name: a, metric: b, judge: yes }]', 'judge'],
  ])('%s is refused', (lines, message) => {
    expect(refusal(lines)).toContain(message);
  });
});

/** Where cost is read, other counters, companions: what the file means, and what is said about one that means nothing. */
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

/** A candidate cannot loosen the gate that judges it where the baseline is trusted. */
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { trustedConfig } from '../../src/config/trust.ts';

const configOf = (lines: string) =>
  readConfig(lines, { source: 'test', overrides: {}, environment: {} }).config;
const strict = 'start: old\nfail-on: [regression, missing]\njudge: { cpu: { min: 1%, detect: 3% } }';
const loose =
  'start: new\nrate: 900\ncost: { cgroup: "/sys/fs/cgroup/{port}" }\nfail-on: []\npaths: [docs/**]\njudge: { cpu: { min: 50%, detect: 90% } }';

test('by default the candidate says it all', () => {
  expect(trustedConfig(configOf(loose), configOf(strict))).toEqual(configOf(loose));
});

test.each([
  ['the baseline', loose, `${strict}\ntrust-config: baseline`],
  ['the candidate', `${loose}\ntrust-config: baseline`, strict],
])(
  'with trust-config: baseline in the file of %s, the baseline says how strict the gate is',
  (_, own, base) => {
    const config = trustedConfig(configOf(own), configOf(base));
    expect(config.judge.cpu).toEqual({ min: 0.01, detect: 0.03 });
    expect(config.failOn).toEqual(['regression', 'missing']);
    expect(config.paths).toEqual([]);
    expect(config.cost).toEqual({ kind: 'process-tree' });
    expect([config.start, config.scenarios[0]?.rate]).toEqual(['new', 900]);
  },
);

test('a baseline without a file leaves the candidate its word', () => {
  const candidate = configOf(`${loose}\ntrust-config: baseline`);
  expect(trustedConfig(candidate, null)).toEqual(candidate);
});

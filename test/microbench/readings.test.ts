/** What adapters say of the output of suites, over the rounds of a job. */
import { describe, expect, test } from 'vitest';
import type { Warning } from '../../src/kernel/errors.ts';
import { formatsText, SuiteReadings } from '../../src/microbench/readings.ts';
import type { SuiteRun } from '../../src/microbench/suites.ts';

const run = (format: 'go-bench' | 'libtest' | null, ...messages: readonly string[]): SuiteRun => {
  const warnings = messages.map((message) => ({ code: 'test', message }));
  return { kind: 'rows', rows: [], format, warnings };
};

function listening() {
  const told: string[] = [];
  const readings = new SuiteReadings({
    read: (name, formats) => told.push(`${name}: ${formats}`),
    warn: (warning: Warning) => told.push(warning.message),
  });
  return { told, readings };
}

describe('what is said of a suite', () => {
  test('is said once, without a side where both say it, and once more only where it is new', () => {
    const { told, readings } = listening();
    readings.add('go', { baseline: run('go-bench', 'both'), candidate: run('go-bench', 'both', 'here') });
    expect(told).toEqual(['go: go-bench', 'go: both', 'go on the candidate: here']);
    readings.add('go', { baseline: run('go-bench', 'both'), candidate: run('go-bench', 'both', 'later') });
    expect(told.slice(3)).toEqual(['go on the candidate: later']);
    expect(readings.all).toHaveLength(1);
    expect(readings.all[0]!.warnings.map((one) => one.message)).toEqual(told.slice(1));
  });

  test('is that its sides print different formats', () => {
    const { told, readings } = listening();
    readings.add('go', { baseline: run('go-bench'), candidate: run('libtest') });
    expect(told).toEqual([
      'go: go-bench on the baseline, libtest on the candidate',
      expect.stringContaining('the tools may measure differently'),
    ]);
  });

  test('is nothing where nothing is read, and the side that was read where the other failed', () => {
    const { told, readings } = listening();
    readings.add('cli', { baseline: run(null), candidate: run(null) });
    expect([told, readings.all]).toEqual([[], []]);
    readings.add('go', { baseline: run('go-bench'), candidate: { kind: 'failed', reason: 'x' } });
    expect(readings.all.map(formatsText)).toEqual(['go-bench']);
  });

  test('has an end', () => {
    const { told, readings } = listening();
    const many = Array.from({ length: 50 }, (_, index) => `repetition ${index}`);
    readings.add('go', { baseline: run('go-bench', ...many), candidate: run('go-bench') });
    readings.add('go', { baseline: run('go-bench', 'one more'), candidate: run('go-bench') });
    expect(told).toHaveLength(22);
    expect(told.at(-1)).toContain('left out here');
  });
});

/** pytest-benchmark's JSON (`--benchmark-json`, or its storage folder), old and new schema: seconds, the mean first. */
import type { Adapter } from './adapter.ts';
import { at, isEmptyList, isRecord, likeEmpty, records, textAt, toldRecords } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const pytestBenchmark: Adapter = {
  format: 'pytest-benchmark',
  title: 'pytest-benchmark JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    const benchmarks = at(root, 'benchmarks');
    if (!Array.isArray(benchmarks)) return 0;
    if (records(benchmarks).some((one) => isRecord(one['stats']) && 'fullname' in one)) return 1;
    if (at(root, 'machine_info') !== undefined && at(root, 'commit_info') !== undefined) return 0.9;
    return isEmptyList(benchmarks) ? likeEmpty : 0;
  },
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    const quantity = quantityOf('s');
    for (const benchmark of toldRecords(sheet, at(root, 'benchmarks'), 'benchmarks')) {
      const name = textAt(benchmark, 'fullname') ?? textAt(benchmark, 'name') ?? '';
      const data = at(benchmark, 'stats', 'data');
      const samples = Array.isArray(data) ? (data as unknown[]) : [];
      const whole = samples.every((sample) => typeof sample === 'number');
      if (!whole)
        sheet.warn('samples-left-out', `${name}: the list of rounds is cut, so its values are not used`);
      sheet.add({
        name,
        quantity,
        value: at(benchmark, 'stats', 'mean') ?? null,
        samples: whole ? samples : [],
        spread: at(benchmark, 'stats', 'stddev') ?? null,
        origin: textAt(benchmark, 'group'),
      });
    }
    return sheet.result();
  },
};

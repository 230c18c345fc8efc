/** mitata's JSON (`format: 'json'`): nanoseconds an iteration, groups and arguments in the name, thrown errors as rows. */
import type { Adapter } from './adapter.ts';
import { at, isEmptyList, isRecord, likeEmpty, records, textAt, toldRecords } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const mitata: Adapter = {
  format: 'mitata',
  title: 'mitata JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    if (!Array.isArray(at(root, 'benchmarks'))) return 0;
    if (Array.isArray(at(root, 'layout'))) return 1;
    const runs = records(at(root, 'benchmarks')).flatMap((one) => records(one['runs']));
    if (runs.some((run) => isRecord(run['stats']) && 'ticks' in run['stats'])) return 1;
    return isEmptyList(at(root, 'benchmarks')) ? likeEmpty : 0;
  },
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    const layout = at(root, 'layout');
    for (const benchmark of toldRecords(sheet, at(root, 'benchmarks'), 'benchmarks')) {
      const place = Array.isArray(layout) ? layout[Number(benchmark['group'])] : undefined;
      const group = textAt(place, 'name');
      const runs = toldRecords(sheet, benchmark['runs'], 'runs');
      if (runs.length === 0) {
        const own = textAt(benchmark, 'alias') ?? '';
        const name = group === null ? own : `${group} > ${own}`;
        sheet.add({ name, quantity: quantityOf('ns'), problem: 'mitata has no runs of it' });
      }
      for (const run of runs) {
        const own = textAt(run, 'name') ?? textAt(benchmark, 'alias') ?? '';
        const samples = at(run, 'stats', 'samples');
        const failed = run['error'] !== undefined;
        sheet.add({
          name: group === null ? own : `${group} > ${own}`,
          quantity: quantityOf('ns'),
          value: at(run, 'stats', 'avg') ?? null,
          samples: Array.isArray(samples) ? (samples as unknown[]) : [],
          origin: isRecord(run['args']) ? argumentsOf(run['args']) : null,
          problem: failed
            ? `the benchmark threw ${textAt(run, 'error', 'message') ?? 'an error without a message'}`
            : null,
        });
      }
    }
    return sheet.result();
  },
};

function argumentsOf(given: Readonly<Record<string, unknown>>): string | null {
  const pairs = Object.entries(given).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.length === 0 ? null : pairs.join(', ');
}

/** vitest's benchmark report (`vitest bench --outputJson`): milliseconds, named by file and group; a failed one has no mean. */
import type { Adapter } from './adapter.ts';
import { at, isEmptyList, likeEmpty, records, textAt, toldRecords } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const vitest: Adapter = {
  format: 'vitest',
  title: 'vitest bench JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    const files = records(at(root, 'files'));
    if (files.length > 0 && files.every((file) => 'filepath' in file && Array.isArray(file['groups'])))
      return 1;
    return isEmptyList(at(root, 'files')) ? likeEmpty : 0;
  },
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    const quantity = quantityOf('ms');
    const groups = toldRecords(sheet, at(root, 'files'), 'files').flatMap((file) =>
      toldRecords(sheet, file['groups'], 'groups'),
    );
    for (const group of groups) {
      const place = textAt(group, 'fullName');
      for (const benchmark of toldRecords(sheet, group['benchmarks'], 'benchmarks')) {
        const own = textAt(benchmark, 'name') ?? '';
        const { samples } = benchmark;
        sheet.add({
          name: place === null ? own : `${place} > ${own}`,
          quantity,
          value: benchmark['mean'],
          samples: Array.isArray(samples) ? (samples as unknown[]) : [],
          spread: benchmark['sd'] ?? null,
          problem: benchmark['mean'] === undefined ? 'vitest has no figures for it; did it throw?' : null,
        });
      }
    }
    return sheet.result();
  },
};

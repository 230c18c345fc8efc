/** The custom JSON of benchmark-action/github-action-benchmark, in both directions and, for `auto`, with the direction of the unit. */
import type { Direction, Format } from '../../kernel/words.ts';
import type { Adapter, BenchDocument } from './adapter.ts';
import { isEmptyList, likeEmpty, records, textAt, toldRecords } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const githubActionBenchmark = customAdapter(
  'github-action-benchmark',
  'github-action-benchmark custom JSON, direction by unit',
  null,
);
export const customSmallerIsBetter = customAdapter(
  'custom-smaller-is-better',
  'github-action-benchmark custom JSON, smaller is better',
  'smaller-is-better',
);
export const customBiggerIsBetter = customAdapter(
  'custom-bigger-is-better',
  'github-action-benchmark custom JSON, bigger is better',
  'bigger-is-better',
);

function customAdapter(format: Format, title: string, direction: Direction | null): Adapter {
  return {
    format,
    title,
    shape: 'json',
    // Direction is not in the file: only the form that takes it from the unit can be recognised.
    recognises: (document) => {
      if (isEmptyList(document.json[0])) return likeEmpty;
      return isCustom(document) ? (direction === null ? 0.8 : 0.1) : 0;
    },
    read: ({ json: [root] }) => {
      const sheet = new RowSheet();
      for (const entry of toldRecords(sheet, root, 'benchmarks')) {
        sheet.add({
          name: textAt(entry, 'name') ?? '',
          quantity: quantityOf(textAt(entry, 'unit') ?? ''),
          value: entry['value'] ?? null,
          spread: spreadOf(entry['range']),
          ...(direction === null ? {} : { direction }),
        });
      }
      return sheet.result();
    },
  };
}

function isCustom({ json: [root] }: BenchDocument): boolean {
  const entries = records(root);
  const whole = entries.filter((one) => 'unit' in one && 'value' in one);
  return whole.length > 0 && entries.every((one) => 'name' in one);
}

/** `± 329`, `+/- 3`, `3`: in the unit of the value. A range in per cent or in words is not a spread in that unit. */
function spreadOf(range: unknown): unknown {
  if (typeof range !== 'string') return typeof range === 'number' ? range : null;
  return range.replace(/^\s*(±|\+\/-|\+-)\s*/, '');
}

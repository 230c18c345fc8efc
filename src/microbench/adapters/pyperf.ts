/** pyperf's JSON: every value of every worker process is a sample; the unit stands in the metadata. */
import type { Adapter } from './adapter.ts';
import { at, isEmptyList, isRecord, likeEmpty, records, textAt, toldRecords } from './adapter.ts';
import type { Quantity } from './quantities.ts';
import { countOf, quantityOf } from './quantities.ts';
import { mean, RowSheet } from './sheet.ts';

export const pyperf: Adapter = {
  format: 'pyperf',
  title: 'pyperf JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    const benchmarks = records(at(root, 'benchmarks'));
    if (isEmptyList(at(root, 'benchmarks'))) return likeEmpty;
    if (benchmarks.length === 0 || !benchmarks.every((one) => Array.isArray(at(one, 'runs')))) return 0;
    // mitata too has `benchmarks` with `runs`, but there a run is not a process.
    return benchmarks.some((one) => records(at(one, 'runs')).some((run) => isRecord(run['stats'])))
      ? 0
      : 0.95;
  },
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    for (const benchmark of toldRecords(sheet, at(root, 'benchmarks'), 'benchmarks')) {
      const metadata = (field: string): string | null =>
        textAt(benchmark, 'metadata', field) ?? textAt(root, 'metadata', field);
      const samples = toldRecords(sheet, benchmark['runs'], 'runs').flatMap((run) =>
        Array.isArray(run['values']) ? (run['values'] as unknown[]) : [],
      );
      const numbers = samples.filter(
        (sample): sample is number => typeof sample === 'number' && Number.isFinite(sample),
      );
      sheet.add({
        name: metadata('name') ?? '',
        quantity: unitOf(metadata('unit') ?? 'second'),
        samples,
        ...(numbers.length > 0 && numbers.length === samples.length ? { value: mean(numbers) } : {}),
        problem: samples.length === 0 ? 'only calibration runs, no values' : null,
      });
    }
    return sheet.result();
  },
};

function unitOf(unit: string): Quantity {
  return unit === 'integer' ? countOf('integer') : quantityOf(unit);
}

/** Bencher Metric Format: benchmark, measure, value with bounds; shape from Bencher's reference, units of its built-in measures. */
import type { Adapter } from './adapter.ts';
import { at, isEmptyRecord, isRecord, likeEmpty } from './adapter.ts';
import { refuseRepeatedFields } from './json.ts';
import type { Quantity } from './quantities.ts';
import { countOf, quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const measures = new Map<string, string>(
  Object.entries({
    latency: 'ns',
    throughput: 'ops/s',
    'build-time': 's',
    'file-size': 'bytes',
  }),
);
const counted = /(instructions|accesses|hits|cycles|reads|writes|misses|allocations)$/i;

export const bencher: Adapter = {
  format: 'bencher',
  title: 'Bencher Metric Format JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    const benchmarks = isRecord(root) ? Object.values(root) : [];
    const measured = (benchmark: unknown): boolean =>
      isRecord(benchmark) &&
      Object.keys(benchmark).length > 0 &&
      Object.values(benchmark).every((metric) => at(metric, 'value') !== undefined);
    if (isEmptyRecord(root)) return likeEmpty;
    return benchmarks.length > 0 && benchmarks.every(measured) ? 0.7 : 0;
  },
  read: ({ name, text, json: [root] }) => {
    refuseRepeatedFields(text, name);
    const sheet = new RowSheet();
    for (const [benchmark, metrics] of Object.entries(isRecord(root) ? root : {})) {
      for (const [measure, metric] of Object.entries(isRecord(metrics) ? metrics : {})) {
        const low = at(metric, 'lower_value');
        const high = at(metric, 'upper_value');
        const bounded = typeof low === 'number' && typeof high === 'number';
        sheet.add({
          name: measure === 'latency' ? benchmark : `${benchmark} [${measure}]`,
          quantity: measureOf(measure),
          value: at(metric, 'value'),
          spread: bounded ? (high - low) / 2 : null,
        });
      }
    }
    return sheet.result();
  },
};

function measureOf(measure: string): Quantity {
  const unit = measures.get(measure.toLowerCase());
  if (unit !== undefined) return quantityOf(unit);
  return counted.test(measure) ? countOf(measure) : quantityOf(measure);
}

/** oha's JSON (`--output-format json`); shape from schema.json and printer.rs of hatoo/oha: seconds, null where nothing succeeded. */
import type { Adapter } from './adapter.ts';
import { at, isRecord } from './adapter.ts';
import { countOf, quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const oha: Adapter = {
  format: 'oha',
  title: 'oha JSON',
  shape: 'json',
  recognises: ({ json: [root] }) =>
    at(root, 'summary', 'requestsPerSec') !== undefined && isRecord(at(root, 'latencyPercentiles')) ? 1 : 0,
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    const seconds = quantityOf('s');
    sheet.add({
      name: 'latency mean',
      quantity: seconds,
      value: at(root, 'summary', 'average'),
      spread: null,
    });
    for (const percentile of ['p50', 'p90', 'p95', 'p99', 'p99.9']) {
      const value = at(root, 'latencyPercentiles', percentile);
      if (value !== undefined)
        sheet.add({ name: `latency ${percentile}`, quantity: seconds, value, spread: null });
    }
    sheet.add({
      name: 'requests/s',
      quantity: quantityOf('requests/s'),
      value: at(root, 'summary', 'requestsPerSec'),
      spread: null,
    });
    sheet.add({
      name: 'success rate',
      quantity: quantityOf('share'),
      direction: 'bigger-is-better',
      value: at(root, 'summary', 'successRate'),
      spread: null,
    });
    const errors = at(root, 'errorDistribution');
    const statuses = at(root, 'statusCodeDistribution');
    const bad = isRecord(statuses) ? sum(statuses, (status) => !/^[23]/.test(status)) : 0;
    const broken = isRecord(errors) ? sum(errors, () => true) : 0;
    sheet.add({ name: 'errors', quantity: countOf('errors'), value: bad + broken, spread: null });
    if (bad > 0)
      sheet.warn('errors-counted', `${bad} answers were neither 2xx nor 3xx, and are in the latency figures`);
    // Whatever ran into a time-out or the end of the run is in no percentile of oha.
    if (broken > 0)
      sheet.warn('errors-counted', `${broken} requests failed and are in no latency figure of oha`);
    return sheet.result();
  },
};

function sum(counts: Readonly<Record<string, unknown>>, wanted: (key: string) => boolean): number {
  return Object.entries(counts)
    .filter(([key]) => wanted(key))
    .reduce((total, [, count]) => total + (typeof count === 'number' ? count : 0), 0);
}

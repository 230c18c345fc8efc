/** vegeta's report (`vegeta report -type=json`); shape from lib/metrics.go and the README of tsenart/vegeta: nanoseconds. */
import type { Adapter } from './adapter.ts';
import { at, isRecord } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const latencies = { mean: 'mean', '50th': 'p50', '90th': 'p90', '95th': 'p95', '99th': 'p99' } as const;

export const vegeta: Adapter = {
  format: 'vegeta',
  title: 'vegeta report JSON',
  shape: 'json',
  recognises: ({ json: [root] }) =>
    isRecord(at(root, 'latencies')) &&
    at(root, 'bytes_in') !== undefined &&
    at(root, 'requests') !== undefined
      ? 1
      : 0,
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    const problem = at(root, 'requests') === 0 ? 'not one request was sent' : null;
    for (const [field, shown] of Object.entries(latencies)) {
      const value = at(root, 'latencies', field);
      // Versions before 12.8 had no 90th.
      if (value === undefined && field === '90th') continue;
      sheet.add({ name: `latency ${shown}`, quantity: quantityOf('ns'), value, spread: null, problem });
    }
    const rate = quantityOf('requests/s');
    sheet.add({ name: 'requests/s', quantity: rate, value: at(root, 'rate'), spread: null, problem });
    const throughput = at(root, 'throughput');
    if (throughput !== undefined) {
      // 0 is what vegeta says when every answer was an error, which is a result.
      const name = 'successful requests/s';
      sheet.add({ name, quantity: rate, value: throughput, spread: null, zeroIsValue: true, problem });
    }
    const success = at(root, 'success');
    sheet.add({
      name: 'success rate',
      quantity: quantityOf('share'),
      direction: 'bigger-is-better',
      value: success,
      spread: null,
      problem,
    });
    const statuses = at(root, 'status_codes');
    if (typeof success === 'number' && success < 1 && isRecord(statuses)) {
      const mix = Object.entries(statuses).map(([status, count]) => `${String(count)} × ${status}`);
      sheet.warn(
        'errors-counted',
        `not every request succeeded (${mix.join(', ')}); failures are in the latency figures`,
      );
    }
    return sheet.result();
  },
};

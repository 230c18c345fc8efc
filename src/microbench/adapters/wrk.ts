/** What wrk and wrk2 print: latency, its distribution when asked for, requests and bytes a second, errors. */
import type { Adapter, AdapterResult, BenchDocument } from './adapter.ts';
import { countOf, quantityOf, splitQuantity } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const runLine = /^[ \t]*Running .+ test @ \S+/m;
const wrk2Mark = /^[ \t]*Thread calibration: |\(HdrHistogram - |#\[Mean {4}= /m;

export const wrk: Adapter = {
  format: 'wrk',
  title: 'wrk text',
  shape: 'text',
  recognises: ({ text }) => {
    if (runLine.test(text) && /^[ \t]*Thread Stats\b/m.test(text)) return wrk2Mark.test(text) ? 0.5 : 1;
    return /^Requests\/sec:/m.test(text) ? 0.5 : 0;
  },
  read,
};

export const wrk2: Adapter = {
  format: 'wrk2',
  title: 'wrk2 text',
  shape: 'text',
  recognises: ({ text }) => (runLine.test(text) && wrk2Mark.test(text) ? 1 : 0),
  read,
};

function read({ lines, text }: BenchDocument): AdapterResult {
  const sheet = new RowSheet();
  const runs = lines.filter((line) => /^\s*Running .+ test @/.test(line));
  let url: string | null = null;
  let label = 'latency';
  let expected = new Set<string>();
  const endRun = (): void => {
    for (const name of expected) {
      const problem = 'the output of this run is cut off before it';
      const quantity = quantityOf(name === 'requests/s' ? 'requests/sec' : 'us');
      sheet.add({ name, quantity, problem, origin: runs.length > 1 ? url : null });
    }
  };
  for (const [index, line] of lines.entries()) {
    const running = /^\s*Running .+ test @ (\S+)/.exec(line);
    if (running !== null) {
      endRun();
      expected = new Set(['latency mean', 'requests/s']);
      url = running[1]!;
      label = 'latency';
    }
    const origin = runs.length > 1 ? url : null;
    // 65.25ms that is cut to 65.2 or 65.25m is another time. The last line of all is in whole when it ends so.
    if (index === lines.length - 1 && !/^Transfer\/sec:\s+\S+B\s*$/.test(line)) break;
    const average = /^\s*Latency\s+(\S+)\s+(\S+)\s+(\S+)/.exec(line);
    if (average !== null && average[1] !== 'Distribution') {
      expected.delete('latency mean');
      addTime(sheet, 'latency mean', average[1]!, average[2]!, origin);
    }
    // wrk2 prints a second distribution, of the waits that its own delays hide.
    if (/Latency Distribution/.test(line)) {
      label = /Uncorrected/.test(line) ? 'uncorrected latency' : 'latency';
      expected.add(`${label} p99`);
    }
    const percentile = /^\s*(\d+(?:\.\d+)?)%\s+(\S+)\s*$/.exec(line);
    if (percentile !== null && Number(percentile[1]) < 100) {
      expected.delete(`${label} p${Number(percentile[1])}`);
      addTime(sheet, `${label} p${Number(percentile[1])}`, percentile[2]!, null, origin);
    }
    const rate = /^Requests\/sec:\s+(\S+)/.exec(line)?.[1];
    if (rate !== undefined) {
      expected.delete('requests/s');
      sheet.add({
        name: 'requests/s',
        quantity: quantityOf('requests/sec'),
        value: rate,
        spread: null,
        origin,
      });
    }
    const transfer = /^Transfer\/sec:\s+(\S+)/.exec(line)?.[1];
    if (transfer !== undefined) {
      const { amount, unit } = splitQuantity(transfer);
      sheet.add({
        name: 'transfer/s',
        quantity: quantityOf(`${unit}/s`, true),
        value: amount,
        spread: null,
        origin,
      });
    }
    const errors = /^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(line);
    if (errors !== null) {
      const total = errors.slice(1).reduce((sum, count) => sum + Number(count), 0);
      sheet.add({ name: 'socket errors', quantity: countOf('errors'), value: total, spread: null, origin });
      sheet.warn('errors-counted', `${line.trim()}: failed requests are not in the latency figures`);
    }
    const bad = /^\s*Non-2xx or 3xx responses: (\d+)/.exec(line)?.[1];
    if (bad !== undefined) {
      sheet.add({ name: 'non-2xx responses', quantity: countOf('errors'), value: bad, spread: null, origin });
      sheet.warn(
        'errors-counted',
        `${bad} responses were neither 2xx nor 3xx, and are in the latency figures`,
      );
    }
  }
  endRun();
  if (!/Latency Distribution/.test(text)) {
    sheet.warn('no-percentiles', 'there are no percentiles in this file', 'run it with --latency to get p99');
  }
  return sheet.result();
}

/** wrk glues amount and unit together, also as `-nanus` when nothing was measured. */
function addTime(
  sheet: RowSheet,
  name: string,
  text: string,
  deviation: string | null,
  origin: string | null,
): void {
  const { amount, unit } = splitQuantity(text);
  const quantity = quantityOf(unit === 'm' ? 'min' : unit === '' ? 'us' : unit);
  const spread = deviation === null ? null : splitQuantity(deviation);
  const scale = spread === null ? 1 : quantityOf(spread.unit === 'm' ? 'min' : spread.unit).factor;
  sheet.add({
    name,
    quantity,
    value: amount,
    spread: spread === null ? null : (Number(spread.amount) * scale) / quantity.factor,
    origin,
  });
}

/** What benchmark.js prints for a finished benchmark: `name x 1,234 ops/sec ±1.23% (90 runs sampled)`. */
import type { Adapter } from './adapter.ts';
import { quantityOf, readNumber } from './quantities.ts';
import { RowSheet } from './sheet.ts';

// Greedy: a name may itself hold " x 50".
const resultLine = /^\s*(.+) x (\S+) ops\/sec(?: ±\s*(\S+)%)?(?: \((\d+) runs? sampled\))?/;
const begunLine = /^\s*(.+) x [\d.,]*\d(?: (?:o|op|ops|ops\/|ops\/s|ops\/se))?$/;
/**
 * A benchmark that threw prints its name and the error, which is empty for a plain object. A heading may look the
 * same, so without an error it is a benchmark only where results stand directly above it.
 */
const failedLine = /^(.+?): (?:((?:[A-Z]\w*)?Error\b.*))?$/;

export const benchmarkJs: Adapter = {
  format: 'benchmark-js',
  title: 'benchmark.js text',
  shape: 'text',
  recognises: ({ text }) =>
    /^.+ x \S+ ops\/sec( ±|$)/m.test(text) ? 1 : /^Fastest is /m.test(text) ? 0.4 : 0,
  read: ({ lines }) => {
    const sheet = new RowSheet();
    const quantity = quantityOf('ops/sec');
    const last = lines.findLastIndex((line) => line.trim() !== '');
    let rowAt: number | null = null;
    for (const [index, line] of lines.entries()) {
      const result = resultLine.exec(line);
      if (result !== null) {
        const [, name, value, margin] = result;
        const rate = readNumber(value);
        const relative = margin === undefined ? null : readNumber(margin);
        const spread =
          rate.kind === 'number' && relative?.kind === 'number' ? (rate.value * relative.value) / 100 : null;
        sheet.add({ name: name!, quantity, value, spread });
        rowAt = index;
        continue;
      }
      // Each line is printed at once, so only the last one can be cut.
      const begun = index === last ? begunLine.exec(line) : null;
      if (begun !== null) {
        sheet.add({ name: begun[1]!, quantity, problem: `its line is cut off after "${line.slice(-20)}"` });
        continue;
      }
      const failed = failedLine.exec(line);
      if (failed !== null && !/^\s|^(Fastest|Slowest|Platform|Node|npm)\b/i.test(line)) {
        const name = failed[1]!;
        if (failed[2] === undefined && rowAt !== index - 1) {
          const message = `"${name}" has no figures; it was taken for a heading, not for a benchmark that threw something without a message`;
          sheet.warn('heading-guessed', message);
          continue;
        }
        const thrown = failed[2] ?? 'something without a message';
        rowAt = index;
        sheet.add({ name, quantity, problem: `the benchmark threw ${thrown}` });
      }
    }
    return sheet.result();
  },
};

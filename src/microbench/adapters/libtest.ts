/** Rust's built-in benchmarks (`cargo bench` with libtest): thousands commas, other units, throughput beside time. */
import type { Adapter, BenchDocument } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const benchLine =
  /^test (.+?)\s+\.\.\. bench:\s+(\S+) ([^\s\d].*?) \(\+\/-\s+(\S+)\)(?:\s+=\s+(\S+)\s+(\S+))?\s*$/;
const begunLine = /^test (.+?)\s+\.\.\. bench:(.*)$/;
const failedLine = /^test (.+?)\s+\.\.\. FAILED\b/;
/** Cargo's own line on standard error: the only place that names the target. */
const targetLine = /^\s+Running (?:unittests )?(\S+)(?: \((\S+)\))?/;

export const libtest: Adapter = {
  format: 'libtest',
  title: "Rust's built-in benchmarks (cargo bench, libtest)",
  shape: 'text',
  recognises: ({ text }) => {
    if (/^test .+ \.\.\. bench: /m.test(text)) return 1;
    return /^running \d+ tests?$/m.test(text) && /^test result: /m.test(text) ? 0.4 : 0;
  },
  read: ({ lines }: BenchDocument) => {
    const sheet = new RowSheet();
    let target: string | null = null;
    for (const line of lines) {
      const found = targetLine.exec(line);
      if (found !== null) target = found[1]!.includes('deps/') ? targetName(found[1]!) : found[1]!;
      const failed = failedLine.exec(line);
      if (failed !== null) {
        sheet.add({
          name: failed[1]!,
          quantity: quantityOf('ns/iter'),
          problem: 'the test harness says FAILED',
          origin: target,
        });
      }
      const bench = benchLine.exec(line);
      if (bench === null) {
        const begun = begunLine.exec(line);
        if (begun === null) continue;
        const problem = `its line is cut off or not of libtest's form: "${begun[2]!.trim()}"`;
        sheet.add({ name: begun[1]!, quantity: quantityOf('ns/iter'), problem, origin: target });
        continue;
      }
      const [, name, value, unit, spread, throughput, throughputUnit] = bench;
      sheet.add({ name: name!, quantity: quantityOf(unit!), value, spread, origin: target });
      if (throughput !== undefined) {
        const quantity = quantityOf(throughputUnit!);
        sheet.add({
          name: `${name} [${throughputUnit}]`,
          quantity,
          value: throughput,
          spread: null,
          origin: target,
        });
      }
    }
    return sheet.result();
  },
};

/** `target/release/deps/name-0123456789abcdef` without the hash that differs between two builds. */
function targetName(path: string): string {
  return path.replace(/^.*\//, '').replace(/-[0-9a-f]{16}$/, '');
}

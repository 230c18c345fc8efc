/** Criterion's own text (`cargo bench` with criterion): time and throughput, the name on the line or above it. */
import type { Adapter } from './adapter.ts';
import { quantityOf, splitQuantity } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const resultLine = /^(.*?)\s*\b(time|thrpt):\s+\[(\S+ \S+) (\S+ \S+) (\S+ \S+)\]\s*$/;
/** The beginning of one; the change block has percentages instead. */
const begunLine = /^(.*?)\s*\b(time|thrpt):\s+\[([^%]*)$/;
const announcement = /^Benchmarking (.+?): (?:Warming up|Collecting|Analyzing)/;
const targetLine = /^\s+Running (?:unittests )?(\S+)/;
/** Lines that criterion prints between a long name and its figures, or that are no name at all. */
const noName = /^(Benchmarking |Found \d+ outliers|\s|Warning:|test |running |test result:|Gnuplot |\s*$)/;

export const criterion: Adapter = {
  format: 'criterion',
  title: 'Criterion text (cargo bench with criterion.rs)',
  shape: 'text',
  recognises: ({ text }) => {
    if (/\btime:\s+\[\S+ [pnuµμm]?s \S+ [pnuµμm]?s \S+ [pnuµμm]?s\]/.test(text)) return 1;
    return /^Benchmarking .+: (Warming up|Collecting|Analyzing)/m.test(text) ? 0.6 : 0;
  },
  read: ({ lines }) => {
    const sheet = new RowSheet();
    let name: string | null = null;
    let above: string | null = null;
    let target: string | null = null;
    let inChange = false;
    const named = new Set<string>();
    const announced = new Map<string, string | null>();
    for (const line of lines) {
      target =
        targetLine
          .exec(line)?.[1]
          ?.replace(/^.*\//, '')
          .replace(/-[0-9a-f]{16}$/, '') ?? target;
      const failed = /^(?:thread '.*' panicked at|error: bench failed)/.test(line);
      if (failed) sheet.warn('benchmark-failed', `criterion stopped: ${line.slice(0, 200)}`);
      const begunName = announcement.exec(line)?.[1];
      if (begunName !== undefined) announced.set(begunName, target);
      if (!/^\s/.test(line)) inChange = false;
      if (/^\s+change:/.test(line)) inChange = true;
      const result = resultLine.exec(line);
      const begun = result ?? (inChange ? null : begunLine.exec(line));
      if (begun === null) {
        if (!noName.test(line)) above = line.trim();
        continue;
      }
      const [, here, what] = begun;
      if (what === 'time') name = here!.trim() !== '' ? here!.trim() : above;
      above = null;
      // The change block repeats both words with percentages; it never has a unit, so it cannot come here.
      if (name === null) continue;
      named.add(name);
      const shown = what === 'time' ? name : `${name} [throughput]`;
      if (result === null) {
        const quantity = quantityOf(what === 'time' ? 'ns' : 'elements/s');
        const problem = `its line is cut off or not of criterion's form: "[${begun[3]!.trim()}"`;
        sheet.add({ name: shown, quantity, problem, origin: target });
        continue;
      }
      const [, , , low, middle, high] = result;
      const { amount, unit } = splitQuantity(middle!);
      const quantity = quantityOf(unit);
      const bounds = [low!, high!].map((bound) => {
        const part = splitQuantity(bound);
        return (Number(part.amount) * quantityOf(part.unit).factor) / quantity.factor;
      });
      sheet.add({
        name: shown,
        quantity,
        value: amount,
        spread: (bounds[1]! - bounds[0]!) / 2,
        origin: target,
      });
    }
    for (const [missing, origin] of announced) {
      if (named.has(missing)) continue;
      const problem = 'criterion began with it, and no result follows; was it stopped?';
      sheet.add({ name: missing, quantity: quantityOf('ns'), problem, origin });
    }
    return sheet.result();
  },
};

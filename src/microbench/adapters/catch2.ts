/** Catch2's console table of benchmarks, version 2 and 3: three lines a benchmark, names that wrap into the next line. */
import type { Adapter } from './adapter.ts';
import { quantityOf, splitQuantity } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const amount = String.raw`(\S+ (?:ns|us|µs|ms|s|m|h))`;
const firstLine = new RegExp(String.raw`^(.*?)\s+(\d+)\s+(\d+)\s+${amount}\s*$`);
const figureLine = new RegExp(String.raw`^(.*?)\s+${amount}\s+${amount}\s+${amount}\s*$`);
/** The beginning of a first line, where the output ends. */
const begunLine = /^(\S.*?)\s{2,}\d+(?:\s+\S+){0,3}\s*$/;
const failedLine = /^(.*?)\s*[Bb]enchmark failed \((.*)\)\s*$/;
const headLine = /^benchmark name\s+samples\s+iterations\s+(estimated|est run time)/;

export const catch2: Adapter = {
  format: 'catch2',
  title: 'Catch2 console output',
  shape: 'text',
  recognises: ({ text }) => {
    if (/^benchmark name\s+samples\s+iterations\s+(estimated|est run time)/m.test(text)) return 1;
    return /is a Catch2? v[\d.]+ host application/.test(text) ? 0.5 : 0;
  },
  read: ({ lines }) => {
    const sheet = new RowSheet();
    let place: string | null = null;
    let inTable = false;
    const last = lines.findLastIndex((line) => line.trim() !== '');
    for (let index = 0; index < lines.length; index++) {
      const line = lines[index]!;
      if (headLine.test(line)) {
        place = placeAbove(lines, index);
        inTable = true;
      }
      if (/^={20,}$/.test(line)) inTable = false;
      const first = firstLine.exec(line);
      const mean = figureLine.exec(lines[index + 1] ?? '');
      const deviation = figureLine.exec(lines[index + 2] ?? '');
      if (first !== null && mean !== null) {
        const name = [first[1], mean[1], deviation?.[1]]
          .map((part) => part?.trim())
          .filter(Boolean)
          .join(' ');
        const { amount: value, unit } = splitQuantity(mean[2]!);
        const quantity = minutes(unit);
        sheet.add({
          name,
          quantity,
          value,
          // The deviation has a unit of its own.
          spread: deviation === null ? null : inUnitOf(deviation[2]!, quantity.factor),
          origin: place,
        });
        index += 2;
        continue;
      }
      const failed = failedLine.exec(line);
      if (failed !== null) {
        const name = failed[1]!.trim() || (lines[index - 1] ?? '').trim();
        const problem = `Catch2 says: benchmark failed (${failed[2]})`;
        sheet.add({ name, quantity: quantityOf('ns'), problem, origin: place });
        continue;
      }
      const begun = first ?? (index === last ? begunLine.exec(line) : null);
      if (!inTable || begun === null) continue;
      const next = lines[index + 1] ?? '';
      const failures = [next, lines[index + 2] ?? ''].map((one) => failedLine.exec(one));
      const failure = failures.find((one) => one?.[1] === '') ?? null;
      if (failure !== null) index = lines.indexOf(failure[0], index);
      const problem =
        failure === null
          ? 'no mean follows its first line; was it stopped?'
          : `Catch2 says: benchmark failed (${failure[2]})`;
      // A long name goes on in the line of the mean.
      const more = failure === null ? (/^(\S.*?)\s{2,}[\d.]/.exec(next)?.[1] ?? '') : '';
      if (more !== '') index++;
      const name = `${begun[1]!.trim()} ${more}`.trim();
      sheet.add({ name, quantity: quantityOf('ns'), problem, origin: place });
    }
    return sheet.result();
  },
};

/** Catch2 writes minutes as `m`. */
function minutes(unit: string): ReturnType<typeof quantityOf> {
  return quantityOf(unit === 'm' ? 'min' : unit);
}

function inUnitOf(text: string, factor: number): unknown {
  const { amount: value, unit } = splitQuantity(text);
  const number = Number(value.replaceAll(',', ''));
  return (number * minutes(unit).factor) / factor;
}

/** `More Fibonacci / with a long name`: the test case and its sections, framed by two rules above the table. */
function placeAbove(lines: readonly string[], head: number): string | null {
  const rule = /^-{20,}$/;
  let index = head - 1;
  while (index >= 0 && !rule.test(lines[index]!)) index--;
  const parts: string[] = [];
  for (index--; index >= 0 && !rule.test(lines[index]!); index--) parts.unshift(lines[index]!.trim());
  return parts.length === 0 ? null : parts.filter((part) => part !== '').join(' / ');
}

/** BenchmarkDotNet's JSON, brief and full: nanoseconds, and the allocated bytes where memory was diagnosed. */
import type { Adapter, JsonRecord } from './adapter.ts';
import { at, isRecord, records, textAt, toldRecords } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const benchmarkDotNet: Adapter = {
  format: 'benchmarkdotnet',
  title: 'BenchmarkDotNet JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    if (!Array.isArray(at(root, 'Benchmarks'))) return 0;
    return at(root, 'HostEnvironmentInfo', 'BenchmarkDotNetVersion') !== undefined ? 1 : 0.7;
  },
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    for (const benchmark of toldRecords(sheet, at(root, 'Benchmarks'), 'benchmarks')) {
      const name = nameOf(benchmark);
      const origin = /: (.+)$/.exec(textAt(benchmark, 'DisplayInfo') ?? '')?.[1] ?? null;
      const statistics = benchmark['Statistics'];
      sheet.add({
        name,
        quantity: quantityOf('ns'),
        value: at(statistics, 'Mean') ?? null,
        samples: samplesOf(benchmark),
        spread: at(statistics, 'StandardDeviation') ?? null,
        problem: isRecord(statistics) ? null : 'BenchmarkDotNet has no statistics for it; did it fail?',
        origin,
      });
      const allocated = at(benchmark, 'Memory', 'BytesAllocatedPerOperation');
      if (allocated !== undefined && allocated !== null) {
        sheet.add({
          name: `${name} [allocated]`,
          quantity: quantityOf('bytes'),
          value: allocated,
          spread: null,
          origin,
        });
      }
    }
    return sheet.result();
  },
};

function nameOf(benchmark: JsonRecord): string {
  const full = textAt(benchmark, 'FullName');
  if (full !== null) return full;
  const parts = [textAt(benchmark, 'Namespace'), textAt(benchmark, 'Type'), textAt(benchmark, 'Method')];
  const parameters = textAt(benchmark, 'Parameters');
  return `${parts.filter((part) => part !== null).join('.')}${parameters === null ? '' : `(${parameters})`}`;
}

/** The values that the statistics were made of; older full exports have only the measurements. */
function samplesOf(benchmark: JsonRecord): readonly unknown[] {
  const original = at(benchmark, 'Statistics', 'OriginalValues');
  if (Array.isArray(original)) return original as unknown[];
  return records(benchmark['Measurements'])
    .filter((one) => one['IterationStage'] === 'Result' && one['IterationMode'] !== 'Overhead')
    .map((one) => Number(one['Nanoseconds']) / Number(one['Operations']));
}

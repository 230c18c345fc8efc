/** Google Benchmark's JSON: repetitions become samples, aggregates only fill in where the repetitions are not there. */
import type { Adapter, JsonRecord } from './adapter.ts';
import { at, isEmptyList, likeEmpty, records, textAt, toldRecords } from './adapter.ts';
import { countOf, quantityOf } from './quantities.ts';
import type { RowDraft } from './sheet.ts';
import { RowSheet } from './sheet.ts';

/** Everything that describes a row rather than measures it; what is left over are the benchmark's own counters. */
const notCounters = new Set(
  (
    'name run_name run_type family_index per_family_instance_index repetitions repetition_index threads iterations ' +
    'real_time cpu_time time_unit aggregate_name aggregate_unit label error_occurred error_message skipped ' +
    'skip_message cpu_coefficient real_coefficient big_o rms allocs_per_iter max_bytes_used ' +
    'total_allocated_bytes net_heap_growth'
  ).split(' '),
);

export const googleBenchmark: Adapter = {
  format: 'google-benchmark',
  title: 'Google Benchmark JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    const benchmarks = records(at(root, 'benchmarks'));
    if (benchmarks.some((one) => 'real_time' in one && 'cpu_time' in one)) return 1;
    const context = at(root, 'context');
    if (at(context, 'num_cpus') !== undefined && at(context, 'library_build_type') !== undefined) return 0.9;
    return isEmptyList(at(root, 'benchmarks')) ? likeEmpty : 0;
  },
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    const families = new Map<string, JsonRecord[]>();
    for (const one of toldRecords(sheet, at(root, 'benchmarks'), 'benchmarks')) {
      const name = familyOf(one);
      const family = families.get(name) ?? [];
      families.set(name, family);
      family.push(one);
    }
    for (const [name, rows] of families) addFamily(sheet, name, rows);
    return sheet.result();
  },
};

/** `BM_Two` for its repetitions and for its aggregates `BM_Two_mean`. */
function familyOf(row: JsonRecord): string {
  const name = textAt(row, 'name') ?? '';
  return textAt(row, 'aggregate_name') === null ? name : (textAt(row, 'run_name') ?? name);
}

function addFamily(sheet: RowSheet, family: string, rows: readonly JsonRecord[]): void {
  const aggregate = (name: string): JsonRecord | undefined =>
    rows.find((row) => row['aggregate_name'] === name);
  const repetitions = rows.filter((row) => row['run_type'] !== 'aggregate');
  const unnamed = rows.filter(
    (row) => row['run_type'] === 'aggregate' && textAt(row, 'aggregate_name') === null,
  );
  const failed = repetitions.find((row) => row['error_occurred'] === true || row['skipped'] === true);
  if (failed !== undefined) {
    const message = textAt(failed, 'error_message') ?? textAt(failed, 'skip_message') ?? 'without a message';
    return void sheet.add({
      name: family,
      quantity: quantityOf('ns'),
      problem: `the benchmark failed: ${message}`,
    });
  }
  if (repetitions.length > 0) {
    addRows(sheet, family, repetitions, aggregate('stddev'));
    return;
  }
  if (unnamed.length > 0) {
    addRows(sheet, family, unnamed, undefined);
    return;
  }
  const whole = aggregate('median') ?? aggregate('mean');
  if (whole !== undefined) {
    addRows(sheet, family, [whole], aggregate('stddev'));
    return;
  }
  for (const row of rows) {
    const name = textAt(row, 'name') ?? family;
    if (row['real_time'] === undefined) {
      sheet.warn('not-a-measurement', `${name} is a fit of complexity, not a measurement; it was not read`);
      continue;
    }
    addRows(sheet, name, [row], undefined);
  }
}

function addRows(
  sheet: RowSheet,
  name: string,
  rows: readonly JsonRecord[],
  deviation: JsonRecord | undefined,
): void {
  const [first] = rows;
  const share = first?.['aggregate_unit'] === 'percentage';
  const time = share ? quantityOf('percent') : quantityOf(textAt(first, 'time_unit') ?? 'ns');
  const column = (field: string, rest: Pick<RowDraft, 'name' | 'quantity' | 'direction'>): void => {
    const values = rows.map((row) => row[field]);
    const spread = deviation?.[field];
    sheet.add({
      ...rest,
      samples: values.length > 1 ? values : [],
      ...(values.length > 1 ? {} : { value: values[0] }),
      ...(spread !== undefined || values.length === 1 ? { spread: spread ?? null } : {}),
    } as RowDraft);
  };
  column('real_time', { name, quantity: time });
  if (first?.['cpu_time'] !== undefined) column('cpu_time', { name: `${name} [cpu]`, quantity: time });
  for (const field of Object.keys(first ?? {})) {
    if (notCounters.has(field) || typeof first![field] !== 'number') continue;
    const rate = /^(.*)_per_second$/.exec(field)?.[1];
    const quantity = rate === undefined ? quantityOf(field) : quantityOf(`${rate}/s`);
    column(field, { name: `${name} [${field}]`, quantity: rate === undefined ? countOf(field) : quantity });
    if (rate === undefined) {
      sheet.warn('direction-guessed', `${name}: smaller was taken to be better for its own counter ${field}`);
    }
  }
}

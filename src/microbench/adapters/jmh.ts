/** JMH's JSON (`-rf json`): parameters belong to the name, and the unit, not the mode, tells the direction. */
import type { Adapter, JsonRecord } from './adapter.ts';
import { at, isEmptyList, isRecord, likeEmpty, records, textAt, toldRecords } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const jmh: Adapter = {
  format: 'jmh',
  title: 'JMH JSON',
  shape: 'json',
  recognises: ({ json: [root] }) =>
    records(root).some((one) => isRecord(one['primaryMetric']) && typeof one['benchmark'] === 'string')
      ? 1
      : isEmptyList(root)
        ? likeEmpty
        : 0,
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    for (const benchmark of toldRecords(sheet, root, 'benchmarks')) {
      const name = `${textAt(benchmark, 'benchmark') ?? ''}${parametersOf(benchmark)}`;
      const origin = [textAt(benchmark, 'mode'), `${String(benchmark['threads'])} threads`].join(', ');
      addMetric(sheet, name, benchmark['primaryMetric'], origin, false);
      const percentiles = at(benchmark, 'primaryMetric', 'scorePercentiles');
      if (benchmark['mode'] === 'sample' && isRecord(percentiles)) {
        const unit = quantityOf(textAt(benchmark, 'primaryMetric', 'scoreUnit') ?? '');
        for (const share of ['50.0', '99.0']) {
          const value = percentiles[share] ?? null;
          sheet.add({ name: `${name} [p${Number(share)}]`, quantity: unit, value, spread: null, origin });
        }
      }
      const secondary = benchmark['secondaryMetrics'];
      for (const [metric, score] of Object.entries(isRecord(secondary) ? secondary : {})) {
        addMetric(sheet, `${name} [${metric}]`, score, origin, true);
      }
    }
    return sheet.result();
  },
};

function addMetric(sheet: RowSheet, name: string, metric: unknown, origin: string, secondary: boolean): void {
  // The collector's figures are costs, also those that are written as a rate, such as gc.alloc.rate.
  const cost = secondary && /\[·?gc\./.test(name);
  sheet.add({
    name,
    quantity: quantityOf(textAt(metric, 'scoreUnit') ?? ''),
    value: at(metric, 'score') ?? null,
    samples: samplesOf(metric),
    spread: at(metric, 'scoreError') ?? null,
    zeroIsValue: cost,
    origin,
    ...(cost ? { direction: 'smaller-is-better' as const } : {}),
  });
}

/** Forks of iterations; the sampling modes keep a histogram a fork instead, which is no list of repetitions. */
function samplesOf(metric: unknown): readonly unknown[] {
  const forks = at(metric, 'rawData');
  return Array.isArray(forks)
    ? forks.flatMap((fork) => (Array.isArray(fork) ? (fork as unknown[]) : []))
    : [];
}

/** ` (paramA=17, paramB=33)` in the order of the names, which is the same in every run. */
function parametersOf(benchmark: JsonRecord): string {
  const parameters = benchmark['params'];
  if (!isRecord(parameters)) return '';
  const pairs = Object.keys(parameters)
    .sort()
    .map((key) => `${key}=${String(parameters[key])}`);
  return pairs.length === 0 ? '' : ` (${pairs.join(', ')})`;
}

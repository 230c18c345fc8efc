/** k6's summary in its three shapes: handleSummary() data, the older flat `--summary-export`, and the machine-readable one (read from k6's source). */
import { TailgateError } from '../../kernel/errors.ts';
import type { Adapter, JsonRecord } from './adapter.ts';
import { at, isEmptyRecord, isRecord, likeEmpty, textAt, toldRecords } from './adapter.ts';
import { refuseRepeatedFields } from './json.ts';
import type { Quantity } from './quantities.ts';
import { countOf, quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

/** The parts of a request: 0 in most runs (a reused connection has nothing to connect), so not results of their own. */
const phases = /^http_req_(blocked|connecting|tls_handshaking|sending|receiving)\b/;
/** How many users were running is a setting of the run. */
const settings = /^vus(_max)?$/;
const knownTimes =
  /^(http_req_|grpc_req_duration|iteration_duration|group_duration|ws_(connecting|session_duration|ping)|browser_)/;
const statistics = ['avg', 'med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)'];

interface Metric {
  readonly name: string;
  readonly type: 'trend' | 'counter' | 'rate' | 'gauge' | null;
  readonly contains: string | null;
  readonly values: JsonRecord;
}

export const k6: Adapter = {
  format: 'k6',
  title: 'k6 summary JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    const metrics = at(root, 'metrics');
    if (
      isRecord(metrics) &&
      ('iterations' in metrics || 'iteration_duration' in metrics || 'http_reqs' in metrics)
    )
      return 1;
    if (isRecord(metrics) && isRecord(at(root, 'root_group'))) return 0.9;
    if (textAt(root, 'metadata', 'k6Version') !== null && isRecord(at(root, 'results'))) return 1;
    return isEmptyRecord(metrics) ? likeEmpty : 0;
  },
  read: ({ name, text, json: [root] }) => {
    refuseRepeatedFields(text, name);
    const sheet = new RowSheet();
    const metrics = metricsOf(root, name, sheet);
    const seconds = Number(at(root, 'config', 'duration'));
    for (const metric of metrics) addMetric(sheet, metric, seconds);
    const left = metrics.filter((metric) => phases.test(metric.name)).length;
    if (left > 0) {
      sheet.warn(
        'phases-not-read',
        `${left} metrics for the parts of a request were not read; http_req_duration is their sum`,
      );
    }
    const trends = metrics.filter((metric) => metric.type === 'trend');
    if (trends.length > 0 && !trends.some((metric) => 'p(99)' in metric.values || 'p99' in metric.values)) {
      sheet.warn(
        'no-p99',
        'this summary has no p(99)',
        at(root, 'results') === undefined
          ? "k6 run --summary-trend-stats='avg,min,med,max,p(90),p(95),p(99)', or summaryTrendStats in the script's options"
          : 'the machine-readable summary of k6 never has it; use handleSummary() with summaryTrendStats: [..., "p(99)"]',
      );
    }
    return sheet.result();
  },
};

function metricsOf(root: unknown, file: string, sheet: RowSheet): readonly Metric[] {
  const list = at(root, 'results', 'metrics');
  if (Array.isArray(list)) {
    return toldRecords(sheet, list, 'metrics').map((metric) =>
      metricOf(textAt(metric, 'name') ?? '', metric, metric['values']),
    );
  }
  const metrics = at(root, 'metrics');
  if (!isRecord(metrics)) return [];
  return Object.entries(metrics).map(([name, metric]) => {
    if (typeof metric === 'string' || typeof at(metric, 'values') === 'string') {
      throw new TailgateError({
        code: 'usage',
        message: `${file}: the metric ${name} is the text "${shorten(metric)}" instead of an object; this summary went through PowerShell, which flattens deep JSON`,
        hint: 'use ConvertTo-Json -Depth 10, or give the file that k6 wrote',
      });
    }
    // The flat shape has no `values`; its thresholds say true where one was crossed, and are never read here.
    const nested = at(metric, 'values');
    return metricOf(name, metric, isRecord(nested) ? nested : metric);
  });
}

function metricOf(name: string, metric: unknown, values: unknown): Metric {
  const type = textAt(metric, 'type');
  const known = type === 'trend' || type === 'counter' || type === 'rate' || type === 'gauge';
  return {
    name,
    type: known ? type : guessType(values),
    contains: textAt(metric, 'contains'),
    values: isRecord(values) ? values : {},
  };
}

function guessType(values: unknown): Metric['type'] {
  if (!isRecord(values)) return null;
  if ('avg' in values || 'med' in values) return 'trend';
  if ('passes' in values && 'fails' in values) return 'rate';
  if ('count' in values) return 'counter';
  if ('value' in values) return 'gauge';
  return Object.keys(values).some((key) => /^(min|max|p\(?\d)/.test(key)) ? 'trend' : null;
}

function addMetric(sheet: RowSheet, metric: Metric, seconds: number): void {
  const { name, values, contains } = metric;
  if (phases.test(name) || settings.test(name)) return;
  switch (metric.type) {
    case 'trend': {
      const time = contains === 'time' || (contains === null && knownTimes.test(name));
      const quantity = time ? quantityOf('ms') : contains === 'data' ? quantityOf('bytes') : quantityOf('');
      let some = false;
      for (const statistic of statistics) {
        const value = values[statistic] ?? values[statistic.replace(/[()]/g, '')];
        if (value === undefined) continue;
        sheet.add({ name: `${name} ${statistic}`, quantity, value, spread: null });
        some = true;
      }
      if (!some) {
        sheet.add({ name, quantity, problem: `it has none of ${statistics.join(', ')}` });
      }
      if (!time && contains !== 'data') guessed(sheet, name);
      return;
    }
    case 'counter': {
      const quantity =
        contains === 'data' || /^data_(sent|received)$/.test(name) ? quantityOf('B/s') : rateOf(name);
      const value = values['rate'] ?? (seconds > 0 ? Number(values['count']) / seconds : values['count']);
      sheet.add({ name: `${name} rate`, quantity, value, spread: null, zeroIsValue: true });
      return;
    }
    case 'rate': {
      // Failing is the one share that is better small; a check is meant to pass.
      const direction = /fail|error/i.test(name) ? 'smaller-is-better' : 'bigger-is-better';
      if (!/fail|error|^checks/i.test(name)) {
        sheet.warn('direction-guessed', `bigger was taken to be better for the share ${name}`);
      }
      sheet.add({
        name,
        quantity: quantityOf('share'),
        value: values['rate'] ?? values['value'],
        spread: null,
        direction,
      });
      return;
    }
    case 'gauge':
      sheet.add({ name, quantity: quantityOf(''), value: values['value'], spread: null });
      guessed(sheet, name);
      return;
    case null:
      sheet.add({ name, quantity: countOf('unknown'), problem: 'not a metric of a kind that k6 has' });
      return;
  }
}

function rateOf(name: string): Quantity {
  const quantity = quantityOf('requests/s');
  return /fail|error|dropped/i.test(name) ? { ...quantity, direction: 'smaller-is-better' } : quantity;
}

function guessed(sheet: RowSheet, name: string): void {
  sheet.warn('direction-guessed', `smaller was taken to be better for ${name}, which has no unit`);
}

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : String(at(value, 'values'));
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

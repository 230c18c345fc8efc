/** A capacity plan as text, and as alert rules for Prometheus. Pure. */
import type { CapacityPlan } from '../capacity/plan.ts';
import { formatCount, formatRatio, ratio } from '../kernel/units.ts';
import { wrapped } from './columns.ts';
import { visible } from './escape.ts';
import { rateText, secondsText } from './ramp-view.ts';

/** Longest sentence with words from a file in it. */
const sentenceLimit = 600;

/** The sentence first, then what it stands on, then the rules to paste. */
export function describeCapacityPlan(plan: CapacityPlan, width: number): string {
  const { withoutOne, scaleOut, alerts, boundTo } = plan;
  const knee = `${rateText(plan.knee)}${plan.kneeIsAtLeast ? ' or more' : ''}`;
  const safe =
    plan.boundBy === 'knee'
      ? `${formatRatio(ratio(plan.headroom))} of the knee, ${knee}`
      : `the highest rate that met the objective; ${formatRatio(ratio(plan.headroom))} of the knee, ${knee}, would miss it`;
  const limit =
    withoutOne.limitIs === 'knee'
      ? 'the knee'
      : `the highest rate that met the objective, ${rateText(withoutOne.limit)}`;
  const lines = [
    `${formatCount(plan.instances)} instances for a peak of ${rateText(plan.peak)}: each carries ${rateText(plan.ratePerInstance)} of its safe ${rateText(plan.safeRate)}.`,
    '',
    `Safe rate: ${rateText(plan.safeRate)} an instance, ${safe}.`,
    `Without one: when one of ${formatCount(plan.instances)} is lost at the peak, the others carry ${rateText(withoutOne.ratePerInstance)} each, which is ${withoutOne.holds ? 'within' : 'beyond'} ${limit}${withoutOne.holds ? '' : ': add one if a loss at the peak must be held'}.`,
    `Scale out: when the mean of all instances stays above ${rateText(scaleOut.ratePerInstance)} each${scaleOut.cores === null ? '' : `, about ${scaleOut.cores} cores in use`}.`,
    `Alerts: p99 above ${secondsText(alerts.p99.warning)} (warning) or ${secondsText(alerts.p99.critical)} (critical); errors above ${formatRatio(ratio(alerts.errors.warning))} or ${formatRatio(ratio(alerts.errors.critical))}; load of an instance above ${rateText(alerts.utilisation.warning)} or ${rateText(alerts.utilisation.critical)}.`,
    '',
    ...(plan.toKnow.length === 0
      ? []
      : ['To know:', ...plan.toKnow.map((one) => `- ${visible(one, sentenceLimit)}`), '']),
    'Not covered:',
    ...plan.notCovered.map((one) => `- ${visible(one, sentenceLimit)}`),
    '',
    `Measured with this configuration (${visible(boundTo.configHash.slice(0, 16))}) in this environment (${visible(boundTo.environmentHash.slice(0, 16))}) at ${visible(boundTo.measuredAt)}; measure again when either changes.`,
  ];
  return lines.flatMap((line) => wrapped(line, width)).join('\n');
}

/**
 * Alert rules in the form Prometheus loads. Metric names are the usual ones of client libraries.
 * @param job value of the `job` label.
 */
export function prometheusRules(plan: CapacityPlan, job: string): string {
  const { alerts, boundTo, scaleOut } = plan;
  const selector = `job=${JSON.stringify(job)}`;
  const p99 = `histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket{${selector}}[5m])))`;
  const errors = `sum(rate(http_requests_total{${selector},code=~"5..|429"}[5m])) / sum(rate(http_requests_total{${selector}}[5m]))`;
  const load = `sum(rate(http_requests_total{${selector}}[5m])) / count(up{${selector}} == 1)`;
  const cpu = `avg(rate(process_cpu_seconds_total{${selector}}[5m]))`;
  const rules = [
    rule('P99High', `${p99} > ${alerts.p99.warning}`, '5m', 'warning', alerts.p99.why),
    rule('P99BeyondObjective', `${p99} > ${alerts.p99.critical}`, '2m', 'critical', alerts.p99.why),
    rule('ErrorsHigh', `${errors} > ${alerts.errors.warning}`, '5m', 'warning', alerts.errors.why),
    rule('ErrorsBeyondBudget', `${errors} > ${alerts.errors.critical}`, '2m', 'critical', alerts.errors.why),
    rule('ScaleOut', `${load} > ${alerts.utilisation.warning}`, '5m', 'warning', alerts.utilisation.why),
    rule('NearKnee', `${load} > ${alerts.utilisation.critical}`, '2m', 'critical', alerts.utilisation.why),
    ...(scaleOut.cores === null
      ? []
      : [
          rule(
            'CpuHigh',
            `${cpu} > ${scaleOut.cores}`,
            '5m',
            'warning',
            'cores in use an instance at the safe rate',
          ),
        ]),
  ];
  return [
    `# Made by tailgate plan from a ramp of ${visible(boundTo.measuredAt)}.`,
    `# Holds for configuration ${visible(boundTo.configHash)} in environment ${visible(boundTo.environmentHash)}.`,
    '# Rename the metrics and the labels `job` and `code` to what your service exports.',
    'groups:',
    '  - name: "tailgate-capacity"',
    '    rules:',
    ...rules.flat(),
    '',
  ].join('\n');
}

function rule(
  name: string,
  expression: string,
  lasting: string,
  severity: 'warning' | 'critical',
  why: string,
): readonly string[] {
  return [
    `      - alert: ${JSON.stringify(`Capacity${name}`)}`,
    `        expr: ${JSON.stringify(expression)}`,
    `        for: ${JSON.stringify(lasting)}`,
    '        labels:',
    `          severity: ${JSON.stringify(severity)}`,
    '        annotations:',
    `          description: ${JSON.stringify(why)}`,
  ];
}

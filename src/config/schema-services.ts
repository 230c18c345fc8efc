/** Of tailgate.yml: where the cost of a side is read, and which other counters of it there are. */
import { z } from 'zod';
import type { Form } from './forms.ts';
import { nameForm, pathForm } from './forms.ts';
import { choice, formed, group, texts, tolerance } from './schema-values.ts';

const metricForm: Form = {
  // Prometheus 3 and OpenTelemetry have dots and dashes in names; no name has a brace, a quote or a space.
  pattern: /^[A-Za-z_:][A-Za-z0-9_:./-]{0,199}$/,
  wanted: 'wanted the name of a counter such as process_cpu_seconds_total',
};
const cgroupForm: Form = {
  pattern: /^\/(?!(?:.*\/)?\.\.(?:\/|$))[^\0]+$/,
  wanted:
    'wanted the absolute path of a cgroup such as /sys/fs/cgroup/system.slice/app-{port}.service, without ..',
};
export const companionPort = /^\{services\.([A-Za-z0-9_-]+)\.port\}$/;
const portError = 'wanted a port from 1 to 65535, or {services.NAME.port}';

const labelProblem = (name: string): string | null =>
  /^[A-Za-z_][A-Za-z0-9_.:]*$/.test(name)
    ? null
    : 'wanted the name of a label: letters, digits and underscores';

const endpoint = {
  path: formed(pathForm).default('/metrics').describe('Of the page with the counters.'),
  port: z
    .union(
      [
        z.int({ error: portError }).min(1, { error: portError }).max(65_535, { error: portError }),
        z.string({ error: portError }).regex(companionPort, { error: portError }),
      ],
      { error: portError },
    )
    .nullable()
    .default(null)
    .describe('null: that of the service.'),
  labels: texts('label names with their values', labelProblem)
    .prefault({})
    .describe('Those that tell the one series from others; {port} and {side} are replaced.'),
};

const costError = 'wanted process-tree, { prometheus: { path, metric } } or { cgroup: PATH }';
const otherCost = group({
  prometheus: group({
    ...endpoint,
    metric: formed(metricForm)
      .default('process_cpu_seconds_total')
      .describe('A counter in seconds of CPU time.'),
  }).optional(),
  cgroup: formed(cgroupForm).optional().describe('A cgroup of version 2; {port} and {side} are replaced.'),
}).refine((value) => (value.prometheus === undefined) !== (value.cgroup === undefined), {
  error: costError,
  when: ({ value }) =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).every((key) => key === 'prometheus' || key === 'cgroup'),
});

export const cost = z
  .union([otherCost, choice(['process-tree'])], { error: costError })
  .default('process-tree')
  .describe('Where the CPU time of a side is read.');

const counter = group({
  name: formed(nameForm).describe('Of the row.'),
  metric: formed(metricForm),
  ...endpoint,
  per: choice(['request']).default('request'),
  judge: tolerance('5%', '10%').unwrap().nullable().default(null).describe('null: shown, never judged.'),
});

export const metrics = z
  .array(counter, { error: 'wanted a list of { name, metric }' })
  .max(30, { error: 'wanted at most 30 counters' })
  .default([])
  .describe(
    'Other counters of a page in the text format of Prometheus: what a request adds to each is a row.',
  );

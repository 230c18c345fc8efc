/** Of tailgate.yml: what runs beside the sides, where the cost of a side is read, and which other counters of it there are. */
import { z } from 'zod';
import type { Form } from './forms.ts';
import { commandForm, nameForm, pathForm, variableProblem } from './forms.ts';
import { choice, duration, formed, group, status, texts, tolerance, truth } from './schema-values.ts';

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

/** How a process is asked to end, and how long it may take. */
export const stop = group({
  signal: choice(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGKILL']).default(
    'SIGTERM',
  ),
  grace: duration('0s', '5m').prefault('5s').describe('Until it is ended by force.'),
}).prefault({});

const companionName: Form = {
  // It stands in `{services.NAME.port}` and in the name of a directory.
  pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/,
  wanted: 'wanted 1 to 40 letters, digits, dashes or underscores, a letter or digit first',
};
const readyError = 'wanted port, { path: /health } or { command: pg_isready -p {port} }';
const readyGroup = group({
  path: formed(pathForm).optional(),
  status: status.optional(),
  command: formed(commandForm).optional(),
})
  .refine((value) => (value.path === undefined) !== (value.command === undefined), {
    error: readyError,
    when: () => true,
  })
  .refine((value) => value.status === undefined || value.command === undefined, {
    path: ['status'],
    error: 'a status belongs to `path`: a command is ready when it ends with 0',
    when: () => true,
  });

const companion = group({
  name: formed(companionName),
  start: formed(commandForm).describe(
    'It gets PORT; {port} and {directory}, an empty one of its own, are replaced.',
  ),
  'start-timeout': duration('100ms', '1h').prefault('60s'),
  ready: z
    .union([readyGroup, choice(['port'])], { error: readyError })
    .default('port')
    .describe('port: as soon as its port takes connections.'),
  stop,
  env: texts('variable names with their values', variableProblem).prefault({}),
  scope: choice(['shared', 'side'])
    .default('shared')
    .describe('shared: one for the whole job; side: one a side, started anew in every round.'),
  reset: formed(commandForm).nullable().default(null).describe('Run before every round.'),
  'count-cost': truth.default(false).describe('Whether its CPU time is part of its side.'),
});

export const services = z
  .array(companion, { error: 'wanted a list of { name, start }' })
  .max(20, { error: 'wanted at most 20 services' })
  .default([])
  .describe('What the sides need: started before them, in this order, and ended after them.');

export const reset = z
  .string({ error: 'wanted a command such as npm run seed, or ""' })
  .default('')
  .describe('Run for each side before each of its rounds, when it is ready.');
export const resetTimeout = duration('1s', '1h').prefault('60s');

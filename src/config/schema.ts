/** The one description of tailgate.yml: what is read, with which defaults, and the JSON Schema derived from it. */
import { z } from 'zod';
import { parseDuration, parseRatio } from '../kernel/units.ts';
import { failOnWords } from '../kernel/words.ts';
import {
  commandForm,
  directoryForm,
  durationPattern,
  type Form,
  globForm,
  headerProblem,
  nameForm,
  parseStatus,
  pathForm,
  pointsForm,
  ratioForm,
  revisionForm,
  statusPattern,
  statusWanted,
  variableProblem,
} from './forms.ts';
import { faultsOf, type Reading } from './problems.ts';

const formed = (form: Form) => z.string({ error: form.wanted }).regex(form.pattern, { error: form.wanted });

const weightError = 'wanted a number from 0 to 1000000';
const weight = z
  .number({ error: weightError })
  .min(0, { error: weightError })
  .max(1e6, { error: weightError });

const truth = z.boolean({ error: 'wanted true or false' });

function choice<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, { error: `wanted one of ${words.join(', ')}` });
}

function whole(least: number, most: number) {
  const error = `wanted a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

function rate(most: number) {
  const error = `wanted requests a second, above 0 and at most ${most}`;
  return z.number({ error }).positive({ error }).max(most, { error });
}

function duration(least: string, most: string) {
  const error = `wanted a duration from ${least} to ${most}, with its unit, such as 250ms, 5s or 4m`;
  const [from, to] = [parseDuration(least)!, parseDuration(most)!];
  return z
    .string({ error })
    .regex(durationPattern, { error })
    .transform((text, context) => {
      const value = parseDuration(text);
      if (value !== null && value >= from && value <= to) return value;
      context.addIssue(error);
      return z.NEVER;
    });
}

const share = (form: Form) =>
  formed(form).transform((text, context) => {
    const value = parseRatio(text);
    if (value !== null) return value;
    context.addIssue(form.wanted);
    return z.NEVER;
  });
const ratio = share(ratioForm);
const points = share(pointsForm).refine((value) => value <= 1, { error: 'wanted at most 100 points' });

const wantStatus = { error: statusWanted };
const oneStatus = z.union(
  [z.int().min(100, wantStatus).max(599, wantStatus), z.string().regex(statusPattern, wantStatus)],
  wantStatus,
);
const status = z
  .union([oneStatus, z.array(oneStatus, wantStatus).min(1, wantStatus)], wantStatus)
  .transform((value) => (Array.isArray(value) ? value : [value]).map((one) => parseStatus(one)!));

/** Names to values that are written as text, whatever YAML made of them; `problemOf` says what cannot be. */
function texts(what: string, problemOf: (name: string, value: string) => string | null) {
  const error = `wanted ${what}`;
  return z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()], { error: 'wanted text' }), { error })
    .transform((record, context) => {
      const entries = Object.entries(record).map(([name, value]) => [name, String(value)] as const);
      for (const [name, value] of entries) {
        const message = problemOf(name, value);
        if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
      }
      return Object.fromEntries(entries);
    });
}
const headers = texts('header names with their values', headerProblem);

function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'wanted a group of keys'),
  });
}

/** Checks that look at several keys must also run when a neighbour is wrong: every problem is told at once. */
const numbers = (value: unknown, ...keys: readonly string[]): boolean =>
  keys.every((key) => typeof (value as Record<string, unknown> | null)?.[key] === 'number');

function tolerance(min: string, detect: string) {
  return group({
    min: ratio.prefault(min).describe('The smallest change worth a red build.'),
    detect: ratio.prefault(detect).describe('The change that a pass must exclude.'),
  })
    .refine((value) => value.detect > value.min, {
      path: ['detect'],
      error: `detect must be above min (without a value of their own: min ${min}, detect ${detect})`,
      when: ({ value }) => numbers(value, 'min', 'detect'),
    })
    .prefault({});
}

const least = (min: string) =>
  group({ min: points.prefault(min).describe('The smallest change worth a red build.') }).prefault({});

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const request = group({
  method: choice(methods).default('GET'),
  path: formed(pathForm).default('/'),
  headers: headers.prefault({}),
  body: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())], {
      error: 'wanted text, or keys and values to be sent as JSON, or null',
    })
    .nullable()
    .default(null)
    .describe('Text is sent as it is; keys and values are sent as JSON with its content-type.'),
  weight: weight
    .default(1)
    .describe('The share of this request among those of the scenario; 0 leaves it out.'),
  expect: group({ status: status.prefault('2xx').describe('Answers that count as right.') }).prefault({}),
}).refine((value) => value.method !== 'HEAD' || value.body == null, {
  path: ['body'],
  error: 'a HEAD request has no body: remove it, or use another method',
});

const scenarioRate = rate(50_000);
const scenario = group({
  name: formed(nameForm).default('default'),
  rate: scenarioRate.optional().describe('Requests a second; without it, the rate of the whole file.'),
  path: formed(pathForm).optional().describe('Short for one request: GET this path.'),
  requests: z
    .array(request, { error: 'wanted a list of requests' })
    .min(1, { error: 'wanted at least one request' })
    .max(1000, { error: 'wanted at most 1000 requests' })
    .refine((list) => !list.every((one) => one?.weight === 0), {
      error: 'every request has weight 0: give at least one of them a weight above 0',
      when: ({ value }) => Array.isArray(value) && value.length > 0,
    })
    .optional(),
}).refine((value) => value.path === undefined || value.requests === undefined, {
  path: ['path'],
  error: '`path` is short for one request: give either `path` or `requests`',
  when: () => true,
});

/** The first name that is used twice; null when all differ. */
function sameName(list: unknown): string | null {
  const names = (list as readonly ({ readonly name?: string } | undefined)[]).map((one) => one?.name);
  return names.find((name, index) => name !== undefined && names.indexOf(name) !== index) ?? null;
}

const scenarios = z
  .array(scenario, { error: 'wanted a list of scenarios' })
  .min(1, { error: 'wanted at least one scenario' })
  .max(20, { error: 'wanted at most 20 scenarios' })
  .refine((list) => sameName(list) === null, {
    error: ({ input }) => `two scenarios are named ${JSON.stringify(sameName(input))}: names must differ`,
    when: ({ value }) => Array.isArray(value),
  });

const roundCount = whole(6, 60);
const auto = (number: z.ZodNumber, what: string) =>
  z.union([z.literal('auto'), number], { error: `wanted auto or ${what}` });

const file = group({
  setup: z
    .string({ error: 'wanted a command such as npm ci, or ""' })
    .default('')
    .describe('Run once a side in its worktree, before anything is measured.'),
  'setup-timeout': duration('1s', '6h').prefault('15m'),
  start: formed(commandForm).describe('Starts the service. It gets PORT, and {port} is replaced.'),
  'start-timeout': duration('100ms', '1h').prefault('60s').describe('Until the service is ready.'),
  'working-directory': formed(directoryForm).default('.').describe('Of the project inside the repository.'),
  env: texts('variable names with their values', variableProblem)
    .prefault({})
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a user writes it.
    .describe('For setup and start; ${NAME} takes a variable of the job.'),
  ready: group({
    path: formed(pathForm).default('/'),
    status: status.prefault('2xx'),
    headers: headers.prefault({}),
  })
    .prefault({})
    .describe('The request that tells when the service is ready.'),
  stop: group({
    signal: choice(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGKILL']).default(
      'SIGTERM',
    ),
    grace: duration('0s', '5m').prefault('5s').describe('Until it is ended by force.'),
  }).prefault({}),
  'listener-check': z
    .union([choice(['on', 'off']), z.boolean()], { error: 'wanted on or off' })
    .default('on')
    .describe('off: for a service behind a container or proxy that is not our child.'),
  baseline: formed(revisionForm).default('merge-base').describe('merge-base, previous, or a ref.'),
  paths: z
    .array(formed(globForm), { error: 'wanted a list of globs' })
    .default([])
    .describe('When given and nothing that changed matches, the job is skipped.'),
  submodules: truth.default(false),
  lfs: truth.default(false),

  rate: scenarioRate.default(300).describe('Requests a second of a scenario without its own.'),
  arrivals: choice(['constant', 'poisson']).default('constant'),
  // The histograms end at 60 s.
  timeout: duration('10ms', '60s').prefault('5s').describe('Of a shot, from its due time.'),
  'max-sockets': whole(1, 10_000).default(256),
  'max-in-flight': whole(1, 1_000_000).default(10_000),
  scenarios: scenarios.prefault([{}]),

  'time-budget': duration('1s', '6h').prefault('4m').describe('Measuring and confirmation, without setup.'),
  rounds: group({ aim: roundCount.default(12), least: roundCount.default(6), most: roundCount.default(15) })
    .refine((value) => value.least <= value.aim, {
      path: ['aim'],
      error: 'aim must not be below least (defaults: least 6, aim 12, most 15)',
      when: ({ value }) => numbers(value, 'least', 'aim'),
    })
    .refine((value) => value.aim <= value.most, {
      path: ['most'],
      error: 'most must not be below aim (defaults: least 6, aim 12, most 15)',
      when: ({ value }) => numbers(value, 'aim', 'most'),
    })
    .prefault({}),
  slices: whole(4, 64)
    .multipleOf(4, { error: 'wanted a multiple of 4' })
    .default(8)
    .describe('A side and round: they are measured in turns, four by four.'),
  'slice-requests': whole(50, 10_000).default(500),
  'warm-up': group({
    requests: auto(whole(1, 1_000_000), 'a whole number from 1 to 1000000').default('auto'),
    rate: auto(rate(100_000), 'requests a second, above 0 and at most 100000').default('auto'),
    most: ratio
      .refine((value) => value > 0 && value <= 0.75, { error: 'wanted a share above 0% and at most 75%' })
      .prefault('25%')
      .describe('The share of a round that warm-up may take.'),
  }).prefault({}),
  confirm: truth.default(true).describe('Measure a flagged scenario again before calling it a regression.'),
  seed: z
    .union([z.literal('random'), z.int().min(0)], { error: 'wanted random or a whole number, 0 or above' })
    .default('random')
    .describe('Printed by every job; give it to reproduce one.'),
  judge: group({
    p50: tolerance('5%', '10%'),
    p99: tolerance('5%', '20%').describe('Also of p95 or p90 when they are judged in its place.'),
    cpu: tolerance('2%', '5%').describe('CPU time a request, median over pairs of slices.'),
    'cpu-total': tolerance('3%', '10%').describe('CPU time a request over whole rounds.'),
    tail: least('5 points').describe('Share of slices with a stall.'),
    errors: least('0.1 points').describe('Share of requests that failed.'),
  }).prefault({}),
  'on-different-body': choice(['warn', 'stop']).default('warn'),
  'fail-on': z
    .array(choice(failOnWords), { error: `wanted a list of ${failOnWords.join(', ')}` })
    .default(['regression', 'invalid', 'service-failed'])
    .describe('What turns the job red.'),
  'on-baseline-failure': choice(['fail', 'neutral']).default('fail'),
  waivers: z
    .array(z.unknown(), { error: 'wanted a list' })
    .max(0, { error: 'this version has no accepted changes yet: remove the entries, or widen `judge`' })
    .default([]),
  'trust-config': choice(['candidate', 'baseline']).default('candidate'),
  comment: choice(['always', 'on-change', 'on-regression', 'never']).default('on-change'),
}).meta({ title: 'tailgate.yml', description: 'What a Tailgate job builds, measures and judges.' });

/** A file that was understood, in its own kebab-case words, every default filled in. */
export type FileSettings = z.output<typeof file>;

/** Reads a parsed file as a whole. Never throws: what is wrong comes back as data. */
export function readSettings(raw: unknown): Reading<FileSettings> {
  const result = file.safeParse(raw);
  return result.success
    ? { kind: 'understood', settings: result.data }
    : { kind: 'refused', ...faultsOf(raw, result.error.issues) };
}

/**
 * JSON Schema (draft-07, which editors read) of what a user may write. Nothing is required of the file itself:
 * `start` may be given beside it.
 */
export function configJsonSchema(): Record<string, unknown> {
  const { required: _, ...schema } = z.toJSONSchema(file, { target: 'draft-7', io: 'input' });
  return schema;
}

/** The one description of tailgate.yml: what is read, with which defaults, and the JSON Schema derived from it. */
import { z } from 'zod';
import { failOnWords } from '../kernel/words.ts';
import { commandForm, directoryForm, globForm, pathForm, revisionForm, variableProblem } from './forms.ts';
import { faultsOf, type Reading } from './problems.ts';
import { arrivals } from './schema-arrivals.ts';
import { microbenchmarks, waivers } from './schema-judging.ts';
import { scenarioRate, scenarios } from './schema-scenarios.ts';
import { cost, metrics, reset, resetTimeout, services, stop } from './schema-services.ts';
import { transport } from './schema-transport.ts';
import {
  choice,
  duration,
  formed,
  group,
  headers,
  least,
  numbers,
  rate,
  ratio,
  status,
  texts,
  tolerance,
  truth,
  whole,
} from './schema-values.ts';

const roundCount = whole(6, 60);
const auto = (number: z.ZodNumber, what: string) =>
  z.union([z.literal('auto'), number], { error: `wanted auto or ${what}` });

/** One sentence for whatever is wrong with it, since one rule covers all of that. */
const quadsWanted = 'a multiple of 4, from 4 to 64';
const quads = { error: `wanted auto or ${quadsWanted}` };

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
  stop,
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
  arrivals: arrivals.default('constant'),
  // The histograms end at 60 s.
  timeout: duration('10ms', '60s').prefault('5s').describe('Of a shot, from its due time.'),
  'max-sockets': whole(1, 10_000).default(256),
  'max-in-flight': whole(1, 1_000_000).default(10_000),
  senders: auto(whole(1, 16), 'a whole number from 1 to 16')
    .default('auto')
    .describe('Generator processes; auto: one each 10000 requests a second, and a CPU left for the service.'),
  transport: transport.describe('How requests reach the service. Redirects are never followed.'),
  scenarios: scenarios.prefault([{}]),
  microbenchmarks,
  services,
  reset,
  'reset-timeout': resetTimeout,
  cost,
  metrics,

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
  slices: auto(z.int(quads).min(4, quads).max(64, quads).multipleOf(4, quads), quadsWanted)
    .default('auto')
    .describe(
      'A side and round: they are measured in turns, four by four. auto: 8, up to 32 where the time budget has room, 4 where it has not.',
    ),
  'slice-requests': whole(50, 10_000).default(500),
  'warm-up': group({
    requests: auto(whole(1, 1_000_000), 'a whole number from 1 to 1000000').default('auto'),
    rate: auto(rate(100_000), 'requests a second, above 0 and at most 100000').default('auto'),
    most: ratio
      .refine((value) => value > 0 && value <= 0.75, { error: 'wanted a share above 0% and at most 75%' })
      .prefault('25%')
      .describe('The share of a round that warm-up may take.'),
  }).prefault({}),
  confirm: truth
    .default(true)
    .describe(
      'Measure a flagged scenario again before calling it a regression, and an open one where that could settle it.',
    ),
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
    microbenchmarks: tolerance('2%', '5%').describe('Time of an operation, or what a command prints.'),
  }).prefault({}),
  'on-different-body': choice(['warn', 'stop']).default('warn'),
  'fail-on': z
    .array(choice(failOnWords), { error: `wanted a list of ${failOnWords.join(', ')}` })
    .default(['regression', 'invalid', 'service-failed'])
    .describe('What turns the job red.'),
  'on-baseline-failure': choice(['fail', 'neutral']).default('fail'),
  waivers,
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

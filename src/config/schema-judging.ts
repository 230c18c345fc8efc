/** Of tailgate.yml: which microbenchmarks there are, and which changes were accepted. */
import { z } from 'zod';
import { isDay } from '../kernel/days.ts';
import { otherFormatWords, parseFormat } from '../kernel/formats.ts';
import { parseRatio } from '../kernel/units.ts';
import { benchFormats, metricNames } from '../kernel/words.ts';
import { ceilingWanted, commandForm, dateForm, globForm, nameForm, pointsForm, ratioForm } from './forms.ts';
import { choice, formed, group } from './schema-values.ts';

export const defaultBenchGlobs: readonly string[] = ['**/*.bench.{js,mjs,ts,mts}'];

const formatWords = ['auto', ...benchFormats];
const formatError = `wanted one of ${formatWords.join(', ')}`;
const format = z
  .string({ error: formatError })
  // For editors; the words of other tools are read whatever their case is.
  .meta({ enum: [...formatWords, ...otherFormatWords] })
  .transform((word, context) => {
    const found = parseFormat(word);
    if (found !== null) return found;
    context.addIssue(formatError);
    return z.NEVER;
  });

const suite = group({
  name: formed(nameForm),
  command: formed(commandForm)
    .optional()
    .describe('A benchmark suite of any tool; its standard output is the result.'),
  format: format.optional(),
  exec: formed(commandForm)
    .optional()
    .describe('A command-line tool: CPU time and peak memory of an execution.'),
})
  .refine((value) => (value.command === undefined) !== (value.exec === undefined), {
    error: 'wanted either `command`, a benchmark suite, or `exec`, a tool whose own cost is measured',
    when: () => true,
  })
  .refine((value) => value.exec === undefined || value.format === undefined, {
    path: ['format'],
    error: 'a format belongs to `command`: what `exec` prints is not read',
    when: () => true,
  });

const benchError = 'wanted a glob, or { name, command, format } or { name, exec }';
const benchmark = z.union([formed(globForm), suite], { error: benchError });

export const microbenchmarks = z
  .array(benchmark, { error: 'wanted a list of globs and commands, or [] for none' })
  .max(100, { error: 'wanted at most 100 entries' })
  .optional()
  .describe(
    `Globs of files whose exported functions are benchmarks, and commands. Unless given: ${defaultBenchGlobs.join(' ')}`,
  );

const pointMetrics: readonly string[] = ['tail', 'errors'];
const waiver = group({
  scenario: z
    .string({ error: 'wanted the name of a scenario or microbenchmark' })
    .min(1, { error: 'wanted the name of a scenario or microbenchmark' })
    .max(300, { error: 'wanted at most 300 characters' })
    .default('default')
    .describe('A scenario, or a microbenchmark as its row names it.'),
  metric: choice(metricNames),
  ceiling: z.string({ error: ceilingWanted }).describe('The largest change for the worse that is accepted.'),
  expires: formed(dateForm)
    .refine(isDay, { error: 'the calendar has no such day' })
    .nullable()
    .default(null)
    .describe('The last day it holds.'),
  reason: z
    .string({ error: 'wanted the reason, in a sentence' })
    .trim()
    .min(1, { error: 'wanted the reason, in a sentence' })
    .regex(/[\p{L}\p{N}]/u, { error: 'wanted the reason, in a sentence' })
    .max(500, { error: 'wanted at most 500 characters' }),
}).transform((value, context) => {
  const points = pointMetrics.includes(value.metric);
  const ceiling = (points ? pointsForm : ratioForm).pattern.test(value.ceiling)
    ? parseRatio(value.ceiling)
    : null;
  if (ceiling !== null && ceiling > 0) return { ...value, ceiling };
  const wanted = points ? 'wanted points above 0, such as 2 points' : 'wanted a share above 0%, such as 12%';
  context.addIssue({ code: 'custom', path: ['ceiling'], message: wanted });
  return z.NEVER;
});

export const waivers = z
  .array(waiver, { error: 'wanted a list' })
  .max(200, { error: 'wanted at most 200 waivers' })
  .default([])
  .describe('Changes that were accepted, each with its ceiling and reason.');

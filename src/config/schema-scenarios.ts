/** Scenarios of tailgate.yml and their requests. */
import { z } from 'zod';
import { nameForm, pathForm } from './forms.ts';
import { choice, formed, group, headers, rate, status } from './schema-values.ts';

const weightError = 'wanted a number from 0 to 1000000';
const weight = z
  .number({ error: weightError })
  .min(0, { error: weightError })
  .max(1e6, { error: weightError });

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

export const scenarioRate = rate(50_000);
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

export const scenarios = z
  .array(scenario, { error: 'wanted a list of scenarios' })
  .min(1, { error: 'wanted at least one scenario' })
  .max(20, { error: 'wanted at most 20 scenarios' })
  .refine((list) => sameName(list) === null, {
    error: ({ input }) => `two scenarios are named ${JSON.stringify(sameName(input))}: names must differ`,
    when: ({ value }) => Array.isArray(value),
  });

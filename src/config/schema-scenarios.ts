/** Scenarios of tailgate.yml: their requests, feed, authorisation and session. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how a user writes templates.
import { z } from 'zod';
import { fileForm, nameForm, pathTemplateForm, pointerForm } from './forms.ts';
import {
  bodySizes,
  expectations,
  message,
  methods,
  noBodyOfHead,
  oneBody,
  pathLengths,
} from './schema-requests.ts';
import { choice, formed, group, rate } from './schema-values.ts';

const exponentError = 'wanted a number above 0 and at most 10';

const weightError = 'wanted a number from 0 to 1000000';
const weight = z
  .number({ error: weightError })
  .min(0, { error: weightError })
  .max(1e6, { error: weightError });

const request = group({
  ...message,
  'path-length': pathLengths.default(null).describe('Of path and query, reached where they say ${filler}.'),
  'body-size': bodySizes
    .default(null)
    .describe('Of the body, reached where it says ${filler}; without a body, letters of that size.'),
  weight: weight
    .default(1)
    .describe('The share of this request among those of the scenario; 0 leaves it out.'),
  expect: expectations,
})
  .refine(oneBody.check, oneBody.params)
  .refine(noBodyOfHead.check, noBodyOfHead.params);

const feed = group({
  file: formed(fileForm).describe('CSV with a line of names first, or JSON Lines.'),
  format: choice(['csv', 'jsonl']).optional().describe('Without it, what the name of the file says.'),
  order: choice(['sequential', 'random', 'unique', 'zipf'])
    .default('sequential')
    .describe('unique: no row twice on a side.'),
  exponent: z
    .number({ error: exponentError })
    .positive({ error: exponentError })
    .max(10, { error: exponentError })
    .default(1)
    .describe('Of zipf: the first rows are drawn the more often, the higher it is.'),
});

const secretText = z.string({ error: 'wanted text' }).min(1, { error: 'wanted text' });
const auth = group({
  basic: group({ user: secretText, password: secretText }).optional(),
  bearer: secretText.optional(),
}).refine((value) => (value.basic === undefined) !== (value.bearer === undefined), {
  error: 'give either `basic: { user, password }` or `bearer`',
  when: () => true,
});

const session = group({
  ...message,
  method: choice(methods).default('POST'),
  token: formed(pointerForm).optional().describe('JSON pointer to the value in the answer.'),
  cookie: z
    .string({ error: 'wanted the name of a cookie' })
    .min(1, { error: 'wanted the name of a cookie' })
    .optional()
    .describe('Name of a cookie that the answer sets.'),
})
  .refine(oneBody.check, oneBody.params)
  .refine((value) => (value.token === undefined) !== (value.cookie === undefined), {
    error: 'give either `token`, a JSON pointer into the answer, or `cookie`, the name of one it sets',
    when: () => true,
  });

export const scenarioRate = rate(50_000);
const scenario = group({
  name: formed(nameForm).default('default'),
  rate: scenarioRate.optional().describe('Requests a second; without it, the rate of the whole file.'),
  path: formed(pathTemplateForm).optional().describe('Short for one request: GET this path.'),
  requests: z
    .array(request, { error: 'wanted a list of requests' })
    .min(1, { error: 'wanted at least one request' })
    .max(1000, { error: 'wanted at most 1000 requests' })
    .refine((list) => !list.every((one) => one?.weight === 0), {
      error: 'every request has weight 0: give at least one of them a weight above 0',
      when: ({ value }) => Array.isArray(value) && value.length > 0,
    })
    .optional(),
  feed: feed.nullable().default(null).describe('Rows whose columns stand in templates as ${feed.column}.'),
  auth: auth.nullable().default(null).describe('For requests without an authorization header of their own.'),
  session: session
    .nullable()
    .default(null)
    .describe('One request a side before its load, whose answer gives ${session}.'),
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

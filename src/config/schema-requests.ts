/** How a request of tailgate.yml is made and what its answer must be: the chapter that scenarios and sessions share. */
import { z } from 'zod';
import { fileForm, parseSize, pathTemplateForm, pointerForm, sizeForm } from './forms.ts';
import { choice, formed, group, headers, status } from './schema-values.ts';
import { bodyLimit, pathLimit, type SizeSettings } from './settings.ts';

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'wanted text' });
/** Names with a text or a list of texts each, flattened to pairs in the order of the file. */
const pairs = (what: string) =>
  z
    .record(z.string(), z.union([scalar, z.array(scalar)], { error: 'wanted text, or a list of texts' }), {
      error: `wanted ${what}`,
    })
    .transform((record) =>
      Object.entries(record).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)] as [string, string]),
      ),
    );

/** A size up to a bound, and the sentence that says so. */
function sizeUpTo(most: number, written: string) {
  const error = `${sizeForm.wanted}, at most ${written}`;
  return z
    .union([z.number(), z.string().regex(sizeForm.pattern, { error })], { error })
    .transform((value, context) => {
      const bytes = parseSize(value);
      if (bytes !== null && bytes <= most) return bytes;
      context.addIssue(error);
      return z.NEVER;
    });
}
const size = sizeUpTo(bodyLimit, '1MiB');
const drawnWanted =
  'or one of { uniform: [200, 2KB] }, { lognormal: { median: 2KB, p99: 40KB } }, { histogram: { 200: 7, 2KB: 3 } }';
const binsWanted = 'wanted sizes with their weights such as { 200: 7, 2KB: 3 }';
const binWeight = 'wanted a weight above 0';

/** A size in bytes, or from what it is drawn. */
function sizesUpTo(most: number, written: string) {
  const one = sizeUpTo(most, written);
  const sizesWanted = `${sizeForm.wanted}, at most ${written}, ${drawnWanted}`;
  const histogram = z
    .record(z.string(), z.number({ error: binWeight }).positive({ error: binWeight }), { error: binsWanted })
    .transform((record, context) =>
      Object.entries(record).map(([text, weight]) => {
        const bytes = parseSize(text);
        if (bytes === null || bytes > most) {
          const message = `${sizeForm.wanted}, at most ${written}`;
          context.addIssue({ code: 'custom', path: [text], message });
        }
        return { bytes: bytes ?? 0, weight };
      }),
    );
  const drawn = group({
    uniform: z.tuple([one, one], { error: 'wanted the smallest and the largest size' }).optional(),
    lognormal: group({ median: one, p99: one }).optional(),
    histogram: histogram.optional(),
  });
  return z
    .union([one, drawn], { error: sizesWanted })
    .transform((value, context): SizeSettings => {
      if (typeof value === 'number') return { kind: 'fixed', bytes: value };
      const { uniform, lognormal, histogram: bins } = value;
      if ([uniform, lognormal, bins].filter((form) => form !== undefined).length === 1) {
        if (bins !== undefined && bins.length > 0) return { kind: 'histogram', bins };
        if (uniform !== undefined && uniform[0] <= uniform[1])
          return { kind: 'uniform', from: uniform[0], to: uniform[1] };
        if (lognormal !== undefined && 0 < lognormal.median && lognormal.median <= lognormal.p99)
          return { kind: 'lognormal', ...lognormal };
      }
      context.addIssue(sizesWanted);
      return z.NEVER;
    })
    .nullable();
}
export const bodySizes = sizesUpTo(bodyLimit, '1MiB');
export const pathLengths = sizesUpTo(pathLimit, '8000');

const part = group({
  name: z.string({ error: 'wanted the name of the field' }).min(1, { error: 'wanted the name of the field' }),
  value: scalar.transform(String).optional(),
  file: formed(fileForm).optional(),
  filename: z.string({ error: 'wanted a file name' }).optional(),
  'content-type': z.string({ error: 'wanted a type such as image/png' }).optional(),
}).refine((value) => (value.value === undefined) !== (value.file === undefined), {
  error: 'a part is either a field, `{ name, value }`, or a file, `{ name, file }`',
  when: () => true,
});

/** Keys that make a request: shared by the requests of a scenario and the one of a session. */
export const message = {
  method: choice(methods).default('GET'),
  path: formed(pathTemplateForm).default('/'),
  query: pairs('names with their values').prefault({}).describe('Appended to the path, encoded.'),
  headers: headers.prefault({}),
  body: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())], {
      error: 'wanted text, or keys and values to be sent as JSON, or null',
    })
    .nullable()
    .default(null)
    .describe('Text is sent as it is; keys and values are sent as JSON with its content-type.'),
  form: pairs('names with their values')
    .nullable()
    .default(null)
    .describe('A body of fields, as a browser sends a form.'),
  multipart: z
    .array(part, { error: 'wanted a list of parts' })
    .min(1, { error: 'wanted at least one part' })
    .nullable()
    .default(null)
    .describe('A body of fields and files.'),
  'body-file': formed(fileForm).nullable().default(null).describe('Bytes of a file, sent as they are.'),
};

export const bodyKeys = ['body', 'form', 'multipart', 'body-file'] as const;
type Bodies = Readonly<Partial<Record<(typeof bodyKeys)[number] | 'method' | 'body-size', unknown>>>;
const given = (value: Bodies) => bodyKeys.filter((key) => value?.[key] !== undefined && value[key] !== null);

/** Checks of a request over several of its keys; each also runs when a neighbour is wrong. */
export const oneBody = {
  check: (value: Bodies) => given(value).length <= 1,
  params: {
    error: ({ input }: { readonly input?: unknown }) =>
      `a request has one body, this one has ${given(input as Bodies)
        .map((key) => `\`${key}\``)
        .join(' and ')}: keep one of them`,
    when: ({ value }: { readonly value: unknown }) => typeof value === 'object' && value !== null,
  },
};
export const noBodyOfHead = {
  check: (value: Bodies) =>
    value.method !== 'HEAD' || (given(value).length === 0 && (value['body-size'] ?? null) === null),
  params: { path: ['body'], error: 'a HEAD request has no body: remove it, or use another method' },
};

const pointers = z
  .record(z.string(), z.unknown(), { error: 'wanted JSON pointers with their values' })
  .transform((record, context) => {
    for (const pointer of Object.keys(record)) {
      if (!pointerForm.pattern.test(pointer))
        context.addIssue({ code: 'custom', path: [pointer], message: pointerForm.wanted });
    }
    return record;
  });
const texts = z
  .union([z.string().min(1), z.array(z.string().min(1))], { error: 'wanted a text, or a list of texts' })
  .transform((value) => (Array.isArray(value) ? value : [value]));
const expectedHeaders = z
  .record(z.string(), scalar, { error: 'wanted header names with the value wanted, or /a pattern/' })
  .transform((record, context) => {
    for (const [name, value] of Object.entries(record)) {
      const problem = patternProblem(String(value));
      if (problem !== null) context.addIssue({ code: 'custom', path: [name], message: problem });
    }
    return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]));
  });

function patternProblem(value: string): string | null {
  const pattern = /^\/(.+)\/$/.exec(value)?.[1];
  try {
    if (pattern !== undefined) new RegExp(pattern);
    return null;
  } catch (error) {
    return `this regular expression cannot be read: ${(error as Error).message}`;
  }
}

/** What makes an answer right. */
export const expectations = group({
  status: status.prefault('2xx').describe('Answers that count as right.'),
  headers: expectedHeaders.prefault({}).describe('Looked at in a sample.'),
  'body-contains': texts.prefault([]).describe('Looked at in a sample.'),
  json: pointers.prefault({}).describe('JSON pointers and the values wanted there; looked at in a sample.'),
  size: group({ min: size.prefault(0), max: size.nullable().prefault(null) })
    .refine((value) => value.max === null || value.min <= value.max, {
      path: ['max'],
      error: 'max must not be below min',
    })
    .prefault({})
    .describe('Bytes of the body; looked at in every answer.'),
}).prefault({});

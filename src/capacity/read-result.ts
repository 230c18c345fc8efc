/** A file of `tailgate ramp --json` → its result, with what is wrong with any other file said. Pure. */
import { isMoment } from '../kernel/days.ts';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import { type RampEnd, type RampResult, rampSchema, rampVersion, type Subject } from './result.ts';

const wayOut = 'name the file that `tailgate ramp … --json FILE` wrote';

/**
 * Reads a whole result.
 * @throws TailgateError `usage` naming what is wrong: no JSON, another tool's file, a key of another kind.
 */
export function readRampResult(content: string): RampResult {
  const value = parsed(content);
  if (!isRecord(value)) throw refused(`it holds ${kindOf(value)}, not the result of a ramp`);
  if (value['schema'] !== rampSchema) {
    if (value['schema'] === undefined && value['model'] === 'closed' && Array.isArray(value['levels']))
      throw refused('this is a sweep: a closed loop waits for its answers, so it tells no rate that is safe');
    if (value['schema'] === 'tailgate-ramp-pair')
      throw refused(
        'this is a comparison of two builds: it has no curve',
        'measure the curve of one: leave out --baseline',
      );
    const named = typeof value['schema'] === 'string' ? `its schema is ${shown(value['schema'])}` : null;
    throw refused(`it is not the result of a ramp: ${named ?? 'it names no schema'}, wanted "${rampSchema}"`);
  }
  if (value['version'] !== rampVersion) {
    throw refused(
      `its version is ${shown(value['version'])}; this Tailgate reads version ${rampVersion}`,
      'Measure again, or use the Tailgate that wrote it.',
    );
  }
  const problem = result.problem(value, '');
  if (problem !== null) throw refused(problem, 'The file was changed or cut short; measure again.');
  return value as unknown as RampResult;
}

/** What a value must look like; the problem names the key, the value and what is wanted there. */
interface Form {
  readonly words: string;
  readonly problem: (value: unknown, key: string) => string | null;
}

function one(words: string, fits: (value: unknown) => boolean): Form {
  const problem = (value: unknown, key: string): string | null =>
    fits(value) ? null : `"${key}" is ${kindOf(value)}; wanted ${words}`;
  return { words, problem };
}

function fields(parts: Readonly<Record<string, Form>>): Form {
  const words = `{ ${Object.keys(parts).join(', ')} }`;
  const itself = one(words, isRecord);
  const problem = (value: unknown, key: string): string | null => {
    if (!isRecord(value)) return itself.problem(value, key);
    const problems = Object.entries(parts).map(([name, form]) =>
      form.problem(value[name], key === '' ? name : `${key}.${name}`),
    );
    return problems.find((found) => found !== null) ?? null;
  };
  return { words, problem };
}

function list(of: Form): Form {
  const words = `a list of ${of.words}`;
  const itself = one(words, Array.isArray);
  const problem = (value: unknown, key: string): string | null => {
    if (!Array.isArray(value)) return itself.problem(value, key);
    const problems = value.map((part: unknown, index) => of.problem(part, `${key}[${index}]`));
    return problems.find((found) => found !== null) ?? null;
  };
  return { words, problem };
}

function orNull(form: Form): Form {
  const words = `${form.words}, or null`;
  const itself = one(words, () => false);
  const problem = (value: unknown, key: string): string | null => {
    if (value === null) return null;
    // Of an object that is there, the key inside says more.
    return isRecord(value)
      ? form.problem(value, key)
      : form.problem(value, key) && itself.problem(value, key);
  };
  return { words, problem };
}

/** An object whose `kind` says what else it holds. */
function kinds<Kind extends string>(of: Readonly<Record<Kind, Readonly<Record<string, Form>>>>): Form {
  const names = Object.keys(of) as Kind[];
  const kind = one(`one of ${names.join(', ')}`, (value) => names.includes(value as Kind));
  const itself = one('{ kind }', isRecord);
  const problem = (value: unknown, key: string): string | null => {
    if (!isRecord(value)) return itself.problem(value, key);
    return (
      kind.problem(value['kind'], `${key}.kind`) ?? fields(of[value['kind'] as Kind]).problem(value, key)
    );
  };
  return { words: '{ kind }', problem };
}

const text = one('text', (value) => typeof value === 'string' && value !== '');
const flag = one('true or false', (value) => typeof value === 'boolean');
const rate = one('a rate above 0', isPositive);
const flow = one('a rate from 0', isFromZero);
const time = one('milliseconds from 0', isFromZero);
const seconds = one('seconds from 0', isFromZero);
const count = one('a number from 0', isFromZero);
const share = one('a share from 0 to 1', (value) => isFromZero(value) && (value as number) <= 1);
const hash = one('a hash in hexadecimal', (value) => typeof value === 'string' && /^[0-9a-f]+$/.test(value));
const percentiles = fields(
  Object.fromEntries(['p50', 'p90', 'p99', 'p999', 'max'].map((name) => [name, orNull(time)])),
);

const step = fields({
  rate,
  offeredPerSecond: flow,
  successfulPerSecond: flow,
  errorShare: share,
  sound: flag,
  passes: flag,
  responseTimeMs: percentiles,
  successTimeMs: percentiles,
  cpu: orNull(fields({ perRequestMs: orNull(time), cores: count })),
});

/** What a plan and a report read of it. */
const result = fields({
  objectiveMs: one('milliseconds above 0', isPositive),
  partial: flag,
  sound: flag,
  relative: flag,
  knee: orNull(rate),
  kneeBeyond: orNull(rate),
  ceiling: orNull(flow),
  atLeast: orNull(rate),
  capacity: fields({ lastPass: orNull(rate), firstFail: orNull(rate) }),
  criteria: fields({
    objectiveMs: one('milliseconds above 0', isPositive),
    leastSuccessful: share,
    errorBudget: share,
  }),
  steps: list(step),
  subject: kinds<Subject['kind']>({
    url: { url: text },
    config: { file: text, scenario: text, commit: text },
  }),
  end: kinds<RampEnd['kind']>({
    bracketed: {},
    'at-least': { limit: one('"rate" or "generator"', (value) => value === 'rate' || value === 'generator') },
    'missed-at-start': {},
    unsound: {},
    died: {},
    'did-not-recover': {},
    open: {},
  }),
  recovery: orNull(
    fields({ rate, afterRate: rate, recovered: flag, seconds: orNull(seconds), withinSeconds: seconds }),
  ),
  death: orNull(
    fields({
      duringRate: rate,
      afterRequests: count,
      how: orNull(text),
      lastWords: list(one('text', (value) => typeof value === 'string')),
    }),
  ),
  leak: orNull(fields({ fromBytes: count, toBytes: count, perRequestBytes: count })),
  configHash: hash,
  environmentHash: hash,
  environment: fields({ cpuModel: text, cpus: one('a number above 0', isPositive) }),
  createdAt: one(
    'a moment such as 2027-01-31T08:00:00.000Z',
    (value) => typeof value === 'string' && isMoment(value),
  ),
});

function parsed(content: string): unknown {
  if (content.trim() === '') throw refused('it is empty');
  try {
    return JSON.parse(content);
  } catch (error) {
    const cut = /^\s*\{/.test(content) && !/\}\s*$/.test(content);
    throw refused(
      cut ? 'it ends in the middle: it was cut short' : `it is not JSON: ${printable(messageOf(error))}`,
    );
  }
}

const refused = (message: string, hint = wayOut): TailgateError =>
  new TailgateError({ code: 'usage', message, hint });

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isPositive(value: unknown): boolean {
  return isNumber(value) && value > 0;
}

function isFromZero(value: unknown): boolean {
  return isNumber(value) && value >= 0;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return `${typeof value} ${shown(value)}`;
}

/** A foreign value in a message: bounded, and nothing in it reaches a terminal as a command. */
const shown = (value: unknown): string => {
  const whole = JSON.stringify(value) ?? 'undefined';
  return printable(whole.length <= 80 ? whole : `${whole.slice(0, 79)}…`);
};
const printable = (words: string): string =>
  words.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`);

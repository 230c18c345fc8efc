/** A file of `tailgate ramp --json` → its result, with what is wrong with any other file said. Pure. */
import { isMoment } from '../kernel/days.ts';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import { type RampResult, rampSchema, rampVersion } from './result.ts';

const wayOut = 'name the file that `tailgate ramp … --json FILE` wrote';

/**
 * Reads a whole result.
 * @throws TailgateError `usage` naming what is wrong: no JSON, another tool's file, a key of another kind.
 */
export function readRampResult(content: string): RampResult {
  const value = parsed(content);
  if (!isRecord(value)) throw refused(`it holds ${kindOf(value)}, not the result of a ramp`);
  if (value['schema'] !== rampSchema) {
    const named =
      typeof value['schema'] === 'string' ? `its schema is "${value['schema'].slice(0, 60)}"` : null;
    throw refused(`it is not the result of a ramp: ${named ?? 'it names no schema'}, wanted "${rampSchema}"`);
  }
  if (value['version'] !== rampVersion) {
    throw refused(
      `its version is ${JSON.stringify(value['version'])}; this Tailgate reads version ${rampVersion}`,
      'Measure again, or use the Tailgate that wrote it.',
    );
  }
  for (const [key, wanted] of Object.entries(shape)) {
    if (!wanted.fits(value[key])) {
      throw refused(
        `"${key}" is ${kindOf(value[key])}; wanted ${wanted.words}`,
        'The file was changed or cut short; measure again.',
      );
    }
  }
  return value as unknown as RampResult;
}

interface Wanted {
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

const rate: Wanted = {
  words: 'a rate above 0, or null',
  fits: (value) => value === null || isPositive(value),
};
const text: Wanted = { words: 'text', fits: (value) => typeof value === 'string' && value !== '' };
const flag: Wanted = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
const record: Wanted = { words: 'an object', fits: isRecord };

/** What a plan and a report read of it. */
const shape: Readonly<Record<string, Wanted>> = {
  objectiveMs: { words: 'milliseconds above 0', fits: isPositive },
  partial: flag,
  sound: flag,
  relative: flag,
  knee: rate,
  kneeBeyond: rate,
  ceiling: { words: 'a rate, or null', fits: (value) => value === null || isNumber(value) },
  atLeast: rate,
  capacity: {
    words: '{ lastPass, firstFail }',
    fits: (value) => isRecord(value) && rate.fits(value['lastPass']) && rate.fits(value['firstFail']),
  },
  criteria: {
    words: '{ objectiveMs, leastSuccessful, errorBudget }',
    fits: (value) =>
      isRecord(value) &&
      ['objectiveMs', 'leastSuccessful', 'errorBudget'].every((key) => isNumber(value[key])),
  },
  steps: { words: 'a list of steps', fits: (value) => Array.isArray(value) && value.every(isStep) },
  subject: { words: '{ kind }', fits: (value) => isRecord(value) && typeof value['kind'] === 'string' },
  end: { words: '{ kind }', fits: (value) => isRecord(value) && typeof value['kind'] === 'string' },
  configHash: text,
  environmentHash: text,
  environment: record,
  createdAt: {
    words: 'a moment such as 2027-01-31T08:00:00.000Z',
    fits: (value) => typeof value === 'string' && isMoment(value),
  },
};

function isStep(value: unknown): boolean {
  return (
    isRecord(value) &&
    isPositive(value['rate']) &&
    ['offeredPerSecond', 'successfulPerSecond', 'errorShare'].every((key) => isNumber(value[key])) &&
    typeof value['sound'] === 'boolean' &&
    typeof value['passes'] === 'boolean' &&
    isRecord(value['responseTimeMs']) &&
    isRecord(value['successTimeMs'])
  );
}

function parsed(content: string): unknown {
  if (content.trim() === '') throw refused('it is empty');
  try {
    return JSON.parse(content);
  } catch (error) {
    const cut = /^\s*\{/.test(content) && !/\}\s*$/.test(content);
    throw refused(cut ? 'it ends in the middle: it was cut short' : `it is not JSON: ${messageOf(error)}`);
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

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return `${typeof value} ${JSON.stringify(value)}`.slice(0, 80);
}

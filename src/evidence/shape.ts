/** What stored data must look like: small checks that compose, and name the place where data is otherwise. */
import { isDay, isMoment } from '../kernel/days.ts';
import { TailgateError } from '../kernel/errors.ts';

/** Throws when `value`, found at `path`, has another form. */
export type Check = (value: unknown, path: string) => void;

/** Longer texts than this are not names, sentences or histograms of ours. */
const longestText = 1_000_000;

/** @throws TailgateError `usage` always: names the place, the value and the wanted form. */
export function wrongForm(path: string, value: unknown, wanted: string): never {
  throw new TailgateError({
    code: 'usage',
    message: `this is not evidence that can be judged: \`${path}\` is ${shown(value)}, wanted ${wanted}`,
    hint: 'Use the file as the gate wrote it; a file that was edited or cut off cannot be judged.',
  });
}

export const text: Check = (value, path) => {
  if (typeof value !== 'string') wrongForm(path, value, 'a text');
  if (value.length > longestText) wrongForm(path, `a text of ${value.length} characters`, 'a shorter one');
};

/** A moment as `Date.toISOString` writes it. */
export const moment: Check = (value, path) => {
  if (typeof value !== 'string' || !isMoment(value)) {
    wrongForm(path, value, 'a moment such as "2027-01-31T08:00:00.000Z"');
  }
};

export const day: Check = (value, path) => {
  if (typeof value !== 'string' || !isDay(value)) wrongForm(path, value, 'a day such as "2027-01-31"');
};

export const flag: Check = (value, path) => {
  if (typeof value !== 'boolean') wrongForm(path, value, 'true or false');
};

/** Any finite number at or above `least`. */
export const atLeast =
  (least: number): Check =>
  (value, path) => {
    if (typeof value !== 'number' || !Number.isFinite(value) || value < least) {
      wrongForm(
        path,
        value,
        Number.isFinite(least) ? `a finite number, at least ${least}` : 'a finite number',
      );
    }
  };

export const finite: Check = atLeast(-Infinity);
export const amount: Check = atLeast(0);

/** A number from `least` to `most`. */
export const between =
  (least: number, most: number): Check =>
  (value, path) => {
    if (typeof value !== 'number' || !(value >= least && value <= most)) {
      wrongForm(path, value, `a number from ${least} to ${most}`);
    }
  };

/** A number above `least`, and at most `most`. */
export const above =
  (least: number, most: number): Check =>
  (value, path) => {
    if (typeof value !== 'number' || !(value > least && value <= most)) {
      wrongForm(path, value, `a number above ${least} and at most ${most}`);
    }
  };

/** A whole number at or above `least`, and at most `most` where that is given. */
export const whole =
  (least: number, most = Number.MAX_SAFE_INTEGER): Check =>
  (value, path) => {
    if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
      const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`;
      wrongForm(path, value, `a whole number, at least ${least}${upTo}`);
    }
  };

export const count: Check = whole(0);

export const oneOf =
  (...allowed: readonly (string | number)[]): Check =>
  (value, path) => {
    if (!allowed.includes(value as string)) {
      wrongForm(path, value, allowed.map((one) => JSON.stringify(one)).join(' or '));
    }
  };

export const orNull =
  (check: Check): Check =>
  (value, path) => {
    if (value !== null) check(value, path);
  };

/** `auto` in place of a figure. */
export const autoOr =
  (check: Check): Check =>
  (value, path) => {
    if (value !== 'auto') check(value, path);
  };

export const optional =
  (check: Check): Check =>
  (value, path) => {
    if (value !== undefined) check(value, path);
  };

export const listOf =
  (item: Check, least = 0): Check =>
  (value, path) => {
    if (!Array.isArray(value)) wrongForm(path, value, 'a list');
    if (value.length < least) wrongForm(path, value, `a list of at least ${least}`);
    for (const [index, one] of value.entries()) item(one, `${path}[${index}]`);
  };

/** Fields that are not named are let through: a later release may add some. */
export const objectOf =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    if (!isObject(value)) wrongForm(path, value, 'an object');
    for (const [name, check] of Object.entries(fields)) {
      check(Object.hasOwn(value, name) ? value[name] : undefined, path === '' ? name : `${path}.${name}`);
    }
  };

/** An object used as a table: any names, one form of value. */
export const tableOf =
  (item: Check): Check =>
  (value, path) => {
    if (!isObject(value)) wrongForm(path, value, 'an object');
    for (const [name, one] of Object.entries(value))
      item(one, `${path}[${JSON.stringify(name.slice(0, 60))}]`);
  };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as it may stand in a message: short, on one line. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'number') return String(value);
  const written = JSON.stringify(value) ?? typeof value;
  return written.length > 60 ? `${written.slice(0, 57)}...` : written;
}

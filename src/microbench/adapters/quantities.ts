/** Reads "number + unit" as tools write it: thousands commas, µ in all its spellings, rates, bytes, directions. */
import type { Direction } from '../../kernel/words.ts';
import type { BenchUnit } from '../samples.ts';

/** How a unit as written becomes the unit of a row: multiply by `factor`. */
export interface Quantity {
  readonly unit: BenchUnit;
  readonly factor: number;
  readonly direction: Direction;
}

export type NumberReading =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'problem'; readonly problem: string };

const timeFactors = new Map<string, number>(
  Object.entries({
    ps: 1e-3,
    ns: 1,
    nsec: 1,
    nanosecond: 1,
    us: 1e3,
    µs: 1e3,
    usec: 1e3,
    microsecond: 1e3,
    ms: 1e6,
    msec: 1e6,
    millisecond: 1e6,
    s: 1e9,
    sec: 1e9,
    second: 1e9,
    min: 60e9,
    minute: 60e9,
    h: 3600e9,
    hour: 3600e9,
  }),
);

const bytePrefixes = new Map<string, readonly [decimal: number, binary: number]>(
  Object.entries({
    '': [1, 1],
    k: [1e3, 1024],
    m: [1e6, 1024 ** 2],
    g: [1e9, 1024 ** 3],
    t: [1e12, 1024 ** 4],
  }),
);

const prefixFactors = new Map<string, number>(
  Object.entries({ '': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 }),
);
const operationWords =
  'ops?|operations?|iters?|iterations?|reqs?|requests?|calls?|transactions?|queries|query';
const countWords =
  /^(allocs?|allocations?|cycles?|instructions?|counts?|integers?|calls?|misses|faults?|objects?)$/i;
const bareRates = new Map<string, number>(
  Object.entries({
    hz: 1,
    khz: 1e3,
    mhz: 1e6,
    ghz: 1e9,
    rps: 1,
    qps: 1,
    tps: 1,
  }),
);

/**
 * The quantity behind a unit's text. Time becomes ns, rates become a second, bytes become bytes; `/op`, `/iter` and
 * the like are dropped, since they are the same on both sides. An unknown unit is custom, taken as it stands,
 * and smaller is better.
 * @param binary K, M and G of bytes are powers of 1024 (tools that count so although they write KB).
 */
export function quantityOf(text: string, binary = false): Quantity {
  const written = text.trim();
  const plain = written
    .replaceAll('μ', 'µ')
    .replace(/\s+per\s+/i, '/')
    .replace(/_per_/i, '/');
  const slash = plain.lastIndexOf('/');
  const found =
    slash < 0 ? simple(plain, binary) : ratioOf(plain.slice(0, slash), plain.slice(slash + 1), binary);
  return found === null
    ? {
        unit: { kind: 'custom', normalised: written, text: written },
        factor: 1,
        direction: 'smaller-is-better',
      }
    : { ...found, unit: { ...found.unit, text: written } };
}

/** The quantity of a named kind of count, e.g. `errors`. */
export function countOf(word: string): Quantity {
  return quantity('count', word, 1);
}

function ratioOf(head: string, tail: string, binary: boolean): Quantity | null {
  const time = timeFactor(tail.trim());
  if (time === null) return simple(head.trim(), binary);
  const amount = amountOf(head.trim(), binary);
  return {
    ...quantity('rate', `${amount.of}/s`, amount.factor * (1e9 / time)),
    direction: 'bigger-is-better',
  };
}

function simple(text: string, binary: boolean): Quantity | null {
  const time = timeFactor(text);
  if (time !== null) return quantity('time', 'ns', time);
  const size = byteFactor(text, binary);
  if (size !== null) return quantity('bytes', 'bytes', size);
  if (countWords.test(text)) return quantity('count', `${text.toLowerCase().replace(/s$/, '')}s`, 1);
  const rate = bareRates.get(text.toLowerCase());
  if (rate !== undefined) {
    return { ...quantity('rate', 'operations/s', rate), direction: 'bigger-is-better' };
  }
  if (/^(%|percent(age)?)$/i.test(text)) return quantity('custom', 'percent', 1);
  // Go lets a program name its figure before the unit: `p99-ns`, `text-bytes`.
  const suffix = /^[\w.]+-(ns|us|µs|ms|s|sec|B|bytes)$/.exec(text)?.[1];
  return suffix === undefined ? null : simple(suffix, binary);
}

function amountOf(text: string, binary: boolean): { readonly of: string; readonly factor: number } {
  const size = byteFactor(text, binary);
  if (size !== null) return { of: 'bytes', factor: size };
  const operations = new RegExp(`^([kKMGT]?)(?:${operationWords})$`, 'i').exec(text);
  if (operations !== null) return { of: 'operations', factor: prefixFactors.get(operations[1]!) ?? 1 };
  const elements = /^([kKMGT]?)(?:elem(?:ent)?s?|items?)$/.exec(text);
  if (elements !== null) return { of: 'elements', factor: prefixFactors.get(elements[1]!) ?? 1 };
  return { of: text, factor: 1 };
}

function timeFactor(text: string): number | null {
  const short = timeFactors.get(text);
  if (short !== undefined) return short;
  return (
    timeFactors.get(
      text.toLowerCase().replace(/(seconds|second|nsec|usec|msec|secs|minutes|hours)$/, singular),
    ) ?? null
  );
}

function byteFactor(text: string, binary: boolean): number | null {
  if (/^bytes?$/i.test(text)) return 1;
  const match = /^([KkMGT]?)(i?)(?:B|bytes)$/.exec(text);
  if (match === null) return null;
  const factors = bytePrefixes.get(match[1]!.toLowerCase())!;
  return match[2] === 'i' || binary ? factors[1] : factors[0];
}

function singular(word: string): string {
  return word.replace(/s$/, '');
}

function quantity(kind: BenchUnit['kind'], normalised: string, factor: number): Quantity {
  return { unit: { kind, normalised, text: normalised }, factor, direction: 'smaller-is-better' };
}

/**
 * Reads a number as tools print it: `1,431,759.30` has thousands commas, `13,5` and `0,123` have a decimal comma
 * and are refused, since a guess would be wrong by a factor of a thousand. `nan`, `inf` and anything else that is
 * not a finite number is a problem in words.
 */
export function readNumber(value: unknown): NumberReading {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? number(value) : problem(`the file has ${value} here`);
  }
  if (typeof value !== 'string') return problem('the file has no value here');
  const text = value.trim();
  if (/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) {
    const read = Number(text);
    return Number.isFinite(read) ? number(read) : problem(`${text} is too large for a number`);
  }
  if (/^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(text)) return number(Number(text.replaceAll(',', '')));
  if (/^[+-]?(nan|inf|infinity)(\(.*\))?$/i.test(text)) return problem(`the file has ${text} here`);
  if (/^[+-]?[\d.]*\d,\d+$/.test(text)) {
    return problem(`${text} has a decimal comma; run the benchmark with LC_ALL=C so that it writes a point`);
  }
  return problem(text === '' ? 'the file has no value here' : `"${text}" is not a number`);
}

function number(value: number): NumberReading {
  return { kind: 'number', value };
}

function problem(text: string): NumberReading {
  return { kind: 'problem', problem: text };
}

/** Splits `13,967.3 ns`, `6.21ms`, `-nanus`, `2.50k`: the number as text, the unit as text (empty when there is none). */
export function splitQuantity(text: string): { readonly amount: string; readonly unit: string } {
  const match = /^\s*([+-]?(?:nan|inf(?:inity)?|[\d.,]+(?:e[+-]?\d+)?))\s*(.*?)\s*$/i.exec(text);
  return match === null ? { amount: text.trim(), unit: '' } : { amount: match[1]!, unit: match[2]! };
}

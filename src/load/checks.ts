/** What an answer must hold besides its status: looked at after the slice, in a sample where it takes the content. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Expectations } from '../config/settings.ts';
import { valueAtPointer } from './json-pointer.ts';

/** Checks of one request, made before the clock starts. */
export interface Checks {
  /** Bytes of the body, of every answer; null: none given. */
  readonly size: { readonly min: number; readonly max: number | null } | null;
  /** Looked at in a sample of answers, of which headers and body are kept; null: none given. */
  readonly content: {
    /** Lower case; a text, or a regular expression between slashes. */
    readonly headers: readonly (readonly [string, string])[];
    readonly bodyContains: readonly string[];
    readonly json: readonly (readonly [string, unknown])[];
  } | null;
}

/** What was kept of a sampled answer. */
export interface AnswerContent {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** A check that did not hold. */
export interface FailedCheck {
  /** `check header etag`, `check json /a/b`, `check size`: the class of the error. */
  readonly check: string;
  /** What came instead, short. */
  readonly got: string;
}

const longestShown = 120;
const longestNamed = 40;

/** @returns undefined where nothing but the status is expected. */
export function checksOf(expect: Expectations): Checks | undefined {
  const { headers, bodyContains, json, size } = expect;
  const content = {
    headers: Object.entries(headers).map(([name, wanted]) => [name.toLowerCase(), wanted] as const),
    bodyContains,
    json: Object.entries(json),
  };
  const some = content.headers.length + bodyContains.length + content.json.length > 0;
  const sized = size.min > 0 || size.max !== null;
  return some || sized ? { size: sized ? size : null, content: some ? content : null } : undefined;
}

/** The size of any answer; null when it is right or does not matter. */
export function failedSize(checks: Checks, bytes: number): FailedCheck | null {
  const { size } = checks;
  if (size === null || (bytes >= size.min && bytes <= (size.max ?? Number.POSITIVE_INFINITY))) return null;
  return { check: 'check size', got: `${bytes} bytes` };
}

/** The first check that an answer's content fails, in the order headers, body, JSON; null when all hold. */
export function failedContent(checks: Checks, { headers, body }: AnswerContent): FailedCheck | null {
  const { content } = checks;
  if (content === null) return null;
  for (const [name, wanted] of content.headers) {
    const found = [headers[name] ?? []].flat();
    if (found.some((value) => holds(value, wanted))) continue;
    return {
      check: `check header ${name}`,
      got: found.length === 0 ? 'no such header' : clamp(found.join(', ')),
    };
  }
  const text = new TextDecoder().decode(body);
  for (const wanted of content.bodyContains) {
    if (!text.includes(wanted)) {
      return {
        check: `check body-contains ${JSON.stringify(wanted.slice(0, longestNamed))}`,
        got: shown(text),
      };
    }
  }
  return content.json.length === 0 ? null : failedJson(content.json, text);
}

function failedJson(wanted: readonly (readonly [string, unknown])[], text: string): FailedCheck | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { check: `check json ${wanted[0]![0] || '/'}`, got: `no JSON: ${shown(text)}` };
  }
  for (const [pointer, value] of wanted) {
    const found = valueAtPointer(json, pointer);
    if (isDeepStrictEqual(found, value)) continue;
    const got = found === undefined ? `nothing there: ${shown(text)}` : shown(JSON.stringify(found));
    return { check: `check json ${pointer || '/'}`, got };
  }
  return null;
}

function holds(value: string, wanted: string): boolean {
  const pattern = /^\/(.+)\/$/.exec(wanted)?.[1];
  return pattern === undefined ? value === wanted : new RegExp(pattern).test(value);
}

const shown = (text: string): string => (text === '' ? 'an empty body' : clamp(text));
const clamp = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ');
  return line.length > longestShown ? `${line.slice(0, longestShown - 1)}…` : line;
};

/** What a slice's checks came to. */
export interface CheckResults {
  /** Answers with a right status to requests whose content is checked, and how many of them were looked at. */
  readonly answers: number;
  readonly looked: number;
  /** Of those looked at, and of all answers by their size. */
  readonly failed: number;
  /** A few of what came. */
  readonly samples: readonly FailedCheck[];
}

const mostSamples = 5;

/** Adds up the checks of a slice. */
export class CheckTally {
  #answers = 0;
  #looked = 0;
  #failed = 0;
  #samples: FailedCheck[] = [];

  /**
   * @param content null for an answer outside the sample.
   * @returns the check that failed; null when none did.
   */
  look(checks: Checks, bytes: number, content: AnswerContent | null): FailedCheck | null {
    if (checks.content !== null) {
      this.#answers++;
      if (content !== null) this.#looked++;
    }
    const failed = failedSize(checks, bytes) ?? (content === null ? null : failedContent(checks, content));
    if (failed === null) return null;
    this.#failed++;
    const known = this.#samples.some(({ check, got }) => check === failed.check && got === failed.got);
    if (!known && this.#samples.length < mostSamples) this.#samples.push(failed);
    return failed;
  }

  results(): CheckResults {
    const samples = this.#samples;
    return { answers: this.#answers, looked: this.#looked, failed: this.#failed, samples };
  }
}

/** Building blocks of the schema: values of one form, with the sentence that says what was wanted. */
import { z } from 'zod';
import { parseDuration, parseRatio } from '../kernel/units.ts';
import {
  durationPattern,
  type Form,
  headerProblem,
  parseStatus,
  pointsForm,
  ratioForm,
  statusPattern,
  statusWanted,
} from './forms.ts';
import { nearest } from './suggestions.ts';

export const formed = (form: Form) =>
  z.string({ error: form.wanted }).regex(form.pattern, { error: form.wanted });

export const truth = z.boolean({ error: 'wanted true or false' });

export function choice<const Word extends string>(words: readonly Word[]) {
  const wanted = `wanted one of ${words.join(', ')}`;
  return z.enum(words, {
    error: ({ input }) => {
      const near = typeof input === 'string' ? nearest(input, words) : null;
      return near === null ? wanted : `${wanted}; did you mean ${near}?`;
    },
  });
}

export function whole(least: number, most: number) {
  const error = `wanted a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

export function rate(most: number) {
  const error = `wanted requests a second, above 0 and at most ${most}`;
  return z.number({ error }).positive({ error }).max(most, { error });
}

export function duration(least: string, most: string) {
  const error = `wanted a duration from ${least} to ${most}, with its unit, such as 250ms, 5s or 4m`;
  const [from, to] = [parseDuration(least)!, parseDuration(most)!];
  return z
    .string({ error })
    .regex(durationPattern, { error })
    .transform((text, context) => {
      const value = parseDuration(text);
      if (value !== null && value >= from && value <= to) return value;
      context.addIssue(error);
      return z.NEVER;
    });
}

const share = (form: Form) =>
  formed(form).transform((text, context) => {
    const value = parseRatio(text);
    if (value !== null) return value;
    context.addIssue(form.wanted);
    return z.NEVER;
  });
export const ratio = share(ratioForm);
export const points = share(pointsForm).refine((value) => value <= 1, { error: 'wanted at most 100 points' });

const wantStatus = { error: statusWanted };
const oneStatus = z.union(
  [z.int().min(100, wantStatus).max(599, wantStatus), z.string().regex(statusPattern, wantStatus)],
  wantStatus,
);
export const status = z
  .union([oneStatus, z.array(oneStatus, wantStatus).min(1, wantStatus)], wantStatus)
  .transform((value) => (Array.isArray(value) ? value : [value]).map((one) => parseStatus(one)!));

/** Names to values that are written as text, whatever YAML made of them; `problemOf` says what cannot be. */
export function texts(what: string, problemOf: (name: string, value: string) => string | null) {
  const error = `wanted ${what}`;
  return z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()], { error: 'wanted text' }), { error })
    .transform((record, context) => {
      const entries = Object.entries(record).map(([name, value]) => [name, String(value)] as const);
      for (const [name, value] of entries) {
        const message = problemOf(name, value);
        if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
      }
      return Object.fromEntries(entries);
    });
}
export const headers = texts('header names with their values', headerProblem);

export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'wanted a group of keys'),
  });
}

/** Checks that look at several keys must also run when a neighbour is wrong: every problem is told at once. */
export const numbers = (value: unknown, ...keys: readonly string[]): boolean =>
  keys.every((key) => typeof (value as Record<string, unknown> | null)?.[key] === 'number');

export function tolerance(min: string, detect: string) {
  return group({
    min: ratio.prefault(min).describe('The smallest change worth a red build.'),
    detect: ratio.prefault(detect).describe('The change that a pass must exclude.'),
  })
    .refine((value) => value.detect > value.min, {
      path: ['detect'],
      error: `detect must be above min (without a value of their own: min ${min}, detect ${detect})`,
      when: ({ value }) => numbers(value, 'min', 'detect'),
    })
    .prefault({});
}

export const least = (min: string) =>
  group({ min: points.prefault(min).describe('The smallest change worth a red build.') }).prefault({});

/** Everything that is wrong with a configuration, in one message: where, what was found, what is wanted. */
import { TailgateError } from '../kernel/errors.ts';

export type KeyPath = readonly (string | number)[];

export interface Problem {
  readonly path: KeyPath;
  /** A whole sentence, or `wanted …` to be put behind the value that was found. */
  readonly text: string;
  /** What was found; left out where it would say nothing. */
  readonly found?: unknown;
}

/** What is wrong with a file: unknown keys apart, so that the caller can suggest what was meant. */
export interface Faults {
  readonly problems: readonly Problem[];
  readonly unknown: readonly KeyPath[];
}

export type Reading<Settings> =
  | { readonly kind: 'understood'; readonly settings: Settings }
  | ({ readonly kind: 'refused' } & Faults);

interface Issue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  /** Of a union: the issues of each of its forms, with paths from the union on. */
  readonly errors?: readonly (readonly Issue[])[];
}

/** A group of keys where a text or a group may stand: what is wrong inside the group says more than "neither of them". */
function insideUnion(raw: unknown, issue: Issue): readonly Issue[] {
  const found = valueAt(raw, issue.path as KeyPath);
  if (issue.code !== 'invalid_union' || typeof found !== 'object' || found === null) return [issue];
  const group = issue.errors?.find((form) =>
    form.every((one) => one.path.length > 0 || one.code !== 'invalid_type'),
  );
  if (group === undefined || Array.isArray(found)) return [issue];
  return group.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

/** @param issues as the schema's library reports them. */
export function faultsOf(raw: unknown, issues: readonly Issue[]): Faults {
  const problems: Problem[] = [];
  const unknown: KeyPath[] = [];
  for (const issue of issues.flatMap((one) => insideUnion(raw, one))) {
    const path = issue.path as KeyPath;
    if (issue.code === 'unrecognized_keys') unknown.push(...(issue.keys ?? []).map((key) => [...path, key]));
    else problems.push({ path, text: issue.message, found: valueAt(raw, path) });
  }
  return { problems, unknown };
}

/** `scenarios[0].requests[1].path`, as a reader would point at it. */
export function pathText(path: KeyPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text === '' ? 'the whole file' : text;
}

/** What stands at a path of a parsed file; undefined where there is nothing. */
export function valueAt(raw: unknown, path: KeyPath): unknown {
  let value = raw;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
  }
  return value;
}

/** A value as it may be shown: short, and never one that may be a secret. */
function shown(found: unknown, path: KeyPath): string {
  if (['env', 'headers', 'auth', 'session'].some((key) => path.includes(key))) return 'the value given';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object' && found !== null) return 'a group of keys';
  const text = JSON.stringify(found) ?? String(found);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function sentence(problem: Problem): string {
  if (!problem.text.startsWith('wanted ')) return problem.text;
  if (problem.found === undefined) return `missing; ${problem.text}`;
  return `${shown(problem.found, problem.path)}, ${problem.text}`;
}

/**
 * @param source how the reader knows the text: `tailgate.yml`, or the inputs.
 * @param place where a path was written, `line 4` for example; null when it was not written anywhere.
 * @param hint the way out, besides mending each value.
 */
export function problemsError(
  source: string,
  problems: readonly Problem[],
  place: (path: KeyPath) => string | null,
  hint: string,
): TailgateError {
  // The first problem of a value is the cause of its others.
  const lines = new Map<string, string>();
  for (const problem of problems) {
    const path = pathText(problem.path);
    const where = place(problem.path);
    const line = `  - ${path}${where === null ? '' : ` (${where})`}: ${sentence(problem)}`;
    if (!lines.has(path)) lines.set(path, line);
  }
  const count = lines.size === 1 ? 'a problem' : `${lines.size} problems`;
  return new TailgateError({
    code: 'usage',
    message: `${source} has ${count}:\n${[...lines.values()].join('\n')}`,
    hint,
  });
}

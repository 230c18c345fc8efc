/** Inputs and flags laid over the file: a value given beside the file replaces the key of the same name. */
import type { KeyPath, Problem } from './problems.ts';
import { nearest } from './suggestions.ts';

/** Values by name, as text; an empty text is one that was not given. */
export type Overrides = Readonly<Record<string, string | undefined>>;

type Reading = 'text' | 'number' | 'truth' | 'list';

/** Keys of the file that a single text can replace, and how that text is read. */
const simpleKeys: Readonly<Record<string, Reading>> = {
  setup: 'text',
  'setup-timeout': 'text',
  start: 'text',
  'start-timeout': 'text',
  'working-directory': 'text',
  'listener-check': 'text',
  baseline: 'text',
  paths: 'list',
  submodules: 'truth',
  lfs: 'truth',
  arrivals: 'text',
  timeout: 'text',
  'max-sockets': 'number',
  'max-in-flight': 'number',
  'time-budget': 'text',
  slices: 'number',
  'slice-requests': 'number',
  confirm: 'truth',
  seed: 'number',
  'on-different-body': 'text',
  'fail-on': 'list',
  'on-baseline-failure': 'text',
  'trust-config': 'text',
  comment: 'text',
};

/** Names that may be given beside the file. */
export const overrideNames: readonly string[] = [...Object.keys(simpleKeys), 'path', 'rate', 'ready-path'];

export interface Overridden {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
  /** Paths whose value came from beside the file, and the name it was given under. */
  readonly origins: readonly { readonly path: KeyPath; readonly name: string }[];
}

type Keys = Record<string, unknown>;

/** @param file the parsed file, `{}` where there is none. It is not changed. */
export function applyOverrides(file: Readonly<Keys>, overrides: Overrides): Overridden {
  const raw: Keys = { ...file };
  const problems: Problem[] = [];
  const origins: { path: KeyPath; name: string }[] = [];
  for (const [name, value] of Object.entries(overrides)) {
    if (value === undefined || value.trim() === '') continue;
    const reading = Object.hasOwn(simpleKeys, name) ? simpleKeys[name] : undefined;
    if (reading !== undefined) {
      raw[name] = read(value, reading);
      origins.push({ path: [name], name });
    } else if (name === 'ready-path') {
      raw['ready'] = { ...keysOf(raw['ready']), path: value.trim() };
      origins.push({ path: ['ready', 'path'], name });
    } else if (name === 'rate' || name === 'path') {
      const placed = name === 'rate' ? placeRate(raw, value) : placePath(raw, value);
      if ('problem' in placed) problems.push({ path: [name], text: placed.problem });
      else origins.push({ path: placed.path, name });
    } else {
      const near = nearest(name, overrideNames);
      const meant = near === null ? 'put it into the file' : `did you mean \`${near}\`?`;
      problems.push({ path: [name], text: `cannot be given beside the file; ${meant}` });
    }
  }
  return { raw, problems, origins };
}

function read(value: string, reading: Reading): unknown {
  const text = value.trim();
  switch (reading) {
    case 'text':
      return text;
    case 'number':
      // What is no number stays text: the schema says what is wanted.
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
    case 'truth':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'list':
      return text
        .split(/[,\n]/)
        .map((item) => item.trim())
        .filter((item) => item !== '');
  }
}

type Placed = { readonly path: KeyPath } | { readonly problem: string };

/** A rate counts for the one scenario, or for all of several that have none of their own. */
function placeRate(raw: Keys, value: string): Placed {
  const rate = read(value, 'number');
  const list = raw['scenarios'];
  raw['rate'] = rate;
  if (!Array.isArray(list)) return { path: ['rate'] };
  if (list.length === 1) {
    raw['scenarios'] = [{ ...keysOf(list[0]), rate }];
    return { path: ['scenarios', 0, 'rate'] };
  }
  if (list.some((one) => keysOf(one)['rate'] === undefined)) return { path: ['rate'] };
  return {
    problem: `each of the ${list.length} scenarios of the file has a rate of its own: change it there`,
  };
}

/** A path counts for the one scenario with one request. */
function placePath(raw: Keys, value: string): Placed {
  const path = value.trim();
  const list = raw['scenarios'];
  if (!Array.isArray(list) || list.length === 0) {
    raw['scenarios'] = [{ path }];
    return { path: ['scenarios', 0, 'path'] };
  }
  if (list.length > 1) {
    return {
      problem: `the file has ${list.length} scenarios, so it is not clear whose path this is: give it there`,
    };
  }
  const { path: _, ...scenario } = keysOf(list[0]);
  const requests = scenario['requests'];
  if (!Array.isArray(requests)) {
    raw['scenarios'] = [{ ...scenario, path }];
    return { path: ['scenarios', 0, 'path'] };
  }
  if (requests.length !== 1) {
    return {
      problem: `the scenario of the file has ${requests.length} requests, so it is not clear whose path this is`,
    };
  }
  raw['scenarios'] = [{ ...scenario, requests: [{ ...keysOf(requests[0]), path }] }];
  return { path: ['scenarios', 0, 'requests', 0, 'path'] };
}

function keysOf(value: unknown): Keys {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Keys) : {};
}

/** A benchmark file → its functions: every exported function is a benchmark, `setup` and `teardown` are not. */
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../kernel/errors.ts';
import { exportsNothing, isForeign, wayOut } from './other-tools.ts';
import { placeOf } from './places.ts';
import { resolveTypeScript } from './typescript.ts';

export interface BenchModule {
  readonly benchmarks: ReadonlyMap<string, () => unknown>;
  readonly setup: (() => unknown) | null;
  readonly teardown: (() => unknown) | null;
}

type Callable = () => unknown;

/** @throws Error that says in a sentence why the file cannot be used. */
export async function importBenchmarks(path: string): Promise<BenchModule> {
  const text = await readFile(path, 'utf8');
  if (isForeign(text) && exportsNothing(text)) throw new Error(`it exports no function; ${wayOut(text)}`);
  let exported: Readonly<Record<string, unknown>>;
  if (/\.[cm]?ts$/.test(path)) resolveTypeScript();
  try {
    exported = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    const hint = isForeign(text) ? `; ${wayOut(text)}` : '';
    throw new Error(`${whyNotLoaded(error, path)}${hint}`, { cause: error });
  }
  const functions = new Map(Object.entries(flattened(exported)).filter(isBenchmark));
  const take = (name: string): Callable | null => {
    const found = functions.get(name) ?? null;
    functions.delete(name);
    return found;
  };
  const module = { setup: take('setup'), teardown: take('teardown'), benchmarks: functions };
  if (functions.size === 0) throw new Error(`it exports no function; ${wayOut(text)}`);
  return module;
}

/** What `module.exports = { … }` of CommonJS holds stands beside what the language found by itself. */
function flattened(exported: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { default: main, 'module.exports': _same, ...named } = exported;
  if (typeof main === 'function') return { ...named, default: main };
  if (typeof main !== 'object' || main === null) return named;
  return { ...(main as Record<string, unknown>), ...named };
}

/** A class is a function too, but nobody means to call it without `new`. */
function isBenchmark(entry: [string, unknown]): entry is [string, Callable] {
  const [, value] = entry;
  return typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value));
}

function whyNotLoaded(error: unknown, path: string): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  const message = messageOf(error);
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts\b/.test(`${path} ${message}`)) {
    return `Node ${process.versions.node} does not run TypeScript; it wants Node 22.18 or later (22.6 with --experimental-strip-types), or a loader such as NODE_OPTIONS="--import tsx" in env`;
  }
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return `${message}; Node only removes types: enums, namespaces and parameter properties want a build step in setup`;
  }
  const place = placeOf(error, path);
  return place === null ? message : `${message} (${place})`;
}

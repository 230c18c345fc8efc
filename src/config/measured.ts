/** What the tailgate.yml of another revision measures, by name alone. */
import { TailgateError } from '../kernel/errors.ts';
import { parseConfigText } from './document.ts';
import { globForm, nameForm } from './forms.ts';
import { applyOverrides, type Overrides } from './overrides.ts';
import { defaultBenchGlobs } from './schema-judging.ts';
import { configFileLimit, type RequestSettings } from './settings.ts';

export interface Measured {
  /** The file, from the root of the repository. */
  readonly file: string;
  readonly scenarios: readonly { readonly name: string; readonly routes: readonly string[] }[];
  readonly benchmarks: {
    readonly globs: readonly string[];
    /** false: nobody named them, so what they match may be another tool's. */
    readonly declared: boolean;
    readonly suites: readonly string[];
  };
}

/**
 * Names only: the rest of the file may be of another release, or need variables that this job does not have.
 * @param overrides what the job was given beside its own file.
 * @returns null when the text cannot be read that far.
 */
export function measuredBy(text: string, file: string, overrides: Overrides = {}): Measured | null {
  if (Buffer.byteLength(text) > configFileLimit) return null;
  const keys = keysOf(text, file, overrides);
  if (keys === null) return null;
  const { scenarios = [{}], microbenchmarks = [...defaultBenchGlobs] } = keys;
  if (!Array.isArray(scenarios) || !Array.isArray(microbenchmarks)) return null;
  const globs = microbenchmarks.filter((entry) => typeof entry === 'string');
  const measured = scenarios.map((one) => ({ name: nameOf(one, 'default'), routes: routesIn(one) }));
  const suites = microbenchmarks.filter((entry) => typeof entry !== 'string').map((one) => nameOf(one));
  const readable =
    globs.every((glob) => globForm.pattern.test(glob)) &&
    [...measured.map(({ name }) => name), ...suites].every((name) => nameForm.pattern.test(name));
  const declared = globs.join('\n') !== defaultBenchGlobs.join('\n');
  return readable ? { file, scenarios: measured, benchmarks: { globs, declared, suites } } : null;
}

/** What a request goes to, without its query; another text in a template is no other route. */
type Addressed = Pick<RequestSettings, 'method' | 'path' | 'weight'>;

/** `GET /items/${…}` of every request that is sent. */
export function routesOf(requests: readonly Addressed[]): readonly string[] {
  const sent = requests.filter(({ weight }) => weight > 0);
  return [...new Set(sent.map(({ method, path }) => routeName(method, path)))];
}

const routeName = (method: string, path: string): string =>
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a user writes templates.
  `${method} ${path.replace(/\$\{[^}]*\}/g, () => '${…}').replace(/\?.*$/s, '')}`;

function routesIn(scenario: unknown): readonly string[] {
  const { path = '/', requests = [{ path }] } = groupOf(scenario);
  if (!Array.isArray(requests)) return [];
  return routesOf(
    requests.flatMap((one): Addressed[] => {
      const { method = 'GET', path: own = '/', weight = 1 } = groupOf(one);
      const known = typeof method === 'string' && typeof own === 'string' && typeof weight === 'number';
      return known ? [{ method, path: own, weight }] : [];
    }),
  );
}

function keysOf(text: string, file: string, overrides: Overrides): Readonly<Record<string, unknown>> | null {
  try {
    return applyOverrides(parseConfigText(text, file).keys, overrides).raw;
  } catch (thrown) {
    if (thrown instanceof TailgateError) return null;
    throw thrown;
  }
}

/** @returns '', which is no name, for what is no group of keys or has none. */
function nameOf(entry: unknown, unnamed = ''): string {
  const { name = unnamed } = groupOf(entry);
  return typeof entry === 'object' && entry !== null && typeof name === 'string' ? name : '';
}

const groupOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

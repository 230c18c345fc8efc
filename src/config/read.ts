/** tailgate.yml and what was given beside it → GateConfig, or one error that names every problem. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, TailgateError, type Warning } from '../kernel/errors.ts';
import { parseTemplate } from '../kernel/templates.ts';
import { bytes, formatBytes } from '../kernel/units.ts';
import { type ConfigDocument, parseConfigText } from './document.ts';
import { fillVariables } from './forms.ts';
import { applyOverrides, type Overrides } from './overrides.ts';
import { isLinked, placeProblems } from './place-problems.ts';
import { type KeyPath, type Problem, problemsError, valueAt } from './problems.ts';
import { configJsonSchema, readSettings } from './schema.ts';
import { type AuthSettings, configFileLimit, type GateConfig } from './settings.ts';
import { templateProblems } from './template-problems.ts';
import { toGateConfig } from './to-gate-config.ts';
import { unknownKeyProblem } from './unknown-keys.ts';

/** Variables of the job, for `${NAME}` in `env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface LoadedConfig {
  readonly config: GateConfig;
  /** What is allowed and yet likely not what was wanted. */
  readonly warnings: readonly Warning[];
  /** The file that was read; null when there was none. */
  readonly file: string | null;
}

const defaultNames = ['tailgate.yml', 'tailgate.yaml'] as const;
const empty: ConfigDocument = { keys: {}, lineOf: () => null };

/**
 * Reads the configuration of a job. Without `file`, tailgate.yml (or tailgate.yaml) of the directory is read
 * where there is one; a named file must exist.
 * @throws TailgateError `usage`, with every problem in one message.
 */
export function loadConfig(options: {
  readonly directory: string;
  readonly file?: string | undefined;
  readonly overrides: Overrides;
  readonly environment: Variables;
}): LoadedConfig {
  const { directory, overrides, environment } = options;
  const named = options.file?.trim() ?? '';
  const found = named === '' ? defaultNames.filter((name) => existsSync(resolve(directory, name))) : [named];
  if (found.length > 1) {
    throw new TailgateError({
      code: 'usage',
      message: `both ${found.join(' and ')} are in ${directory}: only one can count`,
      hint: 'remove one of them, or name the file with `config`',
    });
  }
  const name = found[0];
  if (name === undefined)
    return { ...readConfig(null, { source: 'the configuration', overrides, environment }), file: null };
  const text = readBounded(resolve(directory, name), name);
  return { ...readConfig(text, { source: name, overrides, environment }), file: resolve(directory, name) };
}

/**
 * @param text of the file; null when there is none and everything comes from beside it.
 * @throws TailgateError `usage`, with every problem in one message.
 */
export function readConfig(
  text: string | null,
  options: { readonly source: string; readonly overrides: Overrides; readonly environment: Variables },
): { readonly config: GateConfig; readonly warnings: readonly Warning[] } {
  const { source, overrides, environment } = options;
  if (text !== null && Buffer.byteLength(text) > configFileLimit)
    throw tooLarge(source, Buffer.byteLength(text));
  const document = text === null ? empty : parseConfigText(text, source);
  const { raw, problems: misplaced, origins } = applyOverrides(document.keys, overrides);
  const reading = readSettings(raw);
  const env = fillEnvironment(raw, ['env'], environment);
  const linked = Object.entries(env.filled).filter(([, value]) => isLinked(value));
  const plain = Object.fromEntries(Object.entries(env.filled).filter(([, value]) => !isLinked(value)));
  const services = servicesIn(raw).map((_, index) =>
    fillEnvironment(raw, ['services', index, 'env'], environment),
  );
  const problems: Problem[] = [...misplaced, ...env.problems, ...services.flatMap((one) => one.problems)];
  if (reading.kind === 'refused') {
    problems.push(...reading.problems);
    if (reading.unknown.length > 0) {
      const schema = configJsonSchema();
      problems.push(...reading.unknown.map((path) => unknownKeyProblem(path, schema)));
    }
  }
  problems.push(...placeProblems(raw), ...templateProblems(raw, { ...environment, ...plain }));
  if (reading.kind === 'refused' || problems.length > 0) {
    const place = (path: KeyPath): string | null => {
      const origin = origins.find((one) => one.path.every((step, index) => step === path[index]));
      if (origin !== undefined) return `given as ${origin.name}`;
      const line = document.lineOf(path);
      return line === null ? null : `line ${line}`;
    };
    const described = 'tailgate.schema.json describes every key with its form and its default';
    const hint =
      text === null
        ? `give inputs or flags of these names, or write a tailgate.yml; ${described}`
        : described;
    throw problemsError(source, problems, place, hint);
  }
  const config = toGateConfig(reading.settings, {
    plain,
    linked: Object.fromEntries(linked),
    services: services.map(({ filled }) => filled),
  });
  return { config, warnings: warningsOf(config) };
}

function readBounded(path: string, name: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    throw new TailgateError({
      code: 'usage',
      message: `the configuration file ${name} does not exist (looked for ${path})`,
      hint: 'give its path relative to the project, or leave it out to read tailgate.yml where there is one',
    });
  }
  if (!stat.isFile()) {
    throw new TailgateError({
      code: 'usage',
      message: `the configuration ${name} is no file`,
      hint: 'name a YAML file such as tailgate.yml',
    });
  }
  if (stat.size > configFileLimit) throw tooLarge(name, stat.size);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    throw new TailgateError({
      code: 'usage',
      message: `${name} cannot be read: ${messageOf(cause)}`,
      hint: 'it must be a readable text in UTF-8',
      cause,
    });
  }
}

function tooLarge(name: string, size: number): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `${name} has ${formatBytes(bytes(size))}, wanted at most ${formatBytes(configFileLimit)}`,
    hint: 'name the configuration file; request bodies as large as that do not belong into it',
  });
}

const servicesIn = (raw: unknown): readonly unknown[] => {
  const found = valueAt(raw, ['services']);
  return Array.isArray(found) ? found : [];
};

/** An `env` with the job's variables put in; read from the raw file, so that its problems are told with all others. */
function fillEnvironment(
  raw: unknown,
  at: KeyPath,
  environment: Variables,
): { readonly filled: Readonly<Record<string, string>>; readonly problems: readonly Problem[] } {
  const given = valueAt(raw, at);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { filled: {}, problems: [] };
  const filled: [string, string][] = [];
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(given)) {
    const { text, missing } = fillVariables(String(value), environment);
    filled.push([name, text]);
    for (const variable of missing) {
      const path: KeyPath = [...at, name];
      problems.push({
        path,
        text: `the job has no variable ${JSON.stringify(variable)}: set it on the step or the job, or write $\${…} for plain text`,
      });
    }
  }
  return { filled: Object.fromEntries(filled), problems };
}

function warningsOf(config: GateConfig): readonly Warning[] {
  return [...headWarnings(config), ...secretWarnings(config)];
}

function secretWarnings(config: GateConfig): readonly Warning[] {
  return config.scenarios
    .filter(
      ({ auth }) =>
        auth !== null && !parseTemplate(secretOf(auth)).some((piece) => typeof piece === 'object'),
    )
    .map((scenario) => ({
      code: 'secret-in-file',
      message: `the ${scenario.auth?.kind === 'basic' ? 'password' : 'token'} under \`auth\` of scenario "${scenario.name}" stands in the file, where everybody reads it`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a user writes it.
      hint: 'write a variable of the job in its place, such as ${API_TOKEN}, and set it on the step from a secret',
    }));
}

const secretOf = (auth: AuthSettings): string => (auth.kind === 'basic' ? auth.password : auth.token);

function headWarnings(config: GateConfig): readonly Warning[] {
  return config.scenarios
    .filter((scenario) =>
      scenario.requests.some((request) => request.method === 'HEAD' && request.weight > 0),
    )
    .map((scenario) => ({
      code: 'head-closes-connections',
      message: `the HEAD requests of scenario "${scenario.name}" cost a new connection each: the HTTP client closes after every HEAD`,
      hint: 'measure GET where the cost of a connection should not count',
    }));
}

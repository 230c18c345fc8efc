/** Conductor of what leaves the gate by the configuration: measured by the baseline's tailgate.yml, and not by this job. */
import { matchesAny, trackedFiles } from './builds/changes.ts';
import type { Git } from './builds/git.ts';
import type { Revisions } from './builds/revision.ts';
import { type Measured, routesOf } from './config/measured.ts';
import type { GateConfig } from './config/settings.ts';
import { mostLeftOut } from './evidence/left-out-form.ts';
import type { LeftOut } from './evidence/trial.ts';
import type { Warning } from './kernel/errors.ts';
import { isRunnable } from './microbench/files.ts';

export interface FoundLeftOut {
  /** Null when nothing is. */
  readonly leftOut: LeftOut | null;
  /** Files that the baseline names as benchmarks and this change has not: a job that measures finds them itself. */
  readonly gone: readonly string[];
  readonly warnings: readonly Warning[];
  /** The same for a job that measures nothing. */
  readonly unmeasured: readonly Warning[];
}

/** Files of the default globs that a warning names. */
const mostNamed = 5;

/**
 * @param before what the baseline's file measures; null when there is none that can be read.
 * @param config of the job, with what is taken from a trusted baseline.
 */
export async function findLeftOut(
  before: Measured | null,
  config: GateConfig,
  git: Git,
  revisions: Revisions,
): Promise<FoundLeftOut> {
  if (before === null) return { leftOut: null, gone: [], warnings: [], unmeasured: [] };
  const own = config.scenarios.map(({ name }) => name);
  const names = distinct(before.scenarios.map(({ name }) => name));
  const routesBefore = (wanted: string) =>
    distinct(before.scenarios.filter(({ name }) => name === wanted).flatMap(({ routes }) => routes));
  const requested = new Set(config.scenarios.flatMap(({ requests }) => routesOf(requests)));
  const suites = config.microbenchmarks.suites.map(({ name }) => name);
  const files = await filesOnlyBefore(before, config, git, revisions);
  const { declared } = before.benchmarks;
  const leftOut: LeftOut = {
    file: before.file,
    scenarios: names.filter((name) => !own.includes(name)),
    routes: names
      .filter((name) => own.includes(name))
      .map((name) => ({ scenario: name, routes: routesBefore(name).filter((one) => !requested.has(one)) }))
      .filter(({ routes }) => routes.length > 0),
    benchmarks: distinct([...(declared ? files.unmatched : []), ...before.benchmarks.suites]).filter(
      (name) => !suites.includes(name),
    ),
    added: own.filter((name) => !names.includes(name)),
  };
  const { scenarios, routes, benchmarks } = leftOut;
  const told = (found: readonly string[], what: string): readonly Warning[] =>
    declared || found.length === 0 ? [] : [undeclaredWarning(before.file, found, what)];
  return {
    leftOut: scenarios.length + routes.length + benchmarks.length > 0 ? bounded(leftOut) : null,
    gone: declared ? files.gone.slice(0, mostLeftOut) : [],
    warnings: told(files.unmatched, 'this change does not'),
    unmeasured: told(files.gone, 'this change does not have them'),
  };
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** Evidence holds no more names than a reader would look at; the first ones keep the gate as red as all of them. */
const bounded = (leftOut: LeftOut): LeftOut => ({
  file: leftOut.file,
  scenarios: leftOut.scenarios.slice(0, mostLeftOut),
  routes: leftOut.routes
    .slice(0, mostLeftOut)
    .map(({ scenario, routes }) => ({ scenario, routes: routes.slice(0, mostLeftOut) })),
  benchmarks: leftOut.benchmarks.slice(0, mostLeftOut),
  added: leftOut.added.slice(0, mostLeftOut),
});

/** Files at the baseline that its globs match: those that the job's do not, and those that the candidate has not. */
async function filesOnlyBefore(
  { benchmarks }: Measured,
  config: GateConfig,
  git: Git,
  revisions: Revisions,
): Promise<{ readonly unmatched: readonly string[]; readonly gone: readonly string[] }> {
  const { globs } = benchmarks;
  const own = config.microbenchmarks.files;
  if (globs.length === 0) return { unmatched: [], gone: [] };
  const tracked = await trackedFiles(git, revisions.baseline.sha, config.workingDirectory);
  const files = tracked.filter((file) => isRunnable(file) && matchesAny([file], globs));
  if (files.length === 0) return { unmatched: [], gone: [] };
  const matched = new Set(files.filter((file) => own.length > 0 && matchesAny([file], own)));
  const now = new Set(await trackedFiles(git, revisions.candidate.sha, config.workingDirectory));
  return {
    unmatched: files.filter((file) => !matched.has(file)),
    gone: [...matched].filter((file) => !now.has(file)),
  };
}

/** Without a list of its own the baseline takes what it can run: what another tool's files are is told at their run. */
function undeclaredWarning(file: string, files: readonly string[], what: string): Warning {
  const rest = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : '';
  const named = files.slice(0, mostNamed).map((one) => `\`${one}\``);
  return {
    code: 'benchmarks-left-out',
    message: `without \`microbenchmarks\` in \`${file}\` the baseline looks for benchmarks in ${named.join(', ')}${rest}; ${what}`,
    hint: 'Files of another tool are no loss; name the others under `microbenchmarks`.',
  };
}

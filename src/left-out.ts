/** Conductor of what leaves the gate by the configuration: measured by the baseline's tailgate.yml, and not by this job. */
import { matchesAny, trackedFiles } from './builds/changes.ts';
import type { Git } from './builds/git.ts';
import type { Revisions } from './builds/revision.ts';
import { type Measured, routesOf } from './config/measured.ts';
import type { GateConfig } from './config/settings.ts';
import type { LeftOut } from './evidence/trial.ts';
import type { Warning } from './kernel/errors.ts';
import { isRunnable } from './microbench/files.ts';

export interface FoundLeftOut {
  /** Null when nothing is. */
  readonly leftOut: LeftOut | null;
  readonly warnings: readonly Warning[];
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
  if (before === null) return { leftOut: null, warnings: [] };
  const own = config.scenarios.map(({ name }) => name);
  const names = before.scenarios.map(({ name }) => name);
  const requested = new Set(config.scenarios.flatMap(({ requests }) => routesOf(requests)));
  const suites = config.microbenchmarks.suites.map(({ name }) => name);
  const files = await filesLeftOut(before, config, git, revisions);
  const { declared } = before.benchmarks;
  const leftOut: LeftOut = {
    file: before.file,
    scenarios: names.filter((name) => !own.includes(name)),
    routes: before.scenarios
      .filter(({ name }) => own.includes(name))
      .map(({ name, routes }) => ({ scenario: name, routes: routes.filter((one) => !requested.has(one)) }))
      .filter(({ routes }) => routes.length > 0),
    benchmarks: [
      ...(declared ? files : []),
      ...before.benchmarks.suites.filter((name) => !suites.includes(name)),
    ],
    added: own.filter((name) => !names.includes(name)),
  };
  const { scenarios, routes, benchmarks } = leftOut;
  return {
    leftOut: scenarios.length + routes.length + benchmarks.length > 0 ? leftOut : null,
    warnings: declared || files.length === 0 ? [] : [undeclaredWarning(before.file, files)],
  };
}

/** Files at the baseline that its globs match and those of the job do not. */
async function filesLeftOut(
  { benchmarks }: Measured,
  config: GateConfig,
  git: Git,
  revisions: Revisions,
): Promise<readonly string[]> {
  const { globs } = benchmarks;
  const own = config.microbenchmarks.files;
  if (globs.length === 0 || globs.join('\n') === own.join('\n')) return [];
  const tracked = await trackedFiles(git, revisions.baseline.sha, config.workingDirectory);
  return tracked.filter(
    (file) => isRunnable(file) && matchesAny([file], globs) && !(own.length > 0 && matchesAny([file], own)),
  );
}

/** Without a list of its own the baseline takes what it can run: what another tool's files are is told at their run. */
function undeclaredWarning(file: string, files: readonly string[]): Warning {
  const rest = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : '';
  const named = files.slice(0, mostNamed).map((one) => `\`${one}\``);
  return {
    code: 'benchmarks-left-out',
    message: `without \`microbenchmarks\` in \`${file}\` the baseline looks for benchmarks in ${named.join(', ')}${rest}; this change does not`,
    hint: 'Files of another tool are no loss; name the others under `microbenchmarks`.',
  };
}

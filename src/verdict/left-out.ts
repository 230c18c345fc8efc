/** What the baseline measures and this change does not, as rows: `missing`, so that nothing leaves the gate unseen. Pure. */
import type { JudgeSettings } from '../config/settings.ts';
import type { LeftOut } from '../evidence/trial.ts';
import { formatCount } from '../kernel/units.ts';
import { unitOf } from './compare.ts';
import { counterName } from './decide.ts';
import type { Finding } from './finding.ts';
import { toleranceOf } from './rows.ts';

/** What the baseline measures and a job that measures nothing does not. */
export interface Absent {
  /** By the configuration; null when nothing is. */
  readonly leftOut: LeftOut | null;
  /** Files with benchmarks, relative to the project, that this change has not: who measures finds out by itself. */
  readonly gone: readonly string[];
}

/** Rows of a job that ended before it could measure, or never began. */
export function absentRows({ leftOut, gone }: Absent, settings: JudgeSettings): readonly Finding[] {
  const rows = leftOutRows(leftOut, settings);
  const why = 'the baseline has this file of benchmarks, this change does not';
  return [...rows, ...gone.map((file) => missing('microbenchmark', file, why, settings))];
}

/** Names of new scenarios that a reason tells. */
const mostNamed = 3;

/**
 * One row a scenario, under its CPU; one for all that a scenario does not request any more; one a file or suite of
 * benchmarks. None has a figure: neither side was asked.
 * @param leftOut none when it is not said.
 */
export function leftOutRows(
  leftOut: LeftOut | null | undefined,
  settings: JudgeSettings,
): readonly Finding[] {
  if (leftOut === null || leftOut === undefined) return [];
  const file = leftOut.file.replaceAll('`', "'");
  const why = `the baseline's \`${file}\` measures it, this change's does not`;
  return [
    ...leftOut.scenarios.map((name) =>
      missing('cpu', name, `${why}${perhapsRenamed(leftOut.added)}`, settings),
    ),
    ...leftOut.routes.map(({ scenario, routes }) =>
      missing('cpu', requestsName(scenario, routes), why, settings),
    ),
    ...leftOut.benchmarks.map((name) => missing('microbenchmark', name, why, settings)),
  ];
}

/** `home > GET /old and 2 more`, as counters of a scenario are called. */
function requestsName(scenario: string, routes: readonly string[]): string {
  const more = routes.length > 1 ? ` and ${formatCount(routes.length - 1)} more` : '';
  return `${counterName(scenario, routes[0]!)}${more}`;
}

/** A scenario under another name is another scenario: only its author knows that it is the same. */
function perhapsRenamed(added: readonly string[]): string {
  if (added.length === 0) return '';
  const rest = added.length > mostNamed ? ` and ${formatCount(added.length - mostNamed)} more` : '';
  const named = added.slice(0, mostNamed).map((name) => `\`${name}\``);
  return `; only this change's has ${named.join(', ')}${rest}, measured on both sides`;
}

function missing(
  metric: 'cpu' | 'microbenchmark',
  scenario: string,
  reason: string,
  settings: JudgeSettings,
): Finding {
  return {
    scenario,
    metric,
    unit: metric === 'cpu' ? unitOf(metric) : { kind: 'time', normalised: 'ns', text: 'ns' },
    direction: 'smaller-is-better',
    judged: true,
    state: 'missing',
    view: null,
    baseline: null,
    candidate: null,
    change: { kind: 'none', reason },
    tolerance: toleranceOf(metric, settings),
    perRound: [],
    rounds: { used: 0, dropped: 0 },
    confirmation: 'not-needed',
    otherView: null,
    reason,
    roundsToSettle: null,
  };
}

/** What a series of gates adds up to: outcomes, false alarms with an exact bound, spread per metric, time. Pure. */
import type { MetricName, RowState } from '../../src/kernel/words.ts';
import { metricNames } from '../../src/kernel/words.ts';
import type { Finding } from '../../src/verdict/finding.ts';

/** One row of one job. Changes are ratios (0.05 is +5 %), the spread is a log-ratio; null where it cannot be said. */
export interface JobRow {
  readonly scenario: string;
  readonly metric: MetricName;
  readonly judged: boolean;
  readonly state: RowState;
  /** A look sent it to confirmation, whatever came of that. */
  readonly flagged: boolean;
  readonly view: 'on-time' | 'all-shots' | null;
  readonly rounds: number;
  /** Ratio, or a difference of shares for `tail` and `errors`. */
  readonly effect: number | null;
  readonly spread: number | null;
  readonly smallestDetectable: number | null;
  /** One-sided, "candidate is worse". */
  readonly p: number | null;
}

/** One gate: a line of `jobs.jsonl`. */
export interface JobLine {
  readonly job: number;
  readonly startedAt: string;
  /** Of the whole process, set-up included. */
  readonly seconds: number;
  readonly exitCode: number | null;
  /** A verdict, or `error` when the gate ended without one. */
  readonly outcome: string;
  readonly reason: string | null;
  /** Rounds up to the look that decided, and fresh ones of a confirmation; `run` are all that were measured. */
  readonly rounds: { readonly decided: number; readonly confirming: number; readonly run: number };
  readonly slices: { readonly measured: number; readonly rejected: number };
  readonly seed: number | null;
  /** Share of the shots sent within 0.5 ms of their due time. */
  readonly onTime: number | null;
  /** Means over the slices: share of time stolen by other machines, and in which a task waited for a CPU. */
  readonly steal: number | null;
  readonly pressure: number | null;
  /** Load average of one minute before the start. */
  readonly load: number;
  readonly rows: readonly JobRow[];
  /** File beside `jobs.jsonl`; null when nothing was measured. */
  readonly evidence: string | null;
}

export interface Quartiles {
  readonly count: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
  readonly worst: number;
}

export interface MetricSummary {
  readonly metric: MetricName;
  readonly judged: number;
  readonly flagged: number;
  readonly regressed: number;
  readonly improved: number;
  readonly undecided: number;
  readonly effect: Quartiles | null;
  readonly spread: Quartiles | null;
  readonly smallestDetectable: Quartiles | null;
}

export interface SeriesSummary {
  readonly jobs: number;
  /** How often every outcome came up; only those that did. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Jobs that ended with another exit code than 0. */
  readonly red: number;
  readonly regressions: number;
  /** Jobs of which at least one row was sent to confirmation. */
  readonly flagged: number;
  /** Jobs whose percentiles were judged over all shots, because the late shares of the sides differed; of how many. */
  readonly allShots: { readonly jobs: number; readonly of: number };
  readonly metrics: readonly MetricSummary[];
  readonly seconds: Quartiles | null;
  readonly rounds: Quartiles | null;
  readonly first: string | null;
  readonly last: string | null;
}

/**
 * Rows of a job. `told` are the findings of the verdict; the figures come from `measured`, the findings over all rounds
 * that were run, which are the same ones unless a job went on after its verdict was clear.
 */
export function jobRows(told: readonly Finding[], measured: readonly Finding[] = told): JobRow[] {
  return told.map((finding) => {
    const figures =
      measured.find((one) => one.metric === finding.metric && one.scenario === finding.scenario) ?? finding;
    const { change } = figures;
    return {
      scenario: finding.scenario,
      metric: finding.metric,
      judged: finding.judged,
      state: finding.state,
      flagged: finding.confirmation !== 'not-needed' && finding.confirmation !== 'settled',
      view: figures.view,
      rounds: figures.rounds.used,
      effect: change.kind === 'ratio' ? change.effect : change.kind === 'points' ? change.difference : null,
      spread: change.kind === 'ratio' ? change.spread : null,
      smallestDetectable: change.kind === 'ratio' ? change.smallestDetectable : null,
      p: change.kind === 'none' ? null : change.p,
    };
  });
}

export function summarise(lines: readonly JobLine[]): SeriesSummary {
  const outcomes: Record<string, number> = {};
  for (const line of lines) outcomes[line.outcome] = (outcomes[line.outcome] ?? 0) + 1;
  const times = lines.map((line) => line.startedAt).sort();
  return {
    jobs: lines.length,
    outcomes,
    red: lines.filter((line) => line.exitCode !== 0).length,
    regressions: outcomes['regression'] ?? 0,
    flagged: lines.filter((line) => line.rows.some((row) => row.flagged)).length,
    allShots: {
      jobs: lines.filter((line) => line.rows.some((row) => row.view === 'all-shots')).length,
      of: lines.filter((line) => line.rows.some((row) => row.view !== null)).length,
    },
    metrics: metricNames.map((metric) => metricSummary(metric, lines)).filter((row) => row !== null),
    seconds: quartiles(lines.map((line) => line.seconds)),
    rounds: quartiles(lines.filter((line) => line.rows.length > 0).map((line) => line.rounds.decided)),
    first: times[0] ?? null,
    last: times.at(-1) ?? null,
  };
}

function metricSummary(metric: MetricName, lines: readonly JobLine[]): MetricSummary | null {
  const rows = lines.flatMap((line) => line.rows.filter((row) => row.metric === metric));
  if (rows.every((row) => row.effect === null)) return null;
  const of = (state: RowState): number => rows.filter((row) => row.state === state).length;
  const figures = (pick: (row: JobRow) => number | null): Quartiles | null =>
    quartiles(rows.map(pick).filter((value) => value !== null));
  return {
    metric,
    judged: rows.filter((row) => row.judged).length,
    flagged: rows.filter((row) => row.flagged).length,
    regressed: of('regressed'),
    improved: of('improved'),
    undecided: of('undecided'),
    effect: figures((row) => row.effect),
    spread: figures((row) => row.spread),
    smallestDetectable: figures((row) => row.smallestDetectable),
  };
}

/** Quartiles between order statistics (Hyndman and Fan 1996, definition 7); null for an empty list. */
export function quartiles(values: readonly number[]): Quartiles | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)]!;
    const above = sorted[Math.ceil(place)]!;
    return below + (above - below) * (place - Math.floor(place));
  };
  return { count: sorted.length, low: at(0.25), median: at(0.5), high: at(0.75), worst: sorted.at(-1)! };
}

/**
 * Upper end of the exact one-sided interval for a rate of which `hits` of `trials` were seen: the p with
 * P(X ≤ hits) = level (Clopper and Pearson 1934). With no hits it is 1 − level^(1/trials).
 * @param level one-sided: 0.05 gives a bound that holds with 95 %.
 */
export function clopperPearsonUpper(hits: number, trials: number, level = 0.05): number {
  if (!Number.isInteger(hits) || !Number.isInteger(trials) || hits < 0 || trials < 1 || hits > trials) {
    throw new RangeError(`wanted whole numbers 0 ≤ hits ≤ trials and trials ≥ 1, got ${hits} of ${trials}`);
  }
  if (hits === trials) return 1;
  let [low, high] = [hits / trials, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (binomialUpTo(hits, trials, middle) > level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(X ≤ hits) of a binomial, in logs so that hundreds of trials neither overflow nor vanish. */
function binomialUpTo(hits: number, trials: number, share: number): number {
  let logTerm = trials * Math.log1p(-share);
  let total = Math.exp(logTerm);
  const odds = Math.log(share) - Math.log1p(-share);
  for (let k = 1; k <= hits; k++) {
    logTerm += Math.log((trials - k + 1) / k) + odds;
    total += Math.exp(logTerm);
  }
  return total;
}

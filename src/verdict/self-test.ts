/** What a self-test plants, in sizes that the gate must see, and whether it saw them. Pure. */
import type { JobPlan } from '../config/plan.ts';
import { formatChange, msToNs, type Nanoseconds, ns, type Ratio, ratio } from '../kernel/units.ts';
import type { MetricName } from '../kernel/words.ts';
import { percentileShare } from '../kernel/words.ts';
import type { Finding, Verdict } from './finding.ts';
import { effectWords, metricWords } from './reasons.ts';

export type Planting = 'nothing' | 'cpu' | 'latency';

/** What an unplanted job says about the sizes; null where it has no figures for one. */
export interface Sizes {
  readonly cpu: { readonly burnt: Nanoseconds; readonly rise: Ratio } | null;
  readonly latency: {
    readonly delay: Nanoseconds;
    readonly delayed: Ratio;
    /** What the judged percentile rises by at least. */
    readonly rise: Ratio;
    readonly metric: MetricName;
  } | null;
}

/** A self-test is about the gate, not about its finest edge: nothing smaller than this is planted. */
const leastCpuRise = 0.15;
const leastLatencyRise = 0.3;
/** Times what a pass must exclude, and times what the unplanted job could have seen four times in five. */
const margin = 2;
/** So many times the requests beyond the percentile are delayed, so that it lies well within them; fewer cost less. */
const delayedTimes = 2;
/** Timers keep whole milliseconds, and come up to one too early. */
const shortestDelay = msToNs(2);

/**
 * Sizes from the figures of a job in which nothing was planted.
 *
 * CPU: each request burns `rise` of what a request costs, in the scenario where it costs most. Latency: a share of
 * requests is held back for (1 + rise) times the judged percentile, so that more than 1 − q of all take at least that
 * long and the percentile cannot stay below it.
 */
export function sizesFor(verdict: Verdict, plan: JobPlan): Sizes {
  const cpu = verdict.findings.filter((finding) => finding.metric === 'cpu').flatMap(sizedBy(leastCpuRise));
  const tails = new Map(plan.scenarios.map((scenario) => [scenario.name, scenario.tailPercentile]));
  const latency = verdict.findings
    .filter((finding) => finding.metric === tails.get(finding.scenario))
    .flatMap(sizedBy(leastLatencyRise));
  const dearest = largest(cpu, ({ value, rise }) => value * rise);
  const slowest = largest(latency, ({ value, rise }) => value * (1 + rise));
  const shares = [...tails.values()].map((name) => Math.min(0.5, delayedTimes * (1 - percentileShare[name])));
  return {
    cpu:
      dearest === null
        ? null
        : { burnt: ns(Math.ceil(dearest.value * dearest.rise)), rise: ratio(dearest.rise) },
    latency:
      slowest === null
        ? null
        : {
            delay: wholeMilliseconds(slowest.value * (1 + slowest.rise)),
            delayed: ratio(Math.max(...shares)),
            rise: ratio(slowest.rise),
            metric: slowest.metric,
          },
  };
}

interface Sized {
  readonly metric: MetricName;
  readonly value: number;
  readonly rise: number;
}

const sizedBy =
  (least: number) =>
  (finding: Finding): readonly Sized[] => {
    const { change, tolerance, metric, baseline, candidate } = finding;
    if (change.kind !== 'ratio' || baseline === null || candidate === null) return [];
    const seen = Math.max(tolerance.detect ?? 0, tolerance.min, change.smallestDetectable ?? 0);
    return [{ metric, value: Math.max(baseline, candidate), rise: Math.max(least, margin * seen) }];
  };

function largest<Item>(items: readonly Item[], size: (item: Item) => number): Item | null {
  return items.reduce<Item | null>(
    (best, item) => (best === null || size(item) > size(best) ? item : best),
    null,
  );
}

const wholeMilliseconds = (value: number): Nanoseconds =>
  ns(Math.max(shortestDelay, msToNs(Math.ceil(value / 1e6) + 1)));

export type CheckResult =
  /** As it must be. */
  | 'shown'
  /** A planted slowdown passed. */
  | 'missed'
  /** A planted slowdown was neither found nor passed. */
  | 'undecided'
  /** Found, but by a metric in which nothing was planted, or not by the one in which it was. */
  | 'wrong-metric'
  /** Something was found where nothing was planted. */
  | 'false-alarm'
  | 'not-measured';

export interface Check {
  readonly planting: Planting;
  /** Null when the job was not run. */
  readonly verdict: Verdict | null;
  readonly result: CheckResult;
  /** The rows that were found, those of the right metric first. */
  readonly found: readonly Finding[];
  /** One sentence with its figures. */
  readonly reason: string;
  /** The way out; null when all is well. */
  readonly hint: string | null;
}

const isCpu = ({ metric }: Finding): boolean => metric === 'cpu' || metric === 'cpu-total';
const isLatency = ({ metric }: Finding): boolean => ['p50', 'p90', 'p95', 'p99'].includes(metric);

/** Whether a job said what it must say about what was planted in it. */
export function checkOf(planting: Planting, verdict: Verdict): Check {
  const found = verdict.findings.filter((finding) => finding.judged && finding.state === 'regressed');
  const check = (result: CheckResult, reason: string, hint: string | null, rows = found): Check => {
    return { planting, verdict, result, found: rows, reason, hint };
  };
  if (verdict.outcome !== 'pass' && verdict.outcome !== 'regression' && verdict.outcome !== 'inconclusive') {
    const hint = verdict.failure?.hint ?? 'tailgate calibrate shows which rate this service can take here';
    return check('not-measured', `${verdict.outcome}: ${verdict.reason ?? 'no reason was given'}`, hint);
  }
  if (planting === 'nothing') {
    if (found.length > 0) return check('false-alarm', `found ${words(found)}`, falseAlarmHint);
    const open = verdict.outcome === 'inconclusive' ? `; ${verdict.reason ?? 'it stayed undecided'}` : '';
    return check('shown', `nothing was found${open}`, null);
  }
  const right = planting === 'cpu' ? isCpu : isLatency;
  const caught = [...found.filter(right), ...found.filter((one) => !right(one))];
  if (!found.some(right)) return notCaught(planting, verdict, caught);
  if (planting === 'latency' && found.some(isCpu)) {
    const cpu = words(found.filter(isCpu));
    return check(
      'wrong-metric',
      `besides latency it found ${cpu}, and no CPU was burnt`,
      falseAlarmHint,
      caught,
    );
  }
  return check('shown', `found ${words(caught)}`, null, caught);
}

/** The check of a job that was not run because of an earlier one, or of what this machine cannot tell. */
export function notRun(planting: Planting, reason: string, hint: string | null): Check {
  return { planting, verdict: null, result: 'not-measured', found: [], reason, hint };
}

const missedHint =
  'use a quieter runner, or give the job more rounds by a longer `time-budget`; tailgate calibrate says how many';
const falseAlarmHint =
  'run it again: if it happens twice, the two sides of this service are not alike (shared state, a cache, a file or a port of its own)';

/** What was seen in the rows that should have been found, and why they were not. */
function notCaught(
  planting: Exclude<Planting, 'nothing'>,
  verdict: Verdict,
  found: readonly Finding[],
): Check {
  const right = planting === 'cpu' ? isCpu : isLatency;
  const rows = verdict.findings.filter((finding) => finding.judged && right(finding));
  const why = rows.find((row) => row.reason !== null)?.reason ?? null;
  const seen = rows.length === 0 ? 'no such row was judged' : `it saw ${words(rows)}`;
  const [result, said]: [CheckResult, string] =
    found.length > 0
      ? ['wrong-metric', `found only ${words(found)}`]
      : verdict.outcome === 'pass'
        ? ['missed', 'the job passed']
        : ['undecided', 'the job stayed undecided'];
  const reason = [said, seen, ...(why === null ? [] : [why])].join('; ');
  return { planting, verdict, result, found, reason, hint: missedHint };
}

/** `CPU per request +31 % [+28 % to +35 %]`, the scenario named where it tells something. */
function words(findings: readonly Finding[]): string {
  const named = new Set(findings.map((finding) => finding.scenario)).size > 1;
  return findings
    .map((finding) => {
      const { change } = finding;
      const interval = change.kind === 'ratio' ? change.interval : null;
      const range =
        interval === null ? '' : ` [${formatChange(interval[0])} to ${formatChange(interval[1])}]`;
      const where = named ? ` of ${finding.scenario}` : '';
      return `${metricWords(finding.metric)}${where} ${effectWords(change)}${range}`;
    })
    .join(', ');
}

/** 0 only when everything was shown; a gate that was shown wrong outweighs what could not be measured. */
export function selfTestExitCode(checks: readonly Check[]): number {
  const results = new Set(checks.map((check) => check.result));
  if (results.has('missed') || results.has('false-alarm') || results.has('wrong-metric')) return 1;
  if (checks.some(({ verdict }) => verdict?.outcome === 'service-failed')) return 4;
  if (results.has('not-measured')) return 3;
  return results.has('undecided') ? 6 : 0;
}

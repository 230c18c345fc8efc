/** Whether the gate saw what a self-test planted, scenario by scenario. Pure. */
import { formatChange, formatRatio, ratio } from '../kernel/units.ts';
import type { Finding, Verdict } from './finding.ts';
import { familyLevel } from './looks.ts';
import { effectWords, metricWords } from './reasons.ts';
import { nothingSized, type Planting, type Sizes, tooNoisyWords } from './self-test-sizes.ts';

export type CheckResult =
  /** As it must be. */
  | 'shown'
  /** A planted slowdown passed. */
  | 'missed'
  /** A planted slowdown was neither found nor passed, or something was flagged in nothing and not confirmed. */
  | 'undecided'
  /** Found, but by a metric in which nothing was planted, or not by the one in which it was. */
  | 'wrong-metric'
  /** Something was found where nothing was planted. */
  | 'false-alarm'
  | 'not-measured';

export interface ScenarioCheck {
  readonly scenario: string;
  readonly result: 'caught' | 'missed' | 'undecided';
  /** What was found, or what was seen and why that is no finding. */
  readonly reason: string;
}

export interface Check {
  readonly planting: Planting;
  /** Null when the job was not run. */
  readonly verdict: Verdict | null;
  readonly result: CheckResult;
  /** What became of the planted slowdown in each scenario; empty where nothing was planted or measured. */
  readonly scenarios: readonly ScenarioCheck[];
  /** The rows that were found, those of the right metric first. */
  readonly found: readonly Finding[];
  /** One sentence with its figures. */
  readonly reason: string;
  /** The way out; null when all is well. */
  readonly hint: string | null;
}

const isCpu = ({ metric }: Finding): boolean => metric === 'cpu' || metric === 'cpu-total';
const isLatency = ({ metric }: Finding): boolean => ['p50', 'p90', 'p95', 'p99'].includes(metric);

/**
 * Whether a job said what it must say about what was planted in it. A slowdown must be caught in every scenario: what
 * one of them shows says nothing about the others.
 * @param sizes of what was planted, which tell where nothing could have been seen.
 */
export function checkOf(planting: Planting, verdict: Verdict, sizes: Sizes = nothingSized): Check {
  const scenarios = planting === 'nothing' ? [] : scenarioChecks(planting, verdict, sizes);
  const found = verdict.findings.filter((finding) => finding.judged && finding.state === 'regressed');
  const check = (result: CheckResult, reason: string, hint: string | null, rows = found): Check => {
    return { planting, verdict, result, scenarios, found: rows, reason, hint };
  };
  if (verdict.outcome !== 'pass' && verdict.outcome !== 'regression' && verdict.outcome !== 'inconclusive') {
    const hint = verdict.failure?.hint ?? 'tailgate calibrate shows which rate this service can take here';
    return check('not-measured', `${verdict.outcome}: ${verdict.reason ?? 'no reason was given'}`, hint);
  }
  if (planting === 'nothing') {
    if (found.length > 0) return check('false-alarm', `found ${words(found)}`, falseAlarmHint);
    const flagged = verdict.findings.filter((one) => one.judged && one.confirmation === 'not-confirmed');
    if (flagged.length > 0)
      return check('undecided', `nothing was found, but ${flaggedWords(flagged, verdict)}`, flaggedHint);
    const open = verdict.outcome === 'inconclusive' ? `; ${verdict.reason ?? 'it stayed undecided'}` : '';
    return check('shown', `nothing was flagged${open}`, null);
  }
  const right = planting === 'cpu' ? isCpu : isLatency;
  const caught = [...found.filter(right), ...found.filter((one) => !right(one))];
  if (!found.some(right)) return notCaught(planting, verdict, scenarios, caught);
  if (planting === 'latency' && found.some(isCpu)) {
    const cpu = words(found.filter(isCpu));
    return check(
      'wrong-metric',
      `besides latency it found ${cpu}, and no CPU was burnt`,
      falseAlarmHint,
      caught,
    );
  }
  const open = scenarios.filter((one) => one.result !== 'caught');
  if (open.length === 0) return check('shown', `found ${words(caught)}`, null, caught);
  const missed = open.filter((one) => one.result === 'missed');
  const [result, how]: [CheckResult, string] =
    missed.length > 0 ? ['missed', 'missed in'] : ['undecided', 'not shown in'];
  const named = (missed.length > 0 ? missed : open).map(({ scenario, reason }) => `${scenario} (${reason})`);
  return check(result, `found ${words(caught)}, but ${how} ${named.join(', ')}`, missedHint, caught);
}

/** Of every scenario that has a row in which the slowdown must show. */
function scenarioChecks(
  planting: Exclude<Planting, 'nothing'>,
  verdict: Verdict,
  sizes: Sizes,
): readonly ScenarioCheck[] {
  const right = planting === 'cpu' ? isCpu : isLatency;
  const rows = verdict.findings.filter((finding) => finding.judged && right(finding));
  return [...new Set(rows.map((row) => row.scenario))].map((scenario): ScenarioCheck => {
    const own = rows.filter((row) => row.scenario === scenario);
    const caught = own.filter((row) => row.state === 'regressed');
    if (caught.length > 0) return { scenario, result: 'caught', reason: words(caught) };
    // A delay of few requests leaves p50 alone, and background work may hide the rest in the total.
    const planted = own.filter((row) => row.metric !== 'p50' && row.metric !== 'cpu-total');
    const decisive = planted.length > 0 ? planted : own;
    const noisy = tooNoisyWords(planting, sizes, scenario);
    if (noisy !== null) return { scenario, result: 'undecided', reason: `not checked: ${noisy}` };
    const open = decisive.find((row) => row.state !== 'unchanged' && row.state !== 'improved');
    const why = open?.reason ?? null;
    return {
      scenario,
      result: open === undefined ? 'missed' : 'undecided',
      reason: `it saw ${words(decisive)}${why === null ? '' : `; ${why}`}`,
    };
  });
}

/** The check of a job that was not run because of an earlier one, or of what this machine cannot tell. */
export function notRun(planting: Planting, reason: string, hint: string | null): Check {
  return { planting, verdict: null, result: 'not-measured', scenarios: [], found: [], reason, hint };
}

const missedHint =
  'use a quieter runner, or give the job more rounds by a longer `time-budget`; tailgate calibrate says how many';
const falseAlarmHint =
  'run it again: if it happens twice, the two sides of this service are not alike (shared state, a cache, a file or a port of its own)';

const flaggedHint = `run it again, since up to ${formatRatio(ratio(familyLevel))} of unchanged jobs have a row flagged; if it happens twice, the two sides of this service are not alike (shared state, a cache, a file or a port of its own)`;

/** What was seen in the rows that should have been found, and why they were not. */
function notCaught(
  planting: Exclude<Planting, 'nothing'>,
  verdict: Verdict,
  scenarios: readonly ScenarioCheck[],
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
  return { planting, verdict, result, scenarios, found, reason, hint: missedHint };
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

/** `p99 was flagged: not confirmed: +11 % when it was flagged, …`, the scenario named where there are several. */
function flaggedWords(flagged: readonly Finding[], { findings }: Verdict): string {
  const several = new Set(findings.map((one) => one.scenario)).size > 1;
  return flagged
    .map(({ metric, scenario, reason, change }) => {
      const where = several ? ` of ${scenario}` : '';
      return `${metricWords(metric)}${where} was flagged: ${reason ?? `not confirmed at ${effectWords(change)}`}`;
    })
    .join('; ');
}

/** 0 only when everything was shown; a gate that was shown wrong outweighs what could not be measured. */
export function selfTestExitCode(checks: readonly Check[]): number {
  const results = new Set(checks.map((check) => check.result));
  if (results.has('missed') || results.has('false-alarm') || results.has('wrong-metric')) return 1;
  if (checks.some(({ verdict }) => verdict?.outcome === 'service-failed')) return 4;
  if (results.has('not-measured')) return 3;
  return results.has('undecided') ? 6 : 0;
}

/** The verdict of a whole job: the load test's rows and the microbenchmarks' in one list, what was accepted, one outcome. */
import type { Evidence } from '../evidence/trial.ts';
import type { Warning } from '../kernel/errors.ts';
import type { Outcome } from '../kernel/words.ts';
import type { BenchFinding } from './benchmark-finding.ts';
import { judgeBenchmarks } from './benchmarks.ts';
import { counterName } from './decide.ts';
import type { Finding, Verdict } from './finding.ts';
import { leftOutRows } from './left-out.ts';
import { worstFirst } from './outcome.ts';
import { applyWaivers, type Nearest, type Part } from './waivers.ts';

/** What the whole job needs beside its evidence. */
export interface WholeTerms {
  /** For waivers that match nothing. */
  readonly nearest: Nearest;
}

/**
 * Rows of both, worst first, after what was accepted; the worse outcome decides, and the sentence that explains it
 * comes from where it came. Waivers expire by the day of the measurement: judged again, a job says the same.
 * @param verdict of the load test.
 */
export function wholeVerdict(evidence: Evidence, verdict: Verdict, terms: WholeTerms): Verdict {
  const benchmarks = benchmarksOf(evidence);
  const load: Part = { outcome: verdict.outcome, reason: verdict.reason, findings: verdict.findings };
  const today = evidence.createdAt.slice(0, 'YYYY-MM-DD'.length);
  const left = leftOutRows(evidence.leftOut, evidence.judge);
  const parts = [
    load,
    ...(benchmarks === null ? [] : [benchmarks.part]),
    ...(left.length === 0 ? [] : [unmeasured(left)]),
  ];
  const accepted = applyWaivers(parts, evidence.waivers, { today, nearest: terms.nearest });
  const { outcome, reason } = accepted.parts.reduce(worse);
  const findings = accepted.parts.flatMap((part) => part.findings);
  const counters = (evidence.counters ?? []).map((one) => one.name);
  const scenarios = evidence.plan.scenarios.flatMap(({ name }) => [
    name,
    ...counters.map((counter) => counterName(name, counter)),
  ]);
  return {
    ...verdict,
    outcome,
    reason,
    findings: worstFirst(findings, [...scenarios, ...(benchmarks?.names ?? [])]),
    warnings: [...verdict.warnings, ...(benchmarks?.warnings ?? []), ...accepted.warnings],
  };
}

/** Rows to see: they decide nothing. */
const unmeasured = (findings: readonly Finding[]): Part => ({
  outcome: 'no-baseline',
  reason: null,
  findings,
});

interface Benchmarks {
  readonly part: Part;
  readonly names: readonly string[];
  readonly warnings: readonly Warning[];
}

function benchmarksOf({ benchmarks }: Evidence): Benchmarks | null {
  if (benchmarks === null) return null;
  const progress = judgeBenchmarks(benchmarks, { final: true });
  if (progress.kind !== 'decided') return null;
  const { outcome, reason, findings, warnings } = progress.verdict;
  const names = findings.map((one) => one.name);
  return { part: { outcome, reason, findings: findings.map(benchmarkRow) }, names, warnings };
}

/**
 * Worst first, as rows fold into an outcome: what is shown outweighs what could not be measured, and that outweighs
 * what could not be decided. A load test that has no baseline stays so, whatever the microbenchmarks could compare.
 */
const order: readonly Outcome[] = [
  'regression',
  'service-failed',
  'invalid',
  'inconclusive',
  'no-baseline',
  'skipped',
  'pass',
];

function worse(load: Part, benchmarks: Part): Part {
  // What only one side has are rows to see, not a job without anything to compare.
  if (benchmarks.outcome === 'no-baseline') return load;
  return order.indexOf(benchmarks.outcome) < order.indexOf(load.outcome) ? benchmarks : load;
}

/** A benchmark as a row of a whole job. */
export function benchmarkRow(one: BenchFinding): Finding {
  return {
    scenario: one.name,
    metric: 'microbenchmark',
    unit: one.unit,
    direction: one.direction,
    judged: true,
    state: one.state,
    view: null,
    baseline: one.baseline,
    candidate: one.candidate,
    change: one.change,
    tolerance: one.tolerance,
    perRound: one.perRound,
    rounds: one.rounds,
    confirmation: one.confirmation,
    otherView: null,
    reason: one.reason,
    roundsToSettle: one.roundsToSettle,
    ...(one.sameResult === false ? { sameResult: false } : {}),
  };
}

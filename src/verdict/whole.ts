/** The verdict of a whole job: the load test's rows and the microbenchmarks' in one list, with one outcome. */
import type { Evidence } from '../evidence/trial.ts';
import type { Outcome } from '../kernel/words.ts';
import type { BenchFinding, BenchVerdict } from './benchmark-finding.ts';
import { judgeBenchmarks } from './benchmarks.ts';
import type { Finding, Verdict } from './finding.ts';
import { worstFirst } from './outcome.ts';

/** @param verdict of the load test. */
export function wholeVerdict(evidence: Evidence, verdict: Verdict): Verdict {
  if (evidence.benchmarks === null) return verdict;
  const progress = judgeBenchmarks(evidence.benchmarks, { final: true });
  return progress.kind === 'decided' ? withBenchmarks(verdict, progress.verdict) : verdict;
}

/** Rows of both, worst first; the worse outcome decides, and the sentence that explains it comes from where it came. */
export function withBenchmarks(verdict: Verdict, benchmarks: BenchVerdict): Verdict {
  const outcome = worse(verdict.outcome, benchmarks.outcome);
  const names = [
    ...verdict.findings.map((one) => one.scenario),
    ...benchmarks.findings.map((one) => one.name),
  ];
  const scenarios = [...new Set(names)];
  return {
    ...verdict,
    outcome,
    findings: worstFirst([...verdict.findings, ...benchmarks.findings.map(toFinding)], scenarios),
    reason: outcome === verdict.outcome ? verdict.reason : benchmarks.reason,
    warnings: [...verdict.warnings, ...benchmarks.warnings],
  };
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

function worse(load: Outcome, benchmarks: BenchVerdict['outcome']): Outcome {
  // Benchmarks of one side only are rows to see, not a job without anything to compare.
  if (benchmarks === 'no-baseline') return load;
  return order.indexOf(benchmarks) < order.indexOf(load) ? benchmarks : load;
}

function toFinding(one: BenchFinding): Finding {
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
  };
}

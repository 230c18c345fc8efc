/** What was accepted, on microbenchmarks that were measured alone: the same rules as in a whole job. Pure. */
import type { BenchEvidence } from '../microbench/evidence.ts';
import type { BenchFinding, BenchVerdict } from './benchmark-finding.ts';
import { foldStates, reasonOf } from './benchmark-outcome.ts';
import { severity } from './outcome.ts';
import { applyWaivers, type Nearest } from './waivers.ts';
import { benchmarkRow } from './whole.ts';

/**
 * The verdict after the waivers of the evidence. Those for metrics of a load test are left aside without a word, since
 * no load was measured: one for a microbenchmark's row, or by the name of one, is told when it did nothing.
 * @param nearest finds the name that a waiver without a row may have meant.
 */
export function acceptedBenchmarks(
  verdict: BenchVerdict,
  evidence: BenchEvidence,
  nearest: Nearest,
): BenchVerdict {
  const names = new Set(verdict.findings.map(({ name }) => name));
  const waivers = (evidence.waivers ?? []).filter(
    ({ scenario, metric }) => metric === 'microbenchmark' || names.has(scenario),
  );
  const part = {
    outcome: verdict.outcome,
    reason: verdict.reason,
    findings: verdict.findings.map(benchmarkRow),
  };
  const today = evidence.createdAt.slice(0, 'YYYY-MM-DD'.length);
  const { parts, warnings } = applyWaivers([part], waivers, { today, nearest });
  const rows = parts[0]!.findings;
  const findings = verdict.findings
    .map((finding, index): BenchFinding => {
      const { state, reason } = rows[index]!;
      return { ...finding, state, reason };
    })
    .sort((a, b) => severity.indexOf(a.state) - severity.indexOf(b.state) || (a.name < b.name ? -1 : 1));
  const outcome = foldStates(new Set(findings.map(({ state }) => state)));
  return {
    ...verdict,
    outcome,
    findings,
    reason: reasonOf(outcome, findings),
    warnings: [...verdict.warnings, ...warnings],
  };
}

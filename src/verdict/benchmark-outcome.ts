/** Findings of microbenchmarks → one outcome, why it is neither good nor bad, and what a reader is warned of. */
import type { Warning } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';
import type { RowState } from '../kernel/words.ts';
import type { BenchEvidence } from '../microbench/evidence.ts';
import type { BenchFinding, BenchVerdict } from './benchmark-finding.ts';
import { outOfTimeWarning } from './benchmark-time.ts';

/** A shown regression outweighs what could not be measured; what could not be measured, what could not be decided. */
export function foldStates(states: ReadonlySet<RowState>): BenchVerdict['outcome'] {
  if (states.has('regressed')) return 'regression';
  if (states.has('invalid')) return 'invalid';
  if (states.has('undecided')) return 'inconclusive';
  // Nothing that both sides have: there was nothing to compare.
  if ([...states].every((state) => state === 'new' || state === 'missing')) return 'no-baseline';
  return 'pass';
}

export function reasonOf(outcome: BenchVerdict['outcome'], findings: readonly BenchFinding[]): string | null {
  if (outcome === 'pass' || outcome === 'regression') return null;
  if (outcome === 'no-baseline') return 'no benchmark is there on both sides';
  const state: RowState = outcome === 'invalid' ? 'invalid' : 'undecided';
  const first = findings.filter((finding) => finding.state === state);
  const others = first.length - 1;
  const more =
    others < 1
      ? ''
      : `; ${formatCount(others)} more ${others === 1 ? 'benchmark is' : 'benchmarks are'} ${state}`;
  return `\`${first[0]!.name}\`: ${first[0]!.reason ?? state}${more}`;
}

/** What the time budget changed, what adapters said of the output of suites, then what the findings say of themselves. */
export function warningsOf(evidence: BenchEvidence, findings: readonly BenchFinding[]): readonly Warning[] {
  const remarks = findings
    .filter((finding) => finding.remark !== null)
    .map((finding) => ({ code: 'benchmark-remark', message: `\`${finding.name}\`: ${finding.remark}` }));
  const time = outOfTimeWarning(evidence);
  const said = (evidence.suites ?? []).flatMap((suite) => suite.warnings);
  return [...(time === null ? [] : [time]), ...said, ...remarks];
}

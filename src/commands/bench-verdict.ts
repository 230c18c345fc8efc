/** What microbenchmarks alone come to: measured now by `bench`, or read from its evidence by `judge` and `report`. */
import { benchWithSettings } from '../accepted.ts';
import { nearest } from '../config/suggestions.ts';
import { type Nanoseconds, ns } from '../kernel/units.ts';
import type { BenchEvidence } from '../microbench/evidence.ts';
import type { BenchVerdict } from '../verdict/benchmark-finding.ts';
import { acceptedBenchmarks } from '../verdict/benchmark-waivers.ts';
import { judgeBenchmarks } from '../verdict/benchmarks.ts';
import { exitCodeOf, verdictWithout } from '../verdict/outcome.ts';

/** The verdict of stored evidence. @param config its tolerances, waivers and meaning of a different result; null: those of the evidence. */
export function judgedBench(
  stored: BenchEvidence,
  config: Parameters<typeof benchWithSettings>[1] | null,
): { readonly verdict: BenchVerdict; readonly evidence: BenchEvidence } {
  const evidence = config === null ? stored : benchWithSettings(stored, config);
  const progress = judgeBenchmarks(evidence, { final: true });
  if (progress.kind !== 'decided') throw new Error('final evidence is always decided');
  return { verdict: acceptedBenchmarks(progress.verdict, evidence, nearest), evidence };
}

/** The same exit codes as the gate's, from the same list. */
export function exitCodeFor(verdict: BenchVerdict, config: Parameters<typeof exitCodeOf>[1]): number {
  const bare = { ...verdictWithout('inconclusive', ''), outcome: verdict.outcome };
  const code = exitCodeOf(bare, config);
  const missing = verdict.findings.some((finding) => finding.state === 'missing');
  return code === 0 && missing && config.failOn.includes('missing') ? 1 : code;
}

/** What the stored rounds took together. */
export const benchTime = ({ rounds }: BenchEvidence): Nanoseconds =>
  ns(rounds.reduce((sum, round) => sum + round.duration, 0));

/** The file behind `--json`. */
export function benchVerdictJson(verdict: BenchVerdict, evidence: BenchEvidence, exitCode: number): string {
  const { seed, revisions, waivers = [] } = evidence;
  const suites = (evidence.suites ?? []).map(({ name, formats }) => ({ name, formats }));
  return `${JSON.stringify({ exitCode, seed, revisions, suites, waivers, ...verdict }, null, 2)}\n`;
}

/** Which rows everybody sees, and one sentence for the many that are at rest. */
import { formatCount } from '../kernel/units.ts';
import type { Finding } from '../verdict/finding.ts';
import type { Phrase } from './phrase.ts';
import { say } from './phrase.ts';
import { isBenchmark, isShown } from './rows.ts';

/** So many microbenchmarks at rest are shown; more of them would hide the rows that decide. */
const fewBenchmarks = 4;

const isQuiet = (finding: Finding): boolean => isBenchmark(finding) && finding.state === 'unchanged';

/** Judged or changed rows in the order given; of many unchanged microbenchmarks none. */
export function shownFindings(findings: readonly Finding[]): readonly Finding[] {
  const many = findings.filter(isQuiet).length > fewBenchmarks;
  return findings.filter((finding) => isShown(finding) && !(many && isQuiet(finding)));
}

/** How many microbenchmarks are left out of that table; empty when none are. */
export function leftOutSentence(findings: readonly Finding[]): readonly Phrase[] {
  const quiet = findings.filter(isQuiet).length;
  return quiet > fewBenchmarks ? [say`${formatCount(quiet)} further microbenchmarks unchanged.`] : [];
}

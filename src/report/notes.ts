/** What a reader has to know beside the verdict: warnings of the job and its plan, and what would have passed. */
import type { Evidence } from '../evidence/trial.ts';
import type { Warning } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';
import type { Finding, Verdict } from '../verdict/finding.ts';
import { toleranceText } from './figures.ts';
import type { Phrase } from './phrase.ts';
import { capital, joined, name, say, sentence } from './phrase.ts';
import { rowOf } from './rows.ts';

export interface Note {
  readonly message: Phrase;
  readonly hint: Phrase | null;
}

export function notesOf(
  verdict: Verdict,
  evidence: Evidence | null,
  findings: readonly Finding[],
): readonly Note[] {
  const warnings: Warning[] = [
    ...verdict.warnings,
    ...(evidence?.warnings ?? []),
    ...(evidence?.plan.notes ?? []),
  ];
  const told = new Set<string>();
  const notes: Note[] = [];
  if (evidence?.identicalBuilds === true && !warnings.some((warning) => warning.code.includes('identical'))) {
    notes.push({
      message: say`Both sides built exactly the same files although their commits differ: the change was not measured.`,
      hint: say`Check that ${name('setup')} builds what ${name('start')} runs.`,
    });
  }
  for (const { code, message, hint } of warnings) {
    const key = `${code} ${message}`;
    if (told.has(key)) continue;
    told.add(key);
    notes.push({
      message: sentence(capital(message)),
      hint: hint === undefined ? null : sentence(capital(hint)),
    });
  }
  return [...notes, ...unusedRounds(verdict, evidence), ...wideTolerances(findings)];
}

/** Evidence that is judged again with other tolerances may be decided at an earlier look, or without its fresh rounds. */
function unusedRounds({ rounds }: Verdict, evidence: Evidence | null): readonly Note[] {
  const used = rounds.measured + rounds.confirming;
  const all = evidence?.rounds.length ?? 0;
  if (used === 0 || used >= all) return [];
  const message = say`${formatCount(used)} of the ${formatCount(all)} rounds in the evidence decided: with these settings the job would have ended after them, so figures are of those alone.`;
  return [{ message, hint: null }];
}

/** One note for all of them: who reads `pass` has to know what would have passed. */
function wideTolerances(findings: readonly Finding[]): readonly Note[] {
  const wide = new Map<string, Phrase>();
  for (const finding of findings) {
    const row = rowOf(finding);
    if (!finding.judged || !row.wideTolerance) continue;
    const text = toleranceText(finding.metric, finding.tolerance).replace(/^wide: /, '');
    wide.set(finding.metric, say`${row.metric} ${text}`);
  }
  if (wide.size === 0) return [];
  const message = say`Wide tolerance: ${joined([...wide.values()], '; ')}. Smaller changes are let through.`;
  return [{ message, hint: null }];
}

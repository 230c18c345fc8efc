/** The few lines that GitHub pins to the job: what turned it red, or kept it green without a pass. */
import * as core from '@actions/core';
import { assertNever } from '../kernel/errors.ts';
import type { Outcome } from '../kernel/words.ts';

export interface Annotation {
  readonly title: string;
  readonly message: string;
}

/** GitHub shows ten of a kind per step and drops the others without a word. */
export const annotationLimit = 10;
/** Enough for a sentence or three; annotations are cut by GitHub at 64 KiB. */
const messageLimit = 1_000;
const titleLimit = 120;

const writers = { error: core.error, warning: core.warning, notice: core.notice } as const;

/**
 * Writes at most ten annotations, worst first as given, the last one counting those left out. They are errors when
 * the job fails; what `fail-on` lets through is a warning, and so is a job that decided nothing.
 * @param failing whether the job ends with an exit code other than 0.
 * @returns how many were written: 0 for a pass.
 */
export function annotate(outcome: Outcome, failing: boolean, annotations: readonly Annotation[]): number {
  const level = failing ? 'error' : quietLevel(outcome);
  if (level === null) return 0;
  const write = writers[level];
  const fits = annotations.length <= annotationLimit;
  const shown = fits ? annotations : annotations.slice(0, annotationLimit - 1);
  for (const { title, message } of shown) {
    write(clamp(message, messageLimit), { title: clamp(title, titleLimit) });
  }
  if (fits) return shown.length;
  const left = annotations.length - shown.length;
  write(`${left} more rows are in the job summary.`, { title: `Tailgate: ${left} more` });
  return shown.length + 1;
}

/** The level where the job stays green. */
function quietLevel(outcome: Outcome): 'warning' | 'notice' | null {
  switch (outcome) {
    case 'regression':
    case 'invalid':
    case 'service-failed':
    case 'no-baseline':
    case 'inconclusive':
      return 'warning';
    case 'skipped':
      return 'notice';
    case 'pass':
      return null;
    default:
      return assertNever(outcome);
  }
}

function clamp(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

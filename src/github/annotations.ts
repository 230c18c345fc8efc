/** The few lines that GitHub pins to the job and to the changed files: only for what turned it red. */
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

/**
 * Writes at most ten error annotations, worst first as given, the last one counting those left out.
 * @returns how many were written: 0 for every outcome but `regression` and `invalid`.
 */
export function annotate(outcome: Outcome, annotations: readonly Annotation[]): number {
  if (!worthPinning(outcome)) return 0;
  const fits = annotations.length <= annotationLimit;
  const shown = fits ? annotations : annotations.slice(0, annotationLimit - 1);
  for (const { title, message } of shown) {
    core.error(clamp(message, messageLimit), { title: clamp(title, titleLimit) });
  }
  if (fits) return shown.length;
  const left = annotations.length - shown.length;
  core.error(`${left} more rows are in the job summary.`, { title: `Tailgate: ${left} more` });
  return shown.length + 1;
}

function worthPinning(outcome: Outcome): boolean {
  switch (outcome) {
    case 'regression':
    case 'invalid':
      return true;
    case 'pass':
    case 'service-failed':
    case 'no-baseline':
    case 'inconclusive':
    case 'skipped':
      return false;
    default:
      return assertNever(outcome);
  }
}

function clamp(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

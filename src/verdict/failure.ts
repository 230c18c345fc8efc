/** The verdict of a job that ended before it could judge. */
import type { Evidence } from '../evidence/trial.ts';
import type { ErrorCode, TailgateError, Warning } from '../kernel/errors.ts';
import { assertNever } from '../kernel/errors.ts';
import { type Outcome, type Side, sides } from '../kernel/words.ts';
import type { Verdict } from './finding.ts';

/** What had been measured when it ended. */
export interface Unfinished {
  readonly evidence: Evidence | null;
}

/**
 * Turns an error into a verdict.
 * @throws the error itself when it is no verdict: bad usage and cancellation end a job without one.
 */
export function verdictOfFailure(error: TailgateError, unfinished: Unfinished): Verdict {
  const outcome = outcomeOf(error.code);
  if (outcome === null) throw error;
  return {
    ...empty(unfinished.evidence),
    outcome,
    reason: error.message,
    failure: {
      side: sideIn(error),
      message: error.message,
      hint: error.hint ?? null,
      tail: error.tail,
    },
  };
}

/** Nothing of the change matches `paths`. */
export function verdictOfSkipped(paths: readonly string[]): Verdict {
  return {
    ...empty(null),
    outcome: 'skipped',
    reason: `no changed file matches paths: ${paths.join(', ')}`,
    failure: null,
  };
}

function outcomeOf(code: ErrorCode): Outcome | null {
  switch (code) {
    case 'service-failed':
    case 'invalid':
    case 'no-baseline':
      return code;
    case 'usage':
    case 'cancelled':
    case 'github':
      return null;
    default:
      return assertNever(code);
  }
}

/** Errors about a side name it. */
function sideIn(error: TailgateError): Side | null {
  return sides.find((side) => new RegExp(`\\b${side}\\b`).test(error.message)) ?? null;
}

function empty(evidence: Evidence | null): Omit<Verdict, 'outcome' | 'reason' | 'failure'> {
  const rounds = evidence?.rounds ?? [];
  const confirming = rounds.filter((round) => round.phase === 'confirming').length;
  const trials = rounds.flatMap((round) => round.trials);
  const warnings: readonly Warning[] = evidence?.warnings ?? [];
  return {
    findings: [],
    rounds: { measured: rounds.length - confirming, planned: evidence?.plan.rounds ?? 0, confirming },
    slices: { measured: trials.length, rejected: trials.filter((trial) => trial.unsound.length > 0).length },
    onTimeShare: null,
    warnings,
  };
}

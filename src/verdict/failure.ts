/** The verdict of a job that ended before it could judge. */
import type { Evidence } from '../evidence/trial.ts';
import type { ErrorCode, TailgateError, Warning } from '../kernel/errors.ts';
import { assertNever } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';
import { type Side, sides } from '../kernel/words.ts';
import type { Finding, Verdict } from './finding.ts';
import { verdictWithout } from './outcome.ts';

/** What had been measured when it ended. */
export interface Unfinished {
  readonly evidence: Evidence | null;
  /** Rows of what the baseline measures and this job does not: known before anything was built. */
  readonly missing: readonly Finding[];
}

/**
 * Turns an error into a verdict.
 * @throws the error itself when it is no verdict: bad usage and cancellation end a job without one.
 */
export function verdictOfFailure(error: TailgateError, unfinished: Unfinished): Verdict {
  const outcome = outcomeOf(error.code);
  if (outcome === null) throw error;
  const verdict = verdictWithout(outcome, error.message, {
    ...soFar(unfinished.evidence),
    failure: {
      side: sideIn(error),
      message: error.message,
      hint: error.hint ?? null,
      tail: error.tail,
    },
  });
  return { ...verdict, findings: unfinished.missing };
}

/**
 * Nothing of the change matches `paths`.
 * @param leftOut rows of what it has taken out: the next job would not know of it.
 * @param warnings about what may be left out.
 */
export function verdictOfSkipped(
  paths: readonly string[],
  leftOut: readonly Finding[],
  warnings: readonly Warning[] = [],
): Verdict {
  const unmatched = `no changed file matches paths: ${paths.join(', ')}`;
  const [first] = leftOut;
  if (first === undefined) return verdictWithout('skipped', unmatched, { warnings });
  const others = leftOut.length - 1;
  const more = others === 0 ? '' : ` (and ${formatCount(others)} more)`;
  const reason = `${unmatched}; \`${first.scenario.replaceAll('`', "'")}\`${more} is missing: ${first.reason}`;
  return { ...verdictWithout('skipped', reason, { warnings }), findings: leftOut };
}

function outcomeOf(code: ErrorCode): 'service-failed' | 'invalid' | 'no-baseline' | null {
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

/** Nothing that was measured before the end is forgotten. */
function soFar(evidence: Evidence | null): Pick<Verdict, 'rounds' | 'slices' | 'warnings'> {
  const rounds = evidence?.rounds ?? [];
  const confirming = rounds.filter((round) => round.phase === 'confirming').length;
  const trials = rounds.flatMap((round) => round.trials);
  return {
    rounds: { measured: rounds.length - confirming, planned: evidence?.plan.rounds ?? 0, confirming },
    slices: { measured: trials.length, rejected: trials.filter((trial) => trial.unsound.length > 0).length },
    warnings: evidence?.warnings ?? [],
  };
}

/** Which histogram of stored evidence cannot be read: they are decoded only when they are judged, far from their field. */
import { messageOf, TailgateError } from '../kernel/errors.ts';
import { LatencyHistogram } from './histogram.ts';
import type { Evidence } from './trial.ts';

/**
 * Names field and version in what goes wrong with a histogram.
 * @param work on this evidence.
 * @throws what `work` throws.
 */
export function namingHistogram<Result>(evidence: Evidence, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TailgateError)) throw error;
    const first = firstUnreadable(evidence);
    if (first === null) throw error;
    throw new TailgateError({
      code: error.code,
      message: `\`${first.path}\`: ${first.problem} (evidence of version ${evidence.version})`,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      cause: error,
    });
  }
}

/** Those that are judged: others are read by nobody who would stop. */
const judged = ['response', 'onTime'] as const;

function firstUnreadable({ rounds }: Evidence): { readonly path: string; readonly problem: string } | null {
  for (const [index, { trials }] of rounds.entries()) {
    for (const [place, { load }] of trials.entries()) {
      for (const name of judged) {
        try {
          LatencyHistogram.decode(load.histograms[name]);
        } catch (error) {
          const path = `rounds[${index}].trials[${place}].load.histograms.${name}`;
          return { path, problem: messageOf(error) };
        }
      }
    }
  }
  return null;
}

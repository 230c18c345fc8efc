/** How long anything that a benchmark does may take: what never ends must not use up the time of the others. */
import { type Nanoseconds, ns, secondsToNs } from '../kernel/units.ts';

export interface Patience {
  /** Of one order to a benchmark process, such as one call, a sample or a teardown. */
  readonly order: Nanoseconds;
  /** Of the first run of a suite on one side, which may have to compile it. */
  readonly firstRun: Nanoseconds;
  /** Of every later run, and of an execution. */
  readonly run: Nanoseconds;
  /** Of finding all functions, once one of them has not ended. null: as long as it takes. */
  readonly finding: Nanoseconds | null;
}

const longest = { order: secondsToNs(60), run: secondsToNs(1800) };
/** Starting a process and loading a file takes this much on a busy machine. */
const shortest = { order: secondsToNs(3), run: secondsToNs(10) };

/** After this long a reader is told what is waited for. */
export const quietTime = secondsToNs(5);

/** Said once, when something has not answered for a while. */
export type TellWaiting = (what: string, limit: Nanoseconds) => void;

/** @param timeBudget of all rounds together; null: as long as it takes. */
export function patienceWithin(timeBudget: Nanoseconds | null): Patience {
  if (timeBudget === null) {
    return { order: longest.order, firstRun: longest.run, run: longest.run, finding: null };
  }
  const within = (share: number, { least, most }: { least: Nanoseconds; most: Nanoseconds }): Nanoseconds =>
    ns(Math.min(most, Math.max(least, timeBudget * share)));
  const runs = { least: shortest.run, most: longest.run };
  return {
    // Both sides may have to be waited for, and another benchmark is to have its turn.
    order: within(1 / 4, { least: shortest.order, most: longest.order }),
    firstRun: within(1, runs),
    // A run a side that takes longer fits in no round.
    run: within(1 / 2, runs),
    finding: timeBudget,
  };
}

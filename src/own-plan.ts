/** Conductor of the plan of jobs that are a gate of one commit against itself: refused before anything starts, in their words. */
import { planJob } from './config/planner.ts';
import type { GateConfig } from './config/settings.ts';
import { typicalAssumptions } from './config/timing.ts';
import { TailgateError } from './kernel/errors.ts';
import { leastRounds, lookRounds } from './verdict/looks.ts';

/**
 * Checks that the gate could plan a job by these settings, so that nobody hears of it after a job was announced.
 * @param config whose microbenchmarks are taken out already.
 * @param why what the refusal has to do with the command, a clause in front of the planner's own words.
 * @param then what else there is to know about the time, after the way out.
 * @throws TailgateError `usage`.
 */
export function assertPlannable(config: GateConfig, why: string, then: string): void {
  try {
    planJob(config, 0, typicalAssumptions, { lookRounds, leastRounds });
  } catch (error) {
    if (!(error instanceof TailgateError)) throw error;
    const hint = error.hint === undefined ? then : `${error.hint}; ${then}`;
    throw new TailgateError({ code: error.code, message: `${why}: ${error.message}`, hint, cause: error });
  }
}

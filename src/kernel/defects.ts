/** Exceptions that nobody caught: a defect of this program, which ends by itself, with its own exit code, and cleanly. */
import { TailgateError } from './errors.ts';
import { secondsToNs } from './units.ts';
import { realClock } from './world.ts';

/** Node would leave with 1, which means a regression. */
export const defectExit = 70;

/** How long clean-up may take after a defect. */
const cleanUpTime = secondsToNs(30);

export interface DefectWatch {
  /** Whether one was seen. */
  readonly seen: () => boolean;
  /** The process may end by itself. */
  readonly end: () => void;
}

/**
 * From now on an exception that nobody caught is told and stops the job, so that what it started is ended; a second one,
 * or a clean-up that takes longer than 30 s, ends the process.
 */
export function watchForDefects(stopping: AbortController, tell: (error: unknown) => void): DefectWatch {
  let isDefect = false;
  const ended = new AbortController();
  process.on('uncaughtException', (error) => {
    tell(error);
    if (isDefect) process.exit(defectExit);
    isDefect = true;
    process.exitCode = defectExit;
    // What waits for the rest of the failed step must not keep the job for ever.
    realClock.sleep(cleanUpTime, ended.signal).then(
      () => process.exit(defectExit),
      () => undefined,
    );
    stopping.abort(new TailgateError({ code: 'cancelled', message: 'stopped by a defect' }));
  });
  return { seen: () => isDefect, end: () => ended.abort() };
}

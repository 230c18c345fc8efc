/** The curve of a ramp: one point a rate, spoken for by the middle one of its runs. Pure. */
import { byRate, middleRun, type Step } from './step.ts';

export interface CurvePoint {
  readonly rate: number;
  readonly step: Step;
  /** Runs at this rate, and how many of them passed; those with an unsound generator are not counted as passed. */
  readonly runs: number;
  readonly passed: number;
}

/** Ascending by rate. Where some runs at a rate had a sound generator, only those speak for it. */
export function curveOf(steps: readonly Step[]): readonly CurvePoint[] {
  return byRate(steps).map((runs) => {
    const sound = runs.filter((run) => run.sound);
    const passes = 2 * sound.filter((run) => run.passes).length > sound.length;
    // A run of the minority would contradict what is said of the rate.
    const speakers = sound.filter((run) => run.passes === passes);
    return {
      rate: runs[0]!.rate,
      step: middleRun(speakers.length > 0 ? speakers : runs),
      runs: runs.length,
      passed: runs.filter((run) => run.passes).length,
    };
  });
}

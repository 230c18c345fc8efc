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
    return {
      rate: runs[0]!.rate,
      step: middleRun(sound.length > 0 ? sound : runs),
      runs: runs.length,
      passed: runs.filter((run) => run.passes).length,
    };
  });
}

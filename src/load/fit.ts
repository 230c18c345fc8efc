/**
 * How well the sends followed their plan, from the shots of one slice. Two views, because either alone can be fooled:
 * the distance between the planned and the actual share sent by a moment (Kolmogorov–Smirnov), which sees a rate that
 * wanders, and the spread of the gaps, which sees bunching that evens out. Pure.
 */

export interface Fit {
  /** The largest difference between the shares of shots planned and sent by any moment: 0.01 is one in a hundred. */
  readonly distance: number;
  /** Coefficient of variation of the gaps: 0 is an even grid, 1 a Poisson process. null for fewer than three shots. */
  readonly plannedGapCv: number | null;
  readonly sentGapCv: number | null;
}

/**
 * @param due and `sent`, both on one clock, in the order of the plan; the same length.
 */
export function fitOf(due: Float64Array, sent: Float64Array): Fit {
  const actual = sent.slice().sort();
  return { distance: distanceOf(due, actual), plannedGapCv: gapCv(due), sentGapCv: gapCv(actual) };
}

/** Two-sample Kolmogorov–Smirnov statistic of ascending samples of one size. */
function distanceOf(planned: Float64Array, actual: Float64Array): number {
  const count = planned.length;
  let largest = 0;
  let behind = 0;
  for (let shot = 0; shot < count; shot++) {
    // By the moment of a send, so many were planned and so many are out.
    while (behind < count && planned[behind]! <= actual[shot]!) behind++;
    largest = Math.max(largest, Math.abs(behind - (shot + 1)));
  }
  return count === 0 ? 0 : largest / count;
}

function gapCv(times: Float64Array): number | null {
  const count = times.length - 1;
  if (count < 2) return null;
  const mean = (times[count]! - times[0]!) / count;
  let squares = 0;
  for (let gap = 0; gap < count; gap++) squares += (times[gap + 1]! - times[gap]! - mean) ** 2;
  return mean > 0 ? Math.sqrt(squares / count) / mean : null;
}

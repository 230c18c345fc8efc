/** Quantiles of Student's t for whole degrees of freedom: what turns a half-width into a detectable change. */

/**
 * P(T ≤ t) for `degrees` ≥ 1. Closed trigonometric sums: Abramowitz & Stegun, Handbook of Mathematical
 * Functions (1964), 26.7.3 and 26.7.4.
 */
export function studentCdf(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const sine = Math.sin(angle);
  const cosine = Math.cos(angle);
  const square = cosine * cosine;
  const odd = degrees % 2 === 1;
  let term = odd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let j = odd ? 3 : 2; j <= degrees - 2; j += 2) {
    term *= ((j - 1) / j) * square;
    sum += term;
  }
  const within = odd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return (1 + within) / 2;
}

/**
 * The t with P(T ≤ t) = `share`, by bisection to the last bits of a double.
 * @param share in (0.5, 1): the lower half follows by symmetry and is never needed here.
 */
export function studentQuantile(share: number, degrees: number): number {
  let low = 0;
  let high = 1;
  while (studentCdf(high, degrees) < share) high *= 2;
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (studentCdf(middle, degrees) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

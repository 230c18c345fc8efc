/** What a count out of so many says of the share behind it: one-sided 95 % bounds (Clopper and Pearson 1934). */

const level = 0.05;

/** The largest share under which so few, or fewer, still come up in 5 % of runs. */
export function shareAtMost(count: number, of: number): number {
  return count >= of ? 1 : solve((share) => chanceOfAtMost(count, of, share) > level);
}

/** The smallest share under which so many, or more, still come up in 5 % of runs. */
export function shareAtLeast(count: number, of: number): number {
  return count <= 0 ? 0 : solve((share) => 1 - chanceOfAtMost(count - 1, of, share) < level);
}

/** Where a condition that holds for small shares ends. */
function solve(holds: (share: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function chanceOfAtMost(count: number, of: number, share: number): number {
  let term = of * Math.log1p(-share);
  let total = 0;
  for (let k = 0; k <= count; k++) {
    total += Math.exp(term);
    term += Math.log((of - k) / (k + 1)) + Math.log(share) - Math.log1p(-share);
  }
  return Math.min(1, total);
}

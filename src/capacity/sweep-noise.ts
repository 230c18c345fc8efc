/** Whether repeats of one level agree. Pure. */

/** How far the repeats of a level are from their median, at most. */
export interface SweepNoise {
  readonly qps: number;
  readonly p95: number;
  readonly tooNoisy: boolean;
}

/** Repeats farther apart than this do not tell a knee from the weather. */
export const sweepLimits = { qps: 0.05, p95: 0.1 } as const;

/** The largest distance from the median, as a share of it; 0 when all are alike. */
export function spreadOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const last = sorted.length - 1;
  const median = (sorted[last >> 1]! + sorted[(last + 1) >> 1]!) / 2;
  const farthest = Math.max(sorted.at(-1)! - median, median - sorted[0]!);
  return farthest === 0 ? 0 : farthest / median;
}

/** The worst of all levels; null figures when no level was repeated. */
export function worstNoise(levels: readonly (SweepNoise | null)[]): {
  readonly qps: number | null;
  readonly p95: number | null;
  readonly tooNoisy: boolean;
} {
  const known = levels.filter((noise) => noise !== null);
  if (known.length === 0) return { qps: null, p95: null, tooNoisy: false };
  return {
    qps: Math.max(...known.map((noise) => noise.qps)),
    p95: Math.max(...known.map((noise) => noise.p95)),
    tooNoisy: known.some((noise) => noise.tooNoisy),
  };
}

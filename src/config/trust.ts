/** Which side's word counts for settings that decide how strict the gate is (`trust-config`). */
import type { GateConfig } from './settings.ts';

/**
 * The candidate's settings; with `trust-config: baseline` on either side, what could weaken the gate comes from the
 * baseline. Either side, because a candidate could otherwise leave the protection out of its own file.
 * @param baseline settings of the baseline's file with the same inputs laid over; null when it has none.
 */
export function trustedConfig(candidate: GateConfig, baseline: GateConfig | null): GateConfig {
  if (baseline === null) return candidate;
  if (candidate.trustConfig !== 'baseline' && baseline.trustConfig !== 'baseline') return candidate;
  const { judge, waivers, microbenchmarks, failOn, onBaselineFailure, onDifferentBody, confirm, paths } =
    baseline;
  // A counter that stands still would pass everything.
  const { cost, metrics } = baseline;
  return {
    ...candidate,
    judge,
    waivers,
    microbenchmarks,
    failOn,
    onBaselineFailure,
    onDifferentBody,
    confirm,
    paths,
    cost,
    metrics,
    trustConfig: 'baseline',
  };
}

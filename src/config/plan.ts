/** Config and seed → who runs when: the plan of a job and the order of every round. */

import type { Warning } from '../kernel/errors.ts';
import type { Nanoseconds, PerSecond, Ratio } from '../kernel/units.ts';
import type { MetricName, Side } from '../kernel/words.ts';

/** One scenario as it will be measured and judged. */
export interface ScenarioPlan {
  readonly name: string;
  readonly rate: PerSecond;
  /** Slices a side and round, a multiple of 4. */
  readonly slices: number;
  /** Scheduled requests a slice, without the lead-in. */
  readonly sliceRequests: number;
  /** The highest percentile that may be judged (docs/method.md, Design of a job). */
  readonly tailPercentile: 'p99' | 'p95' | 'p90';
  /** Metrics of this scenario that are judged, p50 and cpu always among them. */
  readonly judged: readonly MetricName[];
}

export interface JobPlan {
  readonly seed: number;
  /** Rounds at most, without confirmation. */
  readonly rounds: number;
  readonly looks: readonly number[];
  readonly confirm: boolean;
  /** Fresh rounds of a flagged scenario. */
  readonly confirmationRounds: number;
  readonly scenarios: readonly ScenarioPlan[];
  readonly leadIn: number;
  readonly warmUp: {
    readonly requests: number | 'auto';
    readonly rate: PerSecond | 'auto';
    readonly most: Nanoseconds;
  };
  /** Share of the time budget that is kept for microbenchmarks; 0 where there are none. */
  readonly benchmarks: Ratio;
  /** What one round is expected to take, and the whole job, confirmation included. */
  readonly roundTime: Nanoseconds;
  readonly totalTime: Nanoseconds;
  /** What the reader should know before the run, e.g. that p95 is judged because p99 is not eligible. */
  readonly notes: readonly Warning[];
}

export interface SlicePlan {
  readonly scenario: string;
  readonly side: Side;
  /** The k-th slice of this side and scenario in the round: pairs with the other side's k-th. */
  readonly pair: number;
}

/** Everything ordered is drawn by coin (docs/method.md, Design of a job). */
export interface RoundPlan {
  readonly index: number;
  readonly spawnFirst: Side;
  readonly probeFirst: Side;
  readonly warmFirst: Side;
  readonly lowerPort: Side;
  readonly slices: readonly SlicePlan[];
}

/** What a plan may assume when nothing was measured yet. */
export interface PlanAssumptions {
  /** Starting, probing, idling and stopping both sides, without warm-up. */
  readonly roundOverhead: Nanoseconds;
  readonly idleShare: Ratio;
  /** How much of what warm-up may take at most it usually takes. */
  readonly warmUpShare: Ratio;
  /** Share of the time budget that is kept for microbenchmarks; 0 where there are none. */
  readonly benchmarks: Ratio;
}

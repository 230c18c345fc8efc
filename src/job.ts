/** What the conductors of rounds, slices and the floor are handed: one job's plan, generator and services. */
import type { JobPlan, RoundPlan } from './config/plan.ts';
import type { GateConfig } from './config/settings.ts';
import type { Nanoseconds } from './kernel/units.ts';
import type { Side } from './kernel/words.ts';
import type { Clock, Random } from './kernel/world.ts';
import type { Generator, PreparedRequest } from './load/protocol.ts';
import type { RunningService } from './service/service.ts';

/** What every round of a job shares. */
export interface RoundJob {
  readonly plan: JobPlan;
  readonly config: GateConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly generator: Generator;
  /** Requests of each scenario, ready to send. */
  readonly prepared: ReadonlyMap<string, readonly PreparedRequest[]>;
  /** Starts both sides in the drawn order and resolves when both are ready. */
  readonly startBoth: (round: RoundPlan) => Promise<BothServices>;
  readonly startedAt: Nanoseconds;
  readonly signal: AbortSignal;
}

export interface BothServices extends AsyncDisposable {
  readonly services: Readonly<Record<Side, RunningService>>;
}

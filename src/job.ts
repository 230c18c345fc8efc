/** What the conductors of rounds, slices and the floor are handed: one job's plan, generator and services. */
import type { JobPlan, RoundPlan } from './config/plan.ts';
import type { GateConfig } from './config/settings.ts';
import type { Nanoseconds } from './kernel/units.ts';
import type { Side } from './kernel/words.ts';
import type { Clock, Random } from './kernel/world.ts';
import type { Generator } from './load/protocol.ts';
import type { ScenarioShots } from './load/scenario-shots.ts';
import type { RunningService } from './service/service.ts';
import type { SideMeter } from './service/side-meter.ts';
import type { Sessions } from './shots.ts';

/** What every round of a job shares. */
export interface RoundJob {
  readonly plan: JobPlan;
  readonly config: GateConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly generator: Generator;
  /** Requests of each scenario, made ready. */
  readonly prepared: ReadonlyMap<string, ScenarioShots>;
  /** What the set-up requests of this round returned. */
  readonly sessions: Sessions;
  /** Values that nobody should read; those of sessions join them as they are opened. */
  readonly secrets: Set<string>;
  /** Starts both sides in the drawn order and resolves when both are ready. */
  readonly startBoth: (round: RoundPlan) => Promise<BothServices>;
  readonly startedAt: Nanoseconds;
  readonly signal: AbortSignal;
}

export interface BothServices extends AsyncDisposable {
  readonly services: Readonly<Record<Side, RunningService>>;
  /** @throws TailgateError `service-failed` naming the companion that ended by itself. */
  readonly throwIfExited: () => void;
  /** What each side has used, from the source that the configuration names. */
  readonly meters: Readonly<Record<Side, SideMeter>>;
}

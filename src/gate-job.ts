/** What a gate is asked and what it gives: its job, its result, and what it has found out so far. */
import type { Alone } from './alone.ts';
import type { BuiltSides } from './both-builds.ts';
import type { Situation } from './builds/candidate.ts';
import type { Git } from './builds/git.ts';
import type { Revisions } from './builds/revision.ts';
import type { Measured } from './config/measured.ts';
import type { JobPlan } from './config/plan.ts';
import type { GateConfig } from './config/settings.ts';
import type { Evidence } from './evidence/trial.ts';
import type { Ledger } from './kernel/leftovers.ts';
import type { Nanoseconds } from './kernel/units.ts';
import type { Side } from './kernel/words.ts';
import type { Clock } from './kernel/world.ts';
import type { GateEvent } from './live.ts';
import type { ScenarioShots } from './load/scenario-shots.ts';
import type { Planted } from './service/front-order.ts';
import type { Verdict } from './verdict/finding.ts';
import type { Absent } from './verdict/left-out.ts';

export interface GateJob {
  /** The root of the repository, or any folder in it. */
  readonly directory: string;
  readonly config: GateConfig;
  readonly situation: Situation;
  readonly mergeBaseByApi?: (one: string, other: string) => Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
  /** Settings that can weaken the gate, taken from the baseline where the configuration wants that. */
  readonly trusted: (config: GateConfig, git: Git, revisions: Revisions) => Promise<GateConfig>;
  /** What the baseline's file measures; without it nothing is known to have been left out. */
  readonly measuredBefore?: (git: Git, revisions: Revisions) => Promise<Measured | null>;
  readonly tell: (event: GateEvent) => void;
  /** Adds this to the requests of a side, without a change to its code; see `tailgate self-test`. */
  readonly front?: (side: Side) => Planted;
  /** Called when the verdict is known and both builds are still there. */
  readonly afterwards?: (built: StillBuilt) => Promise<void>;
}

/** A job that was measured, and what may be measured once more of the same builds. */
export interface StillBuilt {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  readonly config: GateConfig;
  readonly directories: BuiltSides['directories'];
  readonly shots: ReadonlyMap<string, ScenarioShots>;
  /** Measures both sides from the start, by the same plan with another seed. Failures of a side become the verdict. */
  readonly again: (changes: {
    readonly seed: number;
    /** Rounds after which it may be decided, the last of them the plan's last. */
    readonly looks: JobPlan['looks'];
    readonly front: (side: Side) => Planted;
  }) => Promise<{ readonly verdict: Verdict; readonly evidence: Evidence }>;
}

export interface GateResult {
  readonly verdict: Verdict;
  /** The settings the verdict was reached with. */
  readonly config: GateConfig;
  readonly plan: JobPlan | null;
  readonly revisions: Revisions | null;
  /** What was measured, also when the job ended early. */
  readonly evidence: Evidence | null;
  /** The candidate alone, where there was nothing to compare it with. */
  readonly alone: readonly Alone[];
  readonly elapsed: Nanoseconds;
}

/** What a job has found out so far: nothing of it is lost when a later step fails. */
export type Findings = {
  -readonly [Key in 'config' | 'plan' | 'revisions' | 'evidence' | 'alone']: GateResult[Key];
} & {
  /** What the baseline measures and the job would not: missing, however the job ends. */
  absent: Absent;
};

export function nothingYet(job: GateJob): Findings {
  return {
    config: job.config,
    plan: null,
    revisions: null,
    evidence: null,
    alone: [],
    absent: { leftOut: null, gone: [] },
  };
}

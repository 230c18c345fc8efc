/** What a ramp found out, as the object behind `tailgate ramp --json`. Pure. */
import type { Environment } from '../evidence/trial.ts';
import { type Collapse, describeBeyond, type Recovery } from './beyond.ts';
import { ceilingOf, findKnee } from './knee.ts';
import { type Bracket, bracketOf, type SearchEnd } from './search.ts';
import { byRate, type Criteria, type Step } from './step.ts';

export const rampSchema = 'tailgate-ramp';
export const rampVersion = 1;

/** What was measured. */
export type Subject =
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'config';
      readonly file: string;
      readonly scenario: string;
      /** The commit that was built. */
      readonly commit: string;
    };

/** How a ramp ended. */
export type RampEnd =
  | SearchEnd
  /** The service stopped answering, for good. */
  | { readonly kind: 'died' }
  /** After a step it answered, but never again as quickly as the objective wants. */
  | { readonly kind: 'did-not-recover' }
  /** There is no answer yet: see `stopped`. */
  | { readonly kind: 'open' };

/** Why a ramp did not come to its end. */
export interface Stop {
  readonly by: 'signal' | 'time-budget' | 'failure';
  readonly why: string;
}

export interface Death {
  /** The step during which, or after which, nothing answered any more. */
  readonly duringRate: number;
  /** Requests it had answered by then. */
  readonly afterRequests: number;
  /** How the process ended, where it is ours: `it ended with exit code 134`. */
  readonly how: string | null;
  readonly lastWords: readonly string[];
}

/** Memory that grew from step to step, whatever the rate. */
export interface Leak {
  readonly fromBytes: number;
  readonly toBytes: number;
  readonly perRequestBytes: number;
}

export interface Calibration {
  /** What the generator reads against a responder that does nothing, on this machine. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The highest rate it sent soundly: the bound of the ramp, unless it cannot send as much; 0: not even a few a second. */
  readonly reachPerSecond: number;
}

/** What the steps do not hold. */
export interface RampFacts {
  readonly createdAt: string;
  readonly subject: Subject;
  readonly criteria: Criteria;
  readonly end: RampEnd;
  /** null: it came to its end. */
  readonly stopped: Stop | null;
  readonly recovery: Recovery | null;
  readonly death: Death | null;
  readonly calibration: Calibration;
  /** Generator and service share the CPUs: figures hold on this machine and beside each other only. */
  readonly relative: boolean;
  readonly seed: number;
  readonly configHash: string;
  readonly environmentHash: string;
  readonly environment: Environment;
  readonly durationSeconds: number;
}

export interface RampResult extends RampFacts {
  readonly schema: typeof rampSchema;
  readonly version: typeof rampVersion;
  readonly objectiveMs: number;
  /** The ramp did not come to its end: what is here was measured, what follows from the rest is not known. */
  readonly partial: boolean;
  /** Every step that counts had a sound generator. */
  readonly sound: boolean;
  readonly steps: readonly Step[];
  /** Requests a second at the objective. */
  readonly capacity: Bracket;
  /** Set when the generator or the bound was reached first: the capacity is this or more. */
  readonly atLeast: number | null;
  /** Requests a second up to which latency stays on its plateau. */
  readonly knee: number | null;
  /** The lowest rate measured beyond the knee; null: none, and the knee may lie higher. */
  readonly kneeBeyond: number | null;
  readonly plateauMs: number | null;
  /** The highest successful rate. */
  readonly ceiling: number | null;
  readonly collapse: Collapse | null;
  readonly leak: Leak | null;
}

/** Draws the conclusions. */
export function concludeRamp(steps: readonly Step[], facts: RampFacts): RampResult {
  const capacity = bracketOf(steps);
  const knee = findKnee(steps);
  return {
    schema: rampSchema,
    version: rampVersion,
    ...facts,
    objectiveMs: facts.criteria.objectiveMs,
    partial: facts.stopped !== null,
    sound: steps.length > 0 && byRate(steps).every((runs) => runs.some((run) => run.sound)),
    steps,
    capacity,
    atLeast: facts.end.kind === 'at-least' ? capacity.lastPass : null,
    knee: knee.rate,
    kneeBeyond: knee.beyond,
    plateauMs: knee.plateauMs,
    ceiling: ceilingOf(steps),
    collapse: describeBeyond(steps, facts.criteria.errorBudget),
    leak: findLeak(steps),
  };
}

/** A service that keeps what it is sent: growth over the ramp, at least this, and in nearly every step. */
const leakAtLeast = { factor: 1.5, bytes: 50e6, growingSteps: 0.8, steps: 4 } as const;

/**
 * Growth of memory over the ramp that no rate explains: it goes on in nearly every step, also where the rate fell.
 * A heap that is filled up once and then stays is none.
 */
export function findLeak(steps: readonly Step[]): Leak | null {
  const known = steps.filter((step) => step.memoryBytes !== null);
  const first = known[0];
  const last = known.at(-1);
  if (first === undefined || last === undefined || known.length < leakAtLeast.steps) return null;
  const sizes = known.map((step) => step.memoryBytes!);
  const grew = sizes.slice(1).filter((size, index) => size > sizes[index]! + 1e6).length;
  const [from, to] = [sizes[0]!, sizes.at(-1)!];
  if (grew < leakAtLeast.growingSteps * (sizes.length - 1)) return null;
  if (to < leakAtLeast.factor * from || to - from < leakAtLeast.bytes) return null;
  const requests = known.slice(1).reduce((sum, step) => sum + step.ok, 0);
  return { fromBytes: from, toBytes: to, perRequestBytes: Math.round((to - from) / Math.max(1, requests)) };
}

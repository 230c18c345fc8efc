/** What was measured: slices, rounds and the whole job's evidence, as plain data that is stored as it is. */
import type { JobPlan } from '../config/plan.ts';
import type { JudgeSettings, WaiverSettings } from '../config/settings.ts';
import type { CostSettings, CounterSettings } from '../config/settings-services.ts';
import type { Warning } from '../kernel/errors.ts';
import type { Bytes, Nanoseconds } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { SliceResult } from '../load/protocol.ts';
import type { BenchEvidence } from '../microbench/evidence.ts';
import type { MachineFacts, Noise } from '../service/machine.ts';

/** Why a slice may not be used; causes recorded by someone other than the service. */
export type UnsoundReason =
  | 'released-too-few'
  | 'dropped-unsaturated'
  | 'generator-busy'
  | 'descriptors-exhausted'
  | 'ports-exhausted'
  | 'not-conserved'
  | 'generator-failed';

/** A slice of one side: load result, cost and diagnostics. */
export interface Trial {
  readonly scenario: string;
  readonly side: Side;
  readonly pair: number;
  /** True for a pair that was run again because an earlier one was unsound. */
  readonly replacement: boolean;
  /** Since the start of the job. */
  readonly startedAt: Nanoseconds;
  readonly load: SliceResult;
  readonly cost: {
    /** CPU of the side from the start of this slice to the start of the same side's next slice, or end of round. */
    readonly cpu: Nanoseconds;
    /** The part of that stretch in which this side was not under load. */
    readonly idle: Nanoseconds;
  } | null;
  /** Why `cost` is null. */
  readonly costUnknown?: string;
  /** Growth of the other counters over the same stretch, by name. */
  readonly counters?: Readonly<Record<string, CounterGrowth>>;
  /** What the machine did meanwhile. */
  readonly machine: Noise;
  readonly saturated: boolean;
  readonly unsound: readonly UnsoundReason[];
}

/** What a counter grew by, or why that is not known. */
export type CounterGrowth = { readonly by: number } | { readonly unknown: string };

export interface RoundSide {
  readonly startTime: Nanoseconds;
  readonly origin: string;
  readonly warmUp: { readonly requests: number; readonly blocks: number; readonly settled: boolean };
  /** CPU nanoseconds per nanosecond while nothing was asked of it. */
  readonly idleRate: number;
  readonly peakMemory: Bytes | null;
  /** False when only tick counters could be read. */
  readonly preciseCost: boolean;
  /** CPU time that a reading itself cost the side; taken off every slice. */
  readonly readingCost?: Nanoseconds;
}

export interface Round {
  readonly index: number;
  readonly phase: 'measuring' | 'confirming';
  readonly startedAt: Nanoseconds;
  readonly duration: Nanoseconds;
  readonly first: {
    readonly spawn: Side;
    readonly probe: Side;
    readonly warm: Side;
    readonly lowerPort: Side;
  };
  readonly sides: Readonly<Record<Side, RoundSide>>;
  readonly trials: readonly Trial[];
}

export interface RevisionRecord {
  readonly sha: string;
  /** What was asked for: a branch, a tag, a hash. */
  readonly ref: string;
  /** One sentence: how it was chosen. */
  readonly how: string;
  /** SHA-256 over the built directory's files; null when it was not computed. */
  readonly outputHash: string | null;
}

export type Environment = MachineFacts;

/** What the generator reads with a scenario's schedule against a responder that does nothing. */
export interface Floor {
  readonly scenario: string;
  readonly p50: Nanoseconds;
  readonly p99: Nanoseconds;
}

/** A change that somebody accepted, and where that is written. */
export interface Waiver extends WaiverSettings {
  /** `the configuration`, or `commit 1a2b3c4`. */
  readonly origin: string;
}

/** A counter of `metrics`, and how it is judged. */
export type CounterRecord = Pick<CounterSettings, 'name' | 'metric' | 'judge'>;

/** What the baseline's tailgate.yml measures and the job does not: the candidate's says what is measured. */
export interface LeftOut {
  /** The baseline's file, from the root of the repository. */
  readonly file: string;
  readonly scenarios: readonly string[];
  /** `GET /items` and the like of scenarios that are still there, where no scenario of the job requests them. */
  readonly routes: readonly { readonly scenario: string; readonly routes: readonly string[] }[];
  /** Files with benchmarks, relative to the project, and suites by their names. */
  readonly benchmarks: readonly string[];
  /** Scenarios of the job that the baseline's file has not: one of those above may be meant. */
  readonly added: readonly string[];
}

export interface Evidence {
  readonly schema: 'tailgate-evidence';
  readonly version: 1;
  readonly createdAt: string;
  readonly environment: Environment;
  readonly revisions: Readonly<Record<Side, RevisionRecord>>;
  /** Equal output hashes although the revisions differ. */
  readonly identicalBuilds: boolean;
  readonly plan: JobPlan;
  readonly judge: JudgeSettings;
  /** Accepted changes, of the configuration and of commits. */
  readonly waivers: readonly Waiver[];
  readonly onDifferentBody: 'warn' | 'stop';
  /** Whether generator and services had CPUs of their own. */
  readonly placement: 'shared' | 'apart';
  /** Where CPU time was read; the process tree when it is not said. */
  readonly cost?: CostSettings;
  /** Other counters of the services; none when it is not said. */
  readonly counters?: readonly CounterRecord[];
  readonly floor: readonly Floor[];
  readonly rounds: readonly Round[];
  /** null: none were found, or none were wanted. */
  readonly benchmarks: BenchEvidence | null;
  /** Nothing, when it is not said. */
  readonly leftOut?: LeftOut;
  readonly warnings: readonly Warning[];
}

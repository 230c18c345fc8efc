/** Everything a verdict on microbenchmarks needs, as plain data: one value a process and round, with its samples. */
import type { AcceptedChange } from '../builds/trailers.ts';
import type { Warning } from '../kernel/errors.ts';
import type { Nanoseconds, Ratio } from '../kernel/units.ts';
import type { Direction, Format, Side } from '../kernel/words.ts';
import type { BenchUnit } from './samples.ts';

/** Where a benchmark's values come from. */
export type BenchSource =
  /** An exported function of a benchmark file: wall time an operation, CPU time beside it. */
  | 'function'
  /** A row that an adapter read from the output of a command. */
  | 'command'
  /** CPU time or peak memory of the process tree of a command, an execution. */
  | 'execution';

export interface BenchSubject {
  /** Unique in a job, e.g. `bench/parse.bench.js > small`. */
  readonly name: string;
  readonly source: BenchSource;
  readonly unit: BenchUnit;
  readonly direction: Direction;
  /** Nothing tells the direction: such a row is never better or worse. False when it is not said. */
  readonly directionGuessed?: boolean;
  /** A benchmark of one side only is never measured in turns. */
  readonly presence: 'both' | Side;
  /** One value of the side that has it, where only one has. */
  readonly alone: number | null;
  /** Calls in one sample, calibrated once and equal on both sides; null where a tool does its own counting. */
  readonly iterations: number | null;
  /** Why it could not be measured at all, e.g. its file does not load on the candidate. */
  readonly problem: string | null;
  /** What a reader should know about its figures. */
  readonly remark: string | null;
}

/** What one process of one side said about a benchmark. */
export type SideResult =
  | {
      readonly kind: 'measured';
      /** In the subject's unit: the median of the samples; of functions see `valuesInTurns`. */
      readonly value: number;
      readonly samples: readonly number[];
      /** CPU time an operation in the same samples, ns; null where it is not known or is itself the value. */
      readonly cpu: Nanoseconds | null;
      /** Fingerprint of what the function returned; null when it differs from call to call. */
      readonly digest: string | null;
    }
  /** It threw, never ended, ended its process, or its value is no number. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The other side failed first, or the round was cut short. */
  | { readonly kind: 'unmeasured' };

export interface BenchResult {
  readonly name: string;
  readonly baseline: SideResult;
  readonly candidate: SideResult;
}

export interface BenchRound {
  /** Counts all rounds of a job, confirmation included. */
  readonly index: number;
  readonly phase: 'measuring' | 'confirming';
  readonly results: readonly BenchResult[];
  readonly duration: Nanoseconds;
}

/** What the time budget changed of a plan. */
export interface BenchOutOfTime {
  /** The last look was taken early; there were too few rounds for any; or all were measured, in more time than that. */
  readonly ended: 'last-look' | 'too-short' | 'overrun';
  /** Before a confirmation, as they were planned at first. */
  readonly rounds: number;
  /** Of all rounds together, confirmation included, and what it is of the time budget that was configured. */
  readonly budget: Nanoseconds;
  readonly share: Ratio;
}

export interface BenchPlan {
  /** Rounds of a benchmark at most, before confirmation; fewer than at first when the time was short. */
  readonly rounds: number;
  /** Rounds at which a benchmark may be decided, ascending; the last is `rounds`. */
  readonly looks: readonly number[];
  readonly confirm: boolean;
  readonly confirmationRounds: number;
  readonly tolerance: { readonly min: Ratio; readonly detect: Ratio };
  /** What a function that returns something else on the candidate is: marked, or not compared. */
  readonly onDifferentResult: 'warn' | 'stop';
  /** Left out when the time was enough. */
  readonly outOfTime?: BenchOutOfTime;
}

/** What the output of a suite was taken for, and what its reader should know about it. */
export interface SuiteReading {
  /** Of the suite. */
  readonly name: string;
  /** By side; null where nothing was read. */
  readonly formats: Readonly<Record<Side, Format | null>>;
  /** Each once, over all rounds. */
  readonly warnings: readonly Warning[];
}

export interface BenchRevision {
  readonly sha: string;
  readonly ref: string;
  readonly how: string;
}

export interface BenchEvidence {
  readonly schema: 'tailgate-bench-evidence';
  readonly version: 1;
  /** ISO date and time. */
  readonly createdAt: string;
  readonly seed: number;
  /** `v24.4.1` of the Node that ran exported functions; null when there were none. */
  readonly node: string | null;
  readonly revisions: Readonly<Record<Side, BenchRevision>>;
  readonly plan: BenchPlan;
  /** Accepted changes of a job of its own; inside the evidence of a whole job that one's count. */
  readonly waivers?: readonly AcceptedChange[];
  /** Those whose output was read, in the order they were named; none when it is not said. */
  readonly suites?: readonly SuiteReading[];
  readonly subjects: readonly BenchSubject[];
  readonly rounds: readonly BenchRound[];
}

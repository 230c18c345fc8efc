/** The answer about microbenchmarks as data: one finding a benchmark, one verdict over all of them. */
import type { Warning } from '../kernel/errors.ts';
import type { Outcome, RowState } from '../kernel/words.ts';
import type { BenchSource, BenchSubject } from '../microbench/evidence.ts';
import type { Change, Finding } from './finding.ts';

export interface BenchFinding {
  readonly name: string;
  readonly source: BenchSource;
  readonly unit: BenchSubject['unit'];
  readonly direction: BenchSubject['direction'];
  readonly state: RowState;
  /** Median of the rounds' values in `unit`; the one value of a benchmark that only one side has. */
  readonly baseline: number | null;
  readonly candidate: number | null;
  /**
   * How the value moved: +5 % of a time is slower, +5 % of a rate is faster. `p` and `upper` are about "worse", and
   * `upper` is the end of the interval on that side.
   */
  readonly change: Change;
  /** CPU time an operation in the same samples, for information; null where it was not measured. */
  readonly cpu: { readonly baseline: number; readonly candidate: number; readonly change: Change } | null;
  readonly tolerance: Finding['tolerance'];
  /** ln(candidate / baseline) of every used round, in order. */
  readonly perRound: readonly number[];
  readonly rounds: { readonly used: number; readonly dropped: number };
  readonly confirmation: Finding['confirmation'];
  /** One sentence for the reader when the state is not plain. */
  readonly reason: string | null;
  readonly roundsToSettle: number | null;
  /** False: each side always returns the same, and not the same as the other. null: not known. */
  readonly sameResult: boolean | null;
  /** What a reader should know about the figures whatever the state is. */
  readonly remark: string | null;
}

export interface BenchVerdict {
  readonly outcome: Exclude<Outcome, 'service-failed' | 'skipped'>;
  /** Worst first. */
  readonly findings: readonly BenchFinding[];
  /** Why the outcome is neither `pass` nor `regression`. */
  readonly reason: string | null;
  readonly rounds: { readonly measured: number; readonly planned: number; readonly confirming: number };
  readonly warnings: readonly Warning[];
}

/** What to do after the rounds so far. */
export type BenchProgress =
  | { readonly kind: 'decided'; readonly verdict: BenchVerdict }
  | {
      /** Measure one more round of these, then ask again. */
      readonly kind: 'continue';
      readonly phase: 'measuring' | 'confirming';
      readonly benchmarks: readonly string[];
    };

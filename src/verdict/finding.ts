/** The answer as data: one finding a metric, one verdict a job. Renderers lay it out and compare nothing. */
import type { Warning } from '../kernel/errors.ts';
import type { LogRatio, Ratio } from '../kernel/units.ts';
import type { Direction, MetricName, Outcome, RowState, Side } from '../kernel/words.ts';
import type { BenchUnit } from '../microbench/samples.ts';

/** What the figures of a metric count. */
export type MetricUnit =
  | 'nanoseconds'
  | 'cpu-nanoseconds-per-request'
  | 'share-of-slices'
  | 'share-of-requests'
  | 'counted-per-request';

/** How a metric moved. Ratios are changes: 0.05 is +5 %. */
export type Change =
  | {
      readonly kind: 'ratio';
      /** exp(HL) − 1. */
      readonly effect: Ratio;
      /** Two-sided 95 %; null while too few rounds were run for one. */
      readonly interval: readonly [low: Ratio, high: Ratio] | null;
      /** H, half the width of that interval in logs: what a change must exceed. */
      readonly spread: LogRatio | null;
      /** One-sided, "candidate is worse". */
      readonly p: number;
      readonly adjustedP: number | null;
      /** Upper bound that a pass compares with `detect`. */
      readonly upper: Ratio | null;
      /** 1.4826 MAD of the rounds: what one run against one run would be off by. */
      readonly singleRunSpread: LogRatio;
      readonly smallestDetectable: Ratio | null;
    }
  | {
      readonly kind: 'points';
      /** Candidate − baseline as a share: 0.05 is 5 points. */
      readonly difference: Ratio;
      readonly p: number;
      readonly adjustedP: number | null;
    }
  | { readonly kind: 'none'; readonly reason: string };

export interface Finding {
  /** Of a microbenchmark its full name; of a counter `scenario > name`. */
  readonly scenario: string;
  readonly metric: MetricName;
  /** A benchmark counts whatever its tool counts. */
  readonly unit: MetricUnit | BenchUnit;
  /** `bigger-is-better` only for benchmarks that count a rate: then a fall is the change for the worse. */
  readonly direction: Direction;
  readonly judged: boolean;
  readonly state: RowState;
  /** Which shots a percentile was taken over. */
  readonly view: 'on-time' | 'all-shots' | null;
  /** Median of the rounds' values, in `unit`; null when there is none. */
  readonly baseline: number | null;
  readonly candidate: number | null;
  readonly change: Change;
  readonly tolerance: { readonly min: Ratio; readonly detect: Ratio | null };
  /** d of every used round, in order: the dots of the report. */
  readonly perRound: readonly number[];
  readonly rounds: { readonly used: number; readonly dropped: number };
  /** `settled`: no look had flagged it, and all rounds together show it. */
  readonly confirmation: 'not-needed' | 'confirmed' | 'not-confirmed' | 'settled' | 'off';
  /** The change as a second view sees it: all shots beside on-time. */
  readonly otherView: { readonly view: 'on-time' | 'all-shots'; readonly change: Change } | null;
  /** One sentence for the reader when the state is not plain. */
  readonly reason: string | null;
  /** More rounds that would settle an undecided row; null when not known or not wanted. */
  readonly roundsToSettle: number | null;
  /** Of a function as a microbenchmark, where the sides always return something, but not the same. */
  readonly sameResult?: false;
}

/** What stopped a job before it could judge. */
export interface Failure {
  readonly side: Side | null;
  readonly message: string;
  readonly hint: string | null;
  readonly tail: readonly string[];
}

export interface Verdict {
  readonly outcome: Outcome;
  /** Every metric, worst first; empty when nothing was measured. */
  readonly findings: readonly Finding[];
  /** Why the outcome is not `pass` or `regression`. */
  readonly reason: string | null;
  readonly failure: Failure | null;
  readonly rounds: { readonly measured: number; readonly planned: number; readonly confirming: number };
  readonly slices: { readonly measured: number; readonly rejected: number };
  /** Share of shots sent within 0.5 ms of their due time, a side. */
  readonly onTimeShare: Readonly<Record<Side, Ratio>> | null;
  readonly warnings: readonly Warning[];
}

/** What to do after a look at the evidence so far. */
export type Progress =
  | { readonly kind: 'decided'; readonly verdict: Verdict }
  | {
      readonly kind: 'continue';
      readonly phase: 'measuring' | 'confirming';
      /** What for: the next look, to confirm what was flagged, or to settle what a last look left open. */
      readonly purpose: 'look' | 'confirm' | 'settle';
      /** Rounds of the measuring phase that every scenario can use so far. */
      readonly usable: number;
      /** Measure until this many rounds of the phase are there, then look again. */
      readonly untilRounds: number;
      /** Scenarios to measure: all of them, the flagged ones, or the open ones. */
      readonly scenarios: readonly string[];
    };

/** Rounds are missing. */
export type Continue = Extract<Progress, { readonly kind: 'continue' }>;

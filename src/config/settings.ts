/** What a job was asked to do, with every default filled in: downstream of here nothing is optional. */
import type { Bytes, Nanoseconds, PerSecond, Ratio } from '../kernel/units.ts';
import type { FailOn, Format, MetricName } from '../kernel/words.ts';

export type Arrivals = 'constant' | 'poisson';

/** Accepted statuses, as inclusive ranges: `2xx` is {from: 200, to: 299}. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

export interface RequestSettings {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly weight: number;
  readonly expect: { readonly status: readonly StatusRange[] };
}

export interface ScenarioSettings {
  readonly name: string;
  readonly rate: PerSecond;
  readonly requests: readonly RequestSettings[];
}

/** min: the smallest change worth a red build. detect: what a pass must exclude. */
export interface Tolerance {
  readonly min: Ratio;
  readonly detect: Ratio;
}

/** Tolerances per metric; `p90` and `p95` take those of `p99` when they are judged in its place. */
export interface JudgeSettings {
  readonly p50: Tolerance;
  readonly p99: Tolerance;
  readonly cpu: Tolerance;
  readonly cpuTotal: Tolerance;
  /** Points: 0.05 is 5 points. */
  readonly tail: { readonly min: Ratio };
  readonly errors: { readonly min: Ratio };
  readonly microbenchmarks: Tolerance;
}

/** A command among the microbenchmarks. */
export type SuiteSettings =
  /** Standard output of the command is the result file. */
  | {
      readonly kind: 'command';
      readonly name: string;
      readonly command: string;
      readonly format: 'auto' | Format;
    }
  /** A command-line tool: CPU time and peak memory of its process tree, an execution. */
  | { readonly kind: 'execution'; readonly name: string; readonly exec: string };

export interface MicrobenchmarkSettings {
  /** Globs of files whose exported functions are benchmarks. */
  readonly files: readonly string[];
  /** false: they are the globs that nobody named, and a file that cannot be loaded may be another tool's. */
  readonly declared: boolean;
  readonly suites: readonly SuiteSettings[];
}

export interface WaiverSettings {
  /** A scenario, or a microbenchmark by its full name. */
  readonly scenario: string;
  readonly metric: MetricName;
  /** The largest change for the worse that is accepted; points as a share for `tail` and `errors`. */
  readonly ceiling: Ratio;
  /** ISO date, the last day it holds; null = no end. */
  readonly expires: string | null;
  readonly reason: string;
}

export interface GateConfig {
  readonly setup: string;
  readonly setupTimeout: Nanoseconds;
  readonly start: string;
  readonly startTimeout: Nanoseconds;
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ready: {
    readonly path: string;
    readonly status: readonly StatusRange[];
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly stop: { readonly signal: NodeJS.Signals; readonly grace: Nanoseconds };
  readonly listenerCheck: boolean;
  /** `merge-base`, `previous`, or a ref. */
  readonly baseline: string;
  readonly paths: readonly string[];
  readonly submodules: boolean;
  readonly lfs: boolean;

  readonly arrivals: Arrivals;
  readonly timeout: Nanoseconds;
  readonly maxSockets: number;
  readonly maxInFlight: number;
  readonly scenarios: readonly ScenarioSettings[];
  readonly microbenchmarks: MicrobenchmarkSettings;

  readonly timeBudget: Nanoseconds;
  readonly rounds: { readonly aim: number; readonly least: number; readonly most: number };
  readonly slices: number;
  readonly sliceRequests: number;
  readonly warmUp: {
    readonly requests: number | 'auto';
    readonly rate: PerSecond | 'auto';
    /** The share of a round that warm-up may take. */
    readonly most: Ratio;
  };
  readonly confirm: boolean;
  /** null: drawn for this job and printed. */
  readonly seed: number | null;
  readonly judge: JudgeSettings;
  readonly onDifferentBody: 'warn' | 'stop';
  readonly failOn: readonly FailOn[];
  readonly onBaselineFailure: 'fail' | 'neutral';
  readonly waivers: readonly WaiverSettings[];
  readonly trustConfig: 'candidate' | 'baseline';
  readonly comment: 'always' | 'on-change' | 'on-regression' | 'never';
}

/** Upper bound of a configuration file: beyond it something else was named by mistake. */
export const configFileLimit = (256 * 1024) as Bytes;

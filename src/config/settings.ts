/** What a job was asked to do, with every default filled in: downstream of here nothing is optional. */
import type { Bytes, Nanoseconds, PerSecond, Ratio } from '../kernel/units.ts';
import type { FailOn, Format, MetricName } from '../kernel/words.ts';
import type { CompanionSettings, CostSettings, CounterSettings, ResetSettings } from './settings-services.ts';
import type { TransportSettings } from './transport.ts';

export type Arrivals =
  | 'constant'
  | 'poisson'
  /** A rate that goes evenly from a share of the mean to another one, over a slice. */
  | { readonly kind: 'ramp'; readonly from: Ratio; readonly to: Ratio }
  /** Every so often a while at `factor` times the rate of the rest. */
  | {
      readonly kind: 'burst';
      readonly every: Nanoseconds;
      readonly length: Nanoseconds;
      readonly factor: number;
    };

/** Accepted statuses, as inclusive ranges: `2xx` is {from: 200, to: 299}. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** A part of a multipart body: a field, or a file of the project. */
export interface PartSettings {
  readonly name: string;
  readonly content:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'file'; readonly file: string };
  /** null: none for a field; the last part of the path for a file. */
  readonly filename: string | null;
  readonly contentType: string | null;
}

/** What a request carries. Texts may hold templates; files are sent as they are. */
export type BodySettings =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly fields: readonly (readonly [string, string])[] }
  | { readonly kind: 'multipart'; readonly parts: readonly PartSettings[] }
  /** Relative to the project. */
  | { readonly kind: 'file'; readonly file: string };

/** From what a size or length in bytes is drawn. */
export type SizeSettings =
  | { readonly kind: 'fixed'; readonly bytes: number }
  | { readonly kind: 'uniform'; readonly from: number; readonly to: number }
  | { readonly kind: 'lognormal'; readonly median: number; readonly p99: number }
  /** Sizes with their weights, as observed. */
  | {
      readonly kind: 'histogram';
      readonly bins: readonly { readonly bytes: number; readonly weight: number }[];
    };

/** What makes a response right. A header is a text, or a regular expression between slashes. */
export interface Expectations {
  readonly status: readonly StatusRange[];
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyContains: readonly string[];
  /** JSON pointer → the value wanted there. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Bytes of the body. */
  readonly size: { readonly min: number; readonly max: number | null };
}

/** How a request is made. Path, query, headers and body may hold templates, which are filled in before the send. */
export interface MessageSettings {
  readonly method: string;
  readonly path: string;
  /** Appended to the path, encoded, in this order. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodySettings | null;
}

export interface RequestSettings extends MessageSettings {
  /** Length of the whole path with its query, reached where it says `${filler}`. */
  readonly pathLength: SizeSettings | null;
  /** Size of the whole body, reached where it says `${filler}`; a body of its own where there is none. */
  readonly bodySize: SizeSettings | null;
  readonly weight: number;
  readonly expect: Expectations;
}

export type FeedOrder = 'sequential' | 'random' | 'unique' | 'zipf';

/** Rows whose columns stand in templates as `${feed.column}`. */
export interface FeedSettings {
  /** Relative to the project. */
  readonly file: string;
  readonly format: 'csv' | 'jsonl';
  readonly order: FeedOrder;
  /** Of `zipf`: the k-th row is drawn in proportion to 1/k to this power. */
  readonly exponent: number;
}

/** What goes into `authorization` of requests without one of their own. */
export type AuthSettings =
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string };

/** One request a side before its load, whose answer gives `${session}`. */
export interface SessionSettings {
  readonly request: MessageSettings;
  readonly take:
    | { readonly kind: 'json'; readonly pointer: string }
    | { readonly kind: 'cookie'; readonly name: string };
}

export interface ScenarioSettings {
  readonly name: string;
  readonly rate: PerSecond;
  readonly requests: readonly RequestSettings[];
  readonly feed: FeedSettings | null;
  readonly auth: AuthSettings | null;
  readonly session: SessionSettings | null;
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
  /** The rest of it: values that say where companions are, which is known only when those run. */
  readonly linkedEnv: Readonly<Record<string, string>>;
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
  /** Generator processes that share the load. */
  readonly senders: number | 'auto';
  readonly transport: TransportSettings;
  readonly scenarios: readonly ScenarioSettings[];
  readonly microbenchmarks: MicrobenchmarkSettings;

  /** In the order in which they are started. */
  readonly services: readonly CompanionSettings[];
  readonly reset: ResetSettings;
  readonly cost: CostSettings;
  readonly metrics: readonly CounterSettings[];

  readonly timeBudget: Nanoseconds;
  readonly rounds: { readonly aim: number; readonly least: number; readonly most: number };
  /** A side and round; `auto`: as many as the time budget has room for. */
  readonly slices: number | 'auto';
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
/** Upper bound of a body and of each file it is made of. */
export const bodyLimit = (1024 * 1024) as Bytes;
/** Upper bound of a path with its query: beyond it servers refuse the head of the request. */
export const pathLimit = 8000 as Bytes;

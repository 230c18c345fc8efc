/** Shapes of the scripts in this folder, for their tests: the scripts themselves run without a build. */
export type Word = 'up' | 'same' | 'improved' | 'any';
export type Measure = 'p50' | 'cpu' | 'p99' | 'micro';

export interface Pair {
  readonly id: string;
  readonly package: string;
  readonly a: string;
  readonly b: string;
  readonly alsoPinned?: Readonly<Record<string, string>>;
  readonly what: string;
  readonly run: readonly string[];
  readonly perRequest: number;
  readonly rate: number;
  readonly expected: Readonly<Partial<Record<Measure, Word>>>;
  readonly forbidden?: Readonly<Partial<Record<Measure, Word>>>;
  readonly workDiffers?: boolean;
  readonly size: number;
}

export interface Row {
  readonly id: string;
  readonly package: string;
  readonly a: string;
  readonly b: string;
  readonly alsoPinned: Readonly<Record<string, string>>;
  readonly swapped: boolean;
  readonly routes: readonly Pair[];
}

export interface Observed {
  readonly metric: string;
  readonly route: string | null;
  readonly judged: boolean;
  readonly name: string | null;
  readonly state: string;
  readonly kind: string;
  readonly effect: number | null;
  readonly interval: readonly number[] | null;
  readonly spread: number | null;
  readonly detectable: number | null;
  readonly rounds: number;
  readonly reason: string | null;
}

export interface Command {
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly outcome: string;
  readonly reason: string | null;
}

export interface Observation {
  readonly gate: Command;
  readonly tail: Readonly<Record<string, string>>;
  readonly bodies: string | null;
  readonly findings: readonly Observed[];
}

export interface Result extends Observation {
  readonly id: string;
  readonly at: string;
  readonly seconds: number;
  readonly budget: number;
  readonly tailgate: string;
  readonly machine: {
    readonly cpu: string;
    readonly cpus: number;
    readonly system: string;
    readonly node: string;
  };
}

export type Status = 'as expected' | 'missed' | 'unexpected' | 'wrong';
export interface Classification {
  readonly status: Status;
  readonly reasons: readonly string[];
  readonly remarks: readonly string[];
}

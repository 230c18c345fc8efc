/** What the conductor of microbenchmarks and a side's process say to each other: orders one at a time, one reply each. */
import type { Nanoseconds } from '../kernel/units.ts';

/** A benchmark within one side: an exported function of a file. */
export interface FunctionName {
  /** Relative to the project, with forward slashes. */
  readonly file: string;
  /** The name it is exported by. */
  readonly name: string;
}

/** `full` is what every sample wants; `minor` where a full collection costs more than the sample is worth. */
export type Collection = 'full' | 'minor' | 'none';

export type BenchOrder =
  /** Imports a file and runs its `setup`. */
  | { readonly kind: 'load'; readonly id: number; readonly file: string; readonly path: string }
  /** Calls a benchmark twice: whether it returns a promise, and what it returns. */
  | { readonly kind: 'begin'; readonly id: number; readonly benchmark: FunctionName }
  /** Finds how many iterations fill `target`. */
  | {
      readonly kind: 'calibrate';
      readonly id: number;
      readonly benchmark: FunctionName;
      readonly target: Nanoseconds;
    }
  | {
      readonly kind: 'sample';
      readonly id: number;
      readonly benchmark: FunctionName;
      readonly iterations: number;
      /** Before the sample, outside the timed region. */
      readonly collect: Collection;
    }
  /** Runs the `teardown` of a file. */
  | { readonly kind: 'finish'; readonly id: number; readonly file: string };

export type BenchReply =
  | { readonly kind: 'ready' }
  /** Names of the benchmarks, in the order of the alphabet, as the language keeps exports. */
  | { readonly kind: 'loaded'; readonly id: number; readonly benchmarks: readonly string[] }
  | { readonly kind: 'begun'; readonly id: number; readonly isAsync: boolean; readonly digest: string | null }
  | {
      readonly kind: 'calibrated';
      readonly id: number;
      readonly iterations: number;
      /** Of that many iterations. */
      readonly elapsed: Nanoseconds;
      /** Of one full garbage collection. */
      readonly collection: Nanoseconds;
    }
  | { readonly kind: 'sampled'; readonly id: number; readonly wall: Nanoseconds; readonly cpu: Nanoseconds }
  | { readonly kind: 'finished'; readonly id: number }
  /** The order threw; the process is still usable. */
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

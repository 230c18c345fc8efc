/** Everything a verdict on microbenchmarks needs, as plain data: one value a process and round, with its samples. */
import { TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds, Ratio } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { BenchUnit, Direction } from './samples.ts';

export const benchEvidenceVersion = 1;

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
      /** Median of the samples, in the subject's unit. */
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

export interface BenchPlan {
  /** Rounds of a benchmark at most, before confirmation. */
  readonly rounds: number;
  /** Rounds at which a benchmark may be decided, ascending; the last is `rounds`. */
  readonly looks: readonly number[];
  readonly confirm: boolean;
  readonly confirmationRounds: number;
  readonly tolerance: { readonly min: Ratio; readonly detect: Ratio };
}

export interface BenchRevision {
  readonly sha: string;
  readonly ref: string;
  readonly how: string;
}

export interface BenchEvidence {
  readonly schema: 'tailgate-bench-evidence';
  readonly version: typeof benchEvidenceVersion;
  /** ISO date and time. */
  readonly createdAt: string;
  readonly seed: number;
  /** `v24.4.1` of the Node that ran exported functions; null when there were none. */
  readonly node: string | null;
  readonly revisions: Readonly<Record<Side, BenchRevision>>;
  readonly plan: BenchPlan;
  readonly subjects: readonly BenchSubject[];
  readonly rounds: readonly BenchRound[];
}

export function serialiseBench(evidence: BenchEvidence): string {
  return `${JSON.stringify(evidence)}\n`;
}

/**
 * Reads stored evidence; every number in it is finite, because JSON has no other.
 * @throws TailgateError `usage` when it is no such evidence, or of another version.
 */
export function parseBench(text: string): BenchEvidence {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refused('it is no JSON, or it is cut off', cause);
  }
  const found = value as Partial<Record<keyof BenchEvidence, unknown>> | null;
  if (typeof found !== 'object' || found?.schema !== 'tailgate-bench-evidence') {
    throw refused('it has no "schema": "tailgate-bench-evidence"');
  }
  if (found.version !== benchEvidenceVersion) {
    throw refused(
      `it is of version ${String(found.version)}, and this Tailgate reads version ${benchEvidenceVersion}`,
    );
  }
  if (!Array.isArray(found.subjects) || !Array.isArray(found.rounds) || typeof found.plan !== 'object') {
    throw refused('its plan, subjects or rounds are missing');
  }
  return value as BenchEvidence;
}

function refused(why: string, cause?: unknown): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `this is no evidence of microbenchmarks: ${why}`,
    hint: 'name a file that `tailgate bench --evidence FILE` wrote',
    cause,
  });
}

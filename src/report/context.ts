/** What a report is told beside the verdict and its evidence: where it is shown, its links, its commands. */

import type { RevisionRecord } from '../evidence/trial.ts';
import type { Nanoseconds, Ratio } from '../kernel/units.ts';
import type { Outcome, Side } from '../kernel/words.ts';
import type { Conclusion } from '../verdict/outcome.ts';

/** One earlier result of the same pull request and gate, as the comment's marker remembers it. */
export interface PastResult {
  readonly run: number;
  readonly attempt: number;
  /** The candidate: 7 to 40 hex digits, kept at twelve. */
  readonly sha: string;
  readonly outcome: Outcome;
  /** Change of the worst judged row of the tail percentile, and of CPU per request. */
  readonly tail: Ratio | null;
  readonly cpu: Ratio | null;
}

export interface ReportContext {
  /** Tells several gates of one pull request apart. */
  readonly id: string;
  /** What the check shows and how the job ends; decided by the verdict room. */
  readonly conclusion: Conclusion;
  readonly exitCode: number;
  readonly run: { readonly kind: 'local' } | GitHubRun;
  /** Addresses, null when there is none. `summary` holds everything a shortened comment leaves out. */
  readonly links: {
    readonly run: string | null;
    readonly summary: string | null;
    readonly evidence: string | null;
  };
  readonly commands: {
    /** The whole command that repeats this job on another machine, with its seed. */
    readonly reproduce: string | null;
    /** The command that decides again from the evidence file. */
    readonly judge: string | null;
  };
  /** What is known of the sides when there is no evidence, e.g. because one did not build. */
  readonly revisions: Readonly<Record<Side, RevisionRecord | null>>;
  /** From the start of the job to its verdict, set-up included; null when nobody measured it. */
  readonly elapsed: Nanoseconds | null;
  /** What the candidate showed by itself where there was no baseline, in lines of text; else empty. */
  readonly measuredAlone: readonly { readonly scenario: string; readonly lines: readonly string[] }[];
  /** The file in which waivers and tolerances are kept. */
  readonly configFile: string;
  /** Whose waivers count: with `baseline` a change cannot accept itself. */
  readonly trustConfig: 'candidate' | 'baseline';
  /** Earlier results, oldest first. */
  readonly history: readonly PastResult[];
}

export interface GitHubRun {
  readonly kind: 'github';
  readonly id: number;
  readonly attempt: number;
}

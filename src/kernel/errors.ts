/** What can go wrong, said so that a tired person can act on it: the value, the wanted form, the way out. */

/** Which answer the whole program gives when this error reaches a shell. */
export type ErrorCode =
  /** Bad configuration, bad arguments, bad environment: exit 2. */
  | 'usage'
  /** A side did not build, start or answer: exit 4. */
  | 'service-failed'
  /** There is nothing to compare with. */
  | 'no-baseline'
  /** The measurement cannot be trusted: exit 3. */
  | 'invalid'
  /** The user or the runner asked us to stop. */
  | 'cancelled'
  /** GitHub refused or did not answer; never changes a verdict. */
  | 'github';

export interface ErrorDetails {
  readonly code: ErrorCode;
  /** Names the value and the wanted form. */
  readonly message: string;
  /** The way out. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** Last lines of a failed command or service. */
  readonly tail?: readonly string[];
}

export class TailgateError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly tail: readonly string[];

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'TailgateError';
    this.code = details.code;
    this.hint = details.hint;
    this.tail = details.tail ?? [];
  }
}

/** Something the reader of a report should know that does not stop the work: data, never a log line. */
export interface Warning {
  /** A stable word for tests and JSON, kebab-case. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Ends every `switch` on a union: the compiler proves that it is never reached. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

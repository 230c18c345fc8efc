/** What the gate and the generator process say to each other: orders in, results out, plain data only. */
import type { Transport } from '../config/transport.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import type { CheckResults, Checks } from './checks.ts';
import type { Fit } from './fit.ts';

/** Where the shots go. The origin names the address that answered the readiness probe. */
export interface Target {
  /** `http://127.0.0.1:4312` or `http://[::1]:4312`; names the pool, so that no two services may share one. */
  readonly origin: string;
  /** The Host header; null leaves it to the client. */
  readonly host: string | null;
  /** Without it: HTTP/1.1 over TCP, connections kept. */
  readonly transport?: Transport;
}

/** A request made before the clock starts: nothing of it is computed at the time of a shot. */
export interface PreparedRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values in turns. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | null;
  /** Inclusive ranges of statuses that count as right. */
  readonly expected: readonly { readonly from: number; readonly to: number }[];
  /** Of answers with such a status; left out where there are none. */
  readonly checks?: Checks;
}

/** Due times and who is sent when; computed before the first send. */
export interface Schedule {
  /** Nanoseconds after the start of the slice, ascending; the first `leadIn` are not counted. */
  readonly due: Float64Array;
  /** Index into the prepared requests, one per shot. */
  readonly sequence: Uint16Array;
  readonly leadIn: number;
}

export interface SliceOrder {
  readonly target: Target;
  readonly requests: readonly PreparedRequest[];
  readonly schedule: Schedule;
  /** From the due time of a shot. */
  readonly timeout: Nanoseconds;
  readonly maxSockets: number;
  readonly maxInFlight: number;
  /** On `monotonicNow`'s clock, which all processes share; without it the slice starts as soon as it is ready. */
  readonly startAt?: Nanoseconds;
}

export interface OpenOrder {
  readonly target: Target;
  readonly request: PreparedRequest;
  /** How many sockets to open by as many concurrent requests. */
  readonly sockets: number;
  readonly timeout: Nanoseconds;
}

/** When a worker of a closed loop sends again. */
export type ClosedPace =
  /** Think time after its answer is in; latency counts from the send. */
  | { readonly kind: 'on-answer'; readonly think: Nanoseconds }
  /** A schedule of its own, and never before its answer is in; latency counts from the intended time. */
  | { readonly kind: 'intended'; readonly gap: Nanoseconds };

/** How much a closed loop sends; the lead-in comes before and is not counted. */
export type ClosedExtent =
  /** Sends go on uncounted until the last counted one has ended, so that as many stay in flight. */
  | { readonly kind: 'count'; readonly requests: number; readonly longest: Nanoseconds }
  | { readonly kind: 'duration'; readonly duration: Nanoseconds };

/** A fixed number of workers, each with one request on its way at most. */
export interface ClosedOrder {
  readonly target: Target;
  readonly requests: readonly PreparedRequest[];
  /** Index into the prepared requests; used from the start again when it is over. */
  readonly sequence: Uint16Array;
  readonly workers: number;
  readonly pace: ClosedPace;
  readonly extent: ClosedExtent;
  readonly leadIn: number;
  /** From the send. */
  readonly timeout: Nanoseconds;
}

/** sent = ok + failed + timed out + unfinished. */
export interface ClosedCounts {
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly unfinished: number;
  /** Scheduled, but its worker was still waiting for an earlier answer when the run ended. */
  readonly unsent: number;
}

export interface ClosedResult {
  readonly counts: ClosedCounts;
  /** From the first counted send to the end of the duration, or to the send after the last counted one. */
  readonly window: Nanoseconds;
  /** Shots by class of failure, answers by status. */
  readonly errors: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** V2 compressed base64 of HdrHistograms in nanoseconds. */
  readonly histograms: {
    /** From the send or the intended time; failed and timed-out shots at no less than the time-out. */
    readonly response: string;
    readonly success: string;
    /** done − written, of every answer. */
    readonly service: string;
    /** How long a shot occupied its worker, however it ended. */
    readonly held: string;
    /** Send − the later of intended time and last answer of its worker. */
    readonly lateness: string;
  };
  readonly generator: GeneratorHealth;
  /** Ended before its extent: stopped, or at the longest time it may take. */
  readonly cutShort: boolean;
}

/** V2 compressed base64 of HdrHistograms in nanoseconds. */
export interface SliceHistograms {
  /** Every counted shot; failed, timed out, dropped and unfinished ones at no less than the time-out or their age. */
  readonly response: string;
  /** Shots with lateness ≤ 0.5 ms, otherwise as `response`. */
  readonly onTime: string;
  readonly success: string;
  /** done − written. */
  readonly service: string;
  /** handed − due. */
  readonly lateness: string;
}

/** Every scheduled shot ends in exactly one of the last five. */
export interface ShotCounts {
  readonly scheduled: number;
  readonly ok: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly dropped: number;
  readonly unfinished: number;
}

/** How the generator itself fared during a slice. */
export interface GeneratorHealth {
  readonly wall: Nanoseconds;
  /** User and system time of the generator process. */
  readonly cpu: Nanoseconds;
  /** Share of the wall time that the sending thread's event loop was busy, spinning excluded where it can be told. */
  readonly utilisation: number;
  readonly eventLoopDelay: {
    readonly p50: Nanoseconds;
    readonly p99: Nanoseconds;
    readonly max: Nanoseconds;
  };
  /** How late the sleeping thread woke: the machine's noise. */
  readonly metronomeLateness: {
    readonly p50: Nanoseconds;
    readonly p99: Nanoseconds;
    readonly max: Nanoseconds;
  };
  readonly garbageCollection: {
    readonly count: number;
    readonly total: Nanoseconds;
    readonly longest: Nanoseconds;
  };
  readonly peakMemory: number;
  /** Shots that found no free socket and waited inside their response time. */
  readonly poolQueued: number;
  readonly socketsOpened: number;
}

export interface SliceResult {
  readonly counts: ShotCounts;
  /** Shots handed to the client before the schedule was over: by the last due time and 1 % of the span, 20 ms at least. */
  readonly released: number;
  /** Shots whose lateness was ≤ 0.5 ms. */
  readonly onTime: number;
  /** From the first counted due time to the last. */
  readonly span: Nanoseconds;
  /** How well the sends followed the plan. */
  readonly fit: Fit;
  /** From the first counted due time until the drain ended. */
  readonly elapsed: Nanoseconds;
  /** Shots in flight when the last shot was due, and halfway. */
  readonly inFlight: { readonly halfway: number; readonly atEnd: number; readonly peak: number };
  /** Failed shots by class: `status 503`, `reset on reuse`, `connection refused`, … */
  readonly errors: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** Of right answers: sizes, and a checksum over a sample of bodies, chosen by position in the schedule. */
  readonly bodies: {
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly totalBytes: number;
    /** Position of the shot → checksum of its body. */
    readonly checksums: Readonly<Record<string, string>>;
  };
  readonly histograms: SliceHistograms;
  /** Of answers with an expected status; left out where nothing is checked. A failed check is a failed shot. */
  readonly checks?: CheckResults;
  readonly generator: GeneratorHealth;
}

export type GeneratorOrder =
  | { readonly kind: 'slice'; readonly id: number; readonly order: SliceOrder }
  | { readonly kind: 'open'; readonly id: number; readonly order: OpenOrder }
  | { readonly kind: 'close'; readonly id: number; readonly origin: string }
  | { readonly kind: 'closed-loop'; readonly id: number; readonly order: ClosedOrder };

/** Ends what is being measured; it is answered with what there is. Not queued behind it. */
export interface StopOrder {
  readonly kind: 'stop';
}

export type GeneratorReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'slice'; readonly id: number; readonly result: SliceResult }
  | { readonly kind: 'opened'; readonly id: number; readonly opened: number; readonly problem: string | null }
  | { readonly kind: 'closed'; readonly id: number }
  | { readonly kind: 'closed-loop'; readonly id: number; readonly result: ClosedResult }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

/** The generator process as its owner sees it. Orders are carried out one at a time. */
export interface Generator extends AsyncDisposable {
  readonly pid: number;
  open(order: OpenOrder): Promise<{ opened: number; problem: string | null }>;
  slice(order: SliceOrder): Promise<SliceResult>;
  closedLoop(order: ClosedOrder): Promise<ClosedResult>;
  /** Closes every socket to the origin. */
  close(origin: string): Promise<void>;
}

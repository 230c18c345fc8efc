/** One shot on its way: when it was written, when its answer ended, and what that was. */
import { createHash } from 'node:crypto';
import type { Nanoseconds } from '../kernel/units.ts';
import type { AnswerContent } from './checks.ts';
import { failureClass } from './failures.ts';
import { monotonicNow } from './metronome.ts';
import type { WireClient, WireController, WireHandler, WireRequest } from './sender.ts';

/** Who is told what became of a shot. `at` is on `monotonicNow`'s clock. */
export interface ShotSink {
  onWritten(shot: number, at: Nanoseconds): void;
  /** A whole response; what it held is kept of sampled shots. */
  onAnswered(
    shot: number,
    at: Nanoseconds,
    status: number,
    bodyBytes: number,
    checksum: string | null,
    content: AnswerContent | null,
  ): void;
  /** No whole response: `cause` is the class of the failure, such as `connection refused`. */
  onFailed(shot: number, at: Nanoseconds, cause: string): void;
}

/** One socket's place: the client reconnects within it. */
export class Slot {
  readonly client: WireClient;
  connected = false;
  /** Requests written to the present socket. */
  uses = 0;

  constructor(client: WireClient) {
    this.client = client;
  }
}

/** Where a flight came from and what it goes back to when it is over. */
export interface Home {
  landed(flight: Flight, answered: boolean): void;
}

const abandoned = new Error('the shot was settled before it was written');
const endedEarly = new Error('the shot was not waited for any longer');

/**
 * One shot on its way. Its methods from `onRequestStart` on are undici's handler interface; `abandon` is for the
 * driver. An object per shot and nothing else: no promise, no closure.
 */
export class Flight implements WireHandler {
  readonly #home: Home;
  readonly #sink: ShotSink;
  readonly #shot: number;
  readonly #sampled: boolean;
  readonly request: WireRequest;
  slot: Slot | null = null;
  #controller: WireController | null = null;
  #abandoned = false;
  #reused = false;
  #answering = false;
  #status = 0;
  #bytes = 0;
  #headers: AnswerContent['headers'] = {};
  #chunks: Buffer[] | null = null;

  constructor(home: Home, sink: ShotSink, shot: number, request: WireRequest, sampled: boolean) {
    this.#home = home;
    this.#sink = sink;
    this.#shot = shot;
    this.request = request;
    this.#sampled = sampled;
  }

  get isAbandoned(): boolean {
    return this.#abandoned;
  }

  /** Nobody waits for this shot any longer: nothing more is told to the sink, and its socket is closed if it was used. */
  abandon(): void {
    this.#abandoned = true;
    if (this.#controller !== null && this.slot !== null) this.#controller.abort(endedEarly);
  }

  onRequestStart(controller: WireController): void {
    // Thrown, not aborted: an abort would cost the socket, which is as good as new.
    if (this.#abandoned) throw abandoned;
    this.#controller = controller;
    this.#reused = this.slot!.uses++ > 0;
    this.#sink.onWritten(this.#shot, monotonicNow());
  }

  /** First byte of the response; undici calls it although its types do not tell. */
  onResponseStarted(): void {
    this.#answering = true;
  }

  onResponseStart(_controller: WireController, status: number, headers: AnswerContent['headers']): void {
    this.#answering = true;
    this.#status = status;
    if (this.#sampled) this.#headers = headers;
  }

  onResponseData(_controller: WireController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#sampled) {
      this.#chunks ??= [];
      this.#chunks.push(chunk);
    }
  }

  onResponseEnd(): void {
    const at = monotonicNow();
    if (!this.#abandoned) {
      // Hashed after the time was taken: a sampled shot is not slower than the others.
      const body = this.#sampled ? Buffer.concat(this.#chunks ?? []) : null;
      const checksum = body === null ? null : checksumOf(body);
      const content = body === null ? null : { headers: this.#headers, body };
      this.#sink.onAnswered(this.#shot, at, this.#status, this.#bytes, checksum, content);
    }
    this.#home.landed(this, true);
  }

  onResponseError(_controller: WireController, error: Error): void {
    const at = monotonicNow();
    if (!this.#abandoned) {
      this.#sink.onFailed(this.#shot, at, failureClass(error, this.#reused && !this.#answering));
    }
    this.#home.landed(this, false);
  }
}

/** 16 hexadecimal digits of the SHA-256 of a body. */
function checksumOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16);
}

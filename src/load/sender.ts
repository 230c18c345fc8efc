/** One request over the wire: pre-opened sockets, hand-over, abort, and what an answer or a failure was (the only door to undici). */
import { createHash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { Client } from 'undici';
import type { Nanoseconds } from '../kernel/units.ts';
import { failureClass } from './failures.ts';
import { monotonicNow } from './metronome.ts';
import type { PreparedRequest, Target } from './protocol.ts';

/** A request in the form the client takes it, made once a slice. */
export type WireRequest = Dispatcher.DispatchOptions;

/** Who is told what became of a shot. `at` is on `monotonicNow`'s clock. */
export interface ShotSink {
  onWritten(shot: number, at: Nanoseconds): void;
  /** A whole response. */
  onAnswered(shot: number, at: Nanoseconds, status: number, bodyBytes: number, checksum: string | null): void;
  /** No whole response: `cause` is the class of the failure, such as `connection refused`. */
  onFailed(shot: number, at: Nanoseconds, cause: string): void;
}

/** Makes the wire form of prepared requests; the target's Host header is added unless the request brings its own. */
export function toWire(requests: readonly PreparedRequest[], target: Target): readonly WireRequest[] {
  return requests.map((request) => {
    const headers = [...request.headers];
    const hasHost = headers.some((text, index) => index % 2 === 0 && text.toLowerCase() === 'host');
    if (target.host !== null && !hasHost) headers.push('host', target.host);
    return {
      method: request.method as Dispatcher.HttpMethod,
      path: request.path,
      headers,
      body: request.body,
    };
  });
}

const abandoned = new Error('the shot was settled before it was written');
const endedEarly = new Error('the shot was not waited for any longer');

/**
 * One shot on its way. Its methods from `onRequestStart` on are undici's handler interface; `abandon` is for the
 * driver. An object per shot and nothing else: no promise, no closure.
 */
export class Flight implements Dispatcher.DispatchHandler {
  readonly #pool: SocketPool;
  readonly #sink: ShotSink;
  readonly #shot: number;
  readonly #sampled: boolean;
  readonly request: WireRequest;
  slot: Slot | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #abandoned = false;
  #reused = false;
  #answering = false;
  #status = 0;
  #bytes = 0;
  #chunks: Buffer[] | null = null;

  constructor(pool: SocketPool, sink: ShotSink, shot: number, request: WireRequest, sampled: boolean) {
    this.#pool = pool;
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

  onRequestStart(controller: Dispatcher.DispatchController): void {
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

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#answering = true;
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
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
      const checksum = this.#sampled ? checksumOf(this.#chunks ?? []) : null;
      this.#sink.onAnswered(this.#shot, at, this.#status, this.#bytes, checksum);
    }
    this.#pool.landed(this, true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const at = monotonicNow();
    if (!this.#abandoned) {
      this.#sink.onFailed(this.#shot, at, failureClass(error, this.#reused && !this.#answering));
    }
    this.#pool.landed(this, false);
  }
}

/** One socket's place in the pool: the client reconnects within it. */
class Slot {
  readonly client: Client;
  connected = false;
  /** Requests written to the present socket. */
  uses = 0;

  constructor(client: Client) {
    this.client = client;
  }
}

/**
 * The sockets to one origin. Idle ones are used in turns, so that all of them stay open and every worker of a
 * clustered service gets its share; a shot that finds none opens another up to the cap, and then waits, inside its
 * response time.
 */
export class SocketPool {
  readonly #origin: string;
  readonly #slots: Slot[] = [];
  #idle: Slot[] = [];
  #cold: Slot[] = [];
  #waiting: Flight[] = [];
  #waitingFrom = 0;
  #pumping = false;
  #closed = false;
  /** Shots that found no free socket, since the pool was made. */
  queued = 0;
  /** Sockets opened, since the pool was made. */
  opened = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Sockets that are open now. */
  get connected(): number {
    return this.#slots.filter((slot) => slot.connected).length;
  }

  /**
   * Hands a shot to the client. Never waits and never throws for anything the service does.
   * @param sampled whether its body is hashed.
   * @param maxSockets cap at this moment.
   */
  send(sink: ShotSink, shot: number, request: WireRequest, sampled: boolean, maxSockets: number): Flight {
    const flight = new Flight(this, sink, shot, request, sampled);
    const slot = this.#freeSlot(maxSockets);
    if (slot === null) {
      this.queued++;
      this.#waiting.push(flight);
    } else {
      this.#launch(flight, slot);
    }
    return flight;
  }

  /** Closes every socket at once; shots still on their way fail. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting = [];
    this.#waitingFrom = 0;
    await Promise.all(this.#slots.map((slot) => slot.client.destroy()));
  }

  /** Called by a flight that is over: its socket is free again. */
  landed(flight: Flight, answered: boolean): void {
    const slot = flight.slot;
    if (slot === null) return;
    flight.slot = null;
    if (this.#closed) return;
    const next = answered ? this.#nextWaiting() : null;
    if (next !== null) {
      this.#launch(next, slot);
      return;
    }
    this.#idle.push(slot);
    // After a failure the client is in the middle of its own clean-up and must not be given a request from there.
    if (!answered && this.#hasWaiting() && !this.#pumping) {
      this.#pumping = true;
      setImmediate(() => this.#pump());
    }
  }

  #pump(): void {
    this.#pumping = false;
    while (this.#hasWaiting()) {
      const slot = this.#freeSlot(0);
      if (slot === null) return;
      const next = this.#nextWaiting();
      if (next === null) {
        this.#idle.push(slot);
        return;
      }
      this.#launch(next, slot);
    }
  }

  #launch(flight: Flight, slot: Slot): void {
    flight.slot = slot;
    slot.client.dispatch(flight.request, flight);
  }

  #freeSlot(maxSockets: number): Slot | null {
    for (let slot = this.#idle.shift(); slot !== undefined; slot = this.#idle.shift()) {
      if (slot.connected) return slot;
      this.#cold.push(slot);
    }
    const cold = this.#cold.pop();
    if (cold !== undefined) return cold;
    return this.#slots.length < maxSockets ? this.#openSlot() : null;
  }

  #openSlot(): Slot {
    const client = new Client(this.#origin, clientOptions);
    const slot = new Slot(client);
    client.on('connect', () => {
      slot.connected = true;
      slot.uses = 0;
      this.opened++;
    });
    client.on('disconnect', () => {
      slot.connected = false;
    });
    this.#slots.push(slot);
    return slot;
  }

  #hasWaiting(): boolean {
    return this.#waitingFrom < this.#waiting.length;
  }

  #nextWaiting(): Flight | null {
    while (this.#hasWaiting()) {
      const flight = this.#waiting[this.#waitingFrom++]!;
      // Emptied in bulk: shifting a queue of thousands on every answer would cost more than the answer.
      if (this.#waitingFrom === this.#waiting.length) {
        this.#waiting = [];
        this.#waitingFrom = 0;
      }
      if (!flight.isAbandoned) return flight;
    }
    return null;
  }
}

const clientOptions: Client.Options = {
  pipelining: 1,
  // Deadlines are the driver's, from the due time; the client's own timers are ±500 ms above one second.
  headersTimeout: 0,
  bodyTimeout: 0,
  connectTimeout: 60_000,
  keepAliveTimeout: 60_000,
  // A service that announces its keep-alive time is left half a second before that: fewer resets on reuse.
  keepAliveTimeoutThreshold: 500,
};

/** 16 hexadecimal digits of the SHA-256 of a body. */
function checksumOf(chunks: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex').slice(0, 16);
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** At most the first 16 KiB, as UTF-8. */
  readonly body: string;
}

const bodyStart = 16 * 1024;

/**
 * One GET on a connection of its own: for readiness probes and the like, never for shots. Redirects are answers.
 * @param options.timeout for the whole of it.
 * @throws the client's error (its `code` tells why) when there is no whole answer in time.
 */
export async function httpGet(
  url: string | URL,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly timeout: Nanoseconds },
): Promise<HttpAnswer> {
  const { origin, pathname, search } = new URL(url);
  const client = new Client(origin, { ...clientOptions, pipelining: 0 });
  try {
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(options.timeout / 1e6)));
    const { statusCode, headers, body } = await client.request({
      method: 'GET',
      path: pathname + search,
      headers: { ...options.headers },
      signal,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= bodyStart) break;
    }
    const text = Buffer.concat(chunks).subarray(0, bodyStart).toString('utf8');
    return { status: statusCode, headers, body: text };
  } finally {
    await client.destroy();
  }
}

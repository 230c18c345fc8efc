/** The open sockets to one origin, and who gets which. */

import type { ShotSink } from './flight.ts';
import { Flight, Slot } from './flight.ts';
import type { Target } from './protocol.ts';
import type { WireClient, WireRequest } from './sender.ts';
import { ClientMaker } from './sender.ts';

const trimSlack = 64;

/**
 * The sockets to one origin. Idle ones are used in turns, so that all of them stay open and every worker of a
 * clustered service gets its share; a shot that finds none opens another up to the cap, and then waits, inside its
 * response time.
 */
export class SocketPool {
  readonly #maker: ClientMaker;
  /** Over HTTP/2 several slots share a socket, one a stream. */
  readonly #sockets: WireClient[] = [];
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

  /** @throws when certificate and key of the transport do not fit. */
  constructor(origin: string, transport?: Target['transport']) {
    this.#maker = new ClientMaker(origin, transport);
  }

  /** Sockets that are open now. */
  get connected(): number {
    return new Set(this.#slots.filter((slot) => slot.connected).map((slot) => slot.client)).size;
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
    await Promise.all(this.#sockets.map((client) => client.destroy()));
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
    return this.#sockets.length < maxSockets ? this.#openSocket() : null;
  }

  #openSocket(): Slot {
    const slots: Slot[] = [];
    const client = this.#maker.open({
      connect: () => {
        this.opened++;
        for (const slot of slots) {
          slot.connected = true;
          slot.uses = 0;
        }
      },
      disconnect: () => {
        for (const slot of slots) slot.connected = false;
      },
    });
    this.#sockets.push(client);
    for (let stream = 0; stream < this.#maker.streams; stream++) slots.push(new Slot(client));
    this.#slots.push(...slots);
    const [first, ...others] = slots;
    this.#cold.push(...others);
    return first!;
  }

  #hasWaiting(): boolean {
    return this.#waitingFrom < this.#waiting.length;
  }

  #nextWaiting(): Flight | null {
    while (this.#hasWaiting()) {
      const flight = this.#waiting[this.#waitingFrom++]!;
      // Trimmed in bulk: shifting a queue of thousands on every answer would cost more than the answer.
      if (this.#waitingFrom * 2 > this.#waiting.length + trimSlack) {
        this.#waiting = this.#waiting.slice(this.#waitingFrom);
        this.#waitingFrom = 0;
      }
      if (!flight.isAbandoned) return flight;
    }
    return null;
  }
}

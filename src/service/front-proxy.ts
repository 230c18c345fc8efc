/** Bytes of clients to a service and back, unchanged; requests are told apart to burn CPU for them or hold them back. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Nanoseconds } from '../kernel/units.ts';
import { msToNs, ns } from '../kernel/units.ts';
import type { Clock } from '../kernel/world.ts';
import type { Planted } from './front-order.ts';
import { type LoopbackAddress, loopbackAddresses } from './listeners.ts';

export interface FrontOptions {
  readonly host: LoopbackAddress;
  /** Where clients come in; 0 takes any free one. */
  readonly port: number;
  readonly servicePort: number;
  readonly planted: Planted;
  readonly clock: Clock;
}

/** The loopback address on which somebody takes connections at this port; null when nobody does. */
export async function addressOf(port: number): Promise<LoopbackAddress | null> {
  for (const host of loopbackAddresses) if (await answers(host, port)) return host;
  return null;
}

function answers(host: LoopbackAddress, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Listens, and resolves then. A request begins with the first bytes of a client after an answer (or after it
 * connected): exact as long as a client waits for an answer before it asks again, as the generator does.
 */
export async function startFront(options: FrontOptions): Promise<Server> {
  const plant = planter(options.planted, options.clock);
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const service = connect({
      host: options.host,
      port: options.servicePort,
      allowHalfOpen: true,
      noDelay: true,
    });
    join(client, service, plant);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port }, () => resolve());
  });
  return server;
}

/** What is done when a request begins: CPU is burnt at once; the time to hold it back comes as a promise. */
type Plant = () => Promise<void> | null;

function planter(planted: Planted, clock: Clock): Plant {
  const burn = planted.cpu > 0 ? burner(clock) : null;
  let due = 0;
  return () => {
    burn?.(planted.cpu);
    if (planted.delay <= 0) return null;
    // An even spread instead of chance: every slice gets the same number of delayed requests.
    due += planted.delayed;
    if (due < 1 - 1e-9) return null;
    due -= 1;
    const over = clock.sleep(planted.delay);
    return planted.held ? over : null;
  };
}

function join(client: Socket, service: Socket, plant: Plant): void {
  let asked = false;
  const endBoth = (): void => {
    client.destroy();
    service.destroy();
  };
  const passOn = (bytes: Buffer): void => {
    if (service.write(bytes)) return;
    client.pause();
    service.once('drain', () => client.resume());
  };
  client.on('data', (bytes: Buffer) => {
    const held = asked ? null : plant();
    asked = true;
    if (held === null) return passOn(bytes);
    client.pause();
    void held.then(() => {
      if (service.destroyed) return;
      client.resume();
      passOn(bytes);
    });
  });
  service.on('data', () => {
    asked = false;
  });
  service.pipe(client);
  client.once('end', () => service.end());
  for (const socket of [client, service]) {
    socket.once('error', endBoth);
    socket.once('close', endBoth);
  }
}

/** A coarser counter than this cannot end a burn of some microseconds in time. */
const finest = msToNs(0.1);
const longestProbe = msToNs(50);

/**
 * Burns CPU until the process has used so much more of it, so that time in which something else had the CPU does
 * not count; by the clock where the system counts CPU in coarse ticks.
 */
function burner(clock: Clock): (cpu: Nanoseconds) => void {
  const used = (): Nanoseconds => {
    const { user, system } = process.cpuUsage();
    return ns((user + system) * 1e3);
  };
  const now = isFine(used, clock) ? used : () => clock.now();
  return (cpu) => {
    const end = now() + cpu;
    while (now() < end);
  };
}

/** Whether the counter has been seen to move by a little. */
function isFine(used: () => Nanoseconds, clock: Clock): boolean {
  const until = clock.now() + longestProbe;
  for (let before = used(); clock.now() < until; ) {
    const after = used();
    if (after > before && after - before <= finest) return true;
    before = after;
  }
  return false;
}

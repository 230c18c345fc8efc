/** Free ports for both sides, and the refusal to start on one that somebody already answers. */
import { connect, createServer } from 'node:net';
import { TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { msToNs } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { Clock, Random } from '../kernel/world.ts';
import type { Holder, LoopbackAddress, Owner } from './listeners.ts';
import { holderOf, loopbackAddresses } from './listeners.ts';

/**
 * Where ports are drawn from: below the range that Linux (32768–60999) and others (49152–65535) give to outgoing
 * connections, so that none of the generator's sockets takes one in between; all with five digits, so that command
 * lines of both sides are equally long.
 */
const lowestPort = 20_000;
const highestPort = 32_767;
const connectPatience = 1000;

/**
 * Draws two free ports.
 * @param random whose coin the conductor uses for everything that is ordered; which side gets the lower port is
 * drawn there.
 * @param except ports that are as good as taken.
 */
export async function pickPorts(
  random: Random,
  except: readonly number[] = [],
): Promise<{ readonly lower: number; readonly higher: number }> {
  const found: number[] = [];
  for (let attempt = 0; attempt < 200 && found.length < 2; attempt++) {
    const port = lowestPort + random.below(highestPort - lowestPort + 1);
    if (![...found, ...except].includes(port) && (await isFree(port))) found.push(port);
  }
  const [one, other] = found;
  if (one === undefined || other === undefined) {
    throw new TailgateError({
      code: 'invalid',
      message: `no two free ports between ${lowestPort} and ${highestPort} were found in 200 draws`,
      hint: 'End servers that are left from earlier runs, or use a fresh machine.',
    });
  }
  return { lower: Math.min(one, other), higher: Math.max(one, other) };
}

/**
 * Throws `service-failed` when anything listens on this port, with its address and owner where known: a server left
 * from an earlier run would answer in place of the one we are about to start.
 */
export async function assertPortFree(port: number, side: Side): Promise<void> {
  const holder = await whoHolds(port);
  if (holder === null) return;
  throw new TailgateError({
    code: 'service-failed',
    message: `${side}: port ${port} is already in use on ${holder.address} ${byWhom(holder.owner)}; nothing was started`,
    hint: 'End that process, or run again: another port is drawn. Nothing is measured that we did not start.',
  });
}

async function isFree(port: number): Promise<boolean> {
  if (holderOf(port) !== null) return false;
  for (const address of loopbackAddresses) if (!(await canListen(port, address))) return false;
  return true;
}

function canListen(port: number, host: LoopbackAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      // A machine without IPv6 has nobody on ::1 either.
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT');
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The address on which somebody listens or takes connections, and who it is; null when the port is free. */
export async function whoHolds(port: number): Promise<Holder | null> {
  const holder = holderOf(port);
  if (holder !== null) return holder;
  for (const address of loopbackAddresses) if (await isTaken(port, address)) return { address, owner: null };
  return null;
}

/** Who still holds a port after `patience`; null as soon as it is free. */
export async function holderAfter(port: number, patience: Nanoseconds, clock: Clock): Promise<Holder | null> {
  const until = clock.now() + patience;
  for (;;) {
    const holder = await whoHolds(port);
    if (holder === null || clock.now() >= until) return holder;
    await clock.sleep(msToNs(20));
  }
}

/** `by process 12 (node server.js)`, or that nobody knows. */
export function byWhom(owner: Owner | null): string {
  return owner === null ? 'by a process we cannot look into' : `by process ${owner.pid} (${owner.command})`;
}

function isTaken(port: number, host: LoopbackAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    const answer = (taken: boolean): void => {
      socket.destroy();
      resolve(taken);
    };
    // Loopback refuses at once; silence is a listener whose queue is full.
    socket.setTimeout(connectPatience, () => answer(true));
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

/** Where a service listens and how it is asked there: a port of localhost, or a Unix socket; plain or secure. */
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport } from '../config/transport.ts';
import { TailgateError } from '../kernel/errors.ts';
import type { Side } from '../kernel/words.ts';
import { withPort } from './environment.ts';
import type { LoopbackAddress, Ownership } from './listeners.ts';
import { loopbackAddresses, ownershipOf, ownershipOfPath } from './listeners.ts';

export interface Place {
  readonly port: number;
  /** Without it: plain HTTP/1.1 at the port. */
  readonly transport?: Transport | undefined;
}

/** Linux takes 107 bytes, macOS 103. */
const longestPath = 103;

/**
 * The socket of the side that was given this port: both sides' paths are equally long.
 * @throws TailgateError `usage` when no socket can have this path.
 */
export function socketPathFor(port: number, folder: string = tmpdir()): string {
  const path = join(folder, `tailgate-${port}.sock`);
  if (process.platform !== 'win32' && Buffer.byteLength(path) <= longestPath) return path;
  throw new TailgateError({
    code: 'usage',
    message:
      process.platform === 'win32'
        ? '`unix-socket: true`: Windows has no Unix sockets that Node can connect to'
        : `\`unix-socket: true\`: ${path} is longer than the ${longestPath} bytes a socket's path may have`,
    hint: 'set TMPDIR to a shorter folder, or let the service listen on PORT',
  });
}

/** @throws TailgateError `service-failed` when something lies where the service is to listen. */
export function assertSocketFree(place: Place, side: Side): void {
  const path = place.transport?.socketPath ?? null;
  if (path === null || !existsSync(path)) return;
  throw new TailgateError({
    code: 'service-failed',
    message: `${side}: ${path}, on which the service is to listen, exists already; nothing was started`,
    hint: 'Remove it, or run again: another name is drawn. Nothing is measured that we did not start.',
  });
}

/** A socket file outlives the server that was killed. */
export function removeSocket(place: Place): void {
  const path = place.transport?.socketPath ?? null;
  if (path !== null) rmSync(path, { force: true });
}

/** The start command and what it is told about the place. */
export function toldOf(place: Place, command: string): { command: string; env: Record<string, string> } {
  const path = place.transport?.socketPath ?? null;
  const env: Record<string, string> = { PORT: String(place.port) };
  if (path === null) return { command: withPort(command, place.port), env };
  return {
    command: withPort(command, place.port).replaceAll('{socket}', path),
    env: { ...env, SOCKET: path },
  };
}

/** Addresses to be asked, the preferred one first; a socket is asked once, in the place of the first. */
export function addressesOf(place: Place): readonly LoopbackAddress[] {
  return (place.transport?.socketPath ?? null) === null ? loopbackAddresses : ['127.0.0.1'];
}

/** As the client wants it. Behind a socket the port is a name only: it tells the sides apart. */
export function originOf(address: LoopbackAddress, place: Place): string {
  const { port, transport } = place;
  const scheme = (transport?.tls ?? null) === null ? 'http' : 'https';
  if ((transport?.socketPath ?? null) !== null) return `${scheme}://localhost:${port}`;
  return address === '::1' ? `${scheme}://[::1]:${port}` : `${scheme}://${address}:${port}`;
}

/** As a reader knows it. */
export function shownOrigin(address: LoopbackAddress, place: Place): string {
  const path = place.transport?.socketPath ?? null;
  return path === null ? originOf(address, place) : `unix:${path}`;
}

/**
 * What a client must know beyond the origin. The Host header is that of the origin, but servers compare it with the
 * name they are asked for by TLS.
 */
export function beyondOrigin({ port, transport }: Place): {
  readonly host: string | null;
  readonly transport?: Transport;
} {
  const name = transport?.tls?.serverName ?? null;
  return {
    host: name === null ? null : `${name}:${port}`,
    ...(transport === undefined ? {} : { transport }),
  };
}

/** Whose listener answers there. */
export function ownerAt(address: LoopbackAddress, place: Place, members: Iterable<number>): Ownership {
  const path = place.transport?.socketPath ?? null;
  return path === null ? ownershipOf(address, place.port, members) : ownershipOfPath(path, members);
}

/** Which process listens on a port, and whether it is one of ours: the proof that we measure what we started. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type LoopbackAddress = '127.0.0.1' | '::1';
/** The addresses of `localhost`, in the order in which an answer is preferred. */
export const loopbackAddresses: readonly LoopbackAddress[] = ['127.0.0.1', '::1'];

export interface Listener {
  /** `127.0.0.1`, `0.0.0.0`, `::1`, `::`, … */
  readonly address: string;
  readonly port: number;
  /** Names the socket, as in the link `socket:[inode]` of a file descriptor. */
  readonly inode: string;
}

export interface Owner {
  readonly pid: number;
  /** The command line, shortened. */
  readonly command: string;
}

export interface Holder {
  readonly address: string;
  readonly owner: Owner | null;
}

export type Ownership =
  | { readonly kind: 'ours'; readonly pid: number }
  /** `owner` is null when it belongs to someone we may not look into. */
  | { readonly kind: 'foreign'; readonly owner: Owner | null }
  | { readonly kind: 'nobody' }
  /** This system does not tell. */
  | { readonly kind: 'unknown' };

/** All TCP sockets that listen, or null where the system does not tell. */
export function findListeners(): readonly Listener[] | null {
  if (process.platform !== 'linux') return null;
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => {
    try {
      return parseTable(readFileSync(path, 'latin1'));
    } catch {
      // A kernel without IPv6 has no second table.
      return null;
    }
  });
  if (tables[0] === null) return null;
  return tables.flatMap((table) => table ?? []);
}

/** Listening rows of `/proc/net/tcp` or `tcp6` (proc(5)): `sl local rem st … inode` with hexadecimal addresses. */
export function parseTable(text: string): readonly Listener[] {
  const listeners: Listener[] = [];
  for (const line of text.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    const [, local, , state] = fields;
    const inode = fields[9];
    if (state !== '0A' || local === undefined || inode === undefined) continue;
    const colon = local.indexOf(':');
    listeners.push({
      address: readAddress(local.slice(0, colon)),
      port: Number.parseInt(local.slice(colon + 1), 16),
      inode,
    });
  }
  return listeners;
}

/**
 * Whose socket takes a connection to this address and port.
 * @param members pids of our process tree.
 */
export function ownershipOf(address: LoopbackAddress, port: number, members: Iterable<number>): Ownership {
  const listeners = findListeners();
  if (listeners === null) return { kind: 'unknown' };
  const takers = takersOf(address, port, listeners);
  if (takers.length === 0) return { kind: 'nobody' };
  const ours = socketsOf(members);
  // Several sockets share a port with SO_REUSEPORT: one stranger among them would take a share of the load.
  const stranger = takers.find((taker) => !ours.has(taker.inode));
  if (stranger !== undefined) return { kind: 'foreign', owner: findOwner(stranger.inode) };
  return { kind: 'ours', pid: ours.get(takers[0]!.inode)! };
}

/** Whose socket takes a connection to this file. */
export function ownershipOfPath(path: string, members: Iterable<number>): Ownership {
  if (process.platform !== 'linux') return { kind: 'unknown' };
  let table: string;
  try {
    table = readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return { kind: 'unknown' };
  }
  const inode = listenerAt(path, table);
  if (inode === null) return { kind: 'nobody' };
  const ours = socketsOf(members).get(inode);
  return ours === undefined ? { kind: 'foreign', owner: findOwner(inode) } : { kind: 'ours', pid: ours };
}

/** `/proc/net/unix` (proc(5)): `Num RefCount Protocol Flags Type St Inode Path`; flag 0x10000 says that it listens. */
export function listenerAt(path: string, table: string): string | null {
  for (const line of table.split('\n').slice(1)) {
    const fields = /^\S+ \S+ \S+ (\S+) \S+ \S+ +(\d+) (.*)$/.exec(line);
    if (fields?.[3] === path && (Number.parseInt(fields[1]!, 16) & 0x10000) !== 0) return fields[2]!;
  }
  return null;
}

/** Ports on which these processes listen, ascending; null where the system does not tell. */
export function portsOf(members: Iterable<number>): readonly number[] | null {
  const listeners = findListeners();
  if (listeners === null) return null;
  const sockets = socketsOf(members);
  const ports = listeners.filter((one) => sockets.has(one.inode)).map((one) => one.port);
  return [...new Set(ports)].sort((one, other) => one - other);
}

/** Who holds a port on any address; null when nobody does or the system does not tell. */
export function holderOf(port: number): Holder | null {
  const held = findListeners()?.find((listener) => listener.port === port);
  return held === undefined ? null : { address: held.address, owner: findOwner(held.inode) };
}

/** The most specific sockets win, as in the kernel: the address itself, then the wildcards that cover it. */
function takersOf(
  address: LoopbackAddress,
  port: number,
  listeners: readonly Listener[],
): readonly Listener[] {
  const covering = {
    '127.0.0.1': [['127.0.0.1', '::ffff:127.0.0.1'], ['0.0.0.0'], ['::']],
    '::1': [['::1'], ['::']],
  }[address];
  for (const names of covering) {
    const found = listeners.filter((one) => one.port === port && names.includes(one.address));
    if (found.length > 0) return found;
  }
  return [];
}

function findOwner(inode: string): Owner | null {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid));
  const pid = socketsOf(pids, inode).get(inode);
  return pid === undefined ? null : { pid, command: commandOf(pid) };
}

/** Inode → pid of every socket these processes hold; stops at `wanted` when it is given. */
function socketsOf(pids: Iterable<number>, wanted?: string): ReadonlyMap<string, number> {
  const sockets = new Map<string, number>();
  for (const pid of pids) {
    for (const link of linksOf(pid)) {
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode !== undefined && !sockets.has(inode)) sockets.set(inode, pid);
      if (inode !== undefined && inode === wanted) return sockets;
    }
  }
  return sockets;
}

function* linksOf(pid: number): Generator<string> {
  let names: readonly string[];
  try {
    names = readdirSync(`/proc/${pid}/fd`);
  } catch {
    // Ended, or of another user.
    return;
  }
  for (const name of names) {
    try {
      yield readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      // Closed since the listing.
    }
  }
}

function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    return words.length > 80 ? `${words.slice(0, 79)}…` : words;
  } catch {
    return '';
  }
}

/** Each 32-bit word is printed as the machine stores it: on little-endian machines its bytes are in reverse. */
function readAddress(hex: string): string {
  const bytes: number[] = [];
  for (let word = 0; word < hex.length; word += 8) {
    const part = Buffer.from(hex.slice(word, word + 8), 'hex');
    bytes.push(...(isLittleEndian ? part.reverse() : part));
  }
  if (bytes.length === 4) return bytes.join('.');
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (mapped) return `::ffff:${bytes.slice(12).join('.')}`;
  if (bytes.every((byte) => byte === 0)) return '::';
  if (bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1) return '::1';
  return (Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? []).join(':');
}

const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

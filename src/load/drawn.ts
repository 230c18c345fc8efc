/** The requests of one slice as they are made, within bounds of number and memory. Pure. */
import { TailgateError } from '../kernel/errors.ts';
import { bytes, formatBytes, formatCount } from '../kernel/units.ts';
import type { PreparedRequest } from './protocol.ts';

/** Requests made for one slice, and what they may weigh: beyond either, they are used again in order. */
export const mostVariants = 50_000;
export const mostVariantBytes = bytes(64 * 1024 * 1024);
/** The head of a request, roughly. */
const headBytes = 300;

/** The requests of one slice as they are made. */
export class Drawn {
  readonly requests: PreparedRequest[] = [];
  readonly sequence: Uint16Array;
  /** Set when a shot had to use another one's request although its own would differ. */
  full = false;
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #made = new Map<number, number[]>();
  readonly #reused = new Map<number, number>();
  #bytes = 0;

  /** @param variants how many the other side of the pair has; null where this is the first. */
  constructor(shots: number, variants: number | null) {
    this.sequence = new Uint16Array(shots);
    this.#most = variants ?? mostVariants;
    // The other side's number is what counts: a longer session must not make another sequence.
    this.#mostBytes = variants === null ? mostVariantBytes : Number.POSITIVE_INFINITY;
  }

  /** The index of a request that is used again; null when one has to be made. */
  again(request: number, varies: boolean): number | null {
    const made = this.#made.get(request);
    if (made === undefined) return null;
    if (!varies) return made[0]!;
    if (this.requests.length < this.#most && this.#bytes < this.#mostBytes) return null;
    this.full = true;
    const turn = this.#reused.get(request) ?? 0;
    this.#reused.set(request, turn + 1);
    return made[turn % made.length]!;
  }

  /** @returns its index. */
  add(request: number, prepared: PreparedRequest): number {
    const index = this.requests.push(prepared) - 1;
    const made = this.#made.get(request);
    if (made === undefined) this.#made.set(request, [index]);
    else made.push(index);
    this.#bytes += headBytes + prepared.path.length + (prepared.body?.length ?? 0);
    return index;
  }
}

/** What to say where each shot needs a request of its own and not all fit. */
export function tooMany(scenario: string): TailgateError {
  const bounds = `${formatCount(mostVariants)} requests and ${formatBytes(mostVariantBytes)}`;
  return new TailgateError({
    code: 'usage',
    message: `scenario "${scenario}": \`order: unique\` needs a request of its own for every shot, and a slice holds at most ${bounds} of them`,
    hint: 'lower `slice-requests` or the size of the bodies, or use `order: sequential`',
  });
}

/** What the process in front of a service is told, and the command that starts it. */
import type { TransportSettings } from '../config/transport.ts';
import { TailgateError } from '../kernel/errors.ts';
import { type Nanoseconds, ns, type Ratio, ratio } from '../kernel/units.ts';

/** What is added to every side's requests without touching its code. */
export interface Planted {
  /** CPU time burnt for each request, before the service sees it. */
  readonly cpu: Nanoseconds;
  /** How long the delayed share of requests is held back, without CPU. Whole milliseconds: timers know no others. */
  readonly delay: Nanoseconds;
  readonly delayed: Ratio;
  /**
   * Whether that share is really held back. False for the side without delay: its front sets the same timers and
   * waits for none of them, so that what timers cost is no difference between the sides.
   */
  readonly held: boolean;
}

export const nothingPlanted: Planted = { cpu: ns(0), delay: ns(0), delayed: ratio(0), held: true };

export interface FrontOrder {
  /** The service's own start command. */
  readonly start: string;
  /** Where the service itself listens; `PORT` of the front is where the gate asks. */
  readonly port: number;
  readonly planted: Planted;
}

/** Taken out again before the service is started, so that the service of neither side can see it. */
export const frontVariable = 'TAILGATE_FRONT';

/**
 * The start command of a service behind a front.
 * @param entry file of the built front.
 */
export function behindFront(
  entry: string,
  order: FrontOrder,
): { readonly command: string; readonly env: Readonly<Record<string, string>> } {
  return {
    command: [process.execPath, entry].map(quoted).join(' '),
    env: { [frontVariable]: JSON.stringify(order) },
  };
}

/**
 * A front passes bytes on and tells requests apart by who speaks: plain HTTP/1.1 over TCP only.
 * @throws TailgateError `usage` naming the setting that a front cannot stand before.
 */
export function refuseFront({ https, http2, unixSocket }: TransportSettings): void {
  const given = https !== null ? 'https' : http2 !== null ? 'http2' : unixSocket ? 'unix-socket' : null;
  if (given === null) return;
  throw new TailgateError({
    code: 'usage',
    message: `\`transport: { ${given}: true }\`: the self-test plants what it finds in plain HTTP/1.1 over a port only`,
    hint: `check the gate with a configuration without \`${given}\`: how it judges does not depend on it`,
  });
}

/** @throws TailgateError `usage` when the front is started by hand. */
export function readFrontOrder(text: string | undefined): FrontOrder {
  if (text !== undefined) return JSON.parse(text) as FrontOrder;
  throw new TailgateError({
    code: 'usage',
    message: `${frontVariable} is not set: this process is started by tailgate self-test only`,
    hint: 'run tailgate self-test',
  });
}

function quoted(text: string): string {
  return process.platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}

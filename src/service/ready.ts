/** Asks a service on every address of `localhost` whether it is ready, until one of them answers rightly. */
import type { StatusRange } from '../config/settings.ts';
import type { Transport } from '../config/transport.ts';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { msToNs, ns } from '../kernel/units.ts';
import type { Clock } from '../kernel/world.ts';
import type { LoopbackAddress } from './listeners.ts';
import { addressesOf, beyondOrigin, originOf, type Place } from './place.ts';

/** One GET; rejects when there was no answer. Redirects must not be followed. */
export type HttpGet = (
  url: string,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly timeout: Nanoseconds;
    readonly signal?: AbortSignal;
    /** What the address does not say. */
    readonly target?: { readonly host: string | null; readonly transport?: Transport };
  },
) => Promise<{ readonly status: number }>;

export interface ReadyRule {
  readonly path: string;
  readonly status: readonly StatusRange[];
  readonly headers: Readonly<Record<string, string>>;
}

/** What one address said when it was asked last. */
export type Probe =
  | { readonly kind: 'not-asked' }
  | { readonly kind: 'no-answer'; readonly why: string; readonly hint?: string }
  /** An answer, but not one the rule accepts. */
  | { readonly kind: 'unready'; readonly status: number }
  | { readonly kind: 'ready'; readonly status: number };

export type Probes = Readonly<Record<LoopbackAddress, Probe>>;

export interface Readiness {
  readonly address: LoopbackAddress;
  readonly origin: string;
}

const firstPause = msToNs(20);
const longestPause = msToNs(100);
/** Of one GET: a service may take long over its first page, but a lost answer must not end the asking. */
const probeTimeout = msToNs(10_000);
/** How long a preferred address may lag behind another that is ready already. */
const preferredLag = msToNs(150);

export interface ReadyOptions {
  readonly place: Place;
  readonly rule: ReadyRule;
  readonly httpGet: HttpGet;
  readonly clock: Clock;
  /** Ends the asking; the returned promise then rejects. */
  readonly signal: AbortSignal;
  /** Hears of every answer, for the message in case none is right. */
  readonly onProbe: (address: LoopbackAddress, probe: Probe) => void;
}

/**
 * Polls 127.0.0.1 and ::1 side by side and resolves with the one that answered as the rule wants. When both do,
 * 127.0.0.1 is taken, so that both sides of a job use the same. A 3xx is an answer like any other and is not
 * followed: it is ready only when the rule lists it.
 */
export async function untilReady(options: ReadyOptions): Promise<Readiness> {
  const { clock, signal } = options;
  const polls = new AbortController();
  const stop = (): void => polls.abort();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const addresses = addressesOf(options.place);
    const answers = addresses.map((address) => pollAddress(address, options, polls.signal));
    for (const answer of answers) answer.catch(() => undefined);
    const [preferred, ...others] = answers;
    const first = await Promise.race(answers);
    if (first === addresses[0] || others.length === 0) return readiness(first, options.place);
    const lag = clock.sleep(preferredLag, polls.signal).then(() => first);
    lag.catch(() => undefined);
    return readiness(await Promise.race([preferred!, lag]), options.place);
  } finally {
    signal.removeEventListener('abort', stop);
    polls.abort();
  }
}

async function pollAddress(
  address: LoopbackAddress,
  options: ReadyOptions,
  signal: AbortSignal,
): Promise<LoopbackAddress> {
  const url = `${originOf(address, options.place)}${options.rule.path}`;
  let pause = firstPause;
  for (;;) {
    const probe = await probeOnce(url, options, signal);
    signal.throwIfAborted();
    options.onProbe(address, probe);
    if (probe.kind === 'ready') return address;
    await options.clock.sleep(pause, signal);
    pause = ns(Math.min(pause * 1.25, longestPause));
  }
}

async function probeOnce(url: string, options: ReadyOptions, signal: AbortSignal): Promise<Probe> {
  const { rule, place } = options;
  try {
    const { status } = await options.httpGet(url, {
      headers: rule.headers,
      timeout: probeTimeout,
      signal,
      target: beyondOrigin(place),
    });
    const right = rule.status.some((range) => status >= range.from && status <= range.to);
    return { kind: right ? 'ready' : 'unready', status };
  } catch (error) {
    const hint = error instanceof TailgateError ? error.hint : undefined;
    return { kind: 'no-answer', why: reasonOf(error), ...(hint === undefined ? {} : { hint }) };
  }
}

function readiness(address: LoopbackAddress, place: Place): Readiness {
  return { address, origin: originOf(address, place) };
}

/** The code of the innermost cause: clients wrap `ECONNREFUSED` in messages that say less. */
function reasonOf(error: unknown): string {
  let reason = messageOf(error);
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code = (at as NodeJS.ErrnoException).code;
    if (code === 'ECONNREFUSED') return 'connection refused';
    if (code === 'ENOENT') return 'no such socket';
    if (at.message !== '') reason = at.message;
  }
  return reason;
}

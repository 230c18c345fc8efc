/** What goes over the wire and through which client: requests in its form, one socket at a time, a GET by itself (the only door to undici). */
import type { Dispatcher } from 'undici';
import { Client } from 'undici';
import type { Nanoseconds } from '../kernel/units.ts';
import type { PreparedRequest, Target } from './protocol.ts';

/** A request in the form the client takes it, made once a slice. */
export type WireRequest = Dispatcher.DispatchOptions;

/** What hears of a request's progress. */
export type WireHandler = Dispatcher.DispatchHandler;
export type WireController = Dispatcher.DispatchController;

/** One socket to an origin, opened by the first request and again after it was closed. */
export interface WireClient {
  /** Never throws: what goes wrong is told to the handler. */
  dispatch(request: WireRequest, handler: WireHandler): void;
  /** Closes the socket; a request on its way fails. */
  destroy(): Promise<void>;
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

/** @param on is told whenever the client's socket opens and closes. */
export function openClient(
  origin: string,
  on: { readonly connect: () => void; readonly disconnect: () => void },
): WireClient {
  const client = new Client(origin, clientOptions);
  client.on('connect', on.connect);
  client.on('disconnect', on.disconnect);
  return client;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** At most the first 16 KiB, as UTF-8. */
  readonly body: string;
}

const bodyStart = 16 * 1024;

/** A request by itself. */
export interface SingleRequest {
  readonly method: string;
  readonly path: string;
  /** By name, or names and values in turns. */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly body: Uint8Array | null;
}

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
  const request = { method: 'GET', path: pathname + search, headers: options.headers ?? {}, body: null };
  return await httpSend(origin, request, options.timeout);
}

/** One request of any kind; otherwise as `httpGet`. */
export async function httpSend(
  origin: string,
  { method, path, headers, body: sent }: SingleRequest,
  timeout: Nanoseconds,
): Promise<HttpAnswer> {
  const client = new Client(origin, { ...clientOptions, pipelining: 0 });
  try {
    const {
      statusCode,
      headers: answered,
      body,
    } = await client.request({
      method: method as Dispatcher.HttpMethod,
      path,
      headers: Array.isArray(headers) ? [...headers] : { ...(headers as Record<string, string>) },
      body: sent,
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(timeout / 1e6))),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= bodyStart) break;
    }
    const text = Buffer.concat(chunks).subarray(0, bodyStart).toString('utf8');
    return { status: statusCode, headers: answered, body: text };
  } finally {
    await client.destroy();
  }
}

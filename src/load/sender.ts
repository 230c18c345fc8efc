/** What goes over the wire and through which client: requests in its form, one socket at a time, a GET by itself (the only door to undici). */
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import { buildConnector, Client } from 'undici';
import type { Tls, Transport } from '../config/transport.ts';
import { TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { failureClass, noHttp2, wayOutOf } from './failures.ts';
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

/** Makes the wire form of requests; the target's Host header is added unless the request brings its own. */
export function toWire(requests: readonly SingleRequest[], target: Target): readonly WireRequest[] {
  const { host, origin, transport } = target;
  const extras = extrasOf(origin, transport);
  return requests.map((request) => {
    const headers = [...request.headers];
    const hasHost = headers.some((text, index) => index % 2 === 0 && text.toLowerCase() === 'host');
    if (host !== null && !hasHost) headers.push('host', host);
    return {
      method: request.method as Dispatcher.HttpMethod,
      path: request.path,
      headers,
      body: request.body,
      ...extras,
    };
  });
}

/** What depends on the connection alone. */
function extrasOf(origin: string, transport: Transport | undefined): Partial<WireRequest> {
  const name =
    transport?.tls === undefined || transport.tls === null ? null : serverNameOf(origin, transport.tls);
  return {
    // The same for all: the client would connect anew for a request of another name.
    ...(name === null ? {} : { servername: name }),
    // Over HTTP/2 the client keeps other methods back until nothing else is on its way; nothing is ever sent again.
    ...(transport?.http2 === undefined || transport.http2 === null ? {} : { idempotent: true }),
  };
}

/** null for an address without a name: then any request's Host header names it. */
function serverNameOf(origin: string, tls: Tls): string | null {
  if (tls.serverName !== null) return tls.serverName;
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? host : null;
}

const clientOptions: Client.Options = {
  pipelining: 1,
  // Deadlines are the driver's, from the due time; the client's own timers are ±500 ms above one second.
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 60_000,
  // A service that announces its keep-alive time is left half a second before that: fewer resets on reuse.
  keepAliveTimeoutThreshold: 500,
};
const longestConnect = 60_000;

/** Makes the clients of one way to reach an origin: what a connection needs is prepared once. */
export class ClientMaker {
  readonly #origin: string;
  readonly #options: Client.Options;
  /** Requests that may share a connection at the same time. */
  readonly streams: number;

  /** @throws when certificate and key do not fit. */
  constructor(origin: string, transport: Transport | undefined) {
    const { tls = null, http2 = null, keepAlive = true, socketPath = null } = transport ?? {};
    this.#origin = origin;
    this.streams = http2?.streams ?? 1;
    const options: buildConnector.BuildOptions & { useH2c: boolean } = {
      timeout: Math.ceil((transport?.connectTimeout ?? longestConnect * 1e6) / 1e6),
      ...(socketPath === null ? {} : { socketPath }),
      allowH2: http2 !== null && tls !== null,
      useH2c: http2 !== null && tls === null,
      ...(tls === null ? {} : secureOptions(origin, tls)),
    };
    const connect = buildConnector(options);
    this.#options = {
      ...clientOptions,
      // 0 closes a connection after its request, and says so to the service.
      pipelining: keepAlive ? this.streams : 0,
      connect: http2 === null ? connect : orRefuse(connect),
    };
  }

  /** @param on is told whenever the client's socket opens and closes. */
  open(on: { readonly connect: () => void; readonly disconnect: () => void }): WireClient {
    const client = new Client(this.#origin, this.#options);
    client.on('connect', on.connect);
    client.on('disconnect', on.disconnect);
    return client;
  }

  /** For one request; see `httpGet`. */
  once(): Client {
    return new Client(this.#origin, { ...this.#options, pipelining: this.streams > 1 ? 1 : 0 });
  }
}

function secureOptions(origin: string, tls: Tls): buildConnector.BuildOptions {
  const servername = serverNameOf(origin, tls);
  const { ca, cert, key } = tls;
  return {
    secureContext: createSecureContext({
      ...(ca === null ? {} : { ca }),
      ...(cert === null ? {} : { cert }),
      ...(key === null ? {} : { key }),
    }),
    rejectUnauthorized: !tls.insecure,
    ...(servername === null ? {} : { servername }),
    // Whether a session can be taken up again would depend on garbage collection: every connect is a whole one.
    maxCachedSessions: 0,
  };
}

/** Several requests at a time on a connection that turned out to be HTTP/1.1 would be pipelined. */
function orRefuse(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[problem, socket]: buildConnector.CallbackArgs) => {
      // Of a failed connect there is no socket, which the types call null and the client leaves out.
      if (!socket || (socket as { alpnProtocol?: unknown }).alpnProtocol === 'h2') {
        callback(...([problem, socket] as buildConnector.CallbackArgs));
        return;
      }
      socket.destroy();
      callback(Object.assign(new Error('the service chose HTTP/1.1'), { code: noHttp2 }), null);
    });
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** At most the first 16 KiB, as UTF-8. */
  readonly body: string;
}

const bodyStart = 16 * 1024;

/** A request by itself. */
export type SingleRequest = Pick<PreparedRequest, 'method' | 'path' | 'headers' | 'body'>;

/**
 * One GET on a connection of its own: for readiness probes and the like, never for shots. Redirects are answers.
 * @param options.timeout for the whole of it.
 * @param options.target what the address does not say.
 * @throws TailgateError `service-failed` when no secure connection comes about, with the way out; else the client's
 * error (its `code` tells why) when there is no whole answer in time.
 */
export async function httpGet(
  url: string | URL,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly timeout: Nanoseconds;
    readonly target?: Omit<Target, 'origin'>;
  },
): Promise<HttpAnswer> {
  const { origin, pathname, search } = new URL(url);
  const headers = Object.entries(options.headers ?? {}).flat();
  const request = { method: 'GET', path: pathname + search, headers, body: null };
  return await httpSend({ host: null, ...options.target, origin }, request, options.timeout);
}

/** One request of any kind; otherwise as `httpGet`. */
export async function httpSend(
  target: Target,
  request: SingleRequest,
  timeout: Nanoseconds,
): Promise<HttpAnswer> {
  const client = new ClientMaker(target.origin, target.transport).once();
  try {
    const { statusCode, headers, body } = await client.request({
      ...toWire([request], target)[0]!,
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
    return { status: statusCode, headers, body: text };
  } catch (error) {
    throw explained(error);
  } finally {
    await client.destroy();
  }
}

/** An error of a secure connection in our words, with the way out; others as they are. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const name = failureClass(error, false);
  const hint = wayOutOf(name);
  return hint === null ? error : new TailgateError({ code: 'service-failed', message: name, hint });
}

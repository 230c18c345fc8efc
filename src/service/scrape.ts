/** One GET of a metrics page, on a connection of its own: bounded in time and size, with a reason when there is none. */
import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import type { Transport } from '../config/transport.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { bytes, formatBytes, formatDuration, nsToMs, secondsToNs } from '../kernel/units.ts';

/** A page, or a sentence on why there is none. */
export type Page =
  | { readonly kind: 'page'; readonly text: string }
  | { readonly kind: 'none'; readonly reason: string };

export interface PageAddress {
  readonly origin: string;
  readonly transport?: Pick<Transport, 'tls' | 'socketPath'> | undefined;
}

/** For the whole of it. */
const patience = secondsToNs(5);
/** Endpoints with more hold a series per user, and rendering that would cost more than what is measured. */
const largest = bytes(8 * 1024 * 1024);

/**
 * Never rejects.
 * @param at where it is answered, e.g. `http://127.0.0.1:20123`, and how; over HTTP/1.1 in any case.
 */
export function scrape(at: PageAddress, path: string, timeout: Nanoseconds = patience): Promise<Page> {
  const { origin, transport } = at;
  const none = (reason: string): Page => ({ kind: 'none', reason: `GET ${path} ${reason}` });
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(nsToMs(timeout));
    const late = (): void => resolve(none(`gave no whole answer within ${formatDuration(timeout)}`));
    const failed = (error: Error): void =>
      signal.aborted ? late() : resolve(none(`got no answer: ${messageOf(error)}`));
    const answered = (response: IncomingMessage): void => {
      const { statusCode: status } = response;
      if (status !== 200) {
        response.destroy();
        resolve(none(`answered ${status}, wanted 200`));
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= largest) return;
        response.destroy();
        resolve(none(`answered more than ${formatBytes(largest)}`));
      });
      response.once('error', failed);
      response.once('end', () => resolve({ kind: 'page', text: Buffer.concat(chunks).toString('utf8') }));
    };
    const options = {
      // A kept connection would be closed by the service at a moment of its own, now and then just while we ask.
      agent: false as const,
      signal,
      headers: { accept: 'text/plain;version=0.0.4,*/*;q=0.1', 'accept-encoding': 'identity' },
      // On loopback, of a listener that was proven ours: its certificate proves nothing more.
      rejectUnauthorized: false,
      ...identityOf(transport?.tls ?? null),
      ...(transport?.socketPath ? { socketPath: transport.socketPath } : {}),
    };
    const get = origin.startsWith('https:') ? httpsGet : httpGet;
    try {
      get(`${origin}${path}`, options, answered).once('error', failed);
    } catch (error) {
      resolve(none(`cannot be sent: ${messageOf(error)}`));
    }
  });
}

/** Who we say we are, and whom we ask for. */
function identityOf(tls: Transport['tls']): { cert?: string; key?: string; servername?: string } {
  if (tls === null) return {};
  const { cert, key, serverName } = tls;
  return {
    ...(cert === null || key === null ? {} : { cert, key }),
    ...(serverName === null ? {} : { servername: serverName }),
  };
}

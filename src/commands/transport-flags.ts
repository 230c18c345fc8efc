/** The flags that say how a running service is reached: TLS, HTTP/2, a Unix socket, connections that are not kept. */
import { resolve } from 'node:path';
import { readTls, type Transport } from '../config/transport.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { secondsToNs } from '../kernel/units.ts';
import { type Command, durationFlag, type Flag, type FlagValues, text, usage } from './command.ts';

const streams = 100;

export const transportFlags: Readonly<Record<string, Flag>> = {
  'no-keep-alive': { type: 'boolean', help: 'a connection a request' },
  'connect-timeout': { type: 'string', value: '2s', help: 'until a connection stands' },
  ca: { type: 'string', value: 'FILE', help: 'what signed the certificate of an https URL, in PEM' },
  cert: { type: 'string', value: 'FILE', help: 'client certificate in PEM' },
  key: { type: 'string', value: 'FILE', help: 'its key in PEM' },
  'server-name': { type: 'string', value: 'NAME', help: 'the name to look for in the certificate' },
  insecure: { type: 'boolean', help: 'take any certificate' },
  http2: { type: 'boolean', help: `HTTP/2, up to ${streams} requests at once on a connection` },
  'unix-socket': { type: 'string', value: 'PATH', help: 'connect there; the URL gives path and host' },
};

const ofTls = ['ca', 'cert', 'key', 'server-name', 'insecure'] as const;

/**
 * @param directory to which files are relative.
 * @throws TailgateError `usage` naming what does not go together or cannot be read.
 */
export function readTransportFlags(
  command: Command,
  url: URL,
  flags: FlagValues,
  directory: string,
): Transport {
  const secure = url.protocol === 'https:';
  const given = ofTls.find((name) => flags[name] !== undefined);
  if (!secure && given !== undefined) {
    throw usage(
      command,
      `--${given} says something of TLS, and ${url.origin} has none; it wants an https URL`,
    );
  }
  if (flags['cert'] !== undefined && flags['key'] === undefined) {
    throw usage(command, '--cert is nothing without its key; give --key as well');
  }
  const http2 = flags['http2'] === true ? { streams } : null;
  const keepAlive = flags['no-keep-alive'] !== true;
  if (http2 !== null && !keepAlive) {
    throw usage(command, '--http2 shares connections among requests; drop it, or --no-keep-alive');
  }
  const file = (name: string): string | null => text(flags, name) ?? null;
  const tls = secure
    ? readTls(
        {
          ca: file('ca'),
          cert: file('cert'),
          key: file('key'),
          insecure: flags['insecure'] === true,
          serverName: file('server-name'),
        },
        directory,
        { ca: '--ca', cert: '--cert', key: '--key' },
      )
    : null;
  const socket = file('unix-socket');
  return {
    keepAlive,
    connectTimeout: connectTimeout(flags),
    tls,
    http2,
    socketPath: socket === null ? null : resolve(directory, socket),
  };
}

const connectTimeout = (flags: FlagValues): Nanoseconds | null =>
  durationFlag(flags, 'connect-timeout', secondsToNs(60)) ?? null;

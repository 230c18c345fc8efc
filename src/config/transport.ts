/** How requests reach a service: what tailgate.yml says, and the same with its files read. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';

/** Files are relative to the project, or absolute. */
export interface TlsSettings {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  /** Any certificate will do. */
  readonly insecure: boolean;
  /** The name that is asked for and that the certificate must bear. */
  readonly serverName: string;
}

export interface TransportSettings {
  /** false: a connection a request. */
  readonly keepAlive: boolean;
  /** null: only the time-out of the shot ends a connect. */
  readonly connectTimeout: Nanoseconds | null;
  /** null: plain HTTP. */
  readonly https: TlsSettings | null;
  /** null: HTTP/1.1. */
  readonly http2: { readonly streams: number } | null;
  /** The service listens on a Unix socket instead of a port. */
  readonly unixSocket: boolean;
}

/** What a TLS connection needs, as contents in PEM. */
export interface Tls {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly insecure: boolean;
  /** null: the name in the address, where it has one. */
  readonly serverName: string | null;
}

/** As the sender wants it. */
export interface Transport {
  readonly keepAlive: boolean;
  readonly connectTimeout: Nanoseconds | null;
  readonly tls: Tls | null;
  /** Streams are requests that share a connection at the same time. */
  readonly http2: { readonly streams: number } | null;
  readonly socketPath: string | null;
}

/** How each file is named to the user: a key of the file, or a flag. */
export interface TlsNames {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const keysOfFile: TlsNames = {
  ca: 'transport.https.ca',
  cert: 'transport.https.cert',
  key: 'transport.https.key',
};

/**
 * Reads the files of a TLS connection.
 * @param directory the project, to which they are relative.
 * @throws TailgateError `usage` naming the key and the file that cannot be used.
 */
export function readTls(
  settings: Omit<TlsSettings, 'serverName'> & Pick<Tls, 'serverName'>,
  directory: string,
  names: TlsNames = keysOfFile,
): Tls {
  const read = (key: keyof TlsNames, block: RegExp, wanted: string): string | null => {
    const file = settings[key];
    return file === null ? null : readPem(names[key], resolve(directory, file), block, wanted);
  };
  const tls: Tls = {
    ca: read('ca', /-----BEGIN (TRUSTED )?CERTIFICATE-----/, 'certificates in PEM'),
    cert: read('cert', /-----BEGIN (TRUSTED )?CERTIFICATE-----/, 'a certificate in PEM'),
    key: read('key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'a private key in PEM, without a passphrase'),
    insecure: settings.insecure,
    serverName: settings.serverName,
  };
  try {
    createSecureContext(secureFiles(tls));
  } catch (cause) {
    const given = [names.ca, names.cert, names.key].filter((_, index) => [tls.ca, tls.cert, tls.key][index]);
    throw new TailgateError({
      code: 'usage',
      message: `${given.join(', ')}: no secure connection can be made with these files: ${messageOf(cause)}`,
      hint: `${names.key} must be the key that ${names.cert} was made for`,
      cause,
    });
  }
  return tls;
}

/** In the words of Node; what is not given is left to its defaults. */
function secureFiles({ ca, cert, key }: Tls): { ca?: string; cert?: string; key?: string } {
  return {
    ...(ca === null ? {} : { ca }),
    ...(cert === null ? {} : { cert }),
    ...(key === null ? {} : { key }),
  };
}

function readPem(name: string, path: string, block: RegExp, wanted: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new TailgateError({
      code: 'usage',
      message: `${name}: ${path} cannot be read: ${messageOf(cause)}`,
      hint: `it wants a file with ${wanted}, relative to the project or absolute; \`setup\` may make it`,
      cause,
    });
  }
  if (block.test(text) && !text.includes('ENCRYPTED')) return text;
  throw new TailgateError({
    code: 'usage',
    message: `${name}: ${path} has no ${wanted.replace(/^an? /, '')}`,
    hint: `it wants ${wanted}: a text with a line such as -----BEGIN ${name.endsWith('key') ? 'PRIVATE KEY' : 'CERTIFICATE'}-----`,
  });
}

/**
 * @param directory the built project of the side.
 * @param socketPath where the service listens when it has no port.
 * @throws TailgateError `usage` naming the key and the file that cannot be used.
 */
export function readTransport(
  settings: TransportSettings,
  directory: string,
  socketPath: string | null,
): Transport {
  const { keepAlive, connectTimeout, https, http2 } = settings;
  return {
    keepAlive,
    connectTimeout,
    tls: https === null ? null : readTls(https, directory),
    http2,
    socketPath,
  };
}

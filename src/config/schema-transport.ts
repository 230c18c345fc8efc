/** How requests reach the service: the `transport` group of tailgate.yml. */
import { z } from 'zod';
import { serverNameForm, tlsFileForm } from './forms.ts';
import { duration, formed, group, truth, whole } from './schema-values.ts';
import type { TransportSettings } from './transport.ts';

const file = (what: string) => formed(tlsFileForm).nullable().default(null).describe(what);

const secure = group({
  ca: file('What signed the certificate of the service, in PEM; a self-signed one signs itself.'),
  cert: file('A client certificate in PEM, with its key.'),
  key: file('The key of that certificate in PEM, without a passphrase.'),
  insecure: truth.default(false).describe('Take any certificate.'),
  'server-name': formed(serverNameForm)
    .default('localhost')
    .describe('Asked for, and looked for in the certificate.'),
}).refine((value) => (value.cert ?? null) === null || (value.key ?? null) !== null, {
  path: ['key'],
  error: '`cert` is nothing without its key: give both',
  when: () => true,
});

const httpsError = 'wanted true, false, or a group of keys such as { ca: certs/ca.pem }';

export const transport = group({
  'keep-alive': truth.default(true).describe('false: a connection a request.'),
  'connect-timeout': duration('1ms', '60s')
    .nullable()
    .prefault(null)
    .describe('Until a connection stands; null: only `timeout` ends it.'),
  https: z
    .union([truth, secure], { error: httpsError })
    .default(false)
    .describe('Files are relative to the project or absolute; `setup` may make them.'),
  http2: truth.default(false).describe('Without https by prior knowledge; never HTTP/1.1 instead.'),
  'http2-streams': whole(1, 1000).default(100).describe('Requests that may share a connection at once.'),
  'unix-socket': truth
    .default(false)
    .describe('The service listens on a socket file: it gets SOCKET, and {socket} is replaced.'),
})
  .refine((value) => value['keep-alive'] !== false || value.http2 !== true, {
    path: ['keep-alive'],
    error: 'HTTP/2 shares connections among requests: drop `http2`, or `keep-alive: false`',
    when: () => true,
  })
  .prefault({});

/** In the words of the house. */
export function toTransport(file: z.output<typeof transport>): TransportSettings {
  const { https } = file;
  const all = https === true ? secure.parse({}) : https;
  return {
    keepAlive: file['keep-alive'],
    connectTimeout: file['connect-timeout'],
    https:
      all === false
        ? null
        : {
            ca: all.ca,
            cert: all.cert,
            key: all.key,
            insecure: all.insecure,
            serverName: all['server-name'],
          },
    http2: file.http2 ? { streams: file['http2-streams'] } : null,
    unixSocket: file['unix-socket'],
  };
}

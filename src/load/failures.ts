/** Why a shot got no whole response, in the words of the report. Pure. */

/** The code and the class of a service that was asked for HTTP/2 and chose HTTP/1.1. */
export const noHttp2 = 'no HTTP/2 offered';

const resets: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'UND_ERR_SOCKET',
  'UND_ERR_INFO',
]);

/** What is wrong with a secure connection, by the code of the error; the way out stands beside it. */
const secureProblems: Readonly<Record<string, readonly string[]>> = {
  'certificate not trusted': [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_UNTRUSTED',
    'CERT_SIGNATURE_FAILURE',
    'INVALID_CA',
  ],
  'certificate expired': ['CERT_HAS_EXPIRED'],
  'certificate not valid yet': ['CERT_NOT_YET_VALID'],
  'certificate of another name': ['ERR_TLS_CERT_ALTNAME_INVALID'],
  'not TLS': ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'],
  'client certificate refused': [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE',
  ],
  'client certificate and key do not match': ['ERR_OSSL_X509_KEY_VALUES_MISMATCH'],
  [noHttp2]: [noHttp2],
  'not HTTP/2': ['ERR_HTTP2_ERROR', 'ERR_HTTP2_SESSION_ERROR'],
};
const secureClasses: ReadonlyMap<string, string> = new Map(
  Object.entries(secureProblems).flatMap(([name, codes]) => codes.map((code) => [code, name] as const)),
);

/** @returns the way out of what `failureClass` named; null where the class says it all. */
export function wayOutOf(failure: string): string | null {
  switch (failure) {
    case 'certificate not trusted':
      return 'Name the certificate that signed it (a self-signed one signs itself) as `ca`, or take any with `insecure`.';
    case 'certificate expired':
    case 'certificate not valid yet':
      return 'Make a new certificate, or take any with `insecure`; the clock of this machine may be wrong as well.';
    case 'certificate of another name':
      return 'Give a name that the certificate bears as `server-name`, or take any with `insecure`.';
    case 'not TLS':
      return 'Something else than TLS answered: the service may listen with plain HTTP. Drop `https`, or turn it on in the service.';
    case 'client certificate refused':
    case 'client certificate and key do not match':
      return 'Give the certificate the service accepts as `cert`, and the key it was made for as `key`.';
    case noHttp2:
    case 'not HTTP/2':
      return 'Turn HTTP/2 on in the service, or drop `http2`.';
    default:
      return null;
  }
}

/**
 * The class of a failure, for a reader and for the soundness checks.
 * @param reusedUnanswered the socket had served before and no byte of this response had come: the keep-alive race.
 */
export function failureClass(error: Error, reusedUnanswered: boolean): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (resets.has(code)) return reusedUnanswered ? 'reset on reuse' : 'connection reset';
  const insecure = secureClasses.get(code);
  if (insecure !== undefined) return insecure;
  switch (code) {
    case 'ENOENT':
      return 'no such socket';
    case 'EACCES':
      return 'socket not permitted';
    case 'ECONNREFUSED':
      return 'connection refused';
    case 'EMFILE':
    case 'ENFILE':
      return 'descriptors exhausted';
    case 'EADDRNOTAVAIL':
    case 'EADDRINUSE':
      return 'ports exhausted';
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'connect timed out';
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
    case 'EHOSTDOWN':
      return 'host unreachable';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'host not found';
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return 'body cut short';
    case 'UND_ERR_HEADERS_OVERFLOW':
      return 'headers too large';
    default:
      // Its code is missing for what is not HTTP from the first byte on.
      if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'not HTTP';
      return code === '' ? `other: ${error.message.slice(0, 80)}` : `other: ${code}`;
  }
}

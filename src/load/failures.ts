/** Why a shot got no whole response, in the words of the report. Pure. */

const resets: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'UND_ERR_SOCKET',
  'UND_ERR_INFO',
]);

/**
 * The class of a failure, for a reader and for the soundness checks.
 * @param reusedUnanswered the socket had served before and no byte of this response had come: the keep-alive race.
 */
export function failureClass(error: Error, reusedUnanswered: boolean): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (resets.has(code)) return reusedUnanswered ? 'reset on reuse' : 'connection reset';
  switch (code) {
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

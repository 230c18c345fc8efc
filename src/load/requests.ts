/** Requests as configured → requests made before the clock starts, with what the client cannot send refused by name. Pure. */
import type { StatusRange } from '../config/settings.ts';
import type { Warning } from '../kernel/errors.ts';
import { TailgateError } from '../kernel/errors.ts';
import type { PreparedRequest } from './protocol.ts';

/** A request as it will be sent, every template filled in. */
export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly expect: { readonly status: readonly StatusRange[] };
}

export interface PreparedRequests {
  readonly requests: readonly PreparedRequest[];
  readonly warnings: readonly Warning[];
}

/** Headers that belong to the connection, which is the client's; with the reason a reader needs. */
const refusedHeaders: ReadonlyMap<string, string> = new Map([
  ['connection', 'sockets are kept open between requests and reused'],
  ['keep-alive', 'sockets are kept open between requests and reused'],
  ['transfer-encoding', 'the body is sent with its length'],
  ['expect', 'the body is sent without asking first'],
  ['upgrade', 'only HTTP/1.1 requests with one response each can be measured'],
]);

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What HTTP/1.1 allows in a value and one byte can hold: tab, visible ASCII, Latin-1. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const pathCharacters = /^\/[\x21-\xff]*$/;
/** Methods whose body a server may ignore, after which the rest of it would be read as the next request. */
const bodyless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/**
 * Makes the requests of a scenario: headers flattened to names and values in turns, bodies as bytes; the
 * Content-Length is left to the client.
 * @throws TailgateError `usage` naming every header, method and path that cannot be sent, in one message.
 */
export function prepareRequests(settings: readonly PlainRequest[]): PreparedRequests {
  const problems: string[] = [];
  const warnings: Warning[] = [];
  const requests = settings.map((request) => {
    if (request.method === 'HEAD') warnings.push(headReconnects(nameOf(request)));
    return prepare(request, problems, warnings);
  });
  if (problems.length > 0) {
    throw new TailgateError({
      code: 'usage',
      message: problems.join('\n'),
      hint: 'Change or remove what is named here in the scenario’s requests.',
    });
  }
  return { requests, warnings };
}

/** Without the query, which may carry what nobody should read. */
const nameOf = ({ method, path }: PlainRequest): string => `${method} ${path.split('?', 1)[0]}`;

/** Of a request that is given by itself; of a configuration it is said when that is read, once a scenario. */
const headReconnects = (name: string): Warning => ({
  code: 'head-reconnects',
  message: `${name}: the client opens a new connection for every HEAD request, and that is part of its response time.`,
  hint: 'Measure a GET of the same path if connections are not what you want to see.',
});

/** One request; what is wrong with it is added to `problems`, what is odd to `warnings`. */
export function prepare(settings: PlainRequest, problems: string[], warnings: Warning[]): PreparedRequest {
  const name = nameOf(settings);
  const body = typeof settings.body === 'string' ? new TextEncoder().encode(settings.body) : settings.body;
  if (!token.test(settings.method) || settings.method.toUpperCase() === 'CONNECT') {
    problems.push(`${name}: the method "${settings.method}" cannot be sent; wanted one such as GET or POST`);
  }
  if (!pathCharacters.test(settings.path)) {
    problems.push(
      `${name}: the path must start with "/" and hold, its query included, no spaces or characters beyond Latin-1; write those percent-encoded`,
    );
  }
  if (body !== null && body.length > 0 && bodyless.has(settings.method)) {
    warnings.push({
      code: 'unusual-body',
      message: `${name} carries a body, which servers may ignore or refuse.`,
      hint: 'Use POST, PUT or PATCH, or remove the body.',
    });
  }
  return {
    method: settings.method,
    path: settings.path,
    headers: flatten(name, settings.headers, body, problems),
    body,
    expected: settings.expect.status.map(({ from, to }) => ({ from, to })),
  };
}

function flatten(
  request: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | null,
  problems: string[],
): readonly string[] {
  const flat: string[] = [];
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const refusal = refusedHeaders.get(lower);
    if (refusal !== undefined) {
      problems.push(`${request}: the header "${name}" cannot be set, because ${refusal}; remove it`);
    } else if (!token.test(name)) {
      problems.push(`${request}: "${name}" is not the name of a header; wanted letters, digits and dashes`);
    } else if (!headerValue.test(value)) {
      problems.push(
        `${request}: the value of the header "${name}" holds a line end, a control character or one beyond Latin-1`,
      );
    } else if (lower === 'host' && seen.has(lower)) {
      problems.push(`${request}: the header "host" is there twice; keep one`);
    } else if (lower === 'content-length') {
      const length = body?.length ?? 0;
      if (value.trim() !== String(length)) {
        problems.push(
          `${request}: the header "${name}" says ${value}, but the body has ${length} bytes; remove it, it is counted for you`,
        );
      }
    } else {
      flat.push(name, value);
    }
    seen.add(lower);
  }
  return flat;
}

/** One line of an access log → the request it tells of: common and combined formats, or JSON with usual names. Pure. */
import { encoded, plain, type Seen, splitTarget } from './observed.ts';

/** A line that says what was asked for, or why it does not. */
export type LogLine =
  | { readonly kind: 'request'; readonly seen: Seen }
  | { readonly kind: 'unread'; readonly why: string }
  | { readonly kind: 'blank' };

// Date, request line, status and size stand together in common, combined and their forms with a host in front.
const common = /\[([^\]]{1,60})\] "((?:[^"\\]|\\.){0,16000})" (\d{3}|-) (?:\d+|-)(?: |$)/;

/** A line of either format: JSON is recognised by its first brace. */
export function readLogLine(line: string): LogLine {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return { kind: 'blank' };
  return text.startsWith('{') ? readJsonLine(text) : readCommonLine(text);
}

const unread = (why: string): LogLine => ({ kind: 'unread', why });

function readCommonLine(text: string): LogLine {
  const match = common.exec(text);
  if (match === null) return unread('lines in neither common, combined nor JSON format');
  const [, date, request, status] = match;
  const told = {
    status: status === '-' ? null : Number(status),
    at: readDate(date!),
    host: hostIn(text.slice(0, match.index)),
  };
  return requestOf(unescaped(request!), told);
}

/** What a line tells beside the request itself. */
type Told = Pick<Seen, 'status' | 'at' | 'host'>;

/** `shop.example:443 203.0.113.9 - -`: a host stands in front of the address of the client, the two dashes after it. */
function hostIn(start: string): string | null {
  const [first, second, third] = start.split(' ');
  if (!second || !third || second === '-' || !/^[\w.-]*[A-Za-z][\w.-]*(:\d+)?$/.test(first!)) return null;
  return /^[\da-f.:]+$/i.test(second) || start.trim().split(/ +/).length === 4 ? hostOnly(first!) : null;
}

const hostOnly = (name: string): string => name.replace(/:\d+$/, '').toLowerCase();

const escapes: Readonly<Record<string, string>> = {
  n: '%0A',
  t: '%09',
  r: '%0D',
  b: '%08',
  f: '%0C',
  v: '%0B',
};

/** The escapes of Apache and nginx (`\\"`, `\\xC3`) undone; octets that no request line can carry are percent-encoded. */
const unescaped = (request: string): string =>
  request.replaceAll(/\\(?:x([0-9A-Fa-f]{2})|(.))/g, (_, octet: string | undefined, sign: string) => {
    if (octet === undefined) return escapes[sign] ?? sign;
    const code = Number.parseInt(octet, 16);
    return code > 0x20 && code < 0x7f ? String.fromCharCode(code) : `%${octet.toUpperCase()}`;
  });

/** `GET /path HTTP/1.1`. */
function requestOf(line: string, told: Told): LogLine {
  const [method, target, version] = line.split(' ');
  if (method === undefined || target === undefined || !/^[A-Z]{3,20}$/.test(method)) {
    return unread('lines without a request line such as "GET /path HTTP/1.1"');
  }
  if (version !== undefined && !version.startsWith('HTTP/')) {
    return unread('paths with spaces, which no request line can carry');
  }
  return seenOf(method, target, told);
}

function seenOf(method: string, target: string, told: Told): LogLine {
  const split = splitTarget(target);
  if (split === null) return unread('paths that do not start with / or hold letters beyond ASCII');
  const host = split.host ?? told.host;
  return { kind: 'request', seen: { method, ...split, ...told, host, headers: {}, body: null } };
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `10/Oct/2000:13:55:36 -0700`. */
function readDate(text: string): number | null {
  const match = /^(\d{2})\/(\w{3})\/(\d{4}):(\d{2}:\d{2}:\d{2})(?: ([+-]\d{2})(\d{2}))?$/.exec(text);
  const month = months.indexOf(match?.[2] ?? '') + 1;
  if (match === null || month === 0) return null;
  const zone = match[5] === undefined ? 'Z' : `${match[5]}:${match[6]}`;
  const at = Date.parse(`${match[3]}-${String(month).padStart(2, '0')}-${match[1]}T${match[4]}${zone}`);
  return Number.isNaN(at) ? null : at;
}

/** Where servers and loggers put it; in order, the first that is there. A dot leads into an object. */
const names = {
  method:
    'method request_method requestMethod request.method req.method http.request.method http.method httpRequest.requestMethod verb'.split(
      ' ',
    ),
  target:
    'request_uri uri requestUrl request.uri request.url req.url url.original http.target httpRequest.requestUrl path RequestPath request.path url.path url target'.split(
      ' ',
    ),
  status:
    'status statusCode status_code response_status DownstreamStatus response.status response.statusCode res.statusCode http.response.status_code http.status_code httpRequest.status'.split(
      ' ',
    ),
  at: 'time timestamp ts @timestamp time_iso8601 StartUTC msec time_local date'.split(' '),
  line: ['request', 'request_line'],
  query:
    'query args query_string queryString request.query request.query_string req.query url.query http.query'.split(
      ' ',
    ),
  host: 'http_host server_name vhost RequestHost request.host req.headers.host url.domain host'.split(' '),
} as const;

function readJsonLine(text: string): LogLine {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return unread('lines that start like JSON and are none');
  }
  const host = find(row, names.host);
  const told = {
    status: findStatus(row),
    at: readTime(find(row, names.at)),
    host: typeof host === 'string' && host !== '' ? hostOnly(host) : null,
  };
  const [method, target, line] = [find(row, names.method), find(row, names.target), find(row, names.line)];
  if (typeof method === 'string' && typeof target === 'string') {
    return seenOf(method.toUpperCase(), target.includes('?') ? target : target + queryOf(row), told);
  }
  if (typeof line === 'string') return requestOf(line, told);
  return unread(
    `JSON lines without a method and a path (looked for names such as ${names.method[0]} and ${names.target[1]})`,
  );
}

/** What stands under the names that is a text or a number, in the order of the names. */
function* found(row: unknown, among: readonly string[]): Generator<string | number> {
  for (const name of among) {
    const value = namedIn(row, name) ?? valueIn(row, name.split('.'));
    if (typeof value === 'string' || typeof value === 'number') yield value;
  }
}

const find = (row: unknown, among: readonly string[]): unknown => found(row, among).next().value;

/** The first that is a status: `status` may be a word such as `ok`. */
function findStatus(row: unknown): number | null {
  for (const value of found(row, names.status)) {
    const status = Number(value);
    if (Number.isInteger(status) && status >= 100 && status <= 999) return status;
  }
  return null;
}

/** With its question mark where it is logged apart from the path; encoded as a request line can carry it. */
function queryOf(row: unknown): string {
  const logged = find(row, names.query) ?? fieldsOf(row);
  const text = String(logged).replace(/^\?/, '');
  if (text === '' || text === '-') return '';
  return `?${text.replaceAll(/[^!-~]+|#/g, encoded)}`;
}

/** A query that was logged as names with their values. */
function fieldsOf(row: unknown): string {
  const group = names.query
    .map((name) => valueIn(row, name.split('.')))
    .find((one) => typeof one === 'object');
  const pairs = Object.entries(group ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, plain(one)]),
  );
  return new URLSearchParams(pairs).toString();
}

function valueIn(row: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((value, step) => namedIn(value, step), row);
}

/** By name, whatever its case. */
function namedIn(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const own = Object.keys(value).find((key) => key.toLowerCase() === name.toLowerCase());
  return own === undefined ? undefined : (value as Record<string, unknown>)[own];
}

/** ISO text, or seconds or milliseconds since 1970. */
function readTime(value: unknown): number | null {
  if (typeof value === 'number') return value > 1e11 ? value : value * 1000;
  if (typeof value !== 'string') return null;
  if (/^\d+(\.\d+)?$/.test(value)) return readTime(Number(value));
  const at = Date.parse(value);
  return Number.isNaN(at) ? readDate(value) : at;
}

/** One line of an access log → the request it tells of: common and combined formats, or JSON with usual names. Pure. */
import { type Seen, splitTarget } from './observed.ts';

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
  return requestOf(request!, status === '-' ? null : Number(status), readDate(date!));
}

/** `GET /path HTTP/1.1`. */
function requestOf(line: string, status: number | null, at: number | null): LogLine {
  const [method, target, version] = line.split(' ');
  if (method === undefined || target === undefined || !/^[A-Z]{3,20}$/.test(method)) {
    return unread('lines without a request line such as "GET /path HTTP/1.1"');
  }
  if (version !== undefined && !version.startsWith('HTTP/')) {
    return unread('paths with spaces, which no request line can carry');
  }
  return seenOf(method, target, status, at);
}

function seenOf(method: string, target: string, status: number | null, at: number | null): LogLine {
  const split = splitTarget(target);
  if (split === null) return unread('paths that do not start with / or hold letters beyond ASCII');
  return { kind: 'request', seen: { method, ...split, status, at, headers: {}, body: null } };
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
} as const;

function readJsonLine(text: string): LogLine {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return unread('lines that start like JSON and are none');
  }
  const status = Number(find(row, names.status) ?? Number.NaN);
  const known = Number.isInteger(status) && status >= 100 && status <= 999 ? status : null;
  const at = readTime(find(row, names.at));
  const [method, target, line] = [find(row, names.method), find(row, names.target), find(row, names.line)];
  if (typeof method === 'string' && typeof target === 'string') {
    return seenOf(method.toUpperCase(), target, known, at);
  }
  if (typeof line === 'string') return requestOf(line, known, at);
  return unread(
    `JSON lines without a method and a path (looked for names such as ${names.method[0]} and ${names.target[1]})`,
  );
}

function find(row: unknown, among: readonly string[]): unknown {
  for (const name of among) {
    const value = namedIn(row, name) ?? valueIn(row, name.split('.'));
    if (typeof value === 'string' || typeof value === 'number') return value;
  }
  return undefined;
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

/** A HAR → the requests in it, without what signs in. Pure. */
import { TailgateError } from '../kernel/errors.ts';
import {
  jsonOf,
  type Losses,
  plain,
  type Seen,
  type SeenBody,
  secretWordIn,
  splitTarget,
} from './observed.ts';
import { openBody } from './routes.ts';

/** Headers that say what is asked for. */
const kept: ReadonlySet<string> = new Set(['accept', 'content-type', 'x-requested-with']);
/** Headers that tell of the browser and its connection, and change no answer. */
const ofTheBrowser =
  /^(:.*|host|connection|content-length|user-agent|dnt|te|priority|keep-alive|proxy-connection|upgrade-insecure-requests|sec-.*)$/;
const signsIn = /^(authorization|proxy-authorization|cookie)$|token|secret|api-?key|session|csrf|xsrf/i;

/**
 * @param host whose requests are taken; undefined takes the host with the most of them.
 * @throws TailgateError `usage` when it is no HAR, or has nothing of the host.
 */
export function readHar(text: string, host: string | undefined, losses: Losses): readonly Seen[] {
  const entries = entriesOf(text, losses);
  const counts = new Map<string, number>();
  for (const { url } of entries) counts.set(url.host, (counts.get(url.host) ?? 0) + 1);
  const wanted = host ?? [...counts].sort((one, other) => other[1] - one[1])[0]?.[0];
  if (wanted === undefined || !counts.has(wanted)) {
    const found =
      counts.size === 0 ? 'no requests' : `requests to ${[...counts.keys()].slice(0, 10).join(', ')}`;
    throw new TailgateError({
      code: 'usage',
      message: `this HAR has ${found}${wanted === undefined ? '' : `, none to ${wanted}`}`,
      hint: 'name one of its hosts with --host, or record the service with the network tools of a browser',
    });
  }
  const seen: Seen[] = [];
  for (const entry of entries) {
    if (entry.url.host !== wanted) losses.add(`requests to ${entry.url.host}; --host takes them instead`);
    else if (/^wss?:/.test(entry.url.protocol)) losses.add('WebSocket connections');
    else {
      const one = seenOf(entry, losses);
      if (one !== null) seen.push(one);
    }
  }
  return seen;
}

interface Entry {
  readonly url: URL;
  readonly request: Readonly<Record<string, unknown>>;
  readonly status: number | null;
  readonly at: number | null;
}

/** Those with a URL that a service can be asked for. */
function entriesOf(text: string, losses: Losses): readonly Entry[] {
  let har: unknown;
  try {
    har = JSON.parse(text);
  } catch {
    throw noHar('it is no JSON');
  }
  const entries = field(field(har, 'log'), 'entries');
  if (!Array.isArray(entries)) throw noHar('it has no list `log.entries`');
  return entries.flatMap((entry) => {
    const request = field(entry, 'request');
    const url = field(request, 'url');
    if (typeof url !== 'string' || !URL.canParse(url)) {
      losses.add('entries without a URL that can be read');
      return [];
    }
    const { protocol } = new URL(url);
    if (!/^(https?|wss?):$/.test(protocol)) {
      losses.add(`entries with a URL of ${protocol}, which no service is asked for`);
      return [];
    }
    const status = field(field(entry, 'response'), 'status');
    const at = Date.parse(plain(field(entry, 'startedDateTime')));
    return [
      {
        url: new URL(url),
        request: request as Record<string, unknown>,
        // 0: the browser never got an answer.
        status: typeof status === 'number' && status > 0 ? status : null,
        at: Number.isNaN(at) ? null : at,
      },
    ];
  });
}

function seenOf({ url, request, status, at }: Entry, losses: Losses): Seen | null {
  const target = splitTarget(url.pathname + url.search);
  if (target === null) {
    losses.add('paths with letters beyond ASCII');
    return null;
  }
  const method = (plain(request['method']) || 'GET').toUpperCase();
  const body = bodyOf(request['postData'], `${method} ${target.path}`, losses);
  if (body === 'unread') return null;
  const headers = headersOf(request['headers'], losses);
  // Forms and plain JSON name their type themselves.
  const { 'content-type': type, ...others } = headers;
  const named = body?.kind === 'text' || (body?.kind === 'json' && !/^application\/json\b/i.test(type ?? ''));
  const ownType = named && type !== undefined ? { 'content-type': type } : {};
  return { method, ...target, status, at, host: url.hostname, headers: { ...others, ...ownType }, body };
}

function headersOf(list: unknown, losses: Losses): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const one of Array.isArray(list) ? list : []) {
    const name = plain(field(one, 'name')).toLowerCase();
    const value = plain(field(one, 'value'));
    if (signsIn.test(name)) losses.add(`values of the header \`${name}\`, which may be secret: dropped`);
    else if (kept.has(name) && /^[\t\x20-\x7e]*$/.test(value)) {
      // What is asked for without that header too.
      if (name !== 'accept' || value !== '*/*') headers[name] = value;
    } else if (ofTheBrowser.test(name)) {
      losses.add('headers of the browser and its connection, such as user-agent and sec-fetch-mode');
    } else losses.add(`values of the header \`${name}\`: left out; write it as \`headers\` where it matters`);
  }
  return headers;
}

function bodyOf(data: unknown, name: string, losses: Losses): SeenBody | null | 'unread' {
  const type = plain(field(data, 'mimeType')).split(';', 1)[0]!.trim().toLowerCase();
  const text = field(data, 'text');
  const params = field(data, 'params');
  const lose = (what: string): void =>
    losses.add(
      `the value of \`${what}\` in the body of ${name}, which may be secret: give a template such as \${NAME}`,
    );
  if (type === 'application/x-www-form-urlencoded') {
    const fields =
      Array.isArray(params) && params.length > 0
        ? params.map(
            (one) => [decoded(plain(field(one, 'name'))), decoded(plain(field(one, 'value')))] as const,
          )
        : [...new URLSearchParams(plain(text))];
    return openBody({ kind: 'form', fields }, lose);
  }
  if (typeof text !== 'string' || text === '') {
    if (type === '') return null;
    losses.add(`${name}: a body of ${type} that the HAR does not hold`);
    return 'unread';
  }
  if (type.startsWith('multipart/')) {
    losses.add(`${name}: a multipart body; write it as \`multipart: [...]\``);
    return 'unread';
  }
  const isJson = /[/+]json$/.test(type);
  // Whatever type it is given: some APIs have their own.
  const value = isJson || /^\ufeff?\s*[{[]/.test(text) ? jsonOf(text.replace(/^\ufeff/, '')) : undefined;
  if (value === undefined && isJson) {
    losses.add(`${name}: a body that says it is JSON and is none, or is nested too deep`);
    return 'unread';
  }
  // Only lists and objects are sent as JSON by the configuration.
  if (typeof value === 'object' && value !== null) {
    const open = openBody({ kind: 'json', value }, lose);
    if (isJson || open.kind !== 'json') return open;
    const rewritten = JSON.stringify(open.value);
    return textBody(rewritten === JSON.stringify(value) ? text : rewritten, name, losses);
  }
  const secret = secretWordIn(text);
  if (secret !== null) {
    losses.add(
      `${name}: a body with the word \`${secret}\`, which may hold a secret; name it as \`body-file\``,
    );
    return 'unread';
  }
  return textBody(text, name, losses);
}

function textBody(text: string, name: string, losses: Losses): SeenBody | 'unread' {
  if (text.length <= 16_384) return { kind: 'text', text };
  losses.add(`${name}: a body of more than 16 KiB; put it into a file and name that as \`body-file\``);
  return 'unread';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function noHar(why: string): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `this is no HAR: ${why}`,
    hint: 'export it with the network tools of a browser, or name the format with --format',
  });
}

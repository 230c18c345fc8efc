/** Requests that happened → routes with their shares: ids in paths set aside, what cannot be sent told. Pure. */
import { formatCount } from '../kernel/units.ts';
import {
  isSecretName,
  jsonOf,
  type Losses,
  openQuery,
  type Seen,
  type SeenBody,
  sendable,
} from './observed.ts';

/** Requests that look alike but for ids in their path. */
export interface Route {
  readonly method: string;
  /** `/items/{id}`. */
  readonly path: string;
  readonly count: number;
  /** Path with query → how often; the most frequent ones where there were too many. */
  readonly targets: ReadonlyMap<string, number>;
  /** Redirects were among its answers. */
  readonly redirects: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SeenBody | null;
}

export interface Traffic {
  readonly routes: readonly Route[];
  /** Requests in the routes. */
  readonly count: number;
  /** First and last time in milliseconds since 1970; null where no times are told. */
  readonly span: { readonly from: number; readonly to: number } | null;
  /** The most requests in one minute. */
  readonly busiestMinute: number;
}

interface Growing {
  readonly method: string;
  readonly path: string;
  count: number;
  readonly targets: Map<string, number>;
  redirects: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SeenBody | null;
}

const mostTargets = 200_000;
const mostRoutes = 20_000;
const mostHosts = 1000;
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Adds requests up, one at a time, within bounds of memory. */
export class TrafficCount {
  readonly #routes = new Map<string, Growing>();
  readonly #minutes = new Map<number, number>();
  readonly #hosts = new Map<string, number>();
  readonly #losses: Losses;
  #targets = 0;
  #count = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  constructor(losses: Losses) {
    this.#losses = losses;
  }

  /** @param source the kind of file, for what it does not tell: bodies are not in access logs. */
  add(seen: Seen, source: 'access log' | 'HAR', line: number | null): void {
    const reason = this.#refusal(seen, source);
    if (reason !== null) {
      this.#losses.add(reason, line);
      return;
    }
    const query = openQuery(seen.query, (name) =>
      this.#losses.add(`values of the query parameter \`${name}\`, which may be secret: left out`, line),
    );
    const path = withIds(seen.path);
    const more = source === 'HAR' ? JSON.stringify([seen.headers, seen.body]) : '';
    const key = `${seen.method} ${path} ${more}`;
    const route = this.#routes.get(key) ?? this.#newRoute(key, { ...seen, path });
    if (route === null) {
      this.#losses.add(`requests to more than ${formatCount(mostRoutes)} different paths`, line);
      return;
    }
    route.count++;
    this.#count++;
    route.redirects ||= seen.status !== null && seen.status >= 300 && seen.status !== 304;
    const target = query === '' ? seen.path : `${seen.path}?${query}`;
    const known = route.targets.get(target);
    if (known !== undefined || this.#targets < mostTargets) {
      if (known === undefined) this.#targets++;
      route.targets.set(target, (known ?? 0) + 1);
    } else {
      this.#losses.add(
        `paths beyond the first ${formatCount(mostTargets)} different ones: their routes count them`,
        line,
      );
    }
    this.#takeTime(seen.at);
    this.#takeHost(seen.host);
  }

  /** What was added; that hosts were put together is told as a loss. */
  result(): Traffic {
    this.#tellHosts();
    const routes = [...this.#routes.values()].sort((one, other) => other.count - one.count);
    return {
      routes,
      count: this.#count,
      span: this.#to < this.#from ? null : { from: this.#from, to: this.#to },
      busiestMinute: Math.max(0, ...this.#minutes.values()),
    };
  }

  #refusal({ method, status, body }: Seen, source: 'access log' | 'HAR'): string | null {
    if (!sendable.has(method)) return `${method} requests, which cannot be sent`;
    if (status !== null && status < 200) {
      return `requests that were answered with ${status}, as upgrades to WebSocket are`;
    }
    if (status !== null && status >= 400) return `requests that were answered with an error (${status})`;
    if (source === 'access log' && withBody.has(method) && body === null) {
      return `${method} requests: an access log does not tell their bodies`;
    }
    return null;
  }

  #newRoute(key: string, { method, path, headers, body }: Seen): Growing | null {
    if (this.#routes.size >= mostRoutes) return null;
    const route = { method, path, count: 0, targets: new Map(), redirects: false, headers, body };
    this.#routes.set(key, route);
    return route;
  }

  #takeHost(host: string | null): void {
    if (host === null || (this.#hosts.size >= mostHosts && !this.#hosts.has(host))) return;
    this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1);
  }

  #tellHosts(): void {
    const hosts = [...this.#hosts].sort((one, other) => other[1] - one[1]);
    const others = hosts.slice(1);
    if (others.length === 0) return;
    const named = others.slice(0, 3).map(([name]) => name);
    this.#losses.add(
      `requests to other hosts than ${hosts[0]![0]} (${named.join(', ')}${others.length > 3 ? ', …' : ''}): put together with its own; give a log of one service`,
      null,
      others.reduce((sum, [, count]) => sum + count, 0),
    );
  }

  #takeTime(at: number | null): void {
    if (at === null) return;
    this.#from = Math.min(this.#from, at);
    this.#to = Math.max(this.#to, at);
    const minute = Math.floor(at / 60_000);
    // A log of years has more minutes than anybody needs.
    if (this.#minutes.size < 100_000 || this.#minutes.has(minute)) {
      this.#minutes.set(minute, (this.#minutes.get(minute) ?? 0) + 1);
    }
  }
}

/** Segments that are numbers, UUIDs, hashes or long random texts are ids. */
function withIds(path: string): string {
  return path
    .split('/')
    .map((segment) => (isId(segment) ? '{id}' : segment))
    .join('/');
}

const isId = (segment: string): boolean =>
  /^\d+$/.test(segment) ||
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(segment) ||
  /^(?=.*\d)[0-9a-f]{8,}$/i.test(segment) ||
  /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_-]{20,}$/.test(segment);

/** A body without the values that may be secrets. */
export function openBody(body: SeenBody, lose: (name: string) => void): SeenBody {
  const hide = (name: string): string => {
    lose(name);
    return '***';
  };
  const open = (value: unknown): unknown => {
    if (typeof value === 'string') return openText(value);
    if (Array.isArray(value)) return value.map(open);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, one]) => [
      name,
      isSecretName(name) ? hide(name) : open(one),
    ]);
    return Object.fromEntries(entries);
  };
  /** A text may be JSON in itself, or a query that gives values to names. */
  const openText = (text: string): string => {
    const inner = /^\s*[{[]/.test(text) ? jsonOf(text) : undefined;
    if (inner !== undefined) {
      const rewritten = JSON.stringify(open(inner));
      return rewritten === JSON.stringify(inner) ? text : rewritten;
    }
    const name = Array.from(text.matchAll(givenName), ([, one]) => one!).find(isSecretName);
    return name === undefined ? text : hide(name);
  };
  if (body.kind === 'json') return { kind: 'json', value: open(body.value) };
  if (body.kind === 'text') return body;
  return {
    kind: 'form',
    fields: body.fields.map(
      ([name, value]) => [name, isSecretName(name) ? hide(name) : openText(value)] as const,
    ),
  };
}

/** `password: "x"` of GraphQL and its like, `token=x` of a query. */
const givenName = /([\w-]+)["']?\s*(?::\s*["']|=)\s*[^\s"'&]/g;

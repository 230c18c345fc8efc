/** Routes with their shares → a scenario in the words of tailgate.yml, and the rows of its feed. Pure. */
import { formatCount } from '../kernel/units.ts';
import type { Losses, SeenBody } from './observed.ts';
import type { Route, Traffic } from './routes.ts';

/** Keys and values as they are written into the file. */
export type Keys = Readonly<Record<string, unknown>>;

export interface Fragment {
  readonly scenario: Keys;
  /** CSV of the feed that it names; null without one. */
  readonly feed: string | null;
}

export interface FragmentOptions {
  readonly name: string;
  /** The most frequent routes that become requests. */
  readonly top: number;
  /** Name of the feed as the file will say it; null without one. */
  readonly feedFile: string | null;
}

/** A route of so few different paths is written out. */
const fewTargets = 5;
/** Without a feed, so many of its paths stand for all of a route. */
const standIns = 10;
const feedRows = { least: 200, most: 100_000 };
const heaviest = 1e6;

/** @param losses what is left out or stands for something else is added to it. */
export function toFragment(traffic: Traffic, options: FragmentOptions, losses: Losses): Fragment {
  const routes = traffic.routes.slice(0, options.top);
  const rest = traffic.routes.slice(options.top);
  const left = rest.reduce((sum, route) => sum + route.count, 0);
  if (left > 0) {
    const share = ((100 * left) / traffic.count).toPrecision(2);
    losses.add(
      `requests to the ${rest.length} least frequent routes (${share} % of all); --top ${traffic.routes.length} takes them`,
      null,
      left,
    );
  }
  const scale = traffic.count > heaviest ? heaviest / traffic.count : 1;
  const columns = new Map<string, Route>();
  const requests = routes.flatMap((route) => {
    if (route.targets.size <= fewTargets) return written(route, [...route.targets], scale);
    if (options.feedFile !== null) {
      const column = columnOf(route, columns);
      columns.set(column, route);
      return [requestOf(route, `\${feed.${column}}`, route.count * scale)];
    }
    const sorted = [...route.targets].sort((one, other) => other[1] - one[1]).slice(0, standIns);
    losses.add(
      `${route.method} ${route.path}: ${formatCount(route.targets.size)} different paths, of which the ${standIns} most frequent stand for all; --feed rows.csv keeps them`,
      null,
      route.count,
    );
    return written(route, sorted, scale);
  });
  const feed = columns.size === 0 ? null : csvOf(columns, losses);
  return {
    scenario: {
      name: options.name,
      ...(feed === null ? {} : { feed: { file: options.feedFile, order: 'random' } }),
      requests,
    },
    feed,
  };
}

/** A request for each path; together they have the weight of their route. */
function written(route: Route, targets: readonly (readonly [string, number])[], scale: number): Keys[] {
  const sum = targets.reduce((total, [, count]) => total + count, 0);
  return targets.map(([target, count]) =>
    requestOf(route, plainText(target), (route.count * scale * count) / sum),
  );
}

function requestOf(route: Route, path: string, weight: number): Keys {
  const { method, headers, body, redirects } = route;
  return {
    ...(method === 'GET' ? {} : { method }),
    path,
    ...(Object.keys(headers).length === 0 ? {} : { headers: plainDeep(headers) }),
    ...(body === null ? {} : bodyOf(body)),
    weight: Math.max(0.001, Number(weight.toPrecision(4))),
    ...(redirects ? { expect: { status: ['2xx', '3xx'] } } : {}),
  };
}

function bodyOf(body: SeenBody): Keys {
  if (body.kind === 'form') {
    // A map and no object: a field may be called `constructor`.
    const form = new Map<string, string[]>();
    for (const [name, value] of body.fields) form.set(name, [...(form.get(name) ?? []), plainText(value)]);
    const single = [...form].map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
    return { form: Object.fromEntries(single) };
  }
  return { body: body.kind === 'text' ? plainText(body.text) : plainDeep(body.value) };
}

/** What would be read as a template is plain text here. */
export const plainText = (text: string): string => text.replaceAll('${', () => '$${');

export function plainDeep(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return value.map(plainDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plainDeep(one)]));
}

/** `items_id` of `/items/{id}`; numbered where another route has that name. */
function columnOf({ method, path }: Route, taken: ReadonlyMap<string, unknown>): string {
  const words =
    path
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, 40) || 'root';
  const name = method === 'GET' ? words : `${method.toLowerCase()}_${words}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}_${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** Rows in which each column has its route's paths in the proportions in which they came. */
function csvOf(columns: ReadonlyMap<string, Route>, losses: Losses): string {
  const widest = Math.max(...[...columns.values()].map((route) => route.targets.size));
  const count = Math.min(feedRows.most, Math.max(feedRows.least, widest));
  for (const { method, path, targets } of columns.values()) {
    if (targets.size <= count) continue;
    const rows = `${formatCount(targets.size)} different paths, of which the feed has ${formatCount(count)}`;
    losses.add(`${method} ${path}: ${rows}, the frequent ones all the more often`);
  }
  const values = [...columns.values()].map((route) => spread(route.targets, count));
  const lines = Array.from({ length: count }, (_, row) =>
    values.map((column) => quoted(column[row]!)).join(','),
  );
  return `${[...columns.keys()].join(',')}\n${lines.join('\n')}\n`;
}

/** So many values, each as often as its share says: the one in whose share the middle of each row's stretch lies. */
function spread(targets: ReadonlyMap<string, number>, count: number): readonly string[] {
  const sum = [...targets.values()].reduce((total, one) => total + one, 0);
  const entries = [...targets];
  let index = 0;
  let upTo = entries[0]![1];
  return Array.from({ length: count }, (_, row) => {
    const at = ((row + 0.5) / count) * sum;
    while (at > upTo && index < entries.length - 1) upTo += entries[++index]![1];
    return entries[index]![0];
  });
}

const quoted = (value: string): string => (/[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

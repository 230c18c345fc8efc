/** What to say about a key that the schema does not know: where it belongs, when it comes, or what was meant. */
import { type KeyPath, type Problem, pathText } from './problems.ts';
import { nearest } from './suggestions.ts';

/** Keys that are no slips of the hand; indexes of lists left out. */
const knownElsewhere: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'judge.microbenchmark': 'all microbenchmarks share one tolerance: give `microbenchmarks`',
    'scenarios.url':
      'this version measures only services that it starts itself: remove the key and give `start`',
    'scenarios.requests.feed': 'a feed belongs to the whole scenario: give `feed` beside `requests`',
    'scenarios.requests.auth': 'it belongs to the whole scenario: give `auth` beside `requests`',
    'scenarios.requests.json':
      'keys and values are sent as JSON by `body`; what is expected is `expect: { json }`',
    'scenarios.requests.expect.header': 'these are `headers`, names with the value wanted or /a pattern/',
    'scenarios.requests.expect.body': 'a text that the body must hold is `body-contains`',
    'judge.p90': 'p90 takes the tolerances of p99 when it is judged in its place: give `p99`',
    'judge.p95': 'p95 takes the tolerances of p99 when it is judged in its place: give `p99`',
    path: 'in a file a path belongs to a scenario: `scenarios: [{ path: /health }]`',
    'ready-path': 'in a file this is `ready: { path: /health }`',
    token: 'this is an input of the action, never a key of the file: remove it here',
    id: 'this is an input of the action, never a key of the file: remove it here',
    config: 'this is an input of the action, never a key of the file: remove it here',
  }),
);

/** The part of a JSON Schema that says which keys there are. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  /** A text or a group of keys: only the group has any. */
  readonly anyOf?: readonly SchemaNode[];
}

/** The keys a JSON Schema knows where `path` leads to; empty where any key may stand. */
export function knownKeys(schema: unknown, path: KeyPath): readonly string[] {
  let node = schema as SchemaNode | undefined;
  for (const step of path) node = groupIn(typeof step === 'number' ? node?.items : node?.properties?.[step]);
  return Object.keys(node?.properties ?? {});
}

const groupIn = (node: SchemaNode | undefined): SchemaNode | undefined =>
  node?.anyOf?.find((form) => form.properties !== undefined) ?? node;

/**
 * @param path of the unknown key itself.
 * @param schema JSON Schema of the whole file.
 */
export function unknownKeyProblem(path: KeyPath, schema: unknown): Problem {
  const key = String(path.at(-1));
  const parent = path.slice(0, -1);
  const elsewhere = knownElsewhere.get(path.filter((step) => typeof step === 'string').join('.'));
  if (elsewhere !== undefined) return { path, text: elsewhere };
  const known = knownKeys(schema, parent);
  const near = nearest(key, known);
  const meant = near === null ? `known here: ${known.join(', ')}` : `did you mean \`${near}\`?`;
  return {
    path,
    text: `no key of that name${parent.length === 0 ? '' : ` in \`${pathText(parent)}\``}; ${meant}`,
  };
}

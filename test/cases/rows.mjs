// What can be run: a pair, a pair with its sides exchanged (`swap:R01`), several operations of one pair of versions as
// routes of one project (`N12+R01`), and groups of these.
import { pairs } from './pairs.mjs';

const together = 'N12+R01';
const idsOf = (letter) => pairs.map((pair) => pair.id).filter((id) => id.startsWith(letter));
const swaps = idsOf('R').map((id) => `swap:${id}`);

/** Names that stand for many rows. */
export const groups = {
  pairs: [...pairs.map((pair) => pair.id), together],
  swaps,
  all: [...pairs.map((pair) => pair.id), together, ...swaps],
};

const mirrored = { up: 'improved', improved: 'up', same: 'same', any: 'any' };
const mirror = (words) =>
  Object.fromEntries(Object.entries(words).map(([key, word]) => [key, mirrored[word]]));

function swapped(pair) {
  const { a, b, expected, forbidden = {} } = pair;
  return { ...pair, a: b, b: a, expected: mirror(expected), forbidden: mirror(forbidden) };
}

/**
 * The row of an id: `{ id, package, a, b, alsoPinned, swapped, routes }`, a route being a pair.
 * @throws Error naming an unknown id, or pairs that do not fit into one project.
 */
export function rowOf(id) {
  const swap = id.startsWith('swap:');
  const routes = id
    .slice(swap ? 'swap:'.length : 0)
    .split('+')
    .map((name) => {
      const pair = pairs.find((one) => one.id === name);
      if (pair === undefined) {
        const known = `${pairs.map((one) => one.id).join(' ')}, ${together}, swap:ID, or ${Object.keys(groups).join(', ')}`;
        throw new Error(`there is no pair ${JSON.stringify(name)}; wanted ${known}`);
      }
      return swap ? swapped(pair) : pair;
    });
  const [{ package: name, a, b, alsoPinned = {} }] = routes;
  if (routes.some((route) => route.package !== name || route.a !== a || route.b !== b)) {
    throw new Error(`${id} mixes versions: only pairs of the same package and versions share a project`);
  }
  return { id, package: name, a, b, alsoPinned, swapped: swap, routes };
}

/** The rows of command-line arguments, each once; the group `pairs` when there are none. */
export function select(names) {
  const ids = (names.length === 0 ? ['pairs'] : names).flatMap((name) =>
    Object.hasOwn(groups, name) ? groups[name] : [name],
  );
  return [...new Set(ids)].map(rowOf);
}

/** `cpu up, p99 any, micro up`; with `not improved` where only that is wrong. */
export function expectedText({ expected, forbidden = {}, workDiffers = false }) {
  const words = Object.entries(expected).map(([measure, word]) => {
    const not = forbidden[measure] !== undefined && word === 'any' ? `not ${forbidden[measure]}` : word;
    return `${measure} ${not}`;
  });
  return [...words, ...(workDiffers ? ['told that the work differs'] : [])].join(', ');
}

/** What is wrong with companions and with what refers to them or to a side, told with every other problem of the file. Pure. */
import { type KeyPath, type Problem, valueAt } from './problems.ts';
import { nearest } from './suggestions.ts';

/** A companion as the file has it; what is wrong with its values is told by the schema. */
interface Written {
  readonly index: number;
  readonly name: string;
  readonly side: boolean;
  readonly hasDirectory: boolean;
}

/** A text and what may stand in it. */
interface Place {
  readonly path: KeyPath;
  readonly text: string;
  /** Index of the companion it belongs to; null outside of them. */
  readonly of: number | null;
}

/** A reference to a companion, `{services.db.port}`, as it may stand in a text. */
const reference = /\{services\.([^{}]*)\}/g;

/** Whether a text says where a companion is: known only when that runs. */
export const isLinked = (text: string): boolean => /\{services\.[^{}]+\}/.test(text);

/** @param raw the parsed file. */
export function placeProblems(raw: unknown): readonly Problem[] {
  const companions = companionsOf(raw);
  return [
    ...[...placesOf(raw)].flatMap((place) => [...textProblems(place, companions)]),
    ...setupProblems(raw),
    ...repeated(companions.map(({ name, index }) => [name, ['services', index, 'name']] as const)),
    ...repeated(
      list(raw, 'metrics').map((one, index) => [valueAt(one, ['name']), ['metrics', index, 'name']] as const),
    ),
    ...countProblems(raw),
    ...sameCounterProblems(raw, companions),
  ];
}

const list = (raw: unknown, key: string): readonly unknown[] => {
  const found = valueAt(raw, [key]);
  return Array.isArray(found) ? found : [];
};

function companionsOf(raw: unknown): readonly Written[] {
  return list(raw, 'services').flatMap((one, index) => {
    const name = valueAt(one, ['name']);
    if (typeof name !== 'string') return [];
    const hasDirectory = [...textsOf(one, [])].some(({ text }) => text.includes('{directory}'));
    return [{ index, name, side: valueAt(one, ['scope']) === 'side', hasDirectory }];
  });
}

function* placesOf(raw: unknown): Generator<Place> {
  for (const key of ['start', 'reset', 'env']) {
    for (const one of textsOf(valueAt(raw, [key]), [key])) yield { ...one, of: null };
  }
  for (const [index, one] of list(raw, 'services').entries()) {
    for (const key of ['start', 'ready', 'env', 'reset']) {
      const path: KeyPath = ['services', index, key];
      for (const text of textsOf(valueAt(one, [key]), path)) yield { ...text, of: index };
    }
  }
  yield* portOf(valueAt(raw, ['cost', 'prometheus']), ['cost', 'prometheus']);
  for (const [index, one] of list(raw, 'metrics').entries()) yield* portOf(one, ['metrics', index]);
}

function* portOf(endpoint: unknown, path: KeyPath): Generator<Place> {
  const port = valueAt(endpoint, ['port']);
  if (typeof port === 'string') yield { path: [...path, 'port'], text: port, of: null };
}

function* textsOf(
  value: unknown,
  path: KeyPath,
): Generator<{ readonly path: KeyPath; readonly text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, below] of Object.entries(value)) yield* textsOf(below, [...path, key]);
}

function* textProblems(place: Place, companions: readonly Written[]): Generator<Problem> {
  const problem = (text: string): Problem => ({ path: place.path, text });
  const owner = companions.find(({ index }) => index === place.of) ?? null;
  for (const [written, inside] of place.text.matchAll(reference)) {
    const [, name, what] = /^([A-Za-z0-9_-]+)\.(port|directory)$/.exec(inside!) ?? [];
    if (name === undefined) {
      yield problem(`${written} cannot be read: wanted {services.NAME.port} or {services.NAME.directory}`);
      continue;
    }
    const found = companions.find((one) => one.name === name);
    if (found === undefined) {
      const near = nearest(
        name,
        companions.map((one) => one.name),
      );
      const meant = near === null ? '' : `; did you mean {services.${near}.${what}}?`;
      yield problem(`${written}: no entry of \`services\` is called ${JSON.stringify(name)}${meant}`);
    } else if (found.index === place.of) {
      yield problem(`${written} is this service itself: write {${what}}`);
    } else if (place.of !== null && found.index > place.of) {
      yield problem(`${written} is started after this one: write it before this one`);
    } else if (owner !== null && !owner.side && found.side) {
      yield problem(`${written} is one of two, and this one is shared: give it \`scope: side\` as well`);
    } else if (what === 'directory' && !found.hasDirectory) {
      yield problem(`${written}: that service has no directory; write {directory} in its \`start\``);
    }
  }
  if (!place.text.includes('{side}')) return;
  const key = place.path[0];
  if (owner !== null && !owner.side) {
    yield problem('{side} means nothing here: the service is shared by both sides');
  } else if (key === 'start' || key === 'env') {
    yield problem('both sides are started alike, so that nothing but the code differs: use {port}, or PORT');
  }
}

function setupProblems(raw: unknown): readonly Problem[] {
  const setup = valueAt(raw, ['setup']);
  if (typeof setup !== 'string' || !isLinked(setup)) return [];
  const text =
    'setup runs before any of `services` is started: put what needs one into its `start` or `reset`, or into `reset`';
  return [{ path: ['setup'], text }];
}

function repeated(names: readonly (readonly [unknown, KeyPath])[]): readonly Problem[] {
  return names.flatMap(([name, path], index) =>
    typeof name === 'string' && names.findIndex(([other]) => other === name) < index
      ? [{ path, text: `${JSON.stringify(name)} is there already: every name may be used once` }]
      : [],
  );
}

function countProblems(raw: unknown): readonly Problem[] {
  const cost = valueAt(raw, ['cost']) ?? 'process-tree';
  return list(raw, 'services').flatMap((one, index) => {
    if (valueAt(one, ['count-cost']) !== true) return [];
    const path: KeyPath = ['services', index, 'count-cost'];
    if (valueAt(one, ['scope']) !== 'side') {
      return [{ path, text: 'what both sides share is the cost of neither: give it `scope: side`' }];
    }
    if (cost === 'process-tree') return [];
    return [
      {
        path,
        text: 'only `cost: process-tree` adds processes up: leave it out, or let `cost` name a cgroup that holds both',
      },
    ];
  });
}

/** A page or cgroup that is the same for both sides says nothing about either. */
function sameCounterProblems(raw: unknown, companions: readonly Written[]): readonly Problem[] {
  const ownOfSide = (text: string): boolean => /\{(port|side)\}/.test(text);
  const pages = [
    [valueAt(raw, ['cost', 'prometheus']), ['cost', 'prometheus']] as const,
    ...list(raw, 'metrics').map((one, index) => [one, ['metrics', index]] as const),
  ];
  const problems: Problem[] = pages.flatMap(([page, path]) => {
    const port = valueAt(page, ['port']) ?? null;
    if (port === null) return [];
    const name = /^\{services\.([^.]*)\.port\}$/.exec(String(port))?.[1];
    if (companions.some((one) => one.name === name && one.side)) return [];
    const labels = [...textsOf(valueAt(page, ['labels']), [])];
    if (labels.some(({ text }) => ownOfSide(text))) return [];
    return [
      {
        path: [...path, 'port'],
        text: `both sides would read the same counter on this port: write {port} or {side} in a label, or name a service of \`scope: side\``,
      },
    ];
  });
  const cgroup = valueAt(raw, ['cost', 'cgroup']);
  if (typeof cgroup === 'string' && !ownOfSide(cgroup)) {
    problems.push({
      path: ['cost', 'cgroup'],
      text: 'both sides would read the same cgroup: write {port} or {side} in its path',
    });
  }
  return problems;
}

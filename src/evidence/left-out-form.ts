/** What stored evidence must look like where it says what was left out: names that can be rows, each of them once. */
import { type Check, listOf, objectOf, text, wrongForm } from './shape.ts';
import type { Evidence, LeftOut } from './trial.ts';

/** Names in a list at most: more are nobody's reading. */
export const mostLeftOut = 1000;

const named: Check = (value, path) => {
  text(value, path);
  if ((value as string).trim() === '') wrongForm(path, value, 'a name');
};

const bounded =
  (item: Check, least = 0): Check =>
  (value, path) => {
    // Before its items: a list as large as a file may be is not walked.
    if (Array.isArray(value) && value.length > mostLeftOut)
      wrongForm(path, `a list of ${value.length}`, `a list of at most ${mostLeftOut}`);
    listOf(item, least)(value, path);
  };

const names =
  (least = 0): Check =>
  (value, path) => {
    bounded(named, least)(value, path);
    differing(value as readonly string[], (index) => `${path}[${index}]`);
  };

export const leftOutForm: Check = objectOf({
  file: named,
  scenarios: names(),
  routes: bounded(objectOf({ scenario: named, routes: names(1) })),
  benchmarks: names(),
  added: names(),
});

/** What is said to be missing was not measured here, and what is said to be here was planned. */
export function checkLeftOut({ leftOut, plan, benchmarks }: Evidence): void {
  if (leftOut === undefined) return;
  const planned = new Set(plan.scenarios.map(({ name }) => name));
  const measured = new Set((benchmarks?.subjects ?? []).flatMap(({ name }) => [name, name.split(' > ')[0]!]));
  refuse(leftOut, 'scenarios', (name) => planned.has(name), 'a name that is no scenario of the plan');
  refuse(
    leftOut,
    'benchmarks',
    (name) => measured.has(name),
    'a name that is not among `benchmarks.subjects`',
  );
  refuse(leftOut, 'added', (name) => !planned.has(name), 'a scenario of the plan');
  const scenarios = leftOut.routes.map(({ scenario }) => scenario);
  const at = (index: number): string => `leftOut.routes[${index}].scenario`;
  differing(scenarios, at);
  const other = scenarios.findIndex((name) => !planned.has(name));
  if (other >= 0) wrongForm(at(other), scenarios[other], 'a scenario of the plan');
}

function refuse(
  leftOut: LeftOut,
  field: 'scenarios' | 'benchmarks' | 'added',
  wrong: (name: string) => boolean,
  wanted: string,
): void {
  const index = leftOut[field].findIndex(wrong);
  if (index >= 0) wrongForm(`leftOut.${field}[${index}]`, leftOut[field][index], wanted);
}

/** @param at the place of the name with this index. */
function differing(list: readonly string[], at: (index: number) => string): void {
  const seen = new Set<string>();
  for (const [index, name] of list.entries()) {
    if (seen.has(name)) wrongForm(at(index), name, 'each name once');
    seen.add(name);
  }
}

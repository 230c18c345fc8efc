/** What was imported, held against the configuration: requests that it refuses are left out, those that change data are named. */
import { yamlText } from '../config/document.ts';
import { readConfig } from '../config/read.ts';
import type { Keys } from '../imports/fragment.ts';
import type { Losses } from '../imports/observed.ts';
import { TailgateError } from '../kernel/errors.ts';

/**
 * The scenario without the requests that a configuration refuses: one of them is no reason to refuse all of it.
 * @throws TailgateError `usage` when it is the scenario itself: a name that none can have, a feed outside of the project.
 */
export function acceptable(
  scenario: Keys,
  losses: Losses,
): { readonly scenario: Keys; readonly requests: readonly Keys[] } {
  const requests = scenario['requests'] as readonly Keys[];
  const problem = problemOf(scenario);
  if (problem === null) return { scenario, requests };
  // What is wrong with its name or its feed is not the request's fault.
  const feed = scenario['feed'] === undefined ? {} : { feed: { file: 'rows.csv' } };
  const good = requests.filter((request) => {
    const own = problemOf({ name: 'one', ...feed, requests: [request] });
    if (own !== null)
      losses.add(`${methodOf(request)} ${String(request['path'])}: left out: ${reasonOf(own)}`);
    return own === null;
  });
  const kept = { ...scenario, requests: good };
  const left = good.length === 0 ? null : problemOf(kept);
  if (left !== null) throw left;
  return { scenario: kept, requests: good };
}

/** What a configuration that has the scenario would be refused for. */
function problemOf(scenario: Keys): TailgateError | null {
  const text = `start: x\n${yamlText({ scenarios: [scenario] })}`;
  try {
    readConfig(text, { source: 'what was imported', overrides: {}, environment: {} });
    return null;
  } catch (error) {
    if (error instanceof TailgateError) return error;
    throw error;
  }
}

/** The first problem, without its place in a file that nobody sees. */
const reasonOf = ({ message }: TailgateError): string =>
  (message.split('\n')[1] ?? message)
    .replace(/^ *- (scenarios\[0\]\.)?(requests\[0\]\.)?/, '')
    .replace(/ \(line \d+\)/, '');

const methodOf = (request: Keys): string => String(request['method'] ?? 'GET');
const changing: readonly string[] = ['DELETE', 'PUT', 'PATCH', 'POST'];

/** That data is changed is nothing lost, but nothing to be found out by running it either. */
export function changeLines(requests: readonly Keys[]): readonly string[] {
  const methods = requests.map(methodOf).filter((method) => changing.includes(method));
  if (methods.length === 0) return [];
  const named = changing.filter((method) => methods.includes(method)).join(', ');
  return [
    `to be looked at: requests that may change data (${named}; ${methods.length} of ${requests.length} in the scenario): a run sends them many times`,
  ];
}

/** What is wrong with the templates of scenarios, told with every other problem of the file. Pure. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: messages name templates as a user writes them.
import { parseTemplate, type TemplateWord, templateWords } from '../kernel/templates.ts';
import { type KeyPath, type Problem, valueAt } from './problems.ts';
import { nearest } from './suggestions.ts';

/** A text of the file in which words may stand, and what they can refer to there. */
interface Place {
  readonly path: KeyPath;
  readonly text: string;
  /** The key whose value says how long `${filler}` is; null where none can stand. */
  readonly filler: string | null;
  readonly sized: boolean;
  readonly part: 'request' | 'session' | 'auth';
}

interface Scenario {
  readonly path: KeyPath;
  readonly raw: unknown;
  readonly places: readonly Place[];
}

/**
 * @param raw the parsed file; what else is wrong with it is told by others.
 * @param variables of the job and of `env`.
 */
export function templateProblems(
  raw: unknown,
  variables: Readonly<Record<string, string | undefined>>,
): readonly Problem[] {
  const list = valueAt(raw, ['scenarios']);
  if (!Array.isArray(list)) return [];
  return list.flatMap((one, index) => {
    const path: KeyPath = ['scenarios', index];
    const scenario: Scenario = { path, raw: one, places: [...placesOf(one, path)] };
    return [
      ...scenario.places.flatMap((place) =>
        wordsOf(place.text).flatMap((word) => {
          const text = wordProblem(word, place, scenario, variables);
          return text === null ? [] : [{ path: place.path, text }];
        }),
      ),
      ...unusedProblems(scenario),
    ];
  });
}

const wordsOf = (text: string): readonly TemplateWord[] =>
  parseTemplate(text).filter((piece) => typeof piece !== 'string');

function wordProblem(
  word: TemplateWord,
  place: Place,
  scenario: Scenario,
  variables: Readonly<Record<string, string | undefined>>,
): string | null {
  switch (word.kind) {
    case 'refused': {
      const near = nearest(word.written.split(/[\s.]/, 1)[0] ?? '', templateWords);
      const meant = near === null || word.written.startsWith(near) ? '' : `; did you mean \`${near}\`?`;
      return `\`\${${word.written}}\` cannot be read: ${word.problem}${meant} (write $\${…} for plain text)`;
    }
    case 'variable': {
      if (variables[word.name] !== undefined) return null;
      const near = nearest(word.name, [...templateWords, ...Object.keys(variables)]);
      const meant = near === null ? '' : `; did you mean \`${near}\`?`;
      return `\`\${${word.name}}\` is neither a variable of the job or of \`env\` nor one of ${templateWords.join(', ')}${meant} (write $\${…} for plain text)`;
    }
    case 'feed':
      if (place.part !== 'request') return onlyInRequests(`feed.${word.column}`, place.part);
      return has(scenario.raw, 'feed')
        ? null
        : `\`\${feed.${word.column}}\` needs rows: give the scenario \`feed: { file: rows.csv }\``;
    case 'session':
      if (place.part === 'session') return 'the set-up request itself has no `${session}` yet';
      return has(scenario.raw, 'session')
        ? null
        : '`${session}` needs a set-up request: give the scenario `session: { path: /login, token: /token }`';
    case 'filler':
      if (place.part !== 'request' || place.filler === null) {
        return '`${filler}` can stand in path, query, body, form and fields of multipart of a request';
      }
      return place.sized ? null : `\`\${filler}\` needs \`${place.filler}\`, which says how long it is`;
    case 'counter':
      return place.part === 'request' ? null : onlyInRequests('counter', place.part);
    case 'uuid':
    case 'random':
      return place.part === 'auth' ? onlyInRequests(word.kind, place.part) : null;
  }
}

const onlyInRequests = (word: string, part: string): string =>
  `\`\${${word}}\` changes with every shot, and \`${part}\` is read once: use it in \`requests\``;

/** What was given and has no effect: likely not what was wanted. */
function unusedProblems({ raw, path, places }: Scenario): readonly Problem[] {
  const uses = (kind: TemplateWord['kind'], among: readonly Place[] = places): boolean =>
    among.some((place) => wordsOf(place.text).some((word) => word.kind === kind));
  const problems: Problem[] = [];
  if (has(raw, 'feed') && !uses('feed')) {
    problems.push({ path: [...path, 'feed'], text: 'nothing uses it: write `${feed.column}` in a request' });
  }
  if (has(raw, 'session') && !uses('session')) {
    const text =
      'nothing uses it: write `${session}` in a header of the requests, or `auth: { bearer: "${session}" }`';
    problems.push({ path: [...path, 'session'], text });
  }
  const requests = valueAt(raw, ['requests']);
  for (const [index, request] of (Array.isArray(requests) ? requests : []).entries()) {
    const here: KeyPath = [...path, 'requests', index];
    const own = places.filter((place) => here.every((step, depth) => step === place.path[depth]));
    const fillerOf = (key: string) => own.filter((place) => place.filler === key);
    if (has(request, 'path-length') && !uses('filler', fillerOf('path-length'))) {
      const text = 'nothing grows with it: write `${filler}` in the path or the query';
      problems.push({ path: [...here, 'path-length'], text });
    }
    const body = ['body', 'form', 'multipart', 'body-file'].find((key) => has(request, key));
    if (has(request, 'body-size') && body !== undefined && !uses('filler', fillerOf('body-size'))) {
      const text = `nothing of \`${body}\` grows with it: ${body === 'body-file' ? 'a file is sent as it is' : 'write `${filler}` in it'}, or leave \`${body}\` out`;
      problems.push({ path: [...here, 'body-size'], text });
    }
  }
  return problems;
}

function* placesOf(raw: unknown, path: KeyPath): Generator<Place> {
  yield* textsOf(valueAt(raw, ['path']), [...path, 'path'], { part: 'request', filler: null, sized: false });
  const requests = valueAt(raw, ['requests']);
  for (const [index, request] of (Array.isArray(requests) ? requests : []).entries()) {
    yield* messagePlaces(request, [...path, 'requests', index], 'request');
  }
  yield* messagePlaces(valueAt(raw, ['session']), [...path, 'session'], 'session');
  const auth = { part: 'auth', filler: null, sized: false } as const;
  yield* textsOf(valueAt(raw, ['auth']), [...path, 'auth'], auth);
}

function* messagePlaces(raw: unknown, path: KeyPath, part: Place['part']): Generator<Place> {
  for (const [keys, filler] of [
    [['path', 'query'], 'path-length'],
    [['headers'], null],
    [['body', 'form', 'multipart'], 'body-size'],
  ] as const) {
    const sized = filler !== null && has(raw, filler);
    for (const key of keys) yield* textsOf(valueAt(raw, [key]), [...path, key], { part, filler, sized });
  }
}

/** Every text below a value, at any depth. */
function* textsOf(
  value: unknown,
  path: KeyPath,
  about: Pick<Place, 'part' | 'filler' | 'sized'>,
): Generator<Place> {
  if (typeof value === 'string') yield { path, text: value, ...about };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, below] of Object.entries(value)) {
    yield* textsOf(below, [...path, Array.isArray(value) ? Number(key) : key], about);
  }
}

const has = (raw: unknown, key: string): boolean => (valueAt(raw, [key]) ?? null) !== null;

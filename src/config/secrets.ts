/** The values that requests carry and nobody should read: for the masks of everything that is printed or kept. Pure. */
import { isSecretName } from '../kernel/masking.ts';
import { parseTemplate } from '../kernel/templates.ts';
import type { BodySettings, GateConfig, MessageSettings, ScenarioSettings } from './settings.ts';

const secretHeader = /^(authorization|proxy-authorization|cookie)$|token|secret|key|password|session/i;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Values of authorisation, of headers that carry a secret by their name, of variables in queries, forms and bodies
 * under such a name, and of the variables that a set-up request is made with.
 * @param variables of the job and of `env`.
 */
export function requestSecrets(
  config: Pick<GateConfig, 'scenarios'>,
  variables: Variables,
): readonly string[] {
  const secrets = config.scenarios
    .flatMap((scenario) => secretTexts(scenario))
    .flatMap((text) => {
      const pieces = parseTemplate(text);
      const values = pieces.map((piece) =>
        typeof piece === 'string' ? piece : piece.kind === 'variable' ? (variables[piece.name] ?? '') : '',
      );
      // `Bearer abc`: the part behind the scheme is the secret. What a template adds stands by itself as well.
      const whole = values.join('');
      return [whole, whole.replace(/^\S+\s+/, ''), ...values];
    });
  const basic = config.scenarios.flatMap(({ auth }) => {
    if (auth?.kind !== 'basic') return [];
    const filled = [auth.user, auth.password].map((text) => fill(text, variables)).join(':');
    return [Buffer.from(filled, 'utf8').toString('base64')];
  });
  const fromSession = config.scenarios.flatMap(({ session }) =>
    session === null ? [] : variablesOf(session.request).map((name) => variables[name] ?? ''),
  );
  const fromFields = config.scenarios
    .flatMap(({ requests }) => requests.flatMap(fieldTexts))
    .flatMap((text) => [fill(text, variables), ...variablesOf(text).map((name) => variables[name] ?? '')]);
  return [...new Set([...secrets, ...basic, ...fromSession, ...fromFields])].filter(
    (value) => value.trim() !== '',
  );
}

function secretTexts({ auth, requests, session }: ScenarioSettings): readonly string[] {
  const messages: readonly MessageSettings[] = session === null ? requests : [...requests, session.request];
  return [
    ...(auth === null ? [] : auth.kind === 'basic' ? [auth.password] : [auth.token]),
    ...messages.flatMap(({ headers }) =>
      Object.entries(headers)
        .filter(([name]) => secretHeader.test(name))
        .map(([, value]) => value),
    ),
  ];
}

type Field = readonly [name: string, value: string];

/**
 * What stands in fields with the name of a secret. Only with a variable in it: what the file says in full is no
 * secret, and words such as `token_type: bearer` would be masked everywhere.
 */
function fieldTexts({ path, headers, query, body }: MessageSettings): readonly string[] {
  const fields: readonly Field[] = [...Object.entries(headers), ...query, ...fieldsOf(body)];
  return [...fields, ...writtenFields(path)]
    .filter(([name, value]) => isSecretName(name) && variablesOf(value).length > 0)
    .map(([, value]) => value);
}

function fieldsOf(body: BodySettings | null): readonly Field[] {
  switch (body?.kind) {
    case 'form':
      return body.fields;
    case 'multipart':
      return body.parts.flatMap(({ name, content }) =>
        content.kind === 'text' ? [[name, content.text] as const] : [],
      );
    case 'json':
      return jsonFields(body.value, '');
    case 'text':
      return writtenFields(body.text);
    default:
      return [];
  }
}

/** Every text of a JSON value with the key it stands under; inside an object with the name of a secret that name stays. */
function jsonFields(value: unknown, name: string): readonly Field[] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    jsonFields(one, isSecretName(name) || Array.isArray(value) ? name : key),
  );
}

/** Fields in a text that the user wrote in full: `name=${X}` of a query or form, `"name": "${X}"` of JSON. */
const writtenFields = (text: string): readonly Field[] =>
  Array.from(text.matchAll(/([\w.-]+)["']?\s*[=:]\s*["']?([^\s"'&,;]*)/g), ([, name, value]) => [
    name!,
    value!,
  ]);

const fill = (text: string, variables: Variables): string =>
  parseTemplate(text)
    .map((piece) =>
      typeof piece === 'string' ? piece : piece.kind === 'variable' ? (variables[piece.name] ?? '') : '',
    )
    .join('');

function variablesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    return parseTemplate(value).flatMap((piece) =>
      typeof piece === 'object' && piece.kind === 'variable' ? [piece.name] : [],
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(variablesOf);
}

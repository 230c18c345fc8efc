/** The values that requests carry and nobody should read: for the masks of everything that is printed or kept. Pure. */
import { parseTemplate } from '../kernel/templates.ts';
import type { GateConfig, MessageSettings, ScenarioSettings } from './settings.ts';

const secretHeader = /^(authorization|proxy-authorization|cookie)$|token|secret|key|password|session/i;

/**
 * Values of authorisation, of headers that carry a secret by their name, and of the variables that a set-up request
 * is made with.
 * @param variables of the job and of `env`.
 */
export function requestSecrets(
  config: Pick<GateConfig, 'scenarios'>,
  variables: Readonly<Record<string, string | undefined>>,
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
  return [...new Set([...secrets, ...basic, ...fromSession])].filter((value) => value.trim() !== '');
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

const fill = (text: string, variables: Readonly<Record<string, string | undefined>>): string =>
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

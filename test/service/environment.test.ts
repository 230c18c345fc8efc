import { expect, it } from 'vitest';
import { withoutSecrets, withPort } from '../../src/service/environment.ts';

it('a service sees our environment without what gives power over the job', () => {
  const seen = withoutSecrets({
    PATH: '/bin',
    CI: 'true',
    GITHUB_SHA: 'abc',
    TOKENS_PER_PAGE: '5',
    NOTHING: undefined,
    GITHUB_TOKEN: 'x',
    NODE_AUTH_TOKEN: 'x',
    TOKEN: 'x',
    'INPUT_READY-PATH': 'x',
    input_token: 'x',
    ACTIONS_RUNTIME_TOKEN: 'x',
    ACTIONS_ID_TOKEN_REQUEST_URL: 'x',
    STATE_ledger: 'x',
    GITHUB_ENV: '/tmp/x',
    GITHUB_PATH: '/tmp/x',
  });
  expect(seen).toEqual({ PATH: '/bin', CI: 'true', GITHUB_SHA: 'abc', TOKENS_PER_PAGE: '5' });
});

it('every {port} of a command is replaced, and other braces are left', () => {
  expect(withPort('serve -p {port} --url http://h:{port} $HOME {x}', 23456)).toBe(
    'serve -p 23456 --url http://h:23456 $HOME {x}',
  );
});

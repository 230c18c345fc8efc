/** The floor: what the generator reads against a responder that does nothing, before any service is blamed. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { TailgateError } from '../kernel/errors.ts';
import type { PreparedRequest } from './protocol.ts';

export interface NullResponder extends AsyncDisposable {
  /** `http://127.0.0.1:4312`. */
  readonly origin: string;
}

/** What it is asked. */
export const nullRequest: PreparedRequest = {
  method: 'GET',
  path: '/',
  headers: [],
  body: null,
  expected: [{ from: 200, to: 200 }],
};

/**
 * Starts the null responder in its own process on a free loopback port; disposing ends it.
 * @param entry file of the built responder.
 * @throws TailgateError `invalid` when it ends before it listens.
 */
export async function startNullResponder(entry: string): Promise<NullResponder> {
  const child = fork(entry, [], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const ended = once(child, 'exit');
  const said = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  const port = portOf(said);
  if (port === null) {
    child.kill('SIGKILL');
    throw new TailgateError({
      code: 'invalid',
      message: 'the null responder, against which the generator is checked first, did not start',
      hint: 'see whether this machine still has memory and process numbers to give',
    });
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function portOf(said: unknown[] | null): number | null {
  const message = said?.[0] as { port?: unknown } | undefined;
  return typeof message?.port === 'number' && message.port > 0 ? message.port : null;
}

/** The flags that say what one request is and where it goes, for the commands that send it at a running service. */
import { TailgateError } from '../kernel/errors.ts';
import { msToNs, type Nanoseconds, secondsToNs } from '../kernel/units.ts';
import { wayOutOf } from '../load/failures.ts';
import type { Generator, PreparedRequest, Target } from '../load/protocol.ts';
import { prepareRequests } from '../load/requests.ts';
import { type Command, durationFlag, type Flag, type FlagValues, text, usage } from './command.ts';
import { readTransportFlags, transportFlags } from './transport-flags.ts';

export const requestFlags: Readonly<Record<string, Flag>> = {
  method: { type: 'string', value: 'GET', help: 'request method' },
  body: { type: 'string', value: 'TEXT', help: 'request body' },
  header: { type: 'string', value: '"name: value"', help: 'request headers, several separated by newlines' },
  ...transportFlags,
};

export interface OneRequest {
  readonly target: Target;
  readonly request: PreparedRequest;
}

/**
 * @param directory to which the files of flags are relative.
 * @throws TailgateError `usage` naming what cannot be sent.
 */
export function readOneRequest(
  command: Command,
  url: string,
  flags: FlagValues,
  directory: string,
): OneRequest {
  const parsed = readUrl(command, url);
  const { requests } = inFlags(command, () =>
    prepareRequests([
      {
        method: text(flags, 'method') ?? 'GET',
        path: `${parsed.pathname}${parsed.search}`,
        headers: readHeaders(command, text(flags, 'header')),
        body: text(flags, 'body') ?? null,
        expect: { status: [{ from: 200, to: 399 }] },
      },
    ]),
  );
  const transport = readTransportFlags(command, parsed, flags, directory);
  return { target: { origin: parsed.origin, host: null, transport }, request: requests[0]! };
}

/** Of a shot; 5 s unless given. */
export function readTimeout(flags: FlagValues): Nanoseconds {
  return durationFlag(flags, 'timeout', secondsToNs(600)) ?? msToNs(5000);
}

/**
 * Opens sockets by as many concurrent requests.
 * @throws TailgateError `service-failed` when the service does not answer at all.
 */
export async function openOrRefuse(
  generator: Generator,
  { target, request }: OneRequest,
  sockets: number,
  timeout: Nanoseconds,
): Promise<void> {
  const opened = await generator.open({ target, request, sockets, timeout });
  if (opened.opened > 0) return;
  const problem = opened.problem ?? 'no socket could be opened';
  const where = target.transport?.socketPath ?? target.origin;
  throw new TailgateError({
    code: 'service-failed',
    message: `${where} did not answer: ${problem}`,
    hint:
      wayOutOf(problem.slice(problem.indexOf(': ') + 2)) ??
      'start the service first, and name the address it listens on',
  });
}

function readUrl(command: Command, url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    // What stands before the @ may be a password.
    const shown = url.replace(/^([A-Za-z][A-Za-z0-9+.-]*:)?(\/*)[^/?#]*@/, '$1$2***@');
    throw usage(
      command,
      `"${shown}" is not a URL it can send to; it wants one such as http://127.0.0.1:8080/path`,
    );
  }
  if (parsed.username === '' && parsed.password === '') return parsed;
  throw new TailgateError({
    code: 'usage',
    message: `the URL of ${parsed.origin} holds a user or password before the @, which is not sent`,
    hint: 'take it out and send it as a header: --header "authorization: Basic $(printf %s \'USER:PASSWORD\' | base64 -w0)"',
  });
}

/** What is wrong with a request is to be changed in the flags here, and in no scenario. */
function inFlags<Result>(command: Command, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TailgateError)) throw error;
    throw new TailgateError({
      code: error.code,
      message: error.message,
      hint: `change --method, --header or the URL; tailgate ${command.name} --help lists what it takes`,
      cause: error,
    });
  }
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Neither names nor values are repeated in a refusal: a header whose colon was forgotten is all secret. */
function readHeaders(command: Command, lines: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  const given = (lines ?? '').split('\n').filter((line) => line.trim() !== '');
  for (const [place, line] of given.entries()) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    const which = given.length === 1 ? '--header' : `header ${place + 1} of ${given.length} in --header`;
    if (colon <= 0) throw usage(command, `${which} has no colon after a name; it wants "name: value"`);
    if (!headerName.test(name)) {
      throw usage(
        command,
        `${which} has a name of other signs than letters, digits and dashes; it wants "name: value"`,
      );
    }
    headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}

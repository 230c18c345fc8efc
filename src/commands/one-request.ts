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
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw usage(
      command,
      `"${url}" is not a URL it can send to; it wants one such as http://127.0.0.1:8080/path`,
    );
  }
  const { requests } = prepareRequests([
    {
      method: text(flags, 'method') ?? 'GET',
      path: `${parsed.pathname}${parsed.search}`,
      headers: readHeaders(command, text(flags, 'header')),
      body: text(flags, 'body') ?? null,
      expect: { status: [{ from: 200, to: 399 }] },
    },
  ]);
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

function readHeaders(command: Command, lines: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of (lines ?? '').split('\n')) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (colon <= 0) throw usage(command, `--header is "${line}"; it wants "name: value"`);
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return headers;
}

/** Why a service could not be measured, said so that its author can act: side, cause, last words, way out. */
import { assertNever, TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { formatDuration } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { Owner } from './listeners.ts';
import { addressesOf, type Place, shownOrigin } from './place.ts';
import { byWhom } from './ports.ts';
import type { Probe, Probes, ReadyRule } from './ready.ts';

/** How a service came to its end. */
export type ServiceExit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  /** The command could not be started at all. */
  | { readonly kind: 'not-started'; readonly message: string }
  /** We ended it. */
  | { readonly kind: 'stopped' };

/** What every failure tells about the service. */
export interface Subject extends Place {
  readonly side: Side;
  readonly tail: readonly string[];
}

export function exitedEarly(subject: Subject, exit: ServiceExit, after: Nanoseconds): TailgateError {
  return failure(
    subject,
    `the service ${describeExit(exit)}, ${formatDuration(after)} after its start, before it was ready`,
    hintForExit(subject, exit),
  );
}

export function exitedInTheMiddle(subject: Subject, exit: ServiceExit): TailgateError {
  return failure(
    subject,
    `the service ${describeExit(exit)} while it was measured`,
    'Its last lines are below. What it was asked is in `scenarios`; run `start` by hand and send it the same.',
  );
}

export function neverReady(
  subject: Subject,
  rule: ReadyRule,
  probes: Probes,
  limit: Nanoseconds,
  otherPorts: readonly number[],
): TailgateError {
  const addresses = addressesOf(subject);
  const asked = addresses.map(
    (address) => `${shownOrigin(address, subject)}${rule.path}: ${describeProbe(probes[address])}`,
  );
  const silent = addresses.every((address) => probes[address].kind !== 'unready');
  const told = addresses.flatMap((address) => hintOf(probes[address]));
  if (addresses.some((address) => probes[address].kind === 'ready')) {
    return failure(
      subject,
      `${subject.transport?.socketPath ?? `port ${subject.port}`} answered, but no process of the service listened on it within ${formatDuration(limit)}`,
      'For a service behind a container or a proxy set `listener-check: off`.',
    );
  }
  if (silent && told.length === 0 && otherPorts.length > 0) return ignoresPort(subject, limit, otherPorts);
  return failure(
    subject,
    `the service was not ready ${formatDuration(limit)} after its start; last answers: ${asked.join(', ')}; wanted: ${describeRule(rule)}`,
    told[0] ?? hintForProbes(subject, probes),
  );
}

export function foreignListener(subject: Subject, address: string, owner: Owner | null): TailgateError {
  return failure(
    subject,
    `${subject.transport?.socketPath ?? `port ${subject.port} on ${address}`} is answered ${byWhom(owner)}, which does not belong to the service we started`,
    'Nothing is measured that we did not start. For a service behind a container or a proxy set `listener-check: off`.',
  );
}

export function notEnded(subject: Subject, what: string): TailgateError {
  return failure(
    subject,
    `the service could not be ended: ${what}`,
    'A later round would share the machine with it. Look for what starts it again, or for a daemon that clears its environment.',
  );
}

export function cancelled(subject: Subject): TailgateError {
  return new TailgateError({
    code: 'cancelled',
    message: `${subject.side}: cancelled while the service was starting`,
    tail: subject.tail,
  });
}

/** What is wrong with a secure connection has a way out of its own. */
function hintOf(probe: Probe): readonly string[] {
  return probe.kind === 'no-answer' && probe.hint !== undefined ? [probe.hint] : [];
}

function ignoresPort(subject: Subject, limit: Nanoseconds, otherPorts: readonly number[]): TailgateError {
  const ports = otherPorts.join(', ');
  const socketPath = subject.transport?.socketPath ?? null;
  if (socketPath !== null) {
    return failure(
      subject,
      `the service ignores SOCKET: it was told to listen on ${socketPath} and listens on port ${ports} instead (${formatDuration(limit)} after its start)`,
      'Read the environment variable SOCKET in the service, or write {socket} in `start`; or drop `unix-socket`.',
    );
  }
  return failure(
    subject,
    `the service ignores PORT: it was told to listen on ${subject.port} and listens on ${ports} instead (${formatDuration(limit)} after its start)`,
    `Both sides run at the same time, each on a port of its own. Read the environment variable PORT in the service, or write {port} in \`start\`, e.g. \`start: my-server --port {port}\`.`,
  );
}

function failure(subject: Subject, message: string, hint: string): TailgateError {
  return new TailgateError({
    code: 'service-failed',
    message: `${subject.side}: ${message}`,
    hint,
    tail: subject.tail,
  });
}

function describeExit(exit: ServiceExit): string {
  switch (exit.kind) {
    case 'exited':
      return `exited with code ${exit.code}`;
    case 'signalled':
      return `was ended by ${exit.signal}`;
    case 'not-started':
      return `could not be started (${exit.message})`;
    case 'stopped':
      return 'was stopped';
    default:
      return assertNever(exit);
  }
}

function hintForExit({ tail, port }: Subject, exit: ServiceExit): string {
  if (tail.some((line) => /EADDRINUSE|address already in use|only one usage of each socket/i.test(line))) {
    return `It wanted a port that is taken. Both sides run at the same time: the service must listen on PORT (here ${port}), or on {port} written in \`start\`.`;
  }
  if (exit.kind === 'exited' && (exit.code === 127 || exit.code === 126)) {
    return 'The shell did not find the program in `start`, or may not run it. Does `setup` install it? Is `working-directory` right?';
  }
  if (exit.kind === 'exited' && exit.code === 0) {
    return '`start` must keep running, or leave a server running that belongs to it. Its last lines are below.';
  }
  return 'Its last lines are below; run `setup` and `start` by hand with PORT set to see the same.';
}

function hintForProbes(subject: Subject, probes: Probes): string {
  const answers = addressesOf(subject).map((address) => probes[address]);
  const status = answers.flatMap((probe) => (probe.kind === 'unready' ? [probe.status] : []))[0];
  const socketPath = subject.transport?.socketPath ?? null;
  if (status === undefined && socketPath !== null) {
    return `It has to listen on the Unix socket ${socketPath} (SOCKET, or {socket} in \`start\`). A slow start needs a longer \`start-timeout\`.`;
  }
  if (status === undefined) {
    return `It has to listen on port ${subject.port} (PORT, or {port} in \`start\`) of localhost. A slow start needs a longer \`start-timeout\`.`;
  }
  if (status >= 300 && status < 400) {
    return 'Redirects are not followed. Give the path it leads to as `ready: { path }`, or accept it with `ready: { status: 3xx }`.';
  }
  return 'Give a path that answers as wanted as `ready: { path }`, or accept this answer with `ready: { status }`.';
}

function describeProbe(probe: Probe): string {
  switch (probe.kind) {
    case 'not-asked':
      return 'not asked';
    case 'no-answer':
      return probe.why;
    case 'unready':
    case 'ready':
      return `status ${probe.status}`;
    default:
      return assertNever(probe);
  }
}

function describeRule(rule: ReadyRule): string {
  const ranges = rule.status.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  return `status ${ranges.join(' or ')}`;
}

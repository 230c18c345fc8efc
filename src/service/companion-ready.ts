/** Asks a companion once whether it is ready: its port, a page of it, or a command that knows. */
import { connect } from 'node:net';
import type { CompanionSettings } from '../config/settings-services.ts';
import { runCommand } from '../kernel/command.ts';
import { assertNever, messageOf } from '../kernel/errors.ts';
import { msToNs, nsToMs } from '../kernel/units.ts';
import { loopbackAddresses } from './listeners.ts';
import { originOf } from './place.ts';
import type { HttpGet } from './ready.ts';

/** `words` ends the sentence "it was not ready: …". */
export type CompanionProbe = { readonly kind: 'ready' | 'unready'; readonly words: string };

export interface ProbeOptions {
  readonly ready: CompanionSettings['ready'];
  readonly port: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly httpGet: HttpGet;
  readonly signal?: AbortSignal;
}

/** Of one question: a busy machine may be slow, a lost answer must not end the asking. */
const patience = msToNs(5000);

/** Never rejects. */
export async function probeCompanion(options: ProbeOptions): Promise<CompanionProbe> {
  const { ready, port } = options;
  switch (ready.kind) {
    case 'port': {
      const words: string[] = [];
      for (const address of loopbackAddresses) {
        const problem = await refusal(port, address);
        if (problem === null) return { kind: 'ready', words: '' };
        words.push(`${address} ${problem}`);
      }
      return { kind: 'unready', words: `port ${port}: ${words.join(', ')}` };
    }
    case 'path': {
      const words: string[] = [];
      for (const address of loopbackAddresses) {
        const answer = await statusOf(`${originOf(address, { port })}${ready.path}`, options);
        if (typeof answer === 'string') words.push(`${address} ${answer}`);
        else if (ready.status.some(({ from, to }) => answer >= from && answer <= to))
          return { kind: 'ready', words: '' };
        else words.push(`${address} answered ${answer}`);
      }
      return { kind: 'unready', words: `GET ${ready.path}: ${words.join(', ')}` };
    }
    case 'command':
      return await askCommand(ready.command, options);
    default:
      return assertNever(ready);
  }
}

async function askCommand(command: string, options: ProbeOptions): Promise<CompanionProbe> {
  const { exit, tail } = await runCommand({
    command,
    cwd: options.cwd,
    env: { ...options.env, PORT: String(options.port) },
    timeout: patience,
    grace: msToNs(500),
    tailLines: 3,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const said = tail.length === 0 ? '' : ` (${tail.join(' ').slice(0, 200)})`;
  switch (exit.kind) {
    case 'exited':
      return {
        kind: exit.code === 0 ? 'ready' : 'unready',
        words: `\`${command}\` exited with code ${exit.code}${said}`,
      };
    case 'signalled':
      return { kind: 'unready', words: `\`${command}\` was ended by ${exit.signal}${said}` };
    case 'timed-out':
      return { kind: 'unready', words: `\`${command}\` took longer than 5 s${said}` };
    case 'cancelled':
      return { kind: 'unready', words: 'it was cancelled' };
    case 'not-found':
      return { kind: 'unready', words: `\`${command}\` could not be run: ${exit.message}` };
    default:
      return assertNever(exit);
  }
}

/** A status, or why there is none. */
async function statusOf(url: string, { httpGet, signal }: ProbeOptions): Promise<number | string> {
  try {
    const options = { headers: {}, timeout: patience, ...(signal === undefined ? {} : { signal }) };
    return (await httpGet(url, options)).status;
  } catch (error) {
    return messageOf(error);
  }
}

/** null when a connection was taken. */
function refusal(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    const answer = (problem: string | null): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(nsToMs(patience), () => answer('gave no answer'));
    socket.once('connect', () => answer(null));
    socket.once('error', (error: NodeJS.ErrnoException) => answer(error.code ?? error.message));
  });
}

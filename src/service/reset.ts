/** A command that gives a side, or something it uses, the data it started with. */
import { runCommand } from '../kernel/command.ts';
import { assertNever, TailgateError } from '../kernel/errors.ts';
import type { Ledger, Leftover } from '../kernel/leftovers.ts';
import { formatDuration, type Nanoseconds } from '../kernel/units.ts';

export interface ResetOptions {
  /** How a message begins: `baseline: \`reset\``. */
  readonly who: string;
  /** Run by the shell. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeout: Nanoseconds;
  readonly signal?: AbortSignal;
  readonly ledger?: Ledger;
}

/** @throws TailgateError `service-failed` with its last lines unless it ends with 0 in time, `cancelled` when the signal fired. */
export async function runReset(options: ResetOptions): Promise<void> {
  const { who, command, cwd, env, timeout, signal, ledger } = options;
  let entry: Leftover | null = null;
  const { exit, tail } = await runCommand({
    command,
    cwd,
    env,
    timeout,
    onStart: (group) => {
      entry = { kind: 'group', ...group };
      ledger?.add(entry);
    },
    ...(signal === undefined ? {} : { signal }),
  });
  if (entry !== null) ledger?.remove(entry);
  const failed = (what: string): TailgateError =>
    new TailgateError({
      code: 'service-failed',
      message: `${who} ${what}`,
      hint: 'Both sides must start every round with the same data. Run the command by hand, with PORT set to a running service.',
      tail,
    });
  switch (exit.kind) {
    case 'exited':
      if (exit.code === 0) return;
      throw failed(`exited with code ${exit.code}`);
    case 'signalled':
      throw failed(`was ended by ${exit.signal}`);
    case 'timed-out':
      throw failed(`took longer than ${formatDuration(timeout)}`);
    case 'not-found':
      throw failed(`could not be run: ${exit.message}`);
    case 'cancelled':
      throw new TailgateError({ code: 'cancelled', message: `${who} was cancelled`, tail });
    default:
      return assertNever(exit);
  }
}

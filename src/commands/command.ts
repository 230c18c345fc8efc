/** What a command of the terminal is: its name, its flags, what it runs, and how its arguments are read. */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { nearest } from '../config/suggestions.ts';
import { TailgateError } from '../kernel/errors.ts';
import { type Nanoseconds, parseDuration } from '../kernel/units.ts';

/** The terminal as a command sees it. */
export interface Terminal {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Fires on Ctrl-C and on TERM. */
  readonly signal: AbortSignal;
  /** Results: text that may be piped. */
  print(text: string): void;
  /** Progress and problems. */
  tell(text: string): void;
  /** Whether progress may be coloured and rewritten in place. */
  readonly interactive: boolean;
}

/** What a reader types to call this very tool again, from where it was called. */
export function howCalled({ directory }: Pick<Terminal, 'directory'>): string {
  const script = process.argv[1] ?? '';
  if (!script.endsWith('cli.js')) return 'tailgate';
  const near = relative(directory, script);
  return `node ${near.length < script.length ? near : script}`;
}

export interface Flag {
  readonly type: 'string' | 'boolean';
  /** What stands for the value in the help, e.g. `N`. */
  readonly value?: string;
  readonly help: string;
}

export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly flags: Readonly<Record<string, Flag>>;
  /** How many arguments without a dash it takes. */
  readonly positionals: { readonly least: number; readonly most: number };
  /** @returns the exit code. */
  run(flags: FlagValues, positionals: readonly string[], terminal: Terminal): Promise<number>;
}

/**
 * Reads the arguments of a command.
 * @throws TailgateError `usage` naming the flag, the nearest known one and the help.
 */
export function readArguments(
  command: Command,
  argv: readonly string[],
): { flags: FlagValues; positionals: string[] } {
  const known: Readonly<Record<string, Flag>> = { ...command.flags, help: { type: 'boolean', help: '' } };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, flag]) => [name, { type: flag.type }]),
  );
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const flags: Record<string, string | boolean> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = known[token.name];
    if (flag === undefined) {
      const near = nearest(token.name, Object.keys(known));
      throw usage(
        command,
        `${token.rawName} is not a flag of "tailgate ${command.name}"${near === null ? '' : `; did you mean --${near}?`}`,
      );
    }
    if (flag.type === 'string' && (token.value === undefined || token.value === '')) {
      throw usage(command, `--${token.name} wants a value: --${token.name} ${flag.value ?? 'VALUE'}`);
    }
    if (flag.type === 'boolean' && token.value !== undefined) {
      throw usage(command, `--${token.name} takes no value, it was given "${token.value}"`);
    }
    flags[token.name] = token.value ?? true;
  }
  const { least, most } = command.positionals;
  if (flags['help'] !== true && (positionals.length < least || positionals.length > most)) {
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    throw usage(
      command,
      `"tailgate ${command.name}" takes ${wanted} argument${wanted === '1' ? '' : 's'}, it was given ${positionals.length}${namedArguments(command, positionals)}`,
    );
  }
  return { flags, positionals };
}

/** What was given too much; the rest of a header that lost its quotes may be a secret. */
function namedArguments(command: Command, positionals: readonly string[]): string {
  if (positionals.length === 0) return '';
  if (command.flags['header'] === undefined) return `: ${positionals.join(' ')}`;
  return '; write a value with spaces in quotes';
}

/** The help of one command. */
export function helpOf(command: Command): string {
  const rows = Object.entries(command.flags).map(([name, flag]) => ({
    left: `  --${name}${flag.type === 'string' ? ` ${flag.value ?? 'VALUE'}` : ''}`,
    right: flag.help,
  }));
  const width = Math.max(...rows.map(({ left }) => left.length)) + 2;
  return [
    `usage: tailgate ${command.usage}`,
    '',
    command.summary,
    '',
    ...rows.map(({ left, right }) => `${left.padEnd(width)}${right}`),
  ].join('\n');
}

export function usage(command: Command, message: string): TailgateError {
  return new TailgateError({
    code: 'usage',
    message,
    hint: `tailgate ${command.name} --help lists what it takes`,
  });
}

/** A flag's text, or undefined when it was not given. */
export function text(flags: FlagValues, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * A flag that is a number within bounds.
 * @throws TailgateError `usage` naming the value, the bounds and the flag.
 */
export function numberFlag(
  flags: FlagValues,
  name: string,
  bounds: { readonly least: number; readonly most: number; readonly whole?: boolean },
): number | undefined {
  const given = text(flags, name);
  if (given === undefined) return undefined;
  const value = Number(given);
  const fits = Number.isFinite(value) && value >= bounds.least && value <= bounds.most;
  if (!fits || (bounds.whole === true && !Number.isInteger(value))) {
    const kind = bounds.whole === true ? 'a whole number' : 'a number';
    throw new TailgateError({
      code: 'usage',
      message: `--${name} is "${given}"; it wants ${kind} from ${bounds.least} to ${bounds.most}`,
    });
  }
  return value;
}

/**
 * A flag that is a duration such as 6s.
 * @throws TailgateError `usage` naming the value and the wanted form.
 */
export function durationFlag(flags: FlagValues, name: string, most: Nanoseconds): Nanoseconds | undefined {
  const given = text(flags, name);
  if (given === undefined) return undefined;
  const value = parseDuration(given);
  if (value === null || value <= 0 || value > most) {
    throw new TailgateError({
      code: 'usage',
      message: `--${name} is "${given}"; it wants a duration such as 500ms, 6s or 2m, at most ${most / 60e9} min`,
    });
  }
  return value;
}

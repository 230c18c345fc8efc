/** The terminal's shell: arguments in, text and files out, one exit code. */
import { bench } from './commands/bench.ts';
import { calibrate } from './commands/calibrate.ts';
import { type Command, helpOf, readArguments, type Terminal } from './commands/command.ts';
import { compare } from './commands/compare.ts';
import { demo } from './commands/demo.ts';
import { gate } from './commands/gate.ts';
import { importTraffic } from './commands/import.ts';
import { judge } from './commands/judge.ts';
import { load } from './commands/load.ts';
import { merge } from './commands/merge.ts';
import { plan } from './commands/plan.ts';
import { ramp } from './commands/ramp.ts';
import { read } from './commands/read.ts';
import { report } from './commands/report.ts';
import { selfTest } from './commands/self-test.ts';
import { sweep } from './commands/sweep.ts';
import { nearest } from './config/suggestions.ts';
import { defectExit, watchForDefects } from './kernel/defects.ts';
import { messageOf, TailgateError } from './kernel/errors.ts';
import { version } from './kernel/version.ts';

const commands: readonly Command[] = [
  gate,
  load,
  sweep,
  merge,
  ramp,
  plan,
  importTraffic,
  judge,
  report,
  selfTest,
  calibrate,
  bench,
  read,
  compare,
  demo,
];

/** Exit codes of errors that end a command before it has a verdict. */
const errorExit: Readonly<Record<TailgateError['code'], number>> = {
  usage: 2,
  invalid: 3,
  'service-failed': 4,
  'no-baseline': 5,
  cancelled: 130,
  github: 1,
};

const cancelled = 'cancelled: nothing was decided, and everything that was started has been ended';
const killed = 'cancelled: nothing was decided, and everything that was started has been killed';

/** Runs one command line. @returns the exit code. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.print(overview());
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    terminal.print(version);
    return 0;
  }
  try {
    const command = commands.find((one) => one.name === name);
    if (command === undefined) throw unknownCommand(name);
    const { flags, positionals } = readArguments(command, rest);
    if (flags['help'] === true) {
      terminal.print(helpOf(command));
      return 0;
    }
    return await command.run(flags, positionals, terminal);
  } catch (error) {
    if (terminal.signal.aborted) {
      terminal.tell(cancelled);
      return 130;
    }
    if (!(error instanceof TailgateError)) throw error;
    for (const line of error.tail) terminal.tell(`  | ${line}`);
    terminal.tell(`tailgate: ${error.message}`);
    if (error.hint !== undefined) terminal.tell(`  ${error.hint}`);
    return errorExit[error.code];
  }
}

function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length)) + 2;
  return [
    'usage: tailgate COMMAND',
    '',
    'Builds a candidate and its baseline, runs both on this machine in turns, and says whether latency or CPU',
    'per request moved by more than the measured run-to-run spread.',
    '',
    ...commands.map((command) => `  ${command.name.padEnd(width)}${command.summary}`),
    '',
    'tailgate COMMAND --help lists what a command takes; --version prints the version.',
  ].join('\n');
}

function unknownCommand(name: string): TailgateError {
  const near = nearest(
    name,
    commands.map((command) => command.name),
  );
  return new TailgateError({
    code: 'usage',
    message: `"${name}" is not a command${near === null ? '' : `; did you mean "${near}"?`}`,
    hint: 'tailgate --help lists the commands',
  });
}

/** Whoever has to clean up at the exit of the process does so before the last line. */
function endAtOnce(): never {
  process.once('exit', () => process.stderr.write(`${killed}\n`));
  process.exit(130);
}

/** Wires the process to a terminal; the second Ctrl-C does not wait for clean-up to finish. */
export async function start(): Promise<void> {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) endAtOnce();
    process.stderr.write(`\n${signal}: ending what was started …\n`);
    stopping.abort(new TailgateError({ code: 'cancelled', message: `stopped by ${signal}` }));
  };
  // A reader that has left, as `head` does, must not end the job before what it started is ended.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  const tellDefect = (error: unknown): void => {
    const what = error instanceof Error ? error.stack : messageOf(error);
    process.stderr.write(`tailgate: this is a defect: ${what}\n`);
    process.exitCode = defectExit;
  };
  const defects = watchForDefects(stopping, tellDefect);
  try {
    const exitCode = await main(process.argv.slice(2), {
      directory: process.cwd(),
      environment: process.env,
      signal: stopping.signal,
      print: (text) => process.stdout.write(`${text}\n`),
      tell: (text) => process.stderr.write(`${text}\n`),
      interactive: process.stderr.isTTY === true,
    });
    process.exitCode = defects.seen() ? defectExit : exitCode;
  } catch (error) {
    tellDefect(error);
  } finally {
    defects.end();
  }
}

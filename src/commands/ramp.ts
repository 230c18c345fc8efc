/** `tailgate ramp`: the capacity of a service as a curve, its knee, and what happens beyond it. */
import { curveOf } from '../capacity/curve.ts';
import type { RampResult, Subject } from '../capacity/result.ts';
import { assertNever } from '../kernel/errors.ts';
import { builtFile } from '../kernel/installation.ts';
import { version } from '../kernel/version.ts';
import { realClock } from '../kernel/world.ts';
import type { Schedule } from '../load/protocol.ts';
import { startGenerator } from '../load/remote.ts';
import { runRamp } from '../ramp.ts';
import { rampHtml } from '../report/ramp-html.ts';
import { rampMarkdown, rampTerminal } from '../report/ramp-text.ts';
import type { RampView } from '../report/ramp-view.ts';
import { type Command, type FlagValues, numberFlag, type Terminal, text, usage } from './command.ts';
import { readOneRequest, readTimeout, requestFlags } from './one-request.ts';
import { type OutputFile, outputFile } from './output-file.ts';
import { rampOfBaseline } from './ramp-baseline.ts';
import { rampOfConfig } from './ramp-config.ts';
import { rampFlags, rampSettings } from './ramp-flags.ts';
import { tellRamp } from './ramp-progress.ts';

const reportWidth = 110;

export const ramp: Command = {
  name: 'ramp',
  usage: 'ramp URL|--config FILE --objective 50ms [--to-failure] [--baseline REF] [flags]',
  summary: 'Finds the capacity of a service: rates held one after the other, bracketed, bisected, repeated.',
  flags: {
    ...rampFlags,
    config: {
      type: 'string',
      value: 'FILE',
      help: 'build and start the service of this tailgate.yml; CPU is known then',
    },
    baseline: {
      type: 'string',
      value: 'REF',
      help: 'compare the capacity of two builds in turns: merge-base, previous, a branch, tag or commit; needs --config',
    },
    rounds: {
      type: 'string',
      value: '7',
      help: 'pairs of short ramps with --baseline; 7 unless given, 6 at least',
    },
    scenario: { type: 'string', value: 'NAME', help: 'of the configuration; its first one unless given' },
    ...requestFlags,
    timeout: { type: 'string', value: '5s', help: 'of a request, from its due time; 5s unless given' },
    'max-sockets': { type: 'string', value: '512', help: 'sockets at most; 512 unless given' },
    json: { type: 'string', value: 'FILE', help: 'also write the result as JSON' },
    html: { type: 'string', value: 'FILE', help: 'also write the report with pictures, as one file' },
    markdown: { type: 'string', value: 'FILE', help: 'also write the report for a job summary' },
  },
  positionals: { least: 0, most: 1 },
  run: async (flags, [url], terminal) => {
    const config = text(flags, 'config');
    if ((url === undefined) === (config === undefined))
      throw usage(ramp, 'it wants either a URL or --config FILE');
    refuseOtherMode(flags, config !== undefined);
    if (text(flags, 'baseline') === undefined && text(flags, 'rounds') !== undefined)
      throw usage(ramp, '--rounds goes with --baseline REF');
    if (text(flags, 'baseline') !== undefined && config === undefined)
      throw usage(ramp, '--baseline needs --config FILE: two builds are made and started');
    const files = filesOf(flags, terminal);
    if (text(flags, 'baseline') !== undefined) {
      if (files.html !== null || flags['to-failure'] === true)
        throw usage(
          ramp,
          '--html and --to-failure belong to the ramp of one build; leave out --baseline for them',
        );
      return await rampOfBaseline(rampSettings(flags), flags, files, terminal);
    }
    const result =
      config === undefined
        ? await rampOfUrl(url!, flags, terminal)
        : await rampOfConfig(
            rampSettings(flags),
            { file: config, scenario: text(flags, 'scenario') },
            terminal,
            (event) => tellRamp(event, terminal),
          );
    const view: RampView = { result, curve: curveOf(result.steps) };
    terminal.print(rampTerminal(view, reportWidth));
    files.json?.write(`${JSON.stringify(result, null, 2)}\n`);
    files.html?.write(rampHtml(view, version));
    files.markdown?.write(rampMarkdown(view));
    return exitCodeOf(result);
  },
};

/** What only the other way to say where requests go would follow. Values are not repeated: a header may be a secret. */
function refuseOtherMode(flags: FlagValues, isConfig: boolean): void {
  const others = isConfig ? [...Object.keys(requestFlags), 'timeout', 'max-sockets'] : ['scenario'];
  const given = others.find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  throw usage(
    ramp,
    isConfig
      ? `--${given} goes with a URL; with --config FILE the file says what is sent and how: drop it, or change the file`
      : `--${given} names one of a configuration, and a URL has none: drop it, or give --config FILE instead of the URL`,
  );
}

async function rampOfUrl(url: string, flags: FlagValues, terminal: Terminal): Promise<RampResult> {
  const wishes = rampSettings(flags);
  const { target, request } = readOneRequest(ramp, url, flags, terminal.directory);
  const subject: Subject = { kind: 'url', url };
  const maxSockets = numberFlag(flags, 'max-sockets', { least: 1, most: 10_000, whole: true }) ?? 512;
  const shape = {
    arrivals: 'constant',
    timeout: readTimeout(flags),
    maxSockets,
    maxInFlight: 10_000,
  } as const;
  const shots = {
    first: request,
    weights: [1],
    draw: (schedule: Schedule) => ({ requests: [request], schedule }),
  };
  await using generator = await startGenerator({ entry: builtFile('generator.js'), signal: terminal.signal });
  return await runRamp({
    settings: { ...wishes, ...shape, shots },
    subject,
    target,
    service: null,
    meter: null,
    bound: { url, ...requestWords(flags) },
    generator,
    environment: terminal.environment,
    clock: realClock,
    signal: terminal.signal,
    tell: (event) => tellRamp(event, terminal),
  });
}

const requestWords = (flags: FlagValues): object =>
  Object.fromEntries(Object.keys(requestFlags).map((name) => [name, flags[name] ?? null]));

function filesOf(
  flags: FlagValues,
  terminal: Terminal,
): Readonly<Record<'json' | 'html' | 'markdown', OutputFile | null>> {
  const file = (name: string): OutputFile | null => {
    const given = text(flags, name);
    return given === undefined ? null : outputFile(terminal, name, given);
  };
  return { json: file('json'), html: file('html'), markdown: file('markdown') };
}

/** 0: an answer; 1: the objective is missed from the start; 3: no sound answer; 4: the service died; 130: stopped. */
export function exitCodeOf({ end, stopped }: Pick<RampResult, 'end' | 'stopped'>): number {
  if (stopped?.by === 'signal') return 130;
  switch (end.kind) {
    case 'bracketed':
    case 'at-least':
      return 0;
    case 'missed-at-start':
      return 1;
    case 'unsound':
    case 'open':
      return 3;
    case 'died':
    case 'did-not-recover':
      return 4;
    default:
      return assertNever(end);
  }
}

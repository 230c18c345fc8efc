/** `tailgate ramp`: the capacity of a service as a curve, its knee, and what happens beyond it. */
import { curveOf } from '../capacity/curve.ts';
import type { RampResult, Subject } from '../capacity/result.ts';
import { assertNever } from '../kernel/errors.ts';
import { builtFile } from '../kernel/installation.ts';
import { nsToMs, secondsToNs } from '../kernel/units.ts';
import { version } from '../kernel/version.ts';
import { freshSeed, realClock } from '../kernel/world.ts';
import type { Schedule } from '../load/protocol.ts';
import { startGenerator } from '../load/remote.ts';
import { runRamp } from '../ramp.ts';
import type { RampWishes } from '../ramp-of-config.ts';
import { rampHtml } from '../report/ramp-html.ts';
import { rampMarkdown, rampTerminal } from '../report/ramp-text.ts';
import type { RampView } from '../report/ramp-view.ts';
import {
  type Command,
  durationFlag,
  type FlagValues,
  numberFlag,
  type Terminal,
  text,
  usage,
} from './command.ts';
import { readOneRequest, readTimeout, requestFlags } from './one-request.ts';
import { type OutputFile, outputFile } from './output-file.ts';
import { rampOfBaseline } from './ramp-baseline.ts';
import { rampOfConfig } from './ramp-config.ts';
import { tellRamp } from './ramp-progress.ts';

const longest = secondsToNs(4 * 3600);
const reportWidth = 110;

/** Flags of the ramp itself, whatever it is sent at. */
export const rampFlags = {
  objective: { type: 'string', value: '50ms', help: 'what p99 may be at most' },
  from: { type: 'string', value: '50', help: 'requests a second of the first step; 50 unless given' },
  most: {
    type: 'string',
    value: '20000',
    help: 'requests a second that are never exceeded; 20000 unless given',
  },
  'to-failure': {
    type: 'boolean',
    help: 'go on to twice the knee or until half of it fails, and watch the recovery',
  },
  'time-budget': { type: 'string', value: '10m', help: 'ends the ramp with what it has; 10m unless given' },
  step: {
    type: 'string',
    value: '3s',
    help: 'how long a rate is held at least; 3s unless given, and 1,000 requests',
  },
  'recovery-limit': {
    type: 'string',
    value: '30s',
    help: 'how long a recovery is waited for; 30s unless given',
  },
  'error-budget': {
    type: 'string',
    value: '1',
    help: 'percent of the requests that may fail; 1 unless given',
  },
  seed: { type: 'string', value: 'N', help: 'repeats the same schedules; drawn and printed unless given' },
} as const;

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

/**
 * What the flags say about the ramp itself, with every default filled in.
 * @throws TailgateError `usage` naming the flag, its value and the wanted form.
 */
export function rampSettings(flags: FlagValues): RampWishes {
  const objective = durationFlag(flags, 'objective', secondsToNs(60));
  if (objective === undefined)
    throw usage(ramp, '--objective is missing; it wants what p99 may be at most, e.g. --objective 50ms');
  const from = numberFlag(flags, 'from', { least: 0.5, most: 100_000 }) ?? 50;
  const most = numberFlag(flags, 'most', { least: 1, most: 100_000 });
  if (from > (most ?? 20_000))
    throw usage(ramp, `--from ${from} is above --most ${most ?? 20_000}; there is nothing between them`);
  return {
    criteria: {
      objectiveMs: nsToMs(objective),
      leastSuccessful: 0.98,
      errorBudget: (numberFlag(flags, 'error-budget', { least: 0, most: 50 }) ?? 1) / 100,
    },
    from,
    most: most ?? 20_000,
    mostWanted: most !== undefined,
    toFailure: flags['to-failure'] === true,
    timeBudget: durationFlag(flags, 'time-budget', longest) ?? secondsToNs(600),
    hold: durationFlag(flags, 'step', secondsToNs(300)) ?? secondsToNs(3),
    patience: durationFlag(flags, 'recovery-limit', secondsToNs(600)) ?? secondsToNs(30),
    seed: numberFlag(flags, 'seed', { least: 0, most: 2 ** 53, whole: true }) ?? freshSeed(),
  };
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

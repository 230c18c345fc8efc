/** `tailgate load URL`: one test by one of three load models, and whether it may be trusted. */
import { readArrivals } from '../config/schema-arrivals.ts';
import type { Arrivals } from '../config/settings.ts';
import { type ClosedSummary, describeClosed, summariseClosed } from '../evidence/closed-summary.ts';
import { type LoadSummary, summariseLoad } from '../evidence/load-summary.ts';
import { describeLoad } from '../evidence/load-text.ts';
import { isSaturated, unsoundReasons } from '../evidence/soundness.ts';
import { floorOf } from '../floor.ts';
import { builtFile } from '../kernel/installation.ts';
import { type Nanoseconds, ns, perSecond, secondsToNs } from '../kernel/units.ts';
import { freshSeed, seededRandom } from '../kernel/world.ts';
import { soundRate } from '../load/dealing.ts';
import type { ClosedPace, Generator } from '../load/protocol.ts';
import { defaultLeadIn, mostShots, planSchedule } from '../load/schedule.ts';
import { progressLine } from '../report/progress.ts';
import { planSenders, startSenders } from '../senders.ts';
import { readEnvironment, usableCpus } from '../service/machine.ts';
import {
  type Command,
  durationFlag,
  type FlagValues,
  numberFlag,
  type Terminal,
  text,
  usage,
} from './command.ts';
import { type FloorMs, floorLines, floorMs, floorWarnings } from './load-floor.ts';
import { openOrRefuse, readOneRequest, readTimeout, requestFlags } from './one-request.ts';
import { type OutputFile, outputFile } from './output-file.ts';
import { isHere, tellOfMachine } from './target-machine.ts';

const longest = secondsToNs(3600);
const mostWorkers = 10_000;

export const load: Command = {
  name: 'load',
  usage: 'load URL --rate N --duration 6s [--model open|closed|closed-intended] [flags]',
  summary:
    'Runs one test; open loop unless given: shots leave at their due time, response time counts from it.',
  flags: {
    model: {
      type: 'string',
      value: 'open|closed|closed-intended',
      help: 'open: sent when due; closed: sent when the answer is in; closed-intended: both, timed from when due',
    },
    rate: { type: 'string', value: 'N', help: 'requests a second; the closed model has none' },
    concurrency: { type: 'string', value: 'N', help: 'workers of the closed models; 10 unless given' },
    think: { type: 'string', value: '50ms', help: 'pause of a worker after each answer; closed model only' },
    duration: { type: 'string', value: '6s', help: 'how long shots are scheduled; 6s unless given' },
    arrivals: {
      type: 'string',
      value: 'constant|poisson|ramp|burst',
      help: 'even or exponential gaps, a rate that rises, or bursts; constant unless given',
    },
    seed: { type: 'string', value: 'N', help: 'repeats the same schedule; drawn and printed unless given' },
    ...requestFlags,
    timeout: {
      type: 'string',
      value: '5s',
      help: 'of a shot, from its due time; in closed models from its send',
    },
    'max-sockets': { type: 'string', value: '256', help: 'sockets at most; a shot that finds none waits' },
    senders: {
      type: 'string',
      value: 'auto|N',
      help: 'generator processes of an open loop; auto: one each 10,000/s, and a CPU left for the service',
    },
    json: { type: 'string', value: 'FILE', help: 'also write the result as JSON' },
  },
  positionals: { least: 1, most: 1 },
  run: async (flags, [url], terminal) => {
    const model = readModel(flags);
    return model === 'open' ? runOpen(url!, flags, terminal) : runClosed(model, url!, flags, terminal);
  },
};

async function runOpen(url: string, flags: FlagValues, terminal: Terminal): Promise<number> {
  refuse(flags, ['concurrency', 'think'], 'an open loop', 'drop it, or add --model closed');
  const one = readOneRequest(load, url, flags, terminal.directory);
  const rate = readRate(flags);
  const duration = readDuration(flags);
  refuseTooMany(rate, duration);
  const seed = numberFlag(flags, 'seed', { least: 0, most: 2 ** 53, whole: true }) ?? freshSeed();
  const arrivals = arrivalsOf(flags);
  const resultFile = jsonFile(flags, terminal);
  const timeout = readTimeout(flags);
  const maxSockets = numberFlag(flags, 'max-sockets', { least: 1, most: 10_000, whole: true }) ?? 256;
  const extent = { kind: 'count', shots: Math.round((rate * duration) / 1e9) } as const;
  const shape = { rate: perSecond(rate), extent, arrivals, leadIn: defaultLeadIn, weights: [1] };
  const schedule = planSchedule(shape, seededRandom(seed));

  const senders = planSenders(readSenders(flags), rate, usableCpus());
  for (const { message, hint } of senders.warnings) {
    terminal.tell(`note: ${message}${hint === undefined ? '' : `; ${hint}`}`);
  }
  tellOfMachine(one.target, terminal, senders.count);
  await using generator = await startLoad(terminal, senders.count);
  const { target, request } = one;
  const sockets = Math.min(maxSockets, Math.max(4, Math.ceil(rate / 50)));
  const run = { rate, arrivals, sockets, maxSockets, timeout, transport: target.transport };
  // Before the sockets to the service are opened, which should not lie idle meanwhile.
  const floor =
    isHere(target) && rate <= senders.count * soundRate
      ? floorMs(await floorOf(generator, { ...run, random: seededRandom(seed).fork('floor') }))
      : null;
  await openOrRefuse(generator, one, sockets, timeout);
  const order = { target, requests: [request], schedule, timeout, maxSockets, maxInFlight: 10_000 };
  const result = await generator.slice(order);
  const reasons = unsoundReasons(result, isSaturated(result));
  const partial = result.counts.scheduled < extent.shots;
  const summary = summariseLoad(result, { seed, reasons, environment: readEnvironment(), partial });
  const lines = [...describeLoad(summary), ...floorLines(floor)];
  const exitCode = conclude({ ...summary, floor }, lines, resultFile, terminal);
  for (const warning of floorWarnings(floor, summary.responseTimeMs.p50)) {
    terminal.tell(progressLine({ kind: 'warning', warning }).text);
  }
  return exitCode;
}

async function runClosed(
  model: 'closed' | 'closed-intended',
  url: string,
  flags: FlagValues,
  terminal: Terminal,
): Promise<number> {
  refuse(
    flags,
    ['arrivals', 'seed', 'max-sockets', 'senders'],
    'a closed loop',
    'drop it, or add --model open',
  );
  const one = readOneRequest(load, url, flags, terminal.directory);
  const workers = numberFlag(flags, 'concurrency', { least: 1, most: mostWorkers, whole: true }) ?? 10;
  const duration = readDuration(flags);
  const pace = readPace(model, workers, duration, flags, terminal);
  const resultFile = jsonFile(flags, terminal);
  const timeout = readTimeout(flags);

  tellOfMachine(one.target, terminal);
  await using generator = await startLoad(terminal);
  await openOrRefuse(generator, one, workers, timeout);
  const result = await generator.closedLoop({
    target: one.target,
    requests: [one.request],
    sequence: new Uint16Array(1),
    workers,
    pace,
    extent: { kind: 'duration', duration },
    leadIn: Math.max(defaultLeadIn, workers),
    timeout,
  });
  const summary = summariseClosed(result, { workers, pace, environment: readEnvironment() });
  return conclude(summary, describeClosed(summary), resultFile, terminal);
}

/** Ctrl-C while shots are sent ends them, and what was measured until then is shown and written. */
function startLoad(terminal: Terminal, senders = 1): Promise<Generator> {
  const options = { entry: builtFile('generator.js'), signal: terminal.signal, keepPartial: true };
  return startSenders(options, senders);
}

function conclude(
  summary: (LoadSummary & { readonly floor: FloorMs | null }) | ClosedSummary,
  lines: readonly string[],
  resultFile: OutputFile | null,
  terminal: Terminal,
): number {
  resultFile?.write(`${JSON.stringify(summary, null, 2)}\n`);
  terminal.print(lines.join('\n'));
  if (summary.partial) return 130;
  return summary.sound ? 0 : 3;
}

function readModel(flags: FlagValues): 'open' | 'closed' | 'closed-intended' {
  const given = text(flags, 'model') ?? 'open';
  if (given !== 'open' && given !== 'closed' && given !== 'closed-intended') {
    throw usage(load, `--model is "${given}"; it wants open, closed or closed-intended`);
  }
  return given;
}

function readSenders(flags: FlagValues): number | 'auto' {
  if ((text(flags, 'senders') ?? 'auto') === 'auto') return 'auto';
  return numberFlag(flags, 'senders', { least: 1, most: 16, whole: true }) ?? 'auto';
}

function readPace(
  model: 'closed' | 'closed-intended',
  workers: number,
  duration: Nanoseconds,
  flags: FlagValues,
  terminal: Terminal,
): ClosedPace {
  if (model === 'closed') {
    if (text(flags, 'rate') !== undefined) {
      readRate(flags);
      terminal.tell(
        'note: a closed loop has no rate, it sends when answers are in; --rate is not followed (--model closed-intended follows it)',
      );
    }
    return { kind: 'on-answer', think: durationFlag(flags, 'think', longest) ?? ns(0) };
  }
  refuse(flags, ['think'], 'a closed loop with intended times', 'drop it, or add --model closed');
  const rate = readRate(flags);
  refuseTooMany(rate, duration);
  return { kind: 'intended', gap: secondsToNs(workers / rate) };
}

function readRate(flags: FlagValues): number {
  const rate = numberFlag(flags, 'rate', { least: 0.1, most: 100_000 });
  if (rate === undefined) throw usage(load, '--rate is missing; it wants requests a second, e.g. --rate 500');
  return rate;
}

const readDuration = (flags: FlagValues): Nanoseconds =>
  durationFlag(flags, 'duration', longest) ?? secondsToNs(6);

function refuseTooMany(rate: number, duration: Nanoseconds): void {
  const shots = Math.round((rate * duration) / 1e9);
  if (shots >= 1 && shots <= mostShots) return;
  throw usage(
    load,
    `--rate ${rate} for ${duration / 1e9} s makes ${shots} shots; it takes 1 to ${mostShots}`,
  );
}

function refuse(flags: FlagValues, names: readonly string[], model: string, wayOut: string): void {
  const given = names.find((name) => flags[name] !== undefined);
  if (given !== undefined) {
    throw usage(load, `--${given} is "${flags[given]}", which ${model} does not take; ${wayOut}`);
  }
}

function jsonFile(flags: FlagValues, terminal: Terminal): OutputFile | null {
  const json = text(flags, 'json');
  return json === undefined ? null : outputFile(terminal, 'json', json);
}

function arrivalsOf(flags: FlagValues): Arrivals {
  const given = text(flags, 'arrivals') ?? 'constant';
  const arrivals = readArrivals(given);
  if (arrivals !== null) return arrivals;
  throw usage(load, `--arrivals is "${given}"; it wants constant, poisson, ramp or burst`);
}

/** `tailgate load URL`: one open-loop test, and whether it may be trusted. */
import { describeLoad, summariseLoad } from '../evidence/load-summary.ts';
import { isSaturated, unsoundReasons } from '../evidence/soundness.ts';
import { TailgateError } from '../kernel/errors.ts';
import { builtFile } from '../kernel/installation.ts';
import { msToNs, perSecond, secondsToNs } from '../kernel/units.ts';
import { freshSeed, seededRandom } from '../kernel/world.ts';
import { startGenerator } from '../load/remote.ts';
import { prepareRequests } from '../load/requests.ts';
import { defaultLeadIn, mostShots, planSchedule } from '../load/schedule.ts';
import { readEnvironment } from '../service/machine.ts';
import { type Command, durationFlag, type FlagValues, numberFlag, text, usage } from './command.ts';
import { outputFile } from './output-file.ts';

const longest = secondsToNs(3600);

export const load: Command = {
  name: 'load',
  usage: 'load URL --rate N --duration 6s [flags]',
  summary: 'Runs one open-loop test: shots leave at their due time, response time counts from it.',
  flags: {
    rate: { type: 'string', value: 'N', help: 'requests a second' },
    duration: { type: 'string', value: '6s', help: 'how long shots are scheduled; 6s unless given' },
    arrivals: {
      type: 'string',
      value: 'constant|poisson',
      help: 'even or exponential gaps; constant unless given',
    },
    seed: { type: 'string', value: 'N', help: 'repeats the same schedule; drawn and printed unless given' },
    method: { type: 'string', value: 'GET', help: 'request method' },
    body: { type: 'string', value: 'TEXT', help: 'request body' },
    header: {
      type: 'string',
      value: '"name: value"',
      help: 'request headers, several separated by newlines',
    },
    timeout: { type: 'string', value: '5s', help: 'of a shot, from its due time' },
    'max-sockets': { type: 'string', value: '256', help: 'sockets at most; a shot that finds none waits' },
    json: { type: 'string', value: 'FILE', help: 'also write the result as JSON' },
  },
  positionals: { least: 1, most: 1 },
  run: async (flags, [url], terminal) => {
    const target = readTarget(url!);
    const rate = numberFlag(flags, 'rate', { least: 0.1, most: 100_000 });
    if (rate === undefined)
      throw usage(load, '--rate is missing; it wants requests a second, e.g. --rate 500');
    const duration = durationFlag(flags, 'duration', longest) ?? secondsToNs(6);
    const shots = Math.round((rate * duration) / 1e9);
    if (shots < 1 || shots > mostShots) {
      throw usage(
        load,
        `--rate ${rate} for ${duration / 1e9} s makes ${shots} shots; it takes 1 to ${mostShots}`,
      );
    }
    const seed = numberFlag(flags, 'seed', { least: 0, most: 2 ** 53, whole: true }) ?? freshSeed();
    const arrivals = readArrivals(flags);
    const json = text(flags, 'json');
    const resultFile = json === undefined ? null : outputFile(terminal, 'json', json);
    const timeout = durationFlag(flags, 'timeout', secondsToNs(600)) ?? msToNs(5000);
    const maxSockets = numberFlag(flags, 'max-sockets', { least: 1, most: 10_000, whole: true }) ?? 256;
    const requests = prepareRequests([
      {
        method: text(flags, 'method') ?? 'GET',
        path: target.path,
        headers: readHeaders(text(flags, 'header')),
        body: text(flags, 'body') ?? null,
        weight: 1,
        expect: { status: [{ from: 200, to: 399 }] },
      },
    ]).requests;
    const extent = { kind: 'count', shots } as const;
    const shape = { rate: perSecond(rate), extent, arrivals, leadIn: defaultLeadIn, weights: [1] };
    const schedule = planSchedule(shape, seededRandom(seed));

    await using generator = await startGenerator({
      entry: builtFile('generator.js'),
      signal: terminal.signal,
    });
    const to = { origin: target.origin, host: null };
    const sockets = Math.min(maxSockets, Math.max(4, Math.ceil(rate / 50)));
    const opened = await generator.open({ target: to, request: requests[0]!, sockets, timeout });
    if (opened.opened === 0) {
      throw new TailgateError({
        code: 'service-failed',
        message: `${target.origin} did not answer: ${opened.problem ?? 'no socket could be opened'}`,
        hint: 'start the service first, and name the address it listens on',
      });
    }
    const result = await generator.slice({
      target: to,
      requests,
      schedule,
      timeout,
      maxSockets,
      maxInFlight: 10_000,
    });
    const reasons = unsoundReasons(result, isSaturated(result));
    const summary = summariseLoad(result, { seed, reasons, environment: readEnvironment() });
    resultFile?.write(`${JSON.stringify(summary, null, 2)}\n`);
    terminal.print(describeLoad(summary).join('\n'));
    return summary.sound ? 0 : 3;
  },
};

function readTarget(url: string): { origin: string; path: string } {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || parsed.protocol !== 'http:') {
    throw usage(
      load,
      `"${url}" is not a URL it can send to; it wants one such as http://127.0.0.1:8080/path`,
    );
  }
  return { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}` };
}

function readArrivals(flags: FlagValues): 'constant' | 'poisson' {
  const given = text(flags, 'arrivals') ?? 'constant';
  if (given !== 'constant' && given !== 'poisson') {
    throw usage(load, `--arrivals is "${given}"; it wants constant or poisson`);
  }
  return given;
}

function readHeaders(lines: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of (lines ?? '').split('\n')) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (colon <= 0) throw usage(load, `--header is "${line}"; it wants "name: value"`);
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return headers;
}

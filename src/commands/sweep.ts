/** `tailgate sweep URL`: a closed loop at several concurrency levels, its knee, and what the service serves at a time. */
import { analyseSweep } from '../capacity/sweep.ts';
import { closedUnsoundReasons } from '../evidence/closed-summary.ts';
import { builtFile } from '../kernel/installation.ts';
import { ns, nsToMs, secondsToNs } from '../kernel/units.ts';
import { freshSeed, realClock, seededRandom } from '../kernel/world.ts';
import { startGenerator } from '../load/remote.ts';
import { readEnvironment } from '../service/machine.ts';
import { runSweep, type SweepJob } from '../sweep.ts';
import { type Command, durationFlag, type FlagValues, numberFlag, text, usage } from './command.ts';
import { openOrRefuse, readOneRequest, readTimeout, requestFlags } from './one-request.ts';
import { outputFile } from './output-file.ts';
import { type ShownSweep, sweepHeadline, sweepMarkdown, sweepText } from './sweep-text.ts';
import { tellOfMachine } from './target-machine.ts';

const limits = { fewestLevels: 4, mostLevels: 20, mostWorkers: 2000, closest: 1.2 } as const;

export const sweep: Command = {
  name: 'sweep',
  usage: 'sweep URL --levels 5,10,20,40 --requests 400 [flags]',
  summary:
    'Runs a closed loop at several concurrency levels: where more callers bring no more answers, and why.',
  flags: {
    levels: { type: 'string', value: '5,10,20,40', help: 'concurrency levels, four at least, a fifth apart' },
    requests: {
      type: 'string',
      value: '400',
      help: 'counted at each level in each repeat; 400 unless given',
    },
    repeat: { type: 'string', value: '3', help: 'how often each level is measured, three times at least' },
    timeout: { type: 'string', value: '5s', help: 'of a request, from its send' },
    limit: { type: 'string', value: 'N', help: 'how many requests the service is known to serve at a time' },
    'time-budget': { type: 'string', value: '10m', help: 'for all of it; what is missing then is said' },
    seed: { type: 'string', value: 'N', help: 'repeats the same order; drawn and printed unless given' },
    ...requestFlags,
    format: { type: 'string', value: 'text|markdown', help: 'how the result is printed; text unless given' },
    json: { type: 'string', value: 'FILE', help: 'also write the result as JSON' },
  },
  positionals: { least: 1, most: 1 },
  run: async (flags, [url], terminal) => {
    const one = readOneRequest(sweep, url!, flags, terminal.directory);
    const levels = readLevels(text(flags, 'levels') ?? '5,10,20,40');
    const requests = numberFlag(flags, 'requests', { least: 50, most: 100_000, whole: true }) ?? 400;
    const highest = levels.at(-1)!;
    if (requests < 2 * highest) {
      throw usage(
        sweep,
        `--requests is ${requests} with ${highest} workers; it wants two for each at least, ${2 * highest} or more`,
      );
    }
    const format = readFormat(flags);
    const json = text(flags, 'json');
    const resultFile = json === undefined ? null : outputFile(terminal, 'json', json);
    const seed = numberFlag(flags, 'seed', { least: 0, most: 2 ** 53, whole: true }) ?? freshSeed();
    const timeout = readTimeout(flags);
    const job: SweepJob = {
      ...one,
      levels,
      requests,
      repeats: numberFlag(flags, 'repeat', { least: 3, most: 20, whole: true }) ?? 3,
      timeout,
      knownLimit: numberFlag(flags, 'limit', { least: 1, most: 1e6, whole: true }) ?? null,
      budget: durationFlag(flags, 'time-budget', secondsToNs(6 * 3600)) ?? secondsToNs(600),
    };

    tellOfMachine(one.target, terminal);
    await using generator = await startGenerator({
      entry: builtFile('generator.js'),
      signal: terminal.signal,
      keepPartial: true,
    });
    const began = realClock.now();
    await openOrRefuse(generator, one, 1, ns(Math.min(timeout, job.budget)));
    const left = ns(Math.max(0, job.budget - (realClock.now() - began)));
    const outcome = await runSweep(
      { ...job, budget: left },
      {
        generator,
        clock: realClock,
        random: seededRandom(seed),
        signal: terminal.signal,
        onRun: ({ concurrency, result }, repeat) => {
          const qps = (result.counts.ok * 1e9) / result.window;
          terminal.tell(
            `repeat ${repeat} of ${job.repeats}, concurrency ${concurrency}: ${qps.toFixed(1)} successful a second`,
          );
        },
      },
    );
    const findings = analyseSweep(outcome, closedUnsoundReasons);
    const shown: ShownSweep = {
      findings,
      outcome,
      repeats: job.repeats,
      requests,
      timeoutMs: nsToMs(timeout),
      seed,
    };
    const sound = findings.unsound.length === 0;
    resultFile?.write(
      `${JSON.stringify(
        {
          model: 'closed',
          comparableWithOpenLoop: false,
          result: sweepHeadline(shown),
          ...findings,
          sound,
          partial: outcome.partial,
          cutShort: outcome.cutShort,
          unrecovered: outcome.unrecovered,
          requests,
          repeats: job.repeats,
          timeoutMs: nsToMs(timeout),
          seed,
          environment: readEnvironment(),
        },
        null,
        2,
      )}\n`,
    );
    terminal.print(format === 'markdown' ? sweepMarkdown(shown) : sweepText(shown));
    if (outcome.partial === 'stopped') return 130;
    return sound ? 0 : 3;
  },
};

/**
 * Ascending concurrency levels.
 * @throws TailgateError `usage` naming what is wrong: fewer than four tell no plateau from a dent, and between levels
 * that are close the 10 % rule sees a knee in every service.
 */
export function readLevels(given: string): readonly number[] {
  const refuse = (why: string) => usage(sweep, `--levels is "${given}"; ${why}, such as --levels 5,10,20,40`);
  const numbers = given.split(',').map((part) => Number(part.trim() || Number.NaN));
  if (numbers.some((level) => !Number.isInteger(level) || level < 1 || level > limits.mostWorkers)) {
    throw refuse(`it wants whole numbers from 1 to ${limits.mostWorkers} with commas between them`);
  }
  const levels = [...new Set(numbers)].sort((one, other) => one - other);
  if (levels.length < limits.fewestLevels || levels.length > limits.mostLevels) {
    throw refuse(
      `it wants ${limits.fewestLevels} to ${limits.mostLevels} different levels, since fewer cannot tell a plateau from a dent`,
    );
  }
  const close = levels.findIndex((level, index) => index > 0 && level < limits.closest * levels[index - 1]!);
  if (close !== -1) {
    const [low, high] = [levels[close - 1]!, levels[close]!];
    throw refuse(
      `${low} and ${high} are so close that successful QPS could hardly grow by the 10 % that are asked for; it wants levels at least a fifth apart`,
    );
  }
  return levels;
}

function readFormat(flags: FlagValues): 'text' | 'markdown' {
  const given = text(flags, 'format') ?? 'text';
  if (given !== 'text' && given !== 'markdown') {
    throw usage(sweep, `--format is "${given}"; it wants text or markdown`);
  }
  return given;
}

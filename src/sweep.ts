/** Conductor of a sweep: warm-up, then every level and a single worker in random order, as often as asked for. */
import type { SweepMeasured, SweepRun } from './capacity/sweep.ts';
import { LatencyHistogram } from './evidence/histogram.ts';
import { TailgateError } from './kernel/errors.ts';
import { formatDuration, type Nanoseconds, ns, secondsToNs } from './kernel/units.ts';
import type { Clock, Random } from './kernel/world.ts';
import type { ClosedOrder, ClosedResult, Generator, PreparedRequest, Target } from './load/protocol.ts';

export interface SweepJob {
  readonly target: Target;
  readonly request: PreparedRequest;
  /** Ascending. */
  readonly levels: readonly number[];
  /** Counted at each level, in each repeat. */
  readonly requests: number;
  readonly repeats: number;
  readonly timeout: Nanoseconds;
  readonly knownLimit: number | null;
  /** For everything, warm-up included. */
  readonly budget: Nanoseconds;
}

export interface SweepTools {
  readonly generator: Generator;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Told after each run. */
  readonly onRun: (run: SweepRun, repeat: number) => void;
}

export interface SweepOutcome extends SweepMeasured {
  /** Why not everything was measured; null when it was. */
  readonly partial: 'stopped' | 'out-of-time' | null;
  /** Levels with a run that took too long and counted fewer requests. */
  readonly cutShort: readonly number[];
  /** Levels after which the service did not answer as quickly as before, however long it was waited for. */
  readonly unrecovered: readonly number[];
}

/** A single worker needs fewer requests for its mean than a level for its tail. */
const mostAlone = 40;
const longestRun = secondsToNs(60);
/** Opening sockets at a busy service takes its time. */
const openTimeout = secondsToNs(10);
/** However little of the budget is left, a request gets this long. */
const shortestWait = secondsToNs(0.1);
const recovery = { longest: secondsToNs(15), pause: secondsToNs(0.1), factor: 3 } as const;

/**
 * @throws TailgateError `service-failed` when nothing is answered rightly in the warm-up, `cancelled` when it was
 * stopped before any level was measured.
 */
export async function runSweep(job: SweepJob, tools: SweepTools): Promise<SweepOutcome> {
  const { clock, signal } = tools;
  const deadline = ns(clock.now() + job.budget);
  const usual = await warmUp(job, tools, deadline);
  const alone: ClosedResult[] = [];
  const runs: SweepRun[] = [];
  const unrecovered = new Set<number>();
  const cutShort = new Set<number>();
  let partial: SweepOutcome['partial'] = null;
  for (const { concurrency, repeat } of turnsOf(job, tools.random)) {
    const left = deadline - clock.now();
    const requests = job.levels.includes(concurrency) ? job.requests : Math.min(job.requests, mostAlone);
    const run =
      left <= 0
        ? null
        : await unlessStopped(
            unlessUnsent(runLevel(job, tools, { concurrency, requests, deadline })),
            signal,
          );
    if (run === null) partial = 'out-of-time';
    if (signal.aborted) partial = 'stopped';
    // A run that was stopped counts only where there is no other.
    if (run === null || partial !== null) {
      if (run !== null && !runs.some((one) => one.concurrency === concurrency)) keep(run);
      break;
    }
    keep(run);
    if (run.result.cutShort) cutShort.add(concurrency);
    if (job.levels.includes(concurrency)) tools.onRun(run, repeat);
    const { timedOut, unfinished } = run.result.counts;
    if (timedOut + unfinished > 0 && !(await recovers(job, tools, usual, deadline)))
      unrecovered.add(concurrency);
  }

  function keep(run: SweepRun): void {
    if (run.concurrency === 1) alone.push(run.result);
    if (job.levels.includes(run.concurrency)) runs.push(run);
  }

  if (runs.length === 0) {
    throw new TailgateError({
      code: partial === 'stopped' ? 'cancelled' : 'invalid',
      message: 'the sweep ended before any level was measured',
      hint: 'Give it more time with --time-budget, or fewer --requests.',
    });
  }
  return {
    alone,
    runs,
    knownLimit: job.knownLimit,
    partial,
    cutShort: [...cutShort],
    unrecovered: [...unrecovered],
  };
}

/** Every level, and a single worker, once a repeat; in an order of its own each time. */
function turnsOf(job: SweepJob, random: Random): readonly { concurrency: number; repeat: number }[] {
  const each = [...new Set([1, ...job.levels])];
  return Array.from({ length: job.repeats }, (_, index) =>
    random.shuffle(each).map((concurrency) => ({ concurrency, repeat: index + 1 })),
  ).flat();
}

/** @returns null when it failed because somebody asked to stop: what was measured before is kept. */
async function unlessStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  try {
    return await work;
  } catch (thrown) {
    if (signal.aborted) return null;
    throw thrown;
  }
}

/** @returns null when time was over before a request was sent that counts: opening sockets had taken it all. */
async function unlessUnsent(work: Promise<SweepRun>): Promise<SweepRun | null> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof TailgateError && thrown.code === 'invalid') return null;
    throw thrown;
  }
}

/** @returns the median time of a right answer. */
async function warmUp(job: SweepJob, tools: SweepTools, deadline: number): Promise<Nanoseconds> {
  const concurrency = job.levels[0]!;
  // What is thrown away may be given up earlier: a service that never answers must not outlast the budget.
  const left = Math.max(shortestWait, deadline - tools.clock.now());
  const hasty = { ...job, timeout: ns(Math.min(job.timeout, left / 3)) };
  const shape = { concurrency, requests: job.requests, deadline: deadline - hasty.timeout };
  const run = await unlessUnsent(runLevel(hasty, tools, shape));
  const usual = run === null ? null : LatencyHistogram.decode(run.result.histograms.success).percentile(0.5);
  if (usual !== null) return usual;
  const errors = Object.entries(run?.result.errors ?? {}).map(([name, count]) => `${name}: ${count}`);
  const seen = errors.length === 0 ? `no answer within ${formatDuration(hasty.timeout)}` : errors.join(', ');
  throw new TailgateError({
    code: 'service-failed',
    message: `${job.target.origin} answered nothing rightly in the warm-up at concurrency ${concurrency}: ${seen}`,
    hint: 'Try the request with curl; give a longer --timeout when the service is slow.',
  });
}

async function runLevel(
  job: SweepJob,
  { clock, generator }: SweepTools,
  shape: { readonly concurrency: number; readonly requests: number; readonly deadline: number },
): Promise<SweepRun> {
  const { target, request } = job;
  const { concurrency, requests, deadline } = shape;
  const left = (): number => Math.max(shortestWait, deadline - clock.now());
  const timeout = ns(Math.min(openTimeout, left()));
  await generator.open({ target, request, sockets: concurrency, timeout });
  const longest = ns(Math.min(left(), longestRun));
  // Nobody is in line before the first generation of requests: it is not counted.
  const order = orderOf(job, { concurrency, requests, longest, timeout: job.timeout, leadIn: concurrency });
  return { concurrency, result: await generator.closedLoop(order) };
}

/**
 * Requests that were given up may still wait in the service: one by one until they are answered as quickly as usual.
 * @returns true also when the budget or the user ended the wait: then nobody knows, and nothing is measured after it.
 */
async function recovers(
  job: SweepJob,
  tools: SweepTools,
  usual: Nanoseconds,
  deadline: number,
): Promise<boolean> {
  const { clock, generator, signal } = tools;
  const until = Math.min(clock.now() + recovery.longest, deadline);
  while (clock.now() < until && !signal.aborted) {
    const longest = ns(Math.max(shortestWait, until - clock.now()));
    const probe = {
      concurrency: 1,
      requests: 1,
      leadIn: 0,
      longest,
      timeout: longest,
    };
    const answer = await unlessStopped(generator.closedLoop(orderOf(job, probe)), signal);
    if (answer === null) return true;
    const { counts, histograms } = answer;
    const took = LatencyHistogram.decode(histograms.response).max;
    if (counts.ok === 1 && took !== null && took <= recovery.factor * usual) return true;
    await clock.sleep(recovery.pause);
  }
  return signal.aborted || clock.now() >= deadline;
}

function orderOf(
  { target, request }: SweepJob,
  shape: {
    readonly concurrency: number;
    readonly requests: number;
    readonly leadIn: number;
    readonly longest: Nanoseconds;
    readonly timeout: Nanoseconds;
  },
): ClosedOrder {
  return {
    target,
    requests: [request],
    sequence: new Uint16Array(1),
    workers: shape.concurrency,
    pace: { kind: 'on-answer', think: ns(0) },
    extent: { kind: 'count', requests: shape.requests, longest: shape.longest },
    leadIn: shape.leadIn,
    timeout: shape.timeout,
  };
}

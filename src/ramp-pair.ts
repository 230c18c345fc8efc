/** Conductor of the capacity of two builds: short ramps in turns, a fresh process each, paired by round. */
import { buildBoth } from './both-builds.ts';
import type { Situation } from './builds/candidate.ts';
import { changedFiles } from './builds/changes.ts';
import { openRepository } from './builds/git.ts';
import { chooseRevisions, type Revisions } from './builds/revision.ts';
import { createWorktrees } from './builds/worktree.ts';
import { bracketOf, roundedRate } from './capacity/search.ts';
import { capacityOf, nextInShort, noBracketOf, type ShortLimits } from './capacity/short-search.ts';
import type { Step } from './capacity/step.ts';
import { worktreeNames } from './config/rounds.ts';
import type { GateConfig } from './config/settings.ts';
import { nearest } from './config/suggestions.ts';
import { messageOf, TailgateError } from './kernel/errors.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { maskingErrors, maskValues } from './kernel/masking.ts';
import { ns, nsToSeconds } from './kernel/units.ts';
import { type Side, sides } from './kernel/words.ts';
import { type Clock, type Random, seededRandom } from './kernel/world.ts';
import type { GateEvent } from './live.ts';
import type { Generator } from './load/protocol.ts';
import { configHashOf, type RampSettings } from './ramp.ts';
import { calibrate, type Reachable, reachable } from './ramp-calibration.ts';
import type { RampEvent } from './ramp-climb.ts';
import type { ShotsRound } from './ramp-of-config.ts';
import {
  holdRate,
  openSockets,
  type RampLoad,
  type RampShots,
  waitUntilQuiet,
  warmUp,
} from './ramp-steps.ts';
import { rateText } from './report/ramp-view.ts';
import { pickPorts } from './service/ports.ts';
import type { RunningService } from './service/service.ts';
import { projectIn } from './settings.ts';
import { secretsOf } from './shots.ts';
import { startOne } from './sides.ts';
import { type CapacityRound, type CapacityVerdict, judgeCapacity } from './verdict/capacity.ts';

export interface PairJob {
  readonly directory: string;
  readonly config: GateConfig;
  /** The ref to compare with, or `merge-base`. */
  readonly baseline: string;
  readonly situation: Situation;
  readonly mergeBaseByApi?: (one: string, other: string) => Promise<string>;
  readonly settings: Omit<RampSettings, 'shots' | 'toFailure'>;
  readonly rounds: number;
  /** What is sent to a service that has just been started. */
  readonly shotsFor: (service: RunningService, round: ShotsRound) => Promise<RampShots>;
  /** What the result is bound to beside the settings: requests, start command. */
  readonly bound: unknown;
  readonly generator: Generator;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
  readonly tell: (event: PairEvent) => void;
}

export type PairEvent =
  | GateEvent
  | Extract<RampEvent, { kind: 'calibrated' }>
  | { readonly kind: 'pilot'; readonly capacity: number }
  | {
      readonly kind: 'capacity-round';
      readonly index: number;
      readonly of: number;
      readonly round: CapacityRound | null;
    };

export type PairStop = 'signal' | 'time-budget' | 'failure';

export interface PairResult {
  readonly revisions: Revisions;
  readonly verdict: CapacityVerdict;
  /** Steps of every short ramp, in order. */
  readonly ramps: readonly { readonly round: number; readonly side: Side; readonly steps: readonly Step[] }[];
  /** Rounds in which one side had no bracket. */
  readonly lost: number;
  /** null: all rounds were measured. */
  readonly stopped: PairStop | null;
  /** The failure that stopped it, e.g. how the service of one side died; null: none did. */
  readonly failure: string | null;
  readonly seed: number;
  /** SHA-256 of the configuration and the settings; of neither commit nor machine. */
  readonly configHash: string;
}

/** Fewer rounds cannot find anything at the level of the test. */
export const fewestRounds = 6;
export const usualRounds = 7;
const pilotRules = { factor: 2, resolution: 1.25 } as const;
const roundRules = { factor: 1.3, resolution: 1.05 } as const;
/** Rates of a round are moved by so much, the same for both sides: otherwise all rounds would ask the same few rates. */
const jitter = 0.05;

/**
 * Compares. What was measured is kept when it is stopped; the pilot finds the rough capacity of the baseline.
 * @throws TailgateError `usage`, also when the range or the objective is out of the generator's reach on this machine;
 * `no-baseline`, `service-failed`, `invalid` when the baseline has no capacity within the range, and `cancelled` before the first whole round.
 */
export async function runPair(job: PairJob): Promise<PairResult> {
  const secrets = new Set(secretsOf(job.environment, job.config));
  return await maskingErrors(
    () => secrets,
    () => compare(job, secrets),
  );
}

async function compare(job: PairJob, secrets: Set<string>): Promise<PairResult> {
  const { settings, clock } = job;
  const random = seededRandom(settings.seed).fork('pair');
  const git = await openRepository(job);
  const revisions = await chooseRevisions({ git, wanted: job.baseline, nearest, ...job });
  const reach = reachable(settings, await calibrate(job.generator, settings.most), job.tell);
  const config = {
    ...job.config,
    workingDirectory: projectIn(git.directory, job.directory, job.config.workingDirectory),
  };
  const changed = await changedFiles(git, revisions.baseline.sha, revisions.candidate.sha);
  await using worktrees = await createWorktrees({
    git,
    revisions,
    names: worktreeNames(settings.seed),
    ledger: job.ledger,
    submodules: config.submodules,
    lfs: config.lfs,
  });
  const { directories } = await buildBoth(job, config, git, worktrees, changed.length);
  const began = clock.now();
  const run = (round: number, side: Side, limits: ShortLimits): Promise<readonly Step[]> =>
    shortRamp(job, { config, directories, random, round: { index: round, secrets } }, side, limits);
  const bounds = { least: Math.max(0.5, settings.from / 20), most: reach.most };
  const pilot = await run(0, 'baseline', { start: settings.from, ...bounds, ...pilotRules });
  const center = capacityOf(pilot);
  if (center === null) throw noCapacity(pilot, reach);
  job.tell({ kind: 'pilot', capacity: center });
  const rounds: CapacityRound[] = [];
  const ramps: { round: number; side: Side; steps: readonly Step[] }[] = [];
  let [lost, longest] = [0, 0];
  const result = (stopped: PairStop | null, failure: string | null = null): PairResult => ({
    revisions,
    verdict: judgeCapacity(rounds),
    ramps,
    lost,
    stopped,
    failure,
    seed: settings.seed,
    configHash: configHashOf(job.bound, settings),
  });
  try {
    for (let index = 0; index < job.rounds; index++) {
      const at = clock.now();
      if (at - began + longest > settings.timeBudget) return result('time-budget');
      const moved = center * Math.exp(jitter * (2 * random.next() - 1));
      const start = roundedRate(Math.min(reach.most, moved));
      const values: Partial<Record<Side, number>> = {};
      for (const side of random.coin() ? sides : [...sides].reverse()) {
        const steps = await run(1 + index, side, { start, ...bounds, ...roundRules });
        ramps.push({ round: index, side, steps });
        const capacity = capacityOf(steps);
        if (capacity !== null) values[side] = capacity;
      }
      longest = Math.max(longest, clock.now() - at);
      const { baseline, candidate } = values;
      const round = baseline === undefined || candidate === undefined ? null : { baseline, candidate };
      if (round === null) lost++;
      else rounds.push(round);
      job.tell({ kind: 'capacity-round', index, of: job.rounds, round });
    }
    return result(null);
  } catch (error) {
    const stopped = stopOf(error, rounds.length, job.signal.aborted);
    if (stopped === null) throw error;
    return result(stopped, stopped === 'failure' ? maskValues(secrets)(messageOf(error)) : null);
  }
}

/** Why a comparison ends with the rounds it has; null: there is nothing to keep, or it is a fault of our own. */
export function stopOf(error: unknown, rounds: number, aborted: boolean): PairStop | null {
  if (rounds === 0) return null;
  if (aborted) return 'signal';
  return error instanceof TailgateError && error.code === 'service-failed' ? 'failure' : null;
}

interface PairBuild {
  readonly config: GateConfig;
  readonly directories: Readonly<Record<Side, string>>;
  readonly random: Random;
  /** 0 is the pilot. */
  readonly round: ShotsRound;
}

/** Starts one side, warms it, brackets its capacity, and ends it. */
async function shortRamp(
  job: PairJob,
  build: PairBuild,
  side: Side,
  limits: ShortLimits,
): Promise<readonly Step[]> {
  const { settings, clock, signal, generator } = job;
  const { lower } = await pickPorts(build.random);
  await using one = await startOne({ ...job, ...build }, side, lower);
  const { service, meter } = one;
  const load: RampLoad = {
    ...settings,
    generator,
    target: service.target,
    shots: await job.shotsFor(service, build.round),
    random: build.random,
    clock,
    startedAt: clock.now(),
    signal,
    service,
    meter,
  };
  await openSockets(load, limits.start);
  // Below what it can do, so that what follows starts with an empty queue; twice, since a process warms by requests.
  for (const share of [0.4, 0.6]) await warmUp(load, Math.max(limits.least, share * limits.start));
  const steps: Step[] = [];
  for (let rate = nextInShort(steps, limits); rate !== null; rate = nextInShort(steps, limits)) {
    const { step, lastDue } = await holdRate(
      load,
      rate,
      bracketOf(steps).firstFail === null ? 'bracket' : 'bisect',
    );
    steps.push(step);
    if (step.passes && !step.saturated) continue;
    const quiet = await waitUntilQuiet(load, lastDue, settings.criteria.objectiveMs);
    if (quiet.kind !== 'quiet') service.throwIfExited();
    if (quiet.kind !== 'quiet') break;
    steps[steps.length - 1] = { ...step, drainSeconds: nsToSeconds(ns(quiet.seconds * 1e9)) };
  }
  await generator.close(service.origin);
  return steps;
}

/** What the pilot has instead of a capacity, and who is the limit: that need not be the baseline. */
export function noCapacity(steps: readonly Step[], { most, mostIs }: Omit<Reachable, 'from'>): TailgateError {
  const found = noBracketOf(steps, { most });
  const refused = (message: string, hint: string): TailgateError =>
    new TailgateError({ code: 'invalid', message: `no capacity to compare: ${message}`, hint });
  const rate = rateText(found.rate);
  if (found.kind === 'missed') {
    return refused(
      `the baseline misses the objective at ${rate} already, the lowest rate that was tried`,
      'give a lower --from, or a longer --objective',
    );
  }
  if (found.kind === 'unsound')
    return refused(
      `the generator could not send ${rate} as it should, so that nothing is known of the baseline`,
      'give a lower --from, or run on a machine with more free cores',
    );
  const slow = 'it did not answer as quickly again within --recovery-limit';
  const patience = 'give a lower --from, a longer --objective or a longer --recovery-limit';
  if (found.kind === 'overrun') return refused(`after ${rate} the baseline is overrun: ${slow}`, patience);
  const atLeast = `the baseline does at least ${rate}`;
  if (found.limit === 'service') return refused(`${atLeast}, and after the next step ${slow}`, patience);
  if (found.limit === 'bound' && mostIs === 'rate')
    return refused(
      `${atLeast}: --most is the limit, nothing faster was sent`,
      'give a higher --most, or a shorter --objective',
    );
  return refused(
    `${atLeast}: the generator is the limit on this machine, not the baseline`,
    'give a shorter --objective, measure a --scenario that costs more, or run on a machine with more free cores',
  );
}

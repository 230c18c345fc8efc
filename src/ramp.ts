/** Conductor of a ramp: calibrate, search the capacity, narrow the knee, go on to failure, watch the recovery. */
import { createHash } from 'node:crypto';
import { concludeRamp, type RampResult, type Stop, type Subject } from './capacity/result.ts';
import type { Criteria } from './capacity/step.ts';
import type { Arrivals } from './config/settings.ts';
import { messageOf, TailgateError } from './kernel/errors.ts';
import { formatDuration, type Nanoseconds, ns, nsToSeconds } from './kernel/units.ts';
import type { Clock } from './kernel/world.ts';
import { seededRandom } from './kernel/world.ts';
import type { Generator, Target } from './load/protocol.ts';
import { calibrate, reachable } from './ramp-calibration.ts';
import { climb, type Findings, OutOfTime, type RampEvent } from './ramp-climb.ts';
import { openSockets, type RampLoad, type RampShots, warmUp } from './ramp-steps.ts';
import { isOnThisMachine, readEnvironment, usableCpus } from './service/machine.ts';
import { planPlacement } from './service/placement.ts';
import type { RunningService } from './service/service.ts';
import type { SideMeter } from './service/side-meter.ts';

export interface RampSettings {
  readonly criteria: Criteria;
  readonly from: number;
  readonly most: number;
  /** Whether somebody asked for that bound: then it is said when the generator cannot reach it. */
  readonly mostWanted: boolean;
  readonly toFailure: boolean;
  readonly timeBudget: Nanoseconds;
  readonly hold: Nanoseconds;
  readonly patience: Nanoseconds;
  readonly arrivals: Arrivals;
  readonly timeout: Nanoseconds;
  readonly maxSockets: number;
  readonly maxInFlight: number;
  readonly shots: RampShots;
  readonly seed: number;
}

export interface RampJob {
  readonly settings: RampSettings;
  readonly subject: Subject;
  readonly target: Target;
  readonly service: RunningService | null;
  readonly meter: SideMeter | null;
  /** What the result is bound to beside the settings: requests, start command, commit. */
  readonly bound: unknown;
  readonly generator: Generator;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly tell: (event: RampEvent) => void;
}

const searchRules = { repeats: 3, resolution: 1.05 } as const;
/**
 * Runs a ramp to its end, or until it is stopped: then what was measured is in the result, marked as partial.
 * @throws TailgateError before the first step: `service-failed` when nothing answers, `usage` when the range is out of
 * the generator's reach or the objective below its floor, `cancelled`.
 */
export async function runRamp(job: RampJob): Promise<RampResult> {
  const { settings, clock } = job;
  const startedAt = clock.now();
  const random = seededRandom(settings.seed).fork('ramp');
  const load: RampLoad = {
    ...settings,
    generator: job.generator,
    target: job.target,
    random,
    clock,
    startedAt,
    signal: job.signal,
    service: job.service,
    meter: job.meter,
  };
  const problem = await openSockets(load, settings.from);
  if (problem !== null) throw noAnswer(job, problem);
  const calibration = await calibrate(job.generator, settings.most);
  const limits = { ...searchRules, ...reachable(settings, calibration, job.tell) };
  const found: Findings = {
    steps: [],
    end: { kind: 'open' },
    recovery: null,
    death: null,
  };
  let stopped: Stop | null = null;
  try {
    await warmUp(load, settings.from);
    await climb({ ...settings, tell: job.tell }, load, limits, found);
  } catch (error) {
    stopped = stoppedBy(error, job);
  }
  const environment = readEnvironment(job.environment);
  return concludeRamp(found.steps, {
    createdAt: clock.today().toISOString(),
    subject: job.subject,
    criteria: settings.criteria,
    end: found.end,
    stopped,
    recovery: found.recovery,
    death: found.death,
    calibration,
    relative: planPlacement(usableCpus()).kind === 'shared' && isOnThisMachine(job.target),
    seed: settings.seed,
    configHash: configHashOf(job.bound, settings),
    environmentHash: hashOf(environment),
    environment,
    durationSeconds: Math.round(nsToSeconds(ns(clock.now() - startedAt))),
  });
}

function stoppedBy(error: unknown, job: RampJob): Stop {
  if (job.signal.aborted) return { by: 'signal', why: 'it was stopped before its end' };
  if (error instanceof OutOfTime) {
    return {
      by: 'time-budget',
      why: `the time budget of ${formatDuration(job.settings.timeBudget)} was used up`,
    };
  }
  if (!(error instanceof TailgateError)) throw error;
  return { by: 'failure', why: messageOf(error) };
}

const noAnswer = (job: RampJob, problem: string): TailgateError =>
  new TailgateError({
    code: 'service-failed',
    message: `${job.target.origin} did not answer: ${problem}`,
    hint: 'start the service first, and name the address it listens on',
  });

/** What a capacity is bound to beside the machine; `bound` holds requests, start command and the like. */
export const configHashOf = (
  bound: unknown,
  {
    criteria,
    arrivals,
    timeout,
    maxSockets,
    maxInFlight,
  }: Pick<RampSettings, 'criteria' | 'arrivals' | 'timeout' | 'maxSockets' | 'maxInFlight'>,
): string => hashOf({ bound, criteria, arrivals, timeout, maxSockets, maxInFlight });

/** SHA-256 of what does not depend on the order of keys. */
export function hashOf(value: unknown): string {
  const canonical = JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return createHash('sha256').update(canonical).digest('hex');
}

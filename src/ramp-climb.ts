/** Conductor of the steps of a ramp: the search, the knee narrowed, on to failure and back. */
import { nextToFailure, type Recovery, type RecoveryWindow } from './capacity/beyond.ts';
import { findKnee, nextForKnee } from './capacity/knee.ts';
import type { Calibration, Death, RampEnd } from './capacity/result.ts';
import { nextInSearch, type SearchLimits } from './capacity/search.ts';
import type { Phase, Step } from './capacity/step.ts';
import type { Warning } from './kernel/errors.ts';
import { type Nanoseconds, nsToSeconds, secondsToNs } from './kernel/units.ts';
import {
  type HeldRate,
  hasExited,
  holdRate,
  type RampLoad,
  secondsOf,
  waitUntilQuiet,
  watchRecovery,
} from './ramp-steps.ts';
import type { ServiceExit } from './service/failures.ts';

/** What a ramp says while it runs. */
export type RampEvent =
  | { readonly kind: 'calibrated'; readonly calibration: Calibration; readonly most: number }
  | { readonly kind: 'warning'; readonly warning: Warning }
  | { readonly kind: 'holding'; readonly rate: number; readonly phase: Phase }
  | { readonly kind: 'step'; readonly step: Step; readonly number: number }
  | { readonly kind: 'missed-at-start'; readonly step: Step }
  | { readonly kind: 'recovering'; readonly rate: number; readonly window: RecoveryWindow };

/** What has been found out so far: none of it is lost when a later step fails. */
export interface Findings {
  readonly steps: Step[];
  end: RampEnd;
  recovery: Recovery | null;
  death: Death | null;
}

/** What the steps are told beside their load. */
export interface ClimbJob {
  readonly toFailure: boolean;
  readonly timeBudget: Nanoseconds;
  readonly tell: (event: RampEvent) => void;
}

/** The search may take so much of the time when there is a way to failure and back behind it. */
export const searchShare = 0.6;
/** p50 of a probe may be so much above that of the first step when the objective is missed from the start. */
const quickAgain = 2;

/** The time budget does not hold another step. */
export class OutOfTime extends Error {}

/** Takes every step there is to take, and leaves what it finds in `found` as it goes. @throws OutOfTime */
export async function climb(
  job: ClimbJob,
  load: RampLoad,
  limits: SearchLimits,
  found: Findings,
): Promise<void> {
  const searchUntil = job.timeBudget * (job.toFailure ? searchShare : 1);
  for (let next = nextInSearch(found.steps, limits); ; next = nextInSearch(found.steps, limits)) {
    if (next.kind === 'done') {
      found.end = next.end;
      break;
    }
    if (!(await oneStep(job, load, found, next, searchUntil))) return;
  }
  if (found.end.kind !== 'bracketed') return;
  if (!(await narrowKnee(job, load, found)) || !job.toFailure) return;
  await toFailure(job, load, found, limits.most);
  // Where the objective is missed on the plateau already, only the way to failure has shown the knee.
  if (found.recovery?.recovered === true) await narrowKnee(job, load, found);
}

/** @returns false when the service is of no use any more. */
async function narrowKnee(job: ClimbJob, load: RampLoad, found: Findings): Promise<boolean> {
  const { end } = found;
  for (let rate = nextForKnee(found.steps); rate !== null; rate = nextForKnee(found.steps)) {
    if (!(await oneStep(job, load, found, { rate, phase: 'knee' }, job.timeBudget))) {
      // There is an answer about the capacity already.
      if (found.end.kind !== 'died') found.end = end;
      return false;
    }
  }
  return true;
}

/** Climbs until everything breaks, then goes back to half the knee. */
async function toFailure(job: ClimbJob, load: RampLoad, found: Findings, most: number): Promise<void> {
  const bracketed = found.end;
  for (;;) {
    const rate = nextToFailure(found.steps, most);
    if (rate === null) return;
    const held = await hold(job, load, found, { rate, phase: 'failure' }, job.timeBudget);
    const knee = findKnee(found.steps).rate;
    if (nextToFailure(found.steps, most) === null && knee !== null) {
      found.recovery = await watchRecovery(
        load,
        { rate: Math.max(1, knee / 2), afterRate: rate, lastDue: held.lastDue },
        (window) => job.tell({ kind: 'recovering', rate: knee / 2, window }),
      );
      if (!found.recovery.recovered && found.recovery.windows.every((window) => window.errorShare === 1))
        found.death = await deathOf(load, found, rate);
      return;
    }
    if (!(await drain(load, found, held))) {
      // There is an answer about the capacity already; this is one about what comes behind it.
      if (found.end.kind !== 'died') found.recovery = neverQuiet(load, rate, knee);
      found.end = bracketed;
      return;
    }
  }
}

/** Holds a rate and waits for its queue. @returns false when the service is of no use any more. */
async function oneStep(
  job: ClimbJob,
  load: RampLoad,
  found: Findings,
  next: { readonly rate: number; readonly phase: Phase },
  until: number,
): Promise<boolean> {
  const held = await hold(job, load, found, next, until);
  // What the generator spoiled says nothing yet.
  const isFirst = found.steps.filter((step) => step.sound).length === 1;
  if (isFirst && held.step.sound && !held.step.passes) job.tell({ kind: 'missed-at-start', step: held.step });
  return await drain(load, found, held);
}

async function hold(
  job: ClimbJob,
  load: RampLoad,
  found: Findings,
  next: { readonly rate: number; readonly phase: Phase },
  until: number,
): Promise<HeldRate> {
  const elapsed = load.clock.now() - load.startedAt;
  if (elapsed + secondsToNs(secondsOf(next.rate, load.hold)) > until) throw new OutOfTime();
  job.tell({ kind: 'holding', rate: next.rate, phase: next.phase });
  const held = await holdRate(load, next.rate, next.phase);
  found.steps.push(held.step);
  job.tell({ kind: 'step', step: held.step, number: found.steps.length });
  return held;
}

/** @returns false when nothing answers any more, or never again as quickly. */
async function drain(load: RampLoad, found: Findings, { step, lastDue }: HeldRate): Promise<boolean> {
  if (!hasExited(load) && step.passes && !step.saturated) return true;
  const first = found.steps[0]!.successTimeMs.p50 ?? 0;
  const quiet = await waitUntilQuiet(load, lastDue, Math.max(load.criteria.objectiveMs, quickAgain * first));
  const drainSeconds = quiet.kind === 'quiet' ? Math.round(quiet.seconds * 100) / 100 : null;
  found.steps[found.steps.length - 1] = { ...step, drainSeconds };
  if (quiet.kind === 'quiet') return true;
  if (quiet.kind === 'gone') {
    found.death = await deathOf(load, found, step.rate);
    found.end = { kind: 'died' };
  } else {
    found.end = { kind: 'did-not-recover' };
    found.recovery = neverQuiet(load, step.rate, findKnee(found.steps).rate);
  }
  return false;
}

const neverQuiet = (load: RampLoad, afterRate: number, knee: number | null): Recovery => ({
  rate: (knee ?? afterRate) / 2,
  afterRate,
  recovered: false,
  seconds: null,
  withinSeconds: nsToSeconds(load.patience),
  windows: [],
});

async function deathOf(load: RampLoad, found: Findings, duringRate: number): Promise<Death> {
  const { service } = load;
  const exit = service === null || service.state().kind === 'running' ? null : await service.exited;
  return {
    duringRate,
    afterRequests: found.steps.reduce((sum, step) => sum + step.ok, 0),
    how: exit === null ? null : exitWords(exit),
    lastWords: service === null ? [] : service.tail().slice(-5),
  };
}

function exitWords(exit: ServiceExit): string {
  if (exit.kind === 'exited') return `it ended with exit code ${exit.code}`;
  return exit.kind === 'signalled' ? `it was ended by ${exit.signal}` : 'it ended';
}

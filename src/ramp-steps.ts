/** Conductor of the parts of a ramp: one rate held, the wait until its queue is empty, the way back after overload. */
import { type Recovery, type RecoveryWindow, recoveredAt } from './capacity/beyond.ts';
import { type Criteria, judgedOf, makeStep, type Phase, type Step } from './capacity/step.ts';
import type { Arrivals } from './config/settings.ts';
import { isSaturated, unsoundReasons } from './evidence/soundness.ts';
import { type Nanoseconds, ns, nsToMs, nsToSeconds, perSecond, secondsToNs } from './kernel/units.ts';
import type { Clock, Random } from './kernel/world.ts';
import type {
  Generator,
  PreparedRequest,
  Schedule,
  SliceOrder,
  SliceResult,
  Target,
} from './load/protocol.ts';
import { planSchedule } from './load/schedule.ts';
import type { RunningService } from './service/service.ts';
import type { SideMeter } from './service/side-meter.ts';

/** What is sent. */
export interface RampShots {
  /** Opens the sockets. */
  readonly first: PreparedRequest;
  /** One a request. */
  readonly weights: readonly number[];
  /** The requests of a schedule. */
  readonly draw: (schedule: Schedule) => Pick<SliceOrder, 'requests' | 'schedule'>;
}

/** What every step of a ramp shares. */
export interface RampLoad {
  readonly generator: Generator;
  readonly target: Target;
  readonly shots: RampShots;
  readonly arrivals: Arrivals;
  readonly timeout: Nanoseconds;
  readonly maxSockets: number;
  readonly maxInFlight: number;
  readonly criteria: Criteria;
  /** How long a rate is held at least, once it has settled. */
  readonly hold: Nanoseconds;
  /** How long is waited for a service to recover. */
  readonly patience: Nanoseconds;
  readonly random: Random;
  readonly clock: Clock;
  readonly startedAt: Nanoseconds;
  readonly signal: AbortSignal;
  /** Started by us; null: only its address is known. */
  readonly service: RunningService | null;
  /** Its CPU time, from the source that the configuration names. */
  readonly meter: SideMeter | null;
}

/** A p99 of fewer is decided by a handful of requests. */
const leastShots = 1000;
/** Sent first at the same rate and not counted. */
const settle = { seconds: 0.5, least: 32 } as const;
/** Seconds. */
const longestWarmUp = 4;
/** A few requests that ask whether the queue is empty. */
const probe = { shots: 3, rate: 20, pause: secondsToNs(0.2) } as const;
/** A service from which nothing came for so long, not even an error, is gone. */
const goneAfter = secondsToNs(8);
const recoveryWindow = { seconds: 1, leastShots: 100, longest: 5 } as const;

/** Requests that count in a step at a rate. */
export const shotsAt = (rate: number, hold: Nanoseconds): number =>
  Math.round(Math.max(leastShots, rate * nsToSeconds(hold)));

/** How long a step at a rate takes about, without its drain. */
export const secondsOf = (rate: number, hold: Nanoseconds): number =>
  shotsAt(rate, hold) / rate + settle.seconds;

/** A step, and when its last request was due. */
export interface HeldRate {
  readonly step: Step;
  readonly lastDue: Nanoseconds;
}

/** Holds one rate until enough requests have been answered, and judges it. The queue may be full afterwards. */
export async function holdRate(load: RampLoad, rate: number, phase: Phase): Promise<HeldRate> {
  const leadIn = Math.max(settle.least, Math.ceil(rate * settle.seconds));
  await openSockets(load, rate);
  const startedAt = ns(load.clock.now() - load.startedAt);
  const before = await cpuSoFar(load);
  const began = load.clock.now();
  const result = await send(load, rate, shotsAt(rate, load.hold), leadIn);
  const ended = load.clock.now();
  const after = await cpuSoFar(load);
  const processes = load.service?.cost() ?? null;
  const saturated = isSaturated(result);
  const cost =
    before === null || after === null || after < before || hasExited(load)
      ? null
      : { cpu: ns(after - before), wall: ns(ended - began), leadIn };
  const step = makeStep(result, load.criteria, {
    phase,
    rate,
    startedAt,
    saturated,
    reasons: unsoundReasons(result, saturated),
    cost,
    // Of a service that has ended there is none left to read.
    memoryBytes: processes === null || processes.processes === 0 ? null : processes.memory,
    drainSeconds: nsToSeconds(ns(result.elapsed - result.span)),
  });
  return { step, lastDue: ns(ended - (result.elapsed - result.span)) };
}

/** null: it is not known, or cannot be read just now. */
async function cpuSoFar({ meter }: RampLoad): Promise<Nanoseconds | null> {
  const cpu = meter === null ? null : (await meter.read()).cpu;
  return cpu?.kind === 'read' ? cpu.cpu : null;
}

export type Quiet =
  | { readonly kind: 'quiet'; readonly seconds: number }
  /** It answers, but not as quickly as it did. */
  | { readonly kind: 'slow' }
  | { readonly kind: 'gone' };

/**
 * Waits until a few requests in a row are answered as quickly as is wanted.
 * @param quick milliseconds.
 */
export async function waitUntilQuiet(load: RampLoad, lastDue: Nanoseconds, quick: number): Promise<Quiet> {
  let lastAnswer = load.clock.now();
  for (;;) {
    if (hasExited(load)) return { kind: 'gone' };
    const result = await send(load, probe.rate, probe.shots, 0);
    const now = load.clock.now();
    if (Object.keys(result.statuses).length > 0) lastAnswer = now;
    const typical = judgedOf(result).histogram.percentile(0.5);
    if (result.counts.ok === probe.shots && typical !== null && nsToMs(typical) <= quick)
      return { kind: 'quiet', seconds: nsToSeconds(ns(now - lastDue)) };
    if (now - lastAnswer > Math.min(goneAfter, load.patience)) return { kind: 'gone' };
    if (now - lastDue > load.patience) return { kind: 'slow' };
    await load.clock.sleep(probe.pause, load.signal);
  }
}

/**
 * Goes back to a rate and watches until p99 is within the objective. Windows follow each other; each is sent when the
 * one before has been answered.
 */
export async function watchRecovery(
  load: RampLoad,
  about: { readonly rate: number; readonly afterRate: number; readonly lastDue: Nanoseconds },
  tell: (window: RecoveryWindow) => void,
): Promise<Recovery> {
  const { rate, afterRate, lastDue } = about;
  const { objectiveMs, errorBudget } = load.criteria;
  const windows: RecoveryWindow[] = [];
  const { seconds, leastShots: least, longest } = recoveryWindow;
  const shots = Math.ceil(Math.min(Math.max(seconds * rate, least), Math.max(1, longest * rate)));
  const since = (): Nanoseconds => ns(load.clock.now() - lastDue);
  const answer = (found: number | null): Recovery => ({
    rate,
    afterRate,
    recovered: found !== null,
    seconds: found,
    withinSeconds: nsToSeconds(load.patience),
    windows,
  });
  for (;;) {
    if (hasExited(load)) return answer(null);
    const from = since();
    const result = await send(load, rate, shots, 0);
    const p99 = judgedOf(result).histogram.percentile(0.99);
    const window: RecoveryWindow = {
      fromSeconds: Math.round(nsToSeconds(from) * 100) / 100,
      p99Ms: p99 === null ? null : Math.round(nsToMs(p99) * 1e4) / 1e4,
      errorShare: 1 - result.counts.ok / result.counts.scheduled,
    };
    windows.push(window);
    tell(window);
    const found = recoveredAt(windows, objectiveMs, errorBudget);
    if (found !== null || since() > load.patience) return answer(found);
    // A service that refuses at once must not be asked without a pause.
    if (result.counts.ok === 0) await load.clock.sleep(probe.pause, load.signal);
  }
}

/** Load that is thrown away: a fresh process is several times slower at first. */
export async function warmUp(load: RampLoad, rate: number): Promise<SliceResult> {
  return await send(load, rate, warmShots(rate), 0);
}

/** As many requests as a process needs, or as there are in a few seconds. */
export const warmShots = (rate: number): number =>
  Math.max(1, Math.round(Math.min(Math.max(100, Math.min(2000, rate * 2)), rate * longestWarmUp)));

/** @returns what was wrong, when not one socket could be opened. */
export async function openSockets(load: RampLoad, rate: number): Promise<string | null> {
  const { generator, target, shots, maxSockets, timeout } = load;
  const sockets = Math.min(maxSockets, Math.max(4, Math.ceil(rate / 50)));
  const { opened, problem } = await generator.open({ target, request: shots.first, sockets, timeout });
  return opened === 0 ? (problem ?? 'no socket could be opened') : null;
}

export const hasExited = (load: RampLoad): boolean =>
  load.service !== null && load.service.state().kind !== 'running';

function send(load: RampLoad, rate: number, count: number, leadIn: number): Promise<SliceResult> {
  const { generator, target, shots, arrivals, timeout, maxSockets, maxInFlight } = load;
  const extent = { kind: 'count', shots: count } as const;
  const shape = { rate: perSecond(rate), extent, arrivals, leadIn, weights: shots.weights };
  const schedule = planSchedule(shape, load.random.fork(`step-${load.random.next()}`));
  return generator.slice({ target, ...shots.draw(schedule), timeout, maxSockets, maxInFlight });
}

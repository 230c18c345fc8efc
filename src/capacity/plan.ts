/** From the measured curve to how many instances a peak needs, and when to act. Pure. */
import { TailgateError } from '../kernel/errors.ts';
import { bytes, formatBytes, formatDuration, formatRate, perSecond, secondsToNs } from '../kernel/units.ts';
import { type CurvePoint, curveOf } from './curve.ts';
import type { RampResult } from './result.ts';

export interface PlanWishes {
  /** Requests a second of the whole service at its busiest. */
  readonly peak: number;
  /** Share of the knee that an instance may carry. */
  readonly headroom: number;
}

export interface CapacityPlan {
  readonly schema: 'tailgate-plan';
  readonly version: 1;
  readonly peak: number;
  readonly headroom: number;
  /** Requests a second of one instance. */
  readonly knee: number;
  /** Nothing beyond the knee was measured: it may lie higher, and the plan errs towards more instances. */
  readonly kneeIsAtLeast: boolean;
  readonly safeRate: number;
  /** What the safe rate was taken from. */
  readonly boundBy: 'knee' | 'objective';
  readonly instances: number;
  /** Requests a second of each instance at the peak. */
  readonly ratePerInstance: number;
  readonly withoutOne: {
    /** Requests a second of each other instance when one is lost at the peak. */
    readonly ratePerInstance: number;
    /** Whether that is within `limit`. */
    readonly holds: boolean;
    /** What an instance can carry: the knee, or the highest rate that met the objective where that is less. */
    readonly limit: number;
    readonly limitIs: 'knee' | 'objective';
  };
  readonly scaleOut: {
    /** Add an instance when the mean of all stays above this many requests a second. */
    readonly ratePerInstance: number;
    /** The same as cores in use an instance; null where CPU was not measured. */
    readonly cores: number | null;
  };
  readonly alerts: {
    readonly p99: Alert;
    readonly errors: Alert;
    readonly utilisation: Alert;
  };
  readonly boundTo: {
    readonly configHash: string;
    readonly environmentHash: string;
    readonly measuredAt: string;
  };
  /** What the ramp saw go wrong beyond the safe rate: no recovery, a death, memory that grows. */
  readonly toKnow: readonly string[];
  readonly notCovered: readonly string[];
}

/** Seconds, shares, or requests a second of an instance. */
export interface Alert {
  readonly warning: number;
  readonly critical: number;
  /** Where the figures come from. */
  readonly why: string;
}

/** Requests a second that an instance can carry, and what ends there. */
interface Limit {
  readonly rate: number;
  readonly is: 'knee' | 'objective';
}

const limitWords = { knee: 'the knee', objective: 'the highest rate that met the objective' } as const;

const leastInstances = 2;
/** Between the safe rate and what an instance can carry. */
const criticalLoad = 0.9;
/** Below this many errors an alert would be noise. */
const leastErrors = 0.001;

/**
 * Makes the plan.
 * @throws TailgateError `usage` when the result cannot carry one: partial, unsound, without a knee.
 */
export function planCapacity(result: RampResult, { peak, headroom }: PlanWishes): CapacityPlan {
  const knee = usableKnee(result);
  const { lastPass } = result.capacity;
  const limit: Limit =
    lastPass !== null && lastPass < knee ? { rate: lastPass, is: 'objective' } : { rate: knee, is: 'knee' };
  const byKnee = headroom * knee;
  const boundBy = lastPass !== null && lastPass < byKnee ? 'objective' : 'knee';
  const safeRate = rounded(boundBy === 'objective' ? lastPass! : byKnee);
  const instances = Math.max(leastInstances, Math.ceil(peak / safeRate));
  const withoutOne = peak / (instances - 1);
  const curve = curveOf(result.steps).filter(({ step }) => step.sound);
  const atSafe = nearestBelow(curve, safeRate);
  const perRequestMs = atSafe?.step.cpu?.perRequestMs ?? null;
  return {
    schema: 'tailgate-plan',
    version: 1,
    peak,
    headroom,
    knee,
    kneeIsAtLeast: result.kneeBeyond === null,
    safeRate,
    boundBy,
    instances,
    ratePerInstance: rounded(peak / instances),
    withoutOne: {
      ratePerInstance: rounded(withoutOne),
      holds: withoutOne <= limit.rate,
      limit: limit.rate,
      limitIs: limit.is,
    },
    scaleOut: {
      ratePerInstance: safeRate,
      cores: perRequestMs === null ? null : rounded((safeRate * perRequestMs) / 1000),
    },
    alerts: alertsOf(result, curve, { limit, safeRate }),
    boundTo: {
      configHash: result.configHash,
      environmentHash: result.environmentHash,
      measuredAt: result.createdAt,
    },
    toKnow: toKnow(result, safeRate),
    notCovered: notCovered(result),
  };
}

function usableKnee(result: RampResult): number {
  if (result.partial) {
    throw refused(
      'it is partial: the ramp was stopped before its end, and its knee may lie elsewhere',
      'Let the ramp run to its end; --time-budget gives it more time.',
    );
  }
  if (result.end.kind === 'died')
    throw refused('the service died during the ramp: there is no load it is safe with', 'Mend that first.');
  if (result.end.kind === 'did-not-recover')
    throw refused(
      `after ${rateWords(result.recovery?.afterRate)} the service did not recover: there is no load it is safe with`,
      'Mend that first.',
    );
  if (result.end.kind === 'unsound' || !result.steps.some((step) => step.sound))
    throw refused(
      'the generator could not do its part in it',
      'Measure again on a machine with more free cores.',
    );
  if (result.end.kind === 'missed-at-start')
    throw refused(
      `the objective of ${result.objectiveMs} ms was missed from the start, at ${result.capacity.firstFail}/s`,
      'Start the ramp lower with --from, or give an objective that the service can meet.',
    );
  if (result.knee === null)
    throw refused('it has no knee: latency never stayed on a plateau', 'Start the ramp lower with --from.');
  return result.knee;
}

function alertsOf(
  { objectiveMs, criteria }: RampResult,
  curve: readonly CurvePoint[],
  { limit, safeRate }: { readonly limit: Limit; readonly safeRate: number },
): CapacityPlan['alerts'] {
  const atLimit = nearestBelow(curve, limit.rate)?.step.responseTimeMs.p99 ?? objectiveMs;
  const errorsAtSafe = nearestBelow(curve, safeRate)?.step.errorShare ?? 0;
  const errorWarning = Math.min(criteria.errorBudget, Math.max(leastErrors, 2 * errorsAtSafe)) || leastErrors;
  const nearLimit = safeRate >= criticalLoad * limit.rate;
  return {
    p99: {
      warning: rounded(Math.min(atLimit, objectiveMs) / 1000),
      critical: rounded(objectiveMs / 1000),
      why: `warning: the p99 measured at ${limit.is === 'knee' ? 'the knee, where latency leaves its plateau' : limitWords.objective}; critical: the objective`,
    },
    errors: {
      warning: errorWarning,
      critical: Math.max(errorWarning, criteria.errorBudget),
      why: 'warning: twice what failed at the safe rate, at least 0.1 %; critical: the error budget of the ramp',
    },
    utilisation: {
      warning: safeRate,
      critical: rounded(nearLimit ? limit.rate : criticalLoad * limit.rate),
      why: `warning: the safe rate of an instance; critical: ${nearLimit ? '' : '90 % of '}${limitWords[limit.is]}`,
    },
  };
}

function toKnow({ recovery, death, leak }: RampResult, safeRate: number): readonly string[] {
  const lines: string[] = [];
  if (recovery?.recovered === false) {
    const within = formatDuration(secondsToNs(recovery.withinSeconds));
    lines.push(
      `After ${rateWords(recovery.afterRate)} it did not recover within ${within}: keep it below the knee and shed load before.`,
    );
  }
  if (death !== null) {
    const how = death.how === null ? '' : ` (${death.how})`;
    lines.push(
      `At ${rateWords(death.duringRate)} it died${how}: keep it below the knee, shed load before, and have it started again.`,
    );
  }
  if (leak !== null) {
    const anHour = formatBytes(bytes(leak.perRequestBytes * safeRate * 3600));
    lines.push(
      `Its memory grew in nearly every step, about ${formatBytes(bytes(leak.perRequestBytes))} a request: that is ${anHour} an hour at the safe rate. Mend the leak before the plan is relied on.`,
    );
  }
  return lines;
}

function notCovered({ relative, subject, environment }: RampResult): readonly string[] {
  return [
    'What all instances share, such as a database, a cache, a network or a limit of a third party: it was not part of the measurement, and more instances do not help where it is the limit. Measure it with the planned number of instances.',
    'The variance of real requests: what was sent is one scenario; other paths, larger bodies, other customers and cold caches cost differently.',
    'Arrivals in bursts within a second, start-up time of an instance while scaling out, and uneven balancing between instances.',
    `Another machine than the one it was measured on (${environment.cpuModel}, ${environment.cpus} CPUs).`,
    ...(relative
      ? [
          'The load of the generator, which shared the CPUs with the service: the figures are relative, and the plan is a first one until it is measured with generator and service apart.',
        ]
      : []),
    ...(subject.kind === 'url'
      ? [
          'What runs behind the URL: it was not started by Tailgate, so its CPU and its version are not known.',
        ]
      : []),
  ];
}

/** The point at the highest rate that is not above the wanted one; the lowest there is otherwise. */
function nearestBelow(curve: readonly CurvePoint[], rate: number): CurvePoint | null {
  return curve.findLast((point) => point.rate <= rate) ?? curve[0] ?? null;
}

const rateWords = (rate: number | undefined): string =>
  rate === undefined ? 'a step' : formatRate(perSecond(rate));
const rounded = (value: number): number => Number(value.toPrecision(4));

const refused = (message: string, hint: string): TailgateError =>
  new TailgateError({ code: 'usage', message: `this result cannot carry a plan: ${message}`, hint });

/**
 * When shots are due, in closed form: the k-th is due where the planned cumulative number of shots reaches k. Every form
 * keeps the mean rate, so that a scenario offers the same number of requests whatever its arrivals are. Pure.
 */
import type { Arrivals } from '../config/settings.ts';
import { assertNever } from '../kernel/errors.ts';
import type { PerSecond } from '../kernel/units.ts';
import type { Random } from '../kernel/world.ts';

/**
 * Due times in nanoseconds from the first shot of the lead-in on, ascending.
 * @param counted shots after the lead-in; ramps go over these.
 */
export function dueTimes(
  arrivals: Arrivals,
  rate: PerSecond,
  counted: number,
  leadIn: number,
  random: Random,
): Float64Array {
  const meanGap = 1e9 / rate;
  if (arrivals === 'constant')
    return Float64Array.from({ length: leadIn + counted }, (_, shot) => shot * meanGap);
  if (arrivals === 'poisson') return exponential(meanGap, leadIn + counted, random);
  switch (arrivals.kind) {
    case 'ramp': {
      const { from, to } = arrivals;
      const span = counted * meanGap;
      const scale = 2 / (from + to);
      const at = (shot: number): number => span * rampTime(shot / counted, from * scale, to * scale);
      return behindLeadIn(at, counted, leadIn, meanGap / (from * scale));
    }
    case 'burst': {
      const { every, length, factor } = arrivals;
      const usual = every / (every - length + factor * length);
      const at = (shot: number): number => burstTime(shot * meanGap, every, length, usual, factor * usual);
      return behindLeadIn(at, counted, leadIn, meanGap / usual);
    }
    default:
      return assertNever(arrivals);
  }
}

/** Independent exponential gaps, −ln(1 − u) times their mean: a Poisson process. */
function exponential(meanGap: number, total: number, random: Random): Float64Array {
  const due = new Float64Array(total);
  let at = 0;
  for (let shot = 0; shot < total; shot++) {
    due[shot] = at;
    at += -Math.log1p(-random.next()) * meanGap;
  }
  return due;
}

/**
 * Where on a ramp of unit length and unit area the share `q` is reached: a u + (b − a) u²/2 = q, solved for u in the
 * form that is exact for a = b, too.
 */
function rampTime(q: number, a: number, b: number): number {
  return q === 0 ? 0 : (2 * q) / (a + Math.sqrt(a * a + 2 * (b - a) * q));
}

/** Where `work`, counted at the mean rate, is reached when each period begins with a burst and goes on as usual. */
function burstTime(work: number, every: number, length: number, usual: number, high: number): number {
  const period = Math.floor(work / every);
  const rest = work - period * every;
  const inBurst = high * length;
  return period * every + (rest <= inBurst ? rest / high : length + (rest - inBurst) / usual);
}

/** The lead-in goes before, evenly, at the pace of the beginning. */
function behindLeadIn(
  at: (shot: number) => number,
  counted: number,
  leadIn: number,
  gap: number,
): Float64Array {
  return Float64Array.from({ length: leadIn + counted }, (_, shot) =>
    shot < leadIn ? shot * gap : leadIn * gap + at(shot - leadIn),
  );
}

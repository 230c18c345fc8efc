/** Conductor of a ramp's calibration: what the generator itself costs and how fast it can send, before any service is blamed. */
import type { Calibration } from './capacity/result.ts';
import type { SearchLimits } from './capacity/search.ts';
import { LatencyHistogram } from './evidence/histogram.ts';
import { isSaturated, unsoundReasons } from './evidence/soundness.ts';
import { TailgateError } from './kernel/errors.ts';
import { builtFile } from './kernel/installation.ts';
import { nsToMs, perSecond, secondsToNs } from './kernel/units.ts';
import { seededRandom } from './kernel/world.ts';
import { nullRequest, startNullResponder } from './load/floor.ts';
import type { Generator } from './load/protocol.ts';
import { planSchedule } from './load/schedule.ts';
import type { RampSettings } from './ramp.ts';
import type { RampEvent } from './ramp-climb.ts';

const floorAt = { rate: 200, shots: 200 } as const;
const trial = { seconds: 0.4, from: 500, least: 25, growth: 2 } as const;
/** A trial that a stall of the machine spoils is made again; at a low rate it is hardly ever anything else. */
const tries = { usual: 2, low: 5 } as const;
const timeout = secondsToNs(2);

/**
 * Sends at rising rates to a responder that does nothing.
 * @param most requests a second: what the ramp may want; nothing beyond it is tried, save for a low rate first.
 */
export async function calibrate(generator: Generator, most: number): Promise<Calibration> {
  await using responder = await startNullResponder(builtFile('responder.js'));
  const target = { origin: responder.origin, host: null };
  const random = seededRandom('calibration');
  const send = async (rate: number, shots: number) => {
    await generator.open({
      target,
      request: nullRequest,
      sockets: Math.max(4, Math.ceil(rate / 50)),
      timeout,
    });
    const shape = { rate: perSecond(rate), extent: { kind: 'count', shots }, arrivals: 'constant' } as const;
    return generator.slice({
      target,
      requests: [nullRequest],
      schedule: planSchedule({ ...shape, leadIn: 32, weights: [1] }, random.fork(`${rate}`)),
      timeout,
      maxSockets: 256,
      maxInFlight: 10_000,
    });
  };
  const isReached = async (rate: number): Promise<boolean> => {
    for (let turn = 0; turn < (rate > trial.from ? tries.usual : tries.low); turn++) {
      const result = await send(rate, Math.round(Math.max(100, rate * trial.seconds)));
      const saturated = isSaturated(result);
      const kept = result.counts.ok >= 0.99 * result.counts.scheduled;
      if (kept && !saturated && unsoundReasons(result, saturated).length === 0) return true;
    }
    return false;
  };
  const floors: LatencyHistogram[] = [];
  for (let turn = 0; turn < tries.usual; turn++) {
    const { histograms } = await send(floorAt.rate, floorAt.shots);
    floors.push(LatencyHistogram.decode(histograms.response));
  }
  // What the generator can read, not what the machine did meanwhile.
  const floor = floors.sort((a, b) => a.percentile(0.5)! - b.percentile(0.5)!)[0]!;
  const reach = await reachOf(isReached, most);
  await generator.close(responder.origin);
  return {
    p50Ms: Math.round(nsToMs(floor.percentile(0.5)!) * 1e4) / 1e4,
    p99Ms: Math.round(nsToMs(floor.percentile(0.99)!) * 1e4) / 1e4,
    reachPerSecond: reach,
  };
}

/**
 * The highest rate that was sent soundly. Goes down until one is, then up to `most`, and once between what was and what
 * was not reached.
 * @returns requests a second that were tried; 0 when not even a few could be sent.
 */
export async function reachOf(isReached: (rate: number) => Promise<boolean>, most: number): Promise<number> {
  let reach = Math.max(floorAt.rate, Math.min(most, trial.from));
  let unreached = Number.POSITIVE_INFINITY;
  while (!(await isReached(reach))) {
    unreached = reach;
    reach = Math.round(reach / trial.growth);
    if (reach < trial.least) return 0;
  }
  while (reach < most && unreached === Number.POSITIVE_INFINITY) {
    const rate = Math.min(most, reach * trial.growth);
    if (await isReached(rate)) reach = rate;
    else unreached = rate;
  }
  if (unreached === Number.POSITIVE_INFINITY) return reach;
  const between = Math.round(Math.sqrt(reach * unreached));
  return (await isReached(between)) ? between : reach;
}

export type Reachable = Pick<SearchLimits, 'from' | 'most' | 'mostIs'>;

/**
 * The range of a ramp within what the generator reaches, said to `tell` together with what is beyond it.
 * @throws TailgateError `usage` when the range or the objective is out of the generator's reach on this machine.
 */
export function reachable(
  settings: Pick<RampSettings, 'criteria' | 'from' | 'most' | 'mostWanted'>,
  calibration: Calibration,
  tell: (event: Extract<RampEvent, { kind: 'warning' | 'calibrated' }>) => void,
): Reachable {
  const { reachPerSecond: reach, p50Ms, p99Ms } = calibration;
  const here =
    reach === 0
      ? `on this machine the generator does not reach even ${trial.least}/s against a responder that does nothing`
      : `on this machine the generator reaches about ${reach}/s against a responder that does nothing`;
  if (settings.from > reach) {
    throw new TailgateError({
      code: 'usage',
      message: `--from ${settings.from} cannot be reached: ${here}`,
      hint: `${reach === 0 ? '' : 'start lower, or '}run on a machine with more free cores`,
    });
  }
  const { objectiveMs } = settings.criteria;
  if (objectiveMs < p50Ms) {
    throw new TailgateError({
      code: 'usage',
      message: `an objective of ${objectiveMs} ms cannot be told here: the generator alone reads a p50 of ${p50Ms} ms`,
      hint: 'give a longer objective, or run on a quieter machine',
    });
  }
  if (settings.mostWanted && reach < settings.most) {
    const message = `rates from ${reach}/s to ${settings.most}/s cannot be reached: ${here}. The ramp goes up to that.`;
    tell({ kind: 'warning', warning: { code: 'out-of-reach', message } });
  }
  if (objectiveMs < p99Ms) {
    const message = `the generator alone reads a p99 of ${p99Ms} ms on this machine, which is above the objective of ${objectiveMs} ms`;
    tell({ kind: 'warning', warning: { code: 'objective-below-floor', message } });
  }
  const most = Math.min(settings.most, reach);
  tell({ kind: 'calibrated', calibration, most });
  return { from: settings.from, most, mostIs: reach < settings.most ? 'generator' : 'rate' };
}

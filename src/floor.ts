/** Conductor of the floor: each scenario's schedule once against a responder that does nothing. */
import { sliceRandom } from './config/rounds.ts';
import { LatencyHistogram } from './evidence/histogram.ts';
import type { Floor } from './evidence/trial.ts';
import type { RoundJob } from './job.ts';
import { builtFile } from './kernel/installation.ts';
import { ns } from './kernel/units.ts';
import { startNullResponder } from './load/floor.ts';
import { planSchedule } from './load/schedule.ts';

/** Long enough for a median; the job should not wait for more. */
const seconds = 0.2;
const shotLimits = { least: 20, most: 500 };

/**
 * What the generator itself costs in response time on this machine, before any service is blamed for it.
 * @returns p50 and p99 over all shots, a scenario.
 */
export async function measureFloor(job: RoundJob): Promise<readonly Floor[]> {
  await using responder = await startNullResponder(builtFile('responder.js'));
  const target = { origin: responder.origin, host: null };
  const floor: Floor[] = [];
  for (const { name, rate } of job.plan.scenarios) {
    const shots = Math.max(shotLimits.least, Math.min(shotLimits.most, Math.round(rate * seconds)));
    const shape = {
      rate,
      extent: { kind: 'count', shots },
      arrivals: job.config.arrivals,
      leadIn: 20,
    } as const;
    const requests = [
      { method: 'GET', path: '/', headers: [], body: null, expected: [{ from: 200, to: 200 }] },
    ];
    const { maxSockets, maxInFlight, timeout } = job.config;
    const random = sliceRandom(job.plan.seed, -1, name, 0);
    await job.generator.open({ target, request: requests[0]!, sockets: 4, timeout });
    const { histograms } = await job.generator.slice({
      target,
      requests,
      schedule: planSchedule({ ...shape, weights: [1] }, random),
      timeout,
      maxSockets,
      maxInFlight,
    });
    const response = LatencyHistogram.decode(histograms.response);
    floor.push({
      scenario: name,
      p50: response.percentile(0.5) ?? ns(0),
      p99: response.percentile(0.99) ?? ns(0),
    });
  }
  await job.generator.close(responder.origin);
  return floor;
}

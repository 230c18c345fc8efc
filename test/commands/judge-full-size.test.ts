/** Evidence as large as a job writes it is judged again in seconds: 15 rounds, 32 slices a side, 500 requests a slice. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { serialise } from '../../src/evidence/store.ts';
import { ns } from '../../src/kernel/units.ts';
import { type Random, seededRandom } from '../../src/kernel/world.ts';
import { Desk } from '../microbench/terminal.ts';
import { evidenceOf, scenarioPlan } from '../verdict/evidence-builder.ts';
import { costlier } from '../verdict/stored-job.ts';

const slices = 32;
let desk: Desk;
let size: number;

/** Response times of a service that answers in about 1 ms, with a tail: no two histograms are alike. */
function histogram(random: Random, middle: number): string {
  const latencies = new LatencyHistogram();
  for (let shot = 0; shot < 500; shot++) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    latencies.record(ns(middle * Math.exp(0.4 * normal)));
  }
  return latencies.encode();
}

beforeAll(() => {
  desk = new Desk();
  const random = seededRandom('full size');
  const evidence = evidenceOf({ ...costlier, scenarios: [scenarioPlan('home', { slices })] });
  const text = serialise({
    ...evidence,
    rounds: evidence.rounds.map((round) => ({
      ...round,
      trials: round.trials.map((trial) => ({
        ...trial,
        load: {
          ...trial.load,
          histograms: {
            response: histogram(random, 1e6),
            onTime: histogram(random, 1e6),
            success: histogram(random, 1e6),
            service: histogram(random, 0.9e6),
            lateness: histogram(random, 0.1e6),
          },
        },
      })),
    })),
  });
  expect(evidence.rounds.flatMap(({ trials }) => trials)).toHaveLength(15 * 2 * slices);
  size = text.length;
  desk.write('evidence.json', text);
}, 60_000);
afterAll(() => desk[Symbol.dispose]());

const accepts = `waivers:
  - { scenario: home, metric: cpu, ceiling: 12%, reason: "safer hash" }
  - { scenario: home, metric: cpu-total, ceiling: 12%, reason: "safer hash" }
`;

it('is judged under other settings well within ten seconds', async () => {
  // Five histograms a slice, of some kilobytes each.
  expect(size).toBeGreaterThan(960 * 5 * 500);
  desk.write('now.yml', accepts);
  const began = performance.now();
  const { code, out } = await desk.run('judge', 'evidence.json', '--config', 'now.yml');
  const seconds = (performance.now() - began) / 1000;
  expect([code, out]).toEqual([0, expect.stringMatching(/^Pass with 2 accepted changes: /)]);
  expect(seconds).toBeLessThan(10);
}, 60_000);

/** A whole result of a ramp, from steps by hand; what a test does not name is ordinary. */
import { concludeRamp, type RampFacts, type RampResult } from '../../src/capacity/result.ts';
import type { Step } from '../../src/capacity/step.ts';
import { bytes } from '../../src/kernel/units.ts';
import { criteria, step } from './virtual-queue.ts';

const time = (p50: number, p99: number) => ({ p50, p90: p50, p99, p999: p99, max: p99 });

/** One step with both latencies, as the reference curve tells them. */
export const measured = (
  rate: number,
  successful: number,
  p50: number,
  p99: number,
  more: Partial<Step> = {},
): Step => {
  const misses = [
    ...(p99 > 50 ? (['p99'] as const) : []),
    ...(successful < 0.98 * rate ? (['successful'] as const) : []),
  ];
  return step(rate, {
    successfulPerSecond: successful,
    responseTimeMs: time(p50, p99),
    successTimeMs: time(p50, p99),
    passes: misses.length === 0,
    misses,
    cpu: { perRequestMs: 1.05, cores: (successful * 1.05) / 1000 },
    ...more,
  });
};

/** The reference curve: one thread, 1 ms of CPU and 10 ms of waiting a request. */
export const referenceSteps: readonly Step[] = [
  measured(600, 598, 12.2, 13.3),
  measured(900, 896, 13.2, 14.4),
  measured(940, 935, 14.1, 19.3),
  measured(960, 952, 31.8, 60.7),
  measured(960, 952, 31.9, 60.9),
  measured(1200, 933, 809.5, 1733.8, { phase: 'failure' }),
  measured(1880, 930, 1900, 3733.8, { phase: 'failure', errorShare: 0.02, errors: { 'timed out': 20 } }),
];

export function sampleResult(
  steps: readonly Step[] = referenceSteps,
  facts: Partial<RampFacts> = {},
): RampResult {
  return concludeRamp(steps, {
    createdAt: '2026-01-02T03:04:05.000Z',
    subject: { kind: 'url', url: 'http://127.0.0.1:8080/' },
    criteria: criteria(50),
    end: { kind: 'bracketed' },
    stopped: null,
    recovery: {
      rate: 470,
      afterRate: 1880,
      recovered: true,
      seconds: 3.2,
      withinSeconds: 30,
      windows: [{ fromSeconds: 3.2, p99Ms: 14, errorShare: 0 }],
    },
    death: null,
    calibration: { p50Ms: 0.4, p99Ms: 2, reachPerSecond: 8000 },
    relative: true,
    seed: 7,
    configHash: 'c0ffee'.repeat(10),
    environmentHash: 'decade'.repeat(10),
    environment: {
      tailgate: '0.0.0',
      node: 'v20.0.0',
      platform: 'linux x64',
      kernel: '6.1',
      cpuModel: 'A CPU',
      cpus: 2,
      memory: bytes(8e9),
      runner: null,
    },
    durationSeconds: 100,
    ...facts,
  });
}

import { expect, test } from 'vitest';
import { msToNs } from '../../src/kernel/units.ts';
import { percentileMs, rawServer, shoot } from '../load/slices.ts';

test('the drain is bounded: what is on its way after 5 s is unfinished at its age', async () => {
  await using server = await rawServer(() => {});
  const result = await shoot({ origin: server.origin, timeout: msToNs(30_000), leadIn: 0, shots: 40 });
  expect(result.counts.unfinished).toBe(40);
  expect(percentileMs(result.histograms.response, 0.01)).toBeGreaterThan(4990);
  expect(percentileMs(result.histograms.response, 1)).toBeLessThan(6000);
});

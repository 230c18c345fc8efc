/** How well sends followed their plan, on plans and sends made by hand. */
import { describe, expect, test } from 'vitest';
import { fitOf } from '../../src/load/fit.ts';

const grid = (count: number, gap = 1e6): Float64Array =>
  Float64Array.from({ length: count }, (_, shot) => shot * gap);

describe('the fit of sends to their plan', () => {
  test('is perfect for sends at their due times', () => {
    expect(fitOf(grid(100), grid(100))).toEqual({ distance: 0, plannedGapCv: 0, sentGapCv: 0 });
  });

  test('sees one quota sent at once: half of the second is planned before the first half is out', () => {
    const bunched = grid(1000).fill(999e6);
    const fit = fitOf(grid(1000), bunched);
    expect(fit.distance).toBeCloseTo(0.999, 3);
  });

  test('sees bunches that even out in the gaps: ten at a time are a gap of nine zeros', () => {
    const bunched = grid(1000).map((_, shot) => Math.ceil((shot + 1) / 10) * 10e6);
    const fit = fitOf(grid(1000), bunched);
    expect(fit.distance).toBeCloseTo(0.01, 3);
    // A share 0.1 of gaps of 10 and 0.9 of 0: variance 9, mean 1.
    expect(fit.sentGapCv).toBeCloseTo(3, 1);
  });

  test('sees a freeze of the generator as the share of shots it held up', () => {
    const frozen = grid(1000).map((at) => (at >= 200e6 && at < 400e6 ? 400e6 : at));
    expect(fitOf(grid(1000), frozen).distance).toBeCloseTo(0.2, 2);
  });

  test('does not mind in which order shots of one moment were written down', () => {
    const swapped = grid(10);
    [swapped[3], swapped[4]] = [swapped[4]!, swapped[3]!];
    expect(fitOf(grid(10), swapped).distance).toBe(0);
  });

  test('has no spread of gaps for fewer than three shots', () => {
    expect(fitOf(grid(2), grid(2))).toEqual({ distance: 0, plannedGapCv: null, sentGapCv: null });
  });
});

/** Sentences about a row that nobody flagged or that fresh rounds did not confirm: true to its figures. */
import { describe, expect, test } from 'vitest';
import { logRatio, ratio } from '../../src/kernel/units.ts';
import type { Change } from '../../src/verdict/finding.ts';
import { beyondSpreadSentence, notConfirmedSentence } from '../../src/verdict/reasons.ts';

const changed = (effect: number, spread: number): Change => ({
  kind: 'ratio',
  effect: ratio(effect),
  interval: [ratio(effect - spread), ratio(effect + spread)],
  spread: logRatio(Math.log1p(spread)),
  p: 0.01,
  adjustedP: 0.05,
  upper: ratio(effect + spread),
  singleRunSpread: logRatio(spread),
  smallestDetectable: ratio(1.4 * spread),
});
const tolerance = { min: ratio(0.05), detect: ratio(0.1) };

describe('an unchanged row that moved by more than its spread', () => {
  test.each([
    [
      'below what counts',
      changed(0.049, 0.033),
      '+4.9 % is beyond its spread of ±3.3 %, but below the 5 % from which it counts',
    ],
    [
      'large enough, and not flagged',
      changed(0.06, 0.025),
      '+6 % is beyond its spread of ±2.5 %, but may be chance when all rows are tested together; more than 10 % is ruled out',
    ],
    [
      'better, and not surely',
      changed(-0.156, 0.12),
      '−16 % is beyond its spread of ±12 %, but not surely enough to be called an improvement',
    ],
    ['within its spread', changed(0.03, 0.033), null],
    ['better by less than counts', changed(-0.03, 0.01), null],
    [
      'a share that would count',
      { kind: 'points', difference: ratio(0.05), p: 0.125, adjustedP: null } as const,
      '+5 points would count, but may be chance (p 13 %)',
    ],
    ['a share', { kind: 'points', difference: ratio(0.01), p: 0.5, adjustedP: null } as const, null],
  ])('%s', (_, change, wanted) => {
    expect(beyondSpreadSentence(change, tolerance)).toBe(wanted);
  });

  test('of a rate shows the change of the table, with the rise of its cost deciding', () => {
    expect(beyondSpreadSentence(changed(0.042, 0.01), tolerance, changed(-0.04, 0.01))).toContain(
      '−4 % is beyond its spread of ±1 %, but below the 5 %',
    );
  });
});

describe('a flag that fresh rounds did not confirm says why', () => {
  const first = changed(0.13, 0.05);
  test.each([
    ['too small', changed(0.02, 0.01), 'less than the 5 % from which it counts'],
    ['too uncertain', changed(0.06, 0.08), 'which is within the spread of ±8 %'],
    [
      'too likely chance',
      changed(0.06, 0.03),
      'which may still be chance: a confirmation has to rule that out at 1 % over all rows',
    ],
  ])('%s', (_, pooled, why) => {
    expect(notConfirmedSentence(first, pooled, 13, tolerance)).toBe(
      `not confirmed: +13 % when it was flagged, +${pooled.kind === 'ratio' ? Math.round(pooled.effect * 100) : ''} % over all 13 rounds, ${why}; a quieter runner or more rounds would settle it`,
    );
  });
});

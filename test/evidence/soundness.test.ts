import { describe, expect, test } from 'vitest';
import { isSaturated, unsoundReasons } from '../../src/evidence/soundness.ts';
import type { SliceShape } from './slice-results.ts';
import { sliceResult } from './slice-results.ts';

/** Waits of a queue that grows evenly up to `longest`. */
const growing = (longest: number) =>
  Array.from({ length: 1000 }, (_, index) => ((index + 1) / 1000) * longest);
/** Quick shots, and `waiting` of them that waited for the end of one pause. */
const paused = (waiting: number, pause: number) => [
  ...Array.from({ length: 1000 - waiting }, () => 1),
  ...Array.from({ length: waiting }, (_, index) => ((index + 1) / waiting) * pause),
];

describe('saturated is', () => {
  const saturated: readonly (readonly [string, SliceShape])[] = [
    [
      'a queue that grows through the whole slice',
      { inFlight: { halfway: 100, atEnd: 200 }, response: growing(800) },
    ],
    [
      'a queue that serves some sockets long before others',
      {
        inFlight: { halfway: 270, atEnd: 540 },
        response: [...growing(5000)].map((wait) => wait ** 1.6 / 5000 ** 0.6),
      },
    ],
    [
      'a service that answers nothing from the first shot on',
      {
        counts: { ok: 0, timedOut: 1000 },
        inFlight: { halfway: 500, atEnd: 1000 },
        response: Array.from({ length: 1000 }, () => 5000),
        success: [],
      },
    ],
    [
      'a queue that has reached the time-out and the cap in flight',
      {
        counts: { ok: 400, timedOut: 200, dropped: 400 },
        inFlight: { halfway: 300, atEnd: 300 },
        response: [...Array.from({ length: 400 }, () => 800), ...Array.from({ length: 600 }, () => 1000)],
        success: Array.from({ length: 400 }, () => 800),
      },
    ],
  ];
  for (const [what, shape] of saturated) {
    test(what, () => {
      expect(isSaturated(sliceResult(shape))).toBe(true);
    });
  }
});

describe('saturated is not', () => {
  const keepingUp: readonly (readonly [string, SliceShape])[] = [
    ['a service that keeps up', {}],
    [
      'one that stood still in the middle',
      { inFlight: { halfway: 80, atEnd: 1 }, response: paused(170, 1000) },
    ],
    [
      'one that stood still at the end',
      { inFlight: { halfway: 1, atEnd: 170 }, response: paused(170, 1000) },
    ],
    [
      'one that stood still for two thirds of the slice',
      { inFlight: { halfway: 160, atEnd: 660 }, response: paused(667, 1000) },
    ],
    [
      'one that is slow and always equally so',
      { inFlight: { halfway: 500, atEnd: 1000 }, response: Array.from({ length: 1000 }, () => 2000) },
    ],
    [
      'one that never answers a third of its requests and answers the others at once',
      {
        counts: { ok: 670, timedOut: 330 },
        inFlight: { halfway: 330, atEnd: 330 },
        response: [...Array.from({ length: 670 }, () => 1), ...Array.from({ length: 330 }, () => 1000)],
        success: Array.from({ length: 670 }, () => 1),
      },
    ],
    [
      'one that fails fast',
      { counts: { ok: 0, failed: 1000 }, response: Array.from({ length: 1000 }, () => 5000) },
    ],
  ];
  for (const [what, shape] of keepingUp) {
    test(what, () => {
      expect(isSaturated(sliceResult(shape))).toBe(false);
    });
  }
});

describe('a slice is unsound', () => {
  const reasons: readonly (readonly [string, SliceShape, boolean, readonly string[]])[] = [
    ['not when all is well', {}, false, []],
    ['when fewer than 99 % were released in time', { released: 989 }, false, ['released-too-few']],
    ['not when 99 % were', { released: 990 }, false, []],
    [
      'when shots were dropped although the service kept up',
      { released: 900, counts: { ok: 900, dropped: 100 } },
      false,
      ['dropped-unsaturated'],
    ],
    [
      'not when a saturated service made them drop',
      { released: 900, counts: { ok: 900, dropped: 100 } },
      true,
      [],
    ],
    ['when the sending thread was busy', { utilisation: 0.81 }, false, ['generator-busy']],
    ['not when it was busy within bounds', { utilisation: 0.79 }, false, []],
    [
      'when descriptors ran out',
      { counts: { ok: 999, failed: 1 }, errors: { 'descriptors exhausted': 1 } },
      false,
      ['descriptors-exhausted'],
    ],
    [
      'when ports ran out',
      { counts: { ok: 999, failed: 1 }, errors: { 'ports exhausted': 1 } },
      false,
      ['ports-exhausted'],
    ],
    ['when shots were lost count of', { counts: { ok: 999 } }, false, ['not-conserved']],
    ['not because of lateness', { onTime: 500 }, false, []],
    [
      'not because of errors of the service',
      { counts: { ok: 0, failed: 1000 }, errors: { 'status 500': 1000 } },
      false,
      [],
    ],
  ];
  for (const [what, shape, saturated, expected] of reasons) {
    test(what, () => {
      expect(unsoundReasons(sliceResult(shape), saturated)).toEqual(expected);
    });
  }
});

import { describe, expect, it } from 'vitest';
import { noCapacity } from '../../src/ramp-pair.ts';
import { step } from './virtual-queue.ts';

describe('a pilot without a capacity', () => {
  const unsound = step(1170, { sound: false, passes: false, reasons: ['generator-busy'] });
  const slow = step(1170, { passes: false, misses: ['p99'] });
  const failing = step(20, { passes: false, misses: ['p99', 'successful'] });

  it.each([
    [
      [step(900), unsound, unsound],
      'rate',
      /at least 900\/s: the generator is the limit .* not the baseline/,
    ],
    [[step(900), step(2000)], 'generator', /at least 2,000\/s: the generator is the limit/],
    [[step(900), step(2000)], 'rate', /at least 2,000\/s: --most is the limit/],
    [[step(900), slow], 'rate', /at least 900\/s, and after the next step it did not answer as quickly/],
    [[slow], 'rate', /after 1,170\/s the baseline is overrun/],
    [[step(400, failing), failing], 'rate', /misses the objective at 20\/s already/],
    [[unsound, unsound], 'rate', /the generator could not send 1,170\/s/],
  ] as const)('says of %j whose limit it is', (steps, mostIs, words) => {
    const { message, hint } = noCapacity(steps, { most: 2000, mostIs });
    expect(message).toMatch(words);
    expect(hint).toMatch(/--(from|most|objective)/);
  });
});

/** A check that both sides fail is the check's fault, one that a single side fails is a finding. */
import { expect, test } from 'vitest';
import { checkWarnings } from '../../src/evidence/check-warnings.ts';
import type { Round, Trial } from '../../src/evidence/trial.ts';
import type { CheckResults } from '../../src/load/checks.ts';
import type { SliceResult } from '../../src/load/protocol.ts';
import { sliceResult } from './slice-results.ts';

const none: CheckResults = { answers: 100, looked: 10, failed: 0, samples: [] };
function round(baseline: Partial<CheckResults> | null, candidate: Partial<CheckResults> | null): Round {
  const trial = (side: Trial['side'], checks: Partial<CheckResults> | null): Trial => {
    const load: SliceResult = {
      ...sliceResult(),
      ...(checks === null ? {} : { checks: { ...none, ...checks } }),
    };
    return { scenario: 'shop', side, load } as Trial;
  };
  return { trials: [trial('baseline', baseline), trial('candidate', candidate)] } as unknown as Round;
}
const samples = [{ check: 'check json /a', got: '"b"' }];

test('most answers of both sides failed: it is said, with what came', () => {
  const [warning, ...others] = checkWarnings(round({ failed: 10, samples }, { failed: 6 }));
  expect(others).toEqual([]);
  expect(warning?.code).toBe('checks-fail');
  expect(warning?.message).toBe(
    '`shop`: 60 % or more of the answers that were looked into failed a check on both sides, such as `check json /a`: got "b"',
  );
});

test('one side alone, a few, or no checks at all: nothing is said', () => {
  expect(checkWarnings(round({ failed: 10 }, { failed: 2 }))).toEqual([]);
  expect(checkWarnings(round({ failed: 0 }, { failed: 10 }))).toEqual([]);
  expect(checkWarnings(round(null, null))).toEqual([]);
  expect(checkWarnings(round({ looked: 0, answers: 0 }, { looked: 0, answers: 0 }))).toEqual([]);
});

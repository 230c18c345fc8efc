import { describe, expect, it } from 'vitest';
import { attributeCost } from '../../src/evidence/cost-windows.ts';
import { ns } from '../../src/kernel/units.ts';

const at = (at: number, cpu: number | null) => ({ at: ns(at), cpu: cpu === null ? null : ns(cpu) });

describe('attributing CPU time to slices', () => {
  it('gives work done after a slice to that slice, up to the next slice of the same side', () => {
    const windows = attributeCost([at(0, 0), at(300, 50)], [ns(100), ns(100)], at(600, 90));
    expect(windows).toEqual([
      { cpu: 50, idle: 200 },
      { cpu: 40, idle: 200 },
    ]);
  });

  it('loses nothing: the windows add up to the whole', () => {
    const windows = attributeCost([at(10, 5), at(40, 25), at(90, 26)], [ns(9), ns(9), ns(9)], at(200, 80));
    expect(windows.reduce((sum, window) => sum + (window?.cpu ?? Number.NaN), 0)).toBe(75);
  });

  it('says null, not zero, where a reading is missing', () => {
    expect(attributeCost([at(0, null), at(10, 4)], [ns(5), ns(5)], at(20, 9))).toEqual([
      null,
      { cpu: 5, idle: 5 },
    ]);
  });
});

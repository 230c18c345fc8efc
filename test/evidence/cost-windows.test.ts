import { describe, expect, it } from 'vitest';
import { attributeCost, costOfReading } from '../../src/evidence/cost-windows.ts';
import { ns } from '../../src/kernel/units.ts';

type Figure = number | string;
const grown = (figure: Figure) =>
  typeof figure === 'number'
    ? ({ kind: 'known', value: figure } as const)
    : ({ kind: 'unknown', reason: figure } as const);
const at = (moment: number, cpu: Figure, counters: Readonly<Record<string, Figure>> = {}) => ({
  at: ns(moment),
  cpu: grown(cpu),
  counters: Object.fromEntries(Object.entries(counters).map(([name, value]) => [name, grown(value)])),
});

describe('attributing CPU time to slices', () => {
  it('gives work done after a slice to that slice, up to the next slice of the same side', () => {
    const windows = attributeCost([at(0, 0), at(300, 50)], [ns(100), ns(100)], at(600, 90));
    expect(windows.map(({ cost }) => cost)).toEqual([
      { cpu: 50, idle: 200 },
      { cpu: 40, idle: 200 },
    ]);
  });

  it('loses nothing: the windows add up to the whole', () => {
    const windows = attributeCost([at(10, 5), at(40, 25), at(90, 26)], [ns(9), ns(9), ns(9)], at(200, 80));
    expect(windows.reduce((sum, { cost }) => sum + (cost?.cpu ?? Number.NaN), 0)).toBe(75);
  });

  it('says why, not zero, where a reading is missing, and does so for both windows that need it', () => {
    const windows = attributeCost([at(0, 1), at(10, 'no page'), at(20, 4)], [ns(5), ns(5), ns(5)], at(30, 9));
    expect(windows.map(({ cost, reason }) => cost ?? reason)).toEqual([
      'no page',
      'no page',
      { cpu: 5, idle: 5 },
    ]);
  });

  it('of a counter that went back is unknown for that window alone', () => {
    const windows = attributeCost([at(0, 90), at(10, 3)], [ns(5), ns(5)], at(20, 9));
    expect(windows[0]).toMatchObject({ cost: null, reason: expect.stringContaining('went back') });
    expect(windows[1]).toMatchObject({ cost: { cpu: 6 }, reason: null });
  });

  it('takes off what a reading itself costs, and never more than there is', () => {
    const own = { cpu: ns(4), counters: { pages: 1 } };
    const windows = attributeCost(
      [at(0, 0, { pages: 1 }), at(10, 50, { pages: 9 })],
      [ns(5), ns(5)],
      at(20, 52, { pages: 9 }),
      own,
    );
    expect(windows.map(({ cost }) => cost?.cpu)).toEqual([46, 0]);
    expect(windows.map(({ counters }) => counters)).toEqual([{ pages: { by: 7 } }, { pages: { by: 0 } }]);
  });

  it('keeps counters apart: one that is missing costs the others nothing', () => {
    const windows = attributeCost([at(0, 1, { a: 5, b: 'not there' })], [ns(5)], at(10, 2, { a: 7, b: 3 }));
    expect(windows[0]).toMatchObject({
      cost: { cpu: 1 },
      counters: { a: { by: 2 }, b: { unknown: 'not there' } },
    });
  });
});

describe('what a reading costs', () => {
  it('is the typical step, so that one collection in between is not the price of all', () => {
    const readings = [0, 2, 4, 104, 106, 108].map((cpu, index) => at(index, cpu, { pages: index }));
    expect(costOfReading(readings)).toEqual({ cpu: 2, counters: { pages: 1 } });
  });

  it('is nothing where nothing could be read', () => {
    expect(costOfReading([at(0, 'no page', { a: 'no page' }), at(1, 5, { a: 5 })])).toEqual({
      cpu: 0,
      counters: { a: 0 },
    });
    expect(costOfReading([])).toEqual({ cpu: 0, counters: {} });
  });
});

/** The floor of `tailgate load`: what the generator reads on this machine where there is no service to blame. */
import type { FloorTimes } from '../floor.ts';
import type { Warning } from '../kernel/errors.ts';
import { formatDuration, formatRatio, ms, msToNs, nsToMs, ratio } from '../kernel/units.ts';

/** Milliseconds. */
export interface FloorMs {
  readonly p50: number;
  readonly p99: number;
}

/** Share of a run's p50 that the floor may be without a word; the gate's is the same. */
const quietShare = 0.2;

export const floorMs = (floor: FloorTimes | null): FloorMs | null =>
  floor === null ? null : { p50: rounded(nsToMs(floor.p50)), p99: rounded(nsToMs(floor.p99)) };

export const floorLines = (floor: FloorMs | null): readonly string[] =>
  floor === null
    ? []
    : [`floor: p50 ${spoken(floor.p50)}, p99 ${spoken(floor.p99)} against a responder that does nothing`];

/** @param p50 of the run, in milliseconds; null where nothing was recorded. */
export function floorWarnings(floor: FloorMs | null, p50: number | null): readonly Warning[] {
  if (floor === null || p50 === null || floor.p50 <= quietShare * p50) return [];
  const against = `${spoken(floor.p50)} against a responder that does nothing`;
  if (floor.p50 >= p50) {
    return [
      {
        code: 'floor-not-below',
        message: `the floor (${against}) is not below the p50 of the run, ${spoken(p50)}: the service does next to nothing, or the machine was disturbed while the floor was measured`,
        hint: 'how much of these response times is the service’s own is not known in this run',
      },
    ];
  }
  return [
    {
      code: 'high-floor',
      message: `${formatRatio(ratio(floor.p50 / p50))} of the p50 is the generator and the loopback (${against})`,
      hint: 'a change of the service shows up smaller in these percentiles than it is',
    },
  ];
}

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
const spoken = (value: number): string => formatDuration(msToNs(ms(value)));

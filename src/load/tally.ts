/** Rows of a slice → counts, histograms, errors and bodies; after the slice, off the hot path. Pure. */
import type { LatencyHistogram } from '../evidence/histogram.ts';
import { TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { msToNs, ns } from '../kernel/units.ts';
import { CheckTally, type FailedCheck } from './checks.ts';
import { fitOf } from './fit.ts';
import type { SliceOrder, SliceResult } from './protocol.ts';
import type { ShotRows } from './rows.ts';
import { shotState } from './rows.ts';

/** A shot with more lateness than this is not on time. */
export const onTimeBound: Nanoseconds = msToNs(0.5);

/** What a slice's rows add up to; the driver adds its own health and the shots in flight. */
export type Tally = Omit<SliceResult, 'generator' | 'inFlight' | 'elapsed'>;

type Outcome = 'ok' | 'failed' | 'timedOut' | 'dropped' | 'unfinished';

/**
 * Adds the counted shots up. `response` and `onTime` are error-adjusted: a failed or dropped shot counts as if it had
 * taken the whole time-out, so that a fast error never improves a percentile; an unfinished one counts at its age.
 * @throws TailgateError `invalid` when scheduled is not ok + failed + timed out + dropped + unfinished.
 */
export function tallyRows(
  rows: ShotRows,
  order: Pick<SliceOrder, 'requests' | 'schedule'>,
  newHistogram: () => LatencyHistogram,
): Tally {
  const response = newHistogram();
  const onTime = newHistogram();
  const success = newHistogram();
  const service = newHistogram();
  const lateness = newHistogram();
  const counts = { ok: 0, failed: 0, timedOut: 0, dropped: 0, unfinished: 0 };
  const errors: Record<string, number> = {};
  const statuses: Record<string, number> = {};
  const sizes = { least: Number.POSITIVE_INFINITY, most: 0, total: 0 };
  const checksums: Record<string, string> = {};
  const checks = new CheckTally();
  const overAt = scheduleEnd(rows);
  let released = 0;
  let onTimeCount = 0;

  for (let shot = rows.leadIn; shot < rows.count; shot++) {
    const age = rows.done[shot]! - rows.due[shot]!;
    // A shot sent early would be negative, and is refused by the histogram.
    const late = ns(rows.handed[shot]! - rows.due[shot]!);
    const failedCheck = checkedOf(rows, order, shot, checks);
    const outcome = failedCheck === null ? outcomeOf(rows, order, shot) : 'failed';
    const time = judgedTime(outcome, age, rows.timeout);
    counts[outcome]++;
    response.record(time);
    if (late <= onTimeBound) {
      onTimeCount++;
      onTime.record(time);
    }
    if (outcome !== 'dropped') {
      lateness.record(late);
      if (rows.handed[shot]! <= overAt) released++;
    }
    if (rows.state[shot] === shotState.answered) {
      count(statuses, String(rows.status[shot]));
      service.record(ns(rows.done[shot]! - rows.written[shot]!));
    }
    if (outcome === 'failed') count(errors, failedCheck?.check ?? errorClass(rows, shot));
    if (outcome === 'ok') {
      success.record(ns(age));
      const size = rows.bytes[shot]!;
      sizes.least = Math.min(sizes.least, size);
      sizes.most = Math.max(sizes.most, size);
      sizes.total += size;
      const checksum = rows.checksums.get(shot);
      if (checksum !== undefined) checksums[String(shot - rows.leadIn)] = checksum;
    }
  }

  const scheduled = rows.count - rows.leadIn;
  const accounted = counts.ok + counts.failed + counts.timedOut + counts.dropped + counts.unfinished;
  if (accounted !== scheduled || response.count !== scheduled) {
    throw new TailgateError({
      code: 'invalid',
      message: `${scheduled} requests were scheduled, but ${accounted} are accounted for (${JSON.stringify(counts)})`,
      hint: 'This is a fault of Tailgate; please report it.',
    });
  }
  return {
    counts: { scheduled, ...counts },
    released,
    onTime: onTimeCount,
    span: ns(rows.lastDue - rows.firstCountedDue),
    fit: fitOf(rows.due.subarray(rows.leadIn, rows.count), rows.handed.subarray(rows.leadIn, rows.count)),
    errors,
    statuses,
    bodies: {
      minBytes: counts.ok === 0 ? 0 : sizes.least,
      maxBytes: sizes.most,
      totalBytes: sizes.total,
      checksums,
    },
    ...(order.requests.some((request) => request.checks !== undefined) ? { checks: checks.results() } : {}),
    histograms: {
      response: response.encode(),
      onTime: onTime.encode(),
      success: success.encode(),
      service: service.encode(),
      lateness: lateness.encode(),
    },
  };
}

/**
 * By when a shot must have been handed over to count as released: a hiccup at the very end is no lost rate. Never
 * beyond the drain, after which shots are kept back.
 */
function scheduleEnd(rows: ShotRows): number {
  const grace = Math.max(msToNs(20), 0.01 * (rows.lastDue - rows.firstCountedDue));
  return rows.lastDue + Math.min(grace, rows.timeout);
}

/** The check that an answer with a right status failed; null where none did or there is none. */
function checkedOf(
  rows: ShotRows,
  order: Pick<SliceOrder, 'requests' | 'schedule'>,
  shot: number,
  tally: CheckTally,
): FailedCheck | null {
  const { checks } = order.requests[order.schedule.sequence[shot]!]!;
  if (checks === undefined || rows.state[shot] !== shotState.answered) return null;
  if (outcomeOf(rows, order, shot) !== 'ok') return null;
  return tally.look(checks, rows.bytes[shot]!, rows.contents.get(shot) ?? null);
}

function outcomeOf(rows: ShotRows, order: Pick<SliceOrder, 'requests' | 'schedule'>, shot: number): Outcome {
  switch (rows.state[shot]) {
    case shotState.answered: {
      const status = rows.status[shot]!;
      const { expected } = order.requests[order.schedule.sequence[shot]!]!;
      return expected.some(({ from, to }) => status >= from && status <= to) ? 'ok' : 'failed';
    }
    case shotState.failed:
      return 'failed';
    case shotState.timedOut:
      return 'timedOut';
    case shotState.dropped:
      return 'dropped';
    case shotState.unfinished:
      return 'unfinished';
    default:
      throw new TailgateError({
        code: 'invalid',
        message: `request ${shot} of ${rows.count} has no end (state ${rows.state[shot]})`,
        hint: 'This is a fault of Tailgate; please report it.',
      });
  }
}

function judgedTime(outcome: Outcome, age: number, timeout: Nanoseconds): Nanoseconds {
  switch (outcome) {
    case 'ok':
    case 'unfinished':
      return ns(age);
    case 'failed':
    case 'timedOut':
    case 'dropped':
      return timeout;
  }
}

function errorClass(rows: ShotRows, shot: number): string {
  if (rows.state[shot] === shotState.answered) return `status ${rows.status[shot]}`;
  return rows.causes[rows.cause[shot]!]!;
}

function count(into: Record<string, number>, key: string): void {
  into[key] = (into[key] ?? 0) + 1;
}
